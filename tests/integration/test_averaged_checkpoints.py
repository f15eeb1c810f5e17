"""The mean of the last validations' weights, kept beside those that validation chooses, whatever happens on the way."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from toy_language import finetune_arguments, same_weights, untimed

from seqpre import decode, finetune
from seqpre.training.checkpoint import load_weights
from seqpre.training.loop import Trainer

LAST_3 = {"average_last": 3}
AVERAGE = "weights/average.safetensors"


@pytest.fixture(scope="module")
def averaged(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of six validations that averages the weights of three; read it only."""
    folder = tmp_path_factory.mktemp("averaged")
    finetune.main(finetune_arguments(toy, folder, train=LAST_3))
    return folder


def left(folder: Path) -> list[int]:
    """Return the updates whose weights wait to be averaged."""
    return sorted(int(path.stem.partition("@")[2]) for path in (folder / "checkpoints").glob("validated@*"))


def breaks_at(validation: int, arguments: list[str]) -> None:
    """Train until the weights of this validation are kept, and break off before its update's state is saved."""
    judged, count = Trainer._judged, iter(range(1, 1000))

    def breaking(self: Trainer) -> dict[str, float]:
        found = judged(self)
        if next(count) == validation:
            raise ZeroDivisionError
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "_judged", breaking)
        with pytest.raises(ZeroDivisionError):
            finetune.main(arguments)


EVERY_UPDATE = {"checkpoint_minutes": 1e-9, **LAST_3}


@pytest.fixture(scope="module")
def broken_off(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a state after every update that broke off in its fifth validation; read it only."""
    folder = tmp_path_factory.mktemp("broken_off")
    breaks_at(5, finetune_arguments(toy, folder, train=EVERY_UPDATE))
    return folder


@pytest.fixture
def broken(broken_off: Path, tmp_path: Path) -> Path:
    """A copy of that run, to go on with."""
    return Path(shutil.copytree(broken_off, tmp_path, dirs_exist_ok=True))


def test_it_is_the_mean_of_trainings_that_ended_at_these_validations(toy: Path, averaged: Path, tmp_path: Path) -> None:
    ends = []
    for update in (40, 50, 60):
        end = {"max_updates": update, "average_last": 1}
        finetune.main(finetune_arguments(toy, tmp_path / str(update), train=end))
        ends.append(load_weights(tmp_path / str(update) / AVERAGE)[0])
    tensors, about = load_weights(averaged / AVERAGE)
    for name, tensor in tensors.items():
        expected = torch.stack([end[name] for end in ends]).mean(0)
        torch.testing.assert_close(tensor, expected, rtol=0, atol=1e-6)
    assert not same_weights(averaged / AVERAGE, tmp_path / "60" / AVERAGE)
    assert about["updates"] == [40, 50, 60]
    assert json.loads((averaged / "summary.json").read_text())["averaged_steps"] == [40, 50, 60]


def test_averaging_changes_nothing_else_and_leaves_nothing_behind(averaged: Path, trained: Path) -> None:
    for name in ("weights/perplexity.safetensors", "weights/bleu.safetensors"):
        assert same_weights(averaged / name, trained / name)
    assert untimed(averaged / "metrics.jsonl") == untimed(trained / "metrics.jsonl")
    assert left(averaged) == []
    assert not (trained / AVERAGE).exists()
    assert "averaged_steps" not in json.loads((trained / "summary.json").read_text())


def test_of_fewer_validations_all_are_averaged(toy: Path, tmp_path: Path) -> None:
    finetune.main(finetune_arguments(toy, tmp_path, train={"max_updates": 20, **LAST_3}))
    assert load_weights(tmp_path / AVERAGE)[1]["updates"] == [10, 20]


def test_a_training_that_was_broken_off_ends_with_the_same_average(toy: Path, averaged: Path, broken: Path) -> None:
    assert left(broken) == [20, 30, 40, 50]
    finetune.main(finetune_arguments(toy, broken, train=EVERY_UPDATE))
    assert same_weights(broken / AVERAGE, averaged / AVERAGE)


def test_so_does_one_that_had_saved_no_state_yet(toy: Path, averaged: Path, tmp_path: Path) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 10.0, **LAST_3})
    breaks_at(5, arguments)
    assert left(tmp_path) == [10, 20, 30, 40, 50]
    finetune.main(arguments)
    assert same_weights(tmp_path / AVERAGE, averaged / AVERAGE)


def test_the_state_before_the_last_has_all_that_it_averages(
    toy: Path, averaged: Path, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (broken / "checkpoints/last.pt").write_bytes(b"")
    finetune.main(finetune_arguments(toy, broken, train=EVERY_UPDATE))
    assert "going on after update 48" in capsys.readouterr().err
    assert same_weights(broken / AVERAGE, averaged / AVERAGE)


def test_a_state_whose_averaged_weights_are_gone_is_set_aside(
    toy: Path, averaged: Path, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (broken / "checkpoints/validated@40.safetensors").unlink()
    finetune.main(finetune_arguments(toy, broken, train=EVERY_UPDATE))
    assert "validated@40.safetensors: no such model): kept as last.aside" in capsys.readouterr().err
    assert same_weights(broken / AVERAGE, averaged / AVERAGE)


def test_a_finished_run_that_lost_its_average_gets_it_back_without_training(
    toy: Path, averaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(averaged, tmp_path, dirs_exist_ok=True)
    (tmp_path / AVERAGE).unlink()
    monkeypatch.setattr(Trainer, "_update", lambda self: 1 / 0)
    finetune.main(finetune_arguments(toy, tmp_path, train=LAST_3))
    assert same_weights(tmp_path / AVERAGE, averaged / AVERAGE)


def test_it_is_decoded_as_any_other_weights(toy: Path, averaged: Path, tmp_path: Path) -> None:
    arguments = ["--model", str(averaged / AVERAGE), "--subwords", str(toy / "bpe.model"), "--device", "cpu"]
    arguments += ["--input", f"valid={toy / 'valid.en'}", "--output-dir", str(tmp_path / "out")]
    decode.main(arguments)
    assert len((tmp_path / "out/valid.txt").read_text().splitlines()) == 20
