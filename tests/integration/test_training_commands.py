"""Pretrain and fine-tune on a toy language; break and starve them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from toy_language import events, finetune_arguments, pretrain_arguments, same_weights, untimed

from seqpre import finetune, pretrain
from seqpre.corpora import learn_bpe
from seqpre.training.checkpoint import load_weights
from seqpre.training.objectives import CrossEntropy


def test_a_run_learns_and_leaves_what_the_workflow_expects(trained: Path) -> None:
    validations = events(trained / "metrics.jsonl", "validation")
    assert [line["step"] for line in validations] == list(range(10, 70, 10))
    assert validations[-1]["valid_perplexity"] < 0.7 * validations[0]["valid_perplexity"]
    summary = json.loads((trained / "summary.json").read_text())
    best = min(validations, key=lambda line: line["valid_perplexity"])
    assert summary["best_step"]["perplexity"] == best["step"]
    assert load_weights(trained / "weights/perplexity.safetensors")[1]["update"] == best["step"]
    assert summary["train_pairs"] == 200
    assert "| decoder.lm.softmax.weight | 70 x 12 | 840 | loaded | lm_de |" in (trained / "transfer.md").read_text()


def test_improvements_too_small_to_count_are_not_waited_for_but_kept(toy: Path, trained: Path, tmp_path: Path) -> None:
    finetune.main(finetune_arguments(toy, tmp_path, train={"min_improvement": 0.9, "patience": 2}))
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert (summary["stopped_by"], summary["steps"]) == ("patience", 30)
    assert untimed(tmp_path / "metrics.jsonl") == untimed(trained / "metrics.jsonl")[:6]
    assert summary["best_step"]["perplexity"] == 30  # It still was the best.


def test_the_same_run_twice_gives_the_same_weights(toy: Path, trained: Path, tmp_path: Path) -> None:
    finetune.main(finetune_arguments(toy, tmp_path))
    assert same_weights(tmp_path / "weights/perplexity.safetensors", trained / "weights/perplexity.safetensors")
    assert untimed(tmp_path / "metrics.jsonl") == untimed(trained / "metrics.jsonl")


def test_no_lm_objective_leaves_the_lm_losses_out(toy: Path, tmp_path: Path) -> None:
    finetune.main(
        finetune_arguments(
            toy, tmp_path, objectives={"source_lm_weight": 0.0, "target_lm_weight": 0.0}, train={"max_updates": 10}
        )
    )
    tensors, _ = load_weights(tmp_path / "weights/perplexity.safetensors")
    pretrained, _ = load_weights(toy / "lm_en/weights/perplexity.safetensors")
    assert torch.equal(tensors["encoder.lm.softmax.weight"], pretrained["softmax.weight"])  # Nothing moved it.
    assert not torch.equal(tensors["encoder.lm.lstm.weight_hh_l0"], pretrained["lstm.weight_hh_l0"])


@pytest.mark.parametrize(
    ("breakage", "message"),
    [
        (
            lambda a, toy: a.__setitem__(a.index("--lm") + 1, "lm_xx=nowhere"),
            "starts from the LM 'lm_en'; give its weights",
        ),
        (lambda a, toy: a.__setitem__(a.index("--target") + 1, str(toy / "tokens/valid.de")), "has 200 sentences"),
        (lambda a, toy: a.__setitem__(a.index("--valid-references") + 1, str(toy / "train.de")), "has 200 lines"),
        (lambda a, toy: a.__setitem__(a.index("--source") + 1, str(toy / "nothing")), "not a token store"),
        (lambda a, toy: a.__setitem__(a.index("--device") + 1, "cuda"), "torch sees no GPU"),
    ],
)
def test_bad_input_ends_in_one_message_before_training(
    breakage: Any, message: str, toy: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    if "GPU" in message and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    arguments = finetune_arguments(toy, tmp_path)
    breakage(arguments, toy)
    assert message in refused(finetune.main, arguments)
    assert not (tmp_path / "weights/perplexity.safetensors").exists()


def test_too_little_text_to_validate_on_is_refused(toy: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    arguments = pretrain_arguments(toy, tmp_path)
    declared = json.loads((tmp_path / "lm.json").read_text())
    (tmp_path / "lm.json").write_text(json.dumps({**declared, "fraction": "2.5pct"}))
    assert "5 sentences are too few" in refused(pretrain.main, arguments)


def test_another_vocabulary_than_that_of_the_text_is_one_line(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], refused: Callable[..., str]
) -> None:
    other = str(tmp_path / "bpe.model")
    learn_bpe.main(["--input", str(toy / "train.en"), "--vocab-size", "60", "--seed", "1", "--output", other])
    arguments = pretrain_arguments(toy, tmp_path)
    arguments[arguments.index("--vocabulary") + 1] = other
    capsys.readouterr()
    error = refused(pretrain.main, arguments)
    assert "tokens/train.en: was encoded with another vocabulary than" in error
    assert len(error.splitlines()) == 1


def test_a_run_without_a_metric_decodes_nothing_and_learns_the_same(
    toy: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finetune, "translate_batch", None)
    finetune.main(finetune_arguments(toy, tmp_path, train={"metric": "none"}))
    assert same_weights(tmp_path / "weights/perplexity.safetensors", trained / "weights/perplexity.safetensors")
    scored = [line | {"valid_bleu": None} for line in untimed(trained / "metrics.jsonl") if "valid_bleu" in line]
    alone = [line | {"valid_bleu": None} for line in untimed(tmp_path / "metrics.jsonl") if "valid_loss" in line]
    assert scored == alone
    assert not [path for path in tmp_path.rglob("best_*") if "perplexity" not in path.name]
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert list(summary["best_step"]) == ["perplexity"]
    assert "best_valid_perplexity" in summary
    assert "best_valid_bleu" not in summary


def test_a_share_of_the_validation_pairs_is_from_all_over_the_set(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[int, list[str]]] = []

    def score(metric: str, outputs: list[str], references: list[str], sources: list[str]) -> float:
        compared.append((len(outputs), references))
        return 1.0

    monkeypatch.setattr(finetune, "validation_score", score)
    finetune.main(finetune_arguments(toy, tmp_path, train={"max_updates": 1, "validate_every": 1, "validate_pairs": 4}))
    lines = (toy / "valid.de").read_text().splitlines()
    assert compared == [(4, lines[::5])]


def test_a_run_without_updates_is_validated_once_and_keeps_what_it_starts_from(toy: Path, tmp_path: Path) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"max_updates": 0})
    for _ in range(2):  # The second time it has finished before.
        finetune.main(arguments)
        assert [line["step"] for line in events(tmp_path / "metrics.jsonl", "validation")] == [0]
    assert events(tmp_path / "metrics.jsonl", "train") == []
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert (summary["steps"], summary["stopped_by"]) == (0, "max_updates")
    tensors, about = load_weights(tmp_path / "weights/bleu.safetensors")
    pretrained, _ = load_weights(toy / "lm_en/weights/perplexity.safetensors")
    assert torch.equal(tensors["encoder.lm.lstm.weight_hh_l0"], pretrained["lstm.weight_hh_l0"])
    assert about["update"] == 0


def of_fraction(arguments: list[str], fraction: str) -> list[str]:
    """Return the arguments of a run of so much of the toy's 200 pairs."""
    run = Path(arguments[arguments.index("--run") + 1])
    run.write_text(json.dumps({**json.loads(run.read_text()), "fraction": fraction}))
    return arguments


