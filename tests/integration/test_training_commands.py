"""Pretrain, fine-tune, decode and translate on a toy language; kill them, break them, starve them."""

import itertools
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from toy_language import (
    events,
    finetune_arguments,
    pretrain_arguments,
    same_weights,
    untimed,
)

from seqpre import decode, finetune, pretrain, translate
from seqpre.checkpoint import load_weights
from seqpre.corpora import learn_bpe
from seqpre.corpora.subwords import Subwords
from seqpre.files import take_lock
from seqpre.objectives import Labelled
from seqpre.search import Hypothesis


@pytest.fixture(scope="module")
def trained(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody interrupted."""
    output = tmp_path_factory.mktemp("trained")
    finetune.main(finetune_arguments(toy, output))
    return output


def test_a_run_learns_and_leaves_what_the_workflow_expects(trained: Path) -> None:
    validations = events(trained / "metrics.jsonl", "validation")
    assert [line["step"] for line in validations] == list(range(10, 70, 10))
    assert validations[-1]["valid_perplexity"] < 0.7 * validations[0]["valid_perplexity"]
    summary = json.loads((trained / "summary.json").read_text())
    best = min(validations, key=lambda line: line["valid_perplexity"])
    assert summary["best_step"]["perplexity"] == best["step"]
    assert load_weights(trained / "model.safetensors")[1]["update"] == best["step"]
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
    assert same_weights(tmp_path / "model.safetensors", trained / "model.safetensors")
    assert untimed(tmp_path / "metrics.jsonl") == untimed(trained / "metrics.jsonl")


def killed_until_done(command: list[str], checkpoint: Path, seed: int) -> int:
    """Run a command again and again, killing it shortly after each new state, until it ends by itself."""
    rng, kills = random.Random(seed), 0
    while True:
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        process = subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL)
        while process.poll() is None:
            if kills < 4 and checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
                time.sleep(rng.random() * 0.3)
                process.send_signal(signal.SIGKILL)
                kills += process.wait() == -signal.SIGKILL
                break
            time.sleep(0.01)
        else:
            assert process.returncode == 0
            return kills


def test_a_run_killed_at_any_moment_ends_with_the_weights_of_one_that_never_stopped(
    toy: Path, trained: Path, tmp_path: Path
) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9})
    reference = tmp_path / "reference"
    finetune.main(finetune_arguments(toy, reference, train={"checkpoint_minutes": 1e-9}))
    kills = killed_until_done(["-m", "seqpre.finetune", *arguments], tmp_path / "checkpoints/last.pt", seed=1)
    assert kills >= 2
    for name in ("model.safetensors", "best_bleu.safetensors"):
        assert same_weights(tmp_path / name, reference / name)
        assert same_weights(tmp_path / name, trained / name)  # How often a state is written changes nothing.
    assert untimed(tmp_path / "metrics.jsonl") == untimed(reference / "metrics.jsonl")


def test_a_killed_language_model_ends_with_the_same_weights(toy: Path, tmp_path: Path) -> None:
    arguments = pretrain_arguments(toy, tmp_path, checkpoint_minutes=1e-9)
    kills = killed_until_done(["-m", "seqpre.pretrain", *arguments], tmp_path / "checkpoints/last.pt", seed=2)
    assert kills >= 1
    assert same_weights(tmp_path / "model.safetensors", toy / "lm_en/model.safetensors")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_a_state_and_asks_to_be_run_again(
    number: signal.Signals, toy: Path, trained: Path, tmp_path: Path
) -> None:
    arguments = ["-m", "seqpre.finetune", *finetune_arguments(toy, tmp_path)]
    process = subprocess.Popen([sys.executable, *arguments], stderr=subprocess.DEVNULL)
    metrics = tmp_path / "checkpoints/metrics.jsonl"
    while not (metrics.exists() and metrics.read_text()):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait() == 75
    assert (tmp_path / "checkpoints/last.pt").exists()
    finetune.main(arguments[2:])
    assert same_weights(tmp_path / "model.safetensors", trained / "model.safetensors")


def test_a_time_limit_saves_a_state_and_asks_to_be_run_again(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = finetune_arguments(toy, tmp_path)
    with pytest.raises(SystemExit) as exit_:
        finetune.main([*arguments, "--stop-after", "1e-9"])
    assert exit_.value.code == 75
    assert "stopped at update 1, the job's time limit is near; run the same command again" in capsys.readouterr().err
    finetune.main([*arguments, "--stop-after", "600"])
    assert "going on after update 1" in capsys.readouterr().err
    assert same_weights(tmp_path / "model.safetensors", trained / "model.safetensors")


def test_two_at_once_in_one_folder_train_once(toy: Path, trained: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "seqpre.finetune", *finetune_arguments(toy, tmp_path)]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = "".join(process.communicate()[1] for process in processes)
    assert [process.returncode for process in processes] == [0, 0], errors
    assert errors.count("stopped by max_updates after 60 updates") == 1
    assert errors.count("had finished before") == 1
    assert same_weights(tmp_path / "model.safetensors", trained / "model.safetensors")


def test_who_waits_for_a_folder_writes_nothing_there(toy: Path, tmp_path: Path) -> None:
    lock = take_lock(tmp_path / "checkpoints" / "lock")
    command = [sys.executable, "-m", "seqpre.finetune", *finetune_arguments(toy, tmp_path)]
    before = sorted(tmp_path.iterdir())
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        waited = any("another process is at work here" in line for line in process.stderr)
        after = sorted(tmp_path.iterdir())
        process.kill()
    lock.close()
    assert waited
    assert after == before


def test_too_little_gpu_memory_names_the_batch_size(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(self: Labelled) -> tuple[torch.Tensor, int]:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nMore about memory.")

    monkeypatch.setattr(Labelled, "next_loss", exhausted)
    with pytest.raises(SystemExit) as exit_:
        finetune.main(finetune_arguments(toy, tmp_path))
    assert exit_.value.code == 2
    message = capsys.readouterr().err
    assert "Lower train.batch_sentences (now 8)" in message
    assert "Tried to allocate 2.00 GiB." in message


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Multiply the labelled loss of one update, by NaN unless told otherwise."""
    original = Labelled.next_loss

    def poison_update(update: int, factor: float = float("nan")) -> None:
        calls = itertools.count(1)

        def poisoned(self: Labelled) -> tuple[torch.Tensor, int]:
            loss, tokens = original(self)
            return (loss * factor if next(calls) == update else loss), tokens

        monkeypatch.setattr(Labelled, "next_loss", poisoned)

    return poison_update


def stopped_at(update: int, poison: Callable[..., None], arguments: list[str], **how: float) -> None:
    poison(update, **how)
    with pytest.raises(SystemExit) as exit_:
        finetune.main(arguments)
    assert exit_.value.code == 2
    poison(0)


@pytest.mark.parametrize(("factor", "shown"), [(float("nan"), "nan"), (float("inf"), "inf"), (100.0, r"\d{3}\.")])
def test_an_exploding_loss_stops_with_the_last_good_update_and_keeps_its_state(
    factor: float,
    shown: str,
    toy: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    poison: Callable[..., None],
) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9})
    stopped_at(15, poison, arguments, factor=factor)
    message = capsys.readouterr().err
    assert re.search(rf"update 15: the loss of 'label' is {shown}", message)
    assert "last good update is 14" in message
    assert (tmp_path / "checkpoints/last.pt").exists()
    assert not (tmp_path / "model.safetensors").exists()


