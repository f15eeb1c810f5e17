"""Which state a training goes on from: its own, whole, and of the same settings and text."""

import itertools
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import safetensors.torch
import torch
from toy_language import finetune_arguments, pretrain_arguments, same_weights, untimed

from seqpre import finetune, pretrain
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter
from seqpre.training.checkpoint import CHECKED, checksum, load_weights
from seqpre.training.objectives import CrossEntropy


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Multiply the labelled loss of one update, by NaN unless told otherwise."""
    original = CrossEntropy.next_losses

    def poison_update(update: int, factor: float = float("nan")) -> None:
        calls = itertools.count(1)

        def poisoned(self: CrossEntropy) -> Iterator[tuple[torch.Tensor, int]]:
            now = next(calls) == update
            for loss, tokens in original(self):
                yield (loss * factor if now else loss), tokens

        monkeypatch.setattr(CrossEntropy, "next_losses", poisoned)

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
    assert not (tmp_path / "weights/perplexity.safetensors").exists()


def test_a_first_loss_that_shoots_up_does_not_stop_a_training(
    toy: Path, tmp_path: Path, poison: Callable[..., None]
) -> None:
    poison(4, factor=100.0)
    finetune.main(finetune_arguments(toy, tmp_path))
    assert json.loads((tmp_path / "summary.json").read_text())["steps"] == 60


def test_a_candidate_that_diverges_is_measured_where_it_stands_and_others_are_not_kept_from_being_compared(
    toy: Path, tmp_path: Path
) -> None:
    arguments = finetune_arguments(toy, tmp_path, optimizer={"lr": 30.0})
    with pytest.raises(SystemExit):
        finetune.main(arguments)
    assert not (tmp_path / "summary.json").exists()
    run = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps({**run, "system": "full@lr=30"}))
    for _ in range(2):  # The second time it had finished before.
        finetune.main(arguments)
        summary = json.loads((tmp_path / "summary.json").read_text())
        assert summary["stopped_by"] == "diverged"
        assert summary["best_valid_bleu"] < 1
        assert load_weights(tmp_path / "weights/bleu.safetensors")[1]["update"] == summary["steps"] < 20
        (tmp_path / "summary.json").unlink()


def test_a_state_of_other_settings_is_set_aside(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], poison: Callable[..., None]
) -> None:
    stopped_at(15, poison, finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9}))
    finetune.main(finetune_arguments(toy, tmp_path, train={"max_updates": 10}, optimizer={"lr": 0.02}))
    assert "belongs to other settings or inputs" in capsys.readouterr().err
    assert (tmp_path / "checkpoints/last.aside").exists()


def test_a_training_goes_on_with_another_time_between_its_states(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], poison: Callable[..., None]
) -> None:
    stopped_at(15, poison, finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9}))
    finetune.main(finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 5.0}))
    assert "going on after update 14" in capsys.readouterr().err
    assert same_weights(tmp_path / "weights/perplexity.safetensors", trained / "weights/perplexity.safetensors")


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
    assert same_weights(tmp_path / "weights/perplexity.safetensors", trained / "weights/perplexity.safetensors")


def test_a_finished_run_that_lost_its_outputs_gets_them_back_without_training(
    toy: Path, trained: Path, tmp_path: Path, poison: Callable[..., None]
) -> None:
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    assert not list((tmp_path / "checkpoints").glob("*.pt"))
    for name in ("weights/perplexity.safetensors", "weights/bleu.safetensors", "metrics.jsonl", "summary.json"):
        (tmp_path / name).unlink()  # What Snakemake does with the outputs of a job that it takes for failed.
    poison(1)  # Any update would fail.
    finetune.main(finetune_arguments(toy, tmp_path))
    assert same_weights(tmp_path / "weights/perplexity.safetensors", trained / "weights/perplexity.safetensors")
    assert untimed(tmp_path / "metrics.jsonl") == untimed(trained / "metrics.jsonl")
    assert json.loads((tmp_path / "summary.json").read_text())["steps"] == 60


@pytest.mark.parametrize("how", ["gone", "damaged"])
def test_a_finished_run_whose_weights_were_lost_is_trained_again(
    how: str, toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    for path in (tmp_path / "checkpoints").glob("*.safetensors"):  # the source of restored files
        content = bytearray(path.read_bytes())
        path.unlink()
        if how == "damaged":
            content[-1] ^= 1
            path.write_bytes(content)
    finetune.main(finetune_arguments(toy, tmp_path))
    errors = capsys.readouterr().err
    assert re.search(
        r"it had finished before, but .*/checkpoints/best_\w+\.safetensors: .*: it is trained again", errors
    )
    assert same_weights(tmp_path / "weights/perplexity.safetensors", trained / "weights/perplexity.safetensors")
    assert untimed(tmp_path / "metrics.jsonl") == untimed(trained / "metrics.jsonl")
    finetune.main(finetune_arguments(toy, tmp_path))
    assert "had finished before; its files are restored" in capsys.readouterr().err


def test_a_retrained_language_model_is_another_input(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], poison: Callable[..., None]
) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9, "max_updates": 10})
    stopped_at(5, poison, arguments)
    pretrain.main(pretrain_arguments(toy, tmp_path / "lm", max_tokens=640))
    place = next(i for i, a in enumerate(arguments) if a.startswith("lm_en=") and a.endswith("safetensors"))
    arguments[place] = f"lm_en={tmp_path}/lm/weights/perplexity.safetensors"
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
    store, other = TokenStore(toy / "tokens" / text), tmp_path / text
    tokens = store.tokens.copy()
    tokens[[0, 1]] = tokens[[1, 0]]
    with TokenStoreWriter(other, 1000, store.fingerprint) as writer:
        writer.add(tokens, store.lengths)
    place = next(i for i, a in enumerate(arguments) if a.endswith(f"tokens/{text}") and i > arguments.index(option))
    arguments[place] = arguments[place].replace(str(toy / "tokens" / text), str(other))
    finetune.main(arguments)
    assert "belongs to other settings or inputs" in capsys.readouterr().err


def test_a_language_model_of_the_same_content_in_other_bytes_trains_no_finished_run_again(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"max_updates": 10})
    place = next(i for i, a in enumerate(arguments) if a.startswith("lm_en=") and a.endswith("safetensors"))
    tensors, about = load_weights(Path(arguments[place].removeprefix("lm_en=")))
    text, copy = json.dumps(about), tmp_path / "copy.safetensors"
    arguments[place] = f"lm_en={copy}"
    for more in ({}, {"of": "another writer"}):
        metadata = {CHECKED: f"{checksum(tensors, text)} {text}", **more}
        copy.write_bytes(safetensors.torch.save(tensors, metadata))
        finetune.main(arguments)
    assert "had finished before; its files are restored" in capsys.readouterr().err