def test_a_count_of_pairs_is_the_share_of_as_many(toy: Path, tmp_path: Path) -> None:
    for folder, fraction in (("count", "0.1k"), ("share", "50pct")):
        arguments = finetune_arguments(toy, tmp_path / folder, train={"max_updates": 10, "validate_every": 10})
        finetune.main(of_fraction(arguments, fraction))
    assert json.loads((tmp_path / "count/summary.json").read_text())["train_pairs"] == 100
    assert same_weights(
        tmp_path / "count/weights/perplexity.safetensors", tmp_path / "share/weights/perplexity.safetensors"
    )


def test_more_pairs_than_there_are_are_refused_by_count(toy: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    said = refused(finetune.main, of_fraction(finetune_arguments(toy, tmp_path), "201"))
    assert "run.json: fraction is 201, of 200 that there are; take fewer" in said


def test_a_language_model_learns_with_the_paper_s_projection_and_adagrad(toy: Path, tmp_path: Path) -> None:
    arguments = pretrain_arguments(toy, tmp_path)
    declared = json.loads((tmp_path / "lm.json").read_text())
    declared["settings"]["first_layer"] = {"embedding_dim": 12, "hidden_dim": 40, "projection_dim": 12}
    declared["settings"]["optimizer"] = {"name": "adagrad", "lr": 0.2}
    (tmp_path / "lm.json").write_text(json.dumps(declared))
    pretrain.main(arguments)
    perplexities = [line["valid_perplexity"] for line in events(tmp_path / "metrics.jsonl", "validation")]
    assert perplexities[-1] < 0.8 * perplexities[0] < 70


def test_too_little_gpu_memory_names_the_batch_size(
    toy: Path, tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(self: CrossEntropy) -> tuple[torch.Tensor, int]:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nMore about memory.")

    monkeypatch.setattr(CrossEntropy, "next_losses", exhausted)
    message = refused(finetune.main, finetune_arguments(toy, tmp_path))
    assert "Lower train.batch_sentences (now 8)" in message
    assert "Tried to allocate 2.00 GiB." in message
