"""A pretrained model keeps weights on its way, whatever happens on it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from toy_language import finetune_arguments, pretrain_arguments, same_weights

from seqpre import finetune, pretrain
from seqpre.training import pretraining
from seqpre.training.checkpoint import load_weights


@pytest.fixture(scope="module")
def kept(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A language model of 40 updates that keeps the weights of two of them."""
    folder = tmp_path_factory.mktemp("kept")
    pretrain.main(pretrain_arguments(toy, folder, keep=[20, 40]))
    return folder


def test_weights_kept_on_the_way_are_those_of_a_training_that_ended_there(
    toy: Path, kept: Path, tmp_path: Path
) -> None:
    pretrain.main(pretrain_arguments(toy, tmp_path, max_tokens=640))
    assert same_weights(kept / "weights/20.safetensors", tmp_path / "weights/perplexity.safetensors")
    assert load_weights(kept / "weights/20.safetensors")[1]["update"] == 20
    assert not same_weights(kept / "weights/20.safetensors", kept / "weights/40.safetensors")


def test_keeping_changes_nothing_else(toy: Path, kept: Path) -> None:
    assert same_weights(kept / "weights/perplexity.safetensors", toy / "lm_en/weights/perplexity.safetensors")


def test_a_run_starts_from_weights_that_were_kept(toy: Path, kept: Path, tmp_path: Path) -> None:
    arguments = finetune_arguments(toy, tmp_path, init={"encoder": "lm_en@20"}, train={"max_updates": 0})
    run = tmp_path / "run.json"
    run.write_text(run.read_text().replace('"lms": {', '"lms": {"lm_en@20": {"language": "en", "corpus": "bitext"}, '))
    arguments[arguments.index("--lm") + 1] = f"lm_en@20={kept}/weights/20.safetensors"
    finetune.main(arguments)
    started, _ = load_weights(tmp_path / "weights/perplexity.safetensors")
    then, _ = load_weights(kept / "weights/20.safetensors")
    assert started["encoder.lm.embedding.weight"].equal(then["embedding.weight"])
    assert "| loaded | lm_en@20 |" in (tmp_path / "transfer.md").read_text()


def test_a_finished_training_that_is_to_keep_less_has_its_files_put_back(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pretrain.main(pretrain_arguments(toy, tmp_path, keep=[20, 40]))
    (tmp_path / "weights/20.safetensors").unlink()
    pretrain.main(pretrain_arguments(toy, tmp_path, keep=[20]))
    assert "had finished before; its files are restored" in capsys.readouterr().err
    assert (tmp_path / "weights/20.safetensors").exists()


def test_a_finished_training_that_is_to_keep_more_is_trained_again_and_says_why(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pretrain.main(pretrain_arguments(toy, tmp_path, keep=[20]))
    pretrain.main(pretrain_arguments(toy, tmp_path, keep=[10]))
    said = capsys.readouterr().err
    assert "it had finished before, but " in said
    assert "kept@10.safetensors: no such model: it is trained again" in said
    assert (tmp_path / "weights/10.safetensors").exists()


def test_a_state_from_behind_weights_that_were_not_kept_is_set_aside(
    toy: Path, kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = pretraining.stream_loss
    validations = iter((original, lambda *_: 1 / 0))
    with monkeypatch.context() as patch:
        patch.setattr(pretraining, "stream_loss", lambda *all_: next(validations)(*all_))
        with pytest.raises(ZeroDivisionError):
            pretrain.main(pretrain_arguments(toy, tmp_path, checkpoint_minutes=1e-9))
    pretrain.main(pretrain_arguments(toy, tmp_path, checkpoint_minutes=1e-9, keep=[20]))
    assert "kept@20.safetensors: no such model): kept as last.aside" in capsys.readouterr().err
    assert same_weights(tmp_path / "weights/20.safetensors", kept / "weights/20.safetensors")


def test_training_that_stops_before_weights_that_it_is_to_keep_says_so_and_loses_nothing(
    toy: Path, tmp_path: Path, refused: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    early = {"validate_every": 10, "patience": 1, "min_improvement": 0.99}
    said = refused(pretrain.main, pretrain_arguments(toy, tmp_path, keep=[10, 40], **early))
    assert "train.keep has 40, and training stopped by patience after update 20: leave them out" in said
    pretrain.main(pretrain_arguments(toy, tmp_path, keep=[10], **early))
    assert "had finished before; its files are restored" in capsys.readouterr().err