def test_a_state_of_other_settings_is_set_aside(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], poison: Callable[..., None]
) -> None:
    stopped_at(15, poison, finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9}))
    finetune.main(finetune_arguments(toy, tmp_path, train={"max_updates": 10}, optimizer={"lr": 0.02}))
    assert "belongs to other settings or inputs" in capsys.readouterr().err
    assert (tmp_path / "checkpoints/last.aside").exists()


def test_a_damaged_state_is_set_aside_and_the_one_before_is_used(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], poison: Callable[..., None]
) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9})
    stopped_at(30, poison, arguments)
    last = tmp_path / "checkpoints/last.pt"
    last.write_bytes(last.read_bytes()[:1000])
    finetune.main(arguments)
    errors = capsys.readouterr().err
    assert "last.pt is damaged" in errors
    assert "going on after update 28" in errors
    assert same_weights(tmp_path / "model.safetensors", trained / "model.safetensors")


def test_a_finished_run_that_lost_its_outputs_gets_them_back_without_training(
    toy: Path, trained: Path, tmp_path: Path, poison: Callable[..., None]
) -> None:
    finetune.main(finetune_arguments(toy, tmp_path))
    assert not list((tmp_path / "checkpoints").glob("*.pt"))
    for name in ("model.safetensors", "best_bleu.safetensors", "metrics.jsonl", "summary.json"):
        (tmp_path / name).unlink()  # What Snakemake does with the outputs of a job that it takes for failed.
    poison(1)  # Any update would fail.
    finetune.main(finetune_arguments(toy, tmp_path))
    assert same_weights(tmp_path / "model.safetensors", trained / "model.safetensors")
    assert untimed(tmp_path / "metrics.jsonl") == untimed(trained / "metrics.jsonl")
    assert json.loads((tmp_path / "summary.json").read_text())["steps"] == 60


def test_a_retrained_language_model_is_another_input(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], poison: Callable[..., None]
) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9, "max_updates": 10})
    stopped_at(5, poison, arguments)
    pretrain.main(pretrain_arguments(toy, tmp_path / "lm", max_tokens=640))
    place = next(i for i, a in enumerate(arguments) if a.startswith("lm_en=") and a.endswith("safetensors"))
    arguments[place] = f"lm_en={tmp_path}/lm/model.safetensors"
    finetune.main(arguments)
    assert "belongs to other settings or inputs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "text"), [("--source", "train.en"), ("--lm-text", "train.de"), ("--valid-target", "valid.de")]
)
def test_another_text_of_the_same_size_is_another_input(
    option: str, text: str, toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], poison: Callable[..., None]
) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9, "max_updates": 10})
    stopped_at(5, poison, arguments)
    other = shutil.copytree(toy / "tokens" / text, tmp_path / text)
    tokens = np.fromfile(other / "tokens.bin", dtype="<u2")
    tokens[[0, 1]] = tokens[[1, 0]]
    tokens.tofile(other / "tokens.bin")
    place = next(i for i, a in enumerate(arguments) if a.endswith(f"tokens/{text}") and i > arguments.index(option))
    arguments[place] = arguments[place].replace(str(toy / "tokens" / text), str(other))
    finetune.main(arguments)
    assert "belongs to other settings or inputs" in capsys.readouterr().err


def test_no_lm_objective_leaves_the_lm_losses_out(toy: Path, tmp_path: Path) -> None:
    finetune.main(
        finetune_arguments(
            toy, tmp_path, objectives={"source_lm_weight": 0.0, "target_lm_weight": 0.0}, train={"max_updates": 10}
        )
    )
    tensors, _ = load_weights(tmp_path / "model.safetensors")
    pretrained, _ = load_weights(toy / "lm_en/model.safetensors")
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
    breakage: Any, message: str, toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "GPU" in message and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    arguments = finetune_arguments(toy, tmp_path)
    breakage(arguments, toy)
    with pytest.raises(SystemExit) as exit_:
        finetune.main(arguments)
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "model.safetensors").exists()


def test_too_little_text_to_validate_on_is_refused(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = pretrain_arguments(toy, tmp_path)
    declared = json.loads((tmp_path / "lm.json").read_text())
    (tmp_path / "lm.json").write_text(json.dumps({**declared, "fraction": "2.5pct"}))
    with pytest.raises(SystemExit):
        pretrain.main(arguments)
    assert "5 sentences are too few" in capsys.readouterr().err


def test_a_language_model_learns_with_the_paper_s_projection_and_adagrad(toy: Path, tmp_path: Path) -> None:
    arguments = pretrain_arguments(toy, tmp_path)
    declared = json.loads((tmp_path / "lm.json").read_text())
    declared["settings"]["first_layer"] = {"embedding_dim": 12, "hidden_dim": 40, "projection_dim": 12}
    declared["settings"]["optimizer"] = {"name": "adagrad", "lr": 0.2}
    (tmp_path / "lm.json").write_text(json.dumps(declared))
    pretrain.main(arguments)
    perplexities = [line["valid_perplexity"] for line in events(tmp_path / "metrics.jsonl", "validation")]
    assert perplexities[-1] < 0.8 * perplexities[0] < 70


# ------------------------------------------------------------------------------------------------------------- decoding


def decode_arguments(toy: Path, models: list[Path], output: Path) -> list[str]:
    return [
        "--model",
        *map(str, models),
        "--subwords",
        str(toy / "bpe.model"),
        "--input",
        f"valid={toy}/valid.en",
        f"test={toy}/train.en",
        "--tune",
        f"valid={toy}/valid.de",
        "--length-penalties",
        "0",
        "0.6",
        "1",
        "--beam",
        "3",
        "--output-dir",
        str(output),
        "--n-best",
        "2",
    ]


def test_decoding_chooses_the_penalty_on_validation_and_uses_it_for_the_rest(
    toy: Path, trained: Path, tmp_path: Path
) -> None:
    decode.main(decode_arguments(toy, [trained / "model.safetensors"], tmp_path))
    valid, test = (json.loads((tmp_path / f"{split}.json").read_text()) for split in ("valid", "test"))
    scores = {tried["length_penalty"]: tried["bleu"] for tried in valid["tuned"]}
    assert list(scores) == [0.0, 0.6, 1.0]
    assert scores[valid["length_penalty"]] == max(scores.values())
    assert test["length_penalty"] == valid["length_penalty"]
    assert "tuned" not in test
    assert len((tmp_path / "test.txt").read_text().splitlines()) == 200
    rows = [row.split("\t") for row in (tmp_path / "valid.nbest.tsv").read_text().splitlines()]
    texts = (tmp_path / "valid.txt").read_text().splitlines()
    assert [next(row[3] for row in rows if row[0] == str(n)) for n in range(1, 21)] == texts


def test_limits_are_chosen_together_with_the_penalty(toy: Path, trained: Path, tmp_path: Path) -> None:
    limits = ["--min-lengths", "12", "0", "--no-repeat-ngrams", "2", "0", "--max-length", "14", "--metric", "rouge_1"]
    decode.main([*decode_arguments(toy, [trained / "model.safetensors"], tmp_path), *limits])
    valid, test = (json.loads((tmp_path / f"{split}.json").read_text()) for split in ("valid", "test"))
    names = ("min_length", "no_repeat_ngram", "length_penalty")
    scores = {tuple(tried[name] for name in names): tried["rouge_1"] for tried in valid["tuned"]}
    assert list(scores) == list(itertools.product((12, 0), (2, 0), (0.0, 0.6, 1.0)))
    chosen = tuple(valid[name] for name in names)
    assert scores[chosen] == max(scores.values()) > scores[12, 2, 1.0]
    assert tuple(test[name] for name in names) == chosen
    assert {tried["max_length"] for tried in (valid, test, *valid["tuned"])} == {14}
    # The outputs are those of the choice, and a search for it alone finds them again.
    shortest, size, penalty = map(str, chosen)
    alone = ["--min-lengths", shortest, "--no-repeat-ngrams", size, "--length-penalties", penalty, "--max-length", "14"]
    decode.main([*decode_arguments(toy, [trained / "model.safetensors"], tmp_path / "alone"), *alone])
    for file in ("valid.txt", "test.txt", "valid.nbest.tsv"):
        assert (tmp_path / file).read_text() == (tmp_path / "alone" / file).read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--min-lengths", "5", "--max-length", "4"], "decode.max_length is 4; it must be 0"),
        (["--no-repeat-ngrams", "1"], "decode.no_repeat_ngrams is 1; it must be 0 (off) or at least 2"),
        (["--min-lengths", "-1"], "decode.min_lengths is -1; it must be 0 (off) or more"),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    with pytest.raises(SystemExit):
        decode.main([*decode_arguments(toy, [trained / "model.safetensors"], tmp_path), *options])
    assert message in capsys.readouterr().err


def test_several_limits_need_a_text_to_choose_on(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = decode_arguments(toy, [trained / "model.safetensors"], tmp_path)
    place = arguments.index("--tune")
    untuned = [*arguments[:place], *arguments[place + 2 :], "--length-penalties", "1", "--min-lengths", "0", "5"]
    with pytest.raises(SystemExit):
        decode.main(untuned)
    assert "--min-lengths has several values: choosing one needs --tune" in capsys.readouterr().err


def test_a_source_is_read_as_far_as_in_training(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finetune.main(finetune_arguments(toy, tmp_path, model={"max_source": 3}, train={"max_updates": 10}))
    lines = ["the big dog sleeps today and runs", "the big dog sleeps today and a child plays"]

    def found(run: Path) -> list[list[Hypothesis]]:
        subwords = Subwords(toy / "bpe.model")
        model = decode.load_model(run / "model.safetensors", subwords)
        return decode.decode_lines([model], subwords, lines, 3, 1, torch.device("cpu"))

    one, other = found(tmp_path)
    assert one == other
    one, other = found(trained)
    assert one != other
    models = [trained / "model.safetensors", tmp_path / "model.safetensors"]
    with pytest.raises(SystemExit):
        decode.main(decode_arguments(toy, models, tmp_path))
    assert "--model: max_source is [0, 3]; models that decode together must read alike" in capsys.readouterr().err


def test_an_ensemble_decodes_with_several_models(toy: Path, trained: Path, tmp_path: Path) -> None:
    one = trained / "model.safetensors"
    decode.main(decode_arguments(toy, [one], tmp_path / "one"))
    decode.main(decode_arguments(toy, [one, one], tmp_path / "two"))
    assert (tmp_path / "one/test.txt").read_text() == (tmp_path / "two/test.txt").read_text()


def test_a_model_with_other_subwords_is_refused(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learn_bpe.main(
        ["--input", str(toy / "train.en"), "--vocab-size", "40", "--seed", "1", "--output", str(tmp_path / "bpe.model")]
    )
    arguments = decode_arguments(toy, [trained / "model.safetensors"], tmp_path)
    arguments[arguments.index("--subwords") + 1] = str(tmp_path / "bpe.model")
    with pytest.raises(SystemExit):
        decode.main(arguments)
    assert "was trained with other subwords" in capsys.readouterr().err


def test_translate_searches_as_validation_chose(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(trained / "model.safetensors", tmp_path)
    arguments = ["a dog sleeps", "--run", str(tmp_path), "--subwords", str(toy / "bpe.model"), "--beam", "3"]
    decoded = tmp_path / "hypotheses/perplexity/valid.json"
    decoded.parent.mkdir(parents=True)
    found = []
    for chosen in ({}, {"max_length": 2}):  # Before there were limits; with one.
        decoded.write_text(json.dumps({"length_penalty": 0.6, **chosen}))
        translate.main(arguments)
        found.append(Subwords(toy / "bpe.model").encode(capsys.readouterr().out.strip()))
    assert len(found[1]) <= 2 < len(found[0])


def test_translate_reads_lines_files_and_ensembles(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["--run", str(trained), "--subwords", str(toy / "bpe.model"), "--beam", "3"]
    translate.main(["a dog sleeps", "a cat", *base])
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 2
    (tmp_path / "in.en").write_text("a dog sleeps\na cat\n")
    translate.main([*base, "--input", str(tmp_path / "in.en"), "--output", str(tmp_path / "out.de")])
    assert (tmp_path / "out.de").read_text().splitlines() == printed
    translate.main(["a dog sleeps", "--run", str(trained), str(trained), *base[2:]])
    assert capsys.readouterr().out.splitlines() == printed[:1]
    with pytest.raises(SystemExit):
        translate.main(["x", "--run", str(tmp_path), *base[2:]])
    assert "has no model.safetensors" in capsys.readouterr().err
