"""From text to Transformer language models, to runs that read them, to outputs; broken off, refused, accounted for."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from toy_language import (
    RUN,
    broken_off,
    events,
    finetune_arguments,
    pretrain_arguments,
    same_weights,
    untimed,
)

from seqpre import decode, finetune, pretrain
from seqpre.corpora import encode, learn_bpe
from seqpre.corpora.token_store import TokenStore
from seqpre.training.checkpoint import load_weights

LM = {"dim": 12, "ff_dim": 20, "heads": 2, "layers": 2}
SHAPE = {
    "kind": "augmented_transformer", "dim": 16, "ff_dim": 24, "heads": 4, "encoder_layers": 1, "decoder_layers": 1,
    "norm": "pre", "tied": "none",
}  # fmt: skip
OBJECTIVES = {"cloze_en": "cloze", "causal_de": "causal"}


def lm_arguments(toy: Path, output: Path, objective: str, language: str = "en", **train: Any) -> list[str]:
    arguments = pretrain_arguments(toy, output, language)
    settings = {
        "kind": "transformer_lm",
        "shape": LM,
        "optimizer": {"name": "adam", "lr": 5e-3, "warmup": 10, "clip_norm": 1.0},
        "train": {"batch_tokens": 60, "tokens_per_update": 100, "max_updates": 60, "validate_every": 30, "held_out": 20}
        | train,
    }
    said = {"name": "toy", "objective": objective, "fraction": "100pct", "settings": settings}
    (output / "lm.json").write_text(json.dumps(said))
    return arguments


def run_arguments(toy: Path, output: Path, **representations: Any) -> list[str]:
    """Return the arguments of a run whose sides read these representations, and start from the LMs for them."""
    arguments = finetune_arguments(toy, output, SHAPE)
    init = {"source": ("encoder", "cloze_en"), "target": ("decoder", "causal_de")}
    settings = {
        "model": {**SHAPE, "representations": {"lm": LM, **representations}},
        "init": dict(init[side] for side in representations if side in init),
        "optimizer": {"lr": 0.01},
        "train": RUN["settings"]["train"],  # type: ignore[index]
    }
    lms = {name: {"language": name[-2:], "corpus": "news", "objective": said} for name, said in OBJECTIVES.items()}
    (output / "run.json").write_text(json.dumps({**RUN, "lms": lms, "settings": settings}))
    weights = [f"{name}={toy / name / 'weights/perplexity.safetensors'}" for name in OBJECTIVES]
    return [*arguments[: arguments.index("--lm")], "--lm", *weights]


@pytest.fixture(scope="module")
def toy(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy with two Transformer language models; read it only."""
    folder = tmp_path_factory.mktemp("toy")
    shutil.copytree(toy, folder, dirs_exist_ok=True)
    for name, objective in OBJECTIVES.items():
        pretrain.main(lm_arguments(folder, folder / name, objective, name[-2:], keep=[30]))
    return folder


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_language_model_learns_its_text(toy: Path, name: str) -> None:
    first, last = events(toy / name / "metrics.jsonl", "validation")
    assert last["valid_perplexity"] < first["valid_perplexity"] < 70
    summary = json.loads((toy / name / "summary.json").read_text())
    assert (summary["steps"], summary["samples"]) == (60, 0.95 * len(TokenStore(toy / f"tokens/train.{name[-2:]}")))
    assert summary["tokens"] >= 60 * 100  # An update takes batches until it has its tokens.
    _, about = load_weights(toy / name / "weights/30.safetensors")
    assert (about["kind"], about["update"]) == (f"{OBJECTIVES[name]}_lm", 30)


def test_documents_are_read_in_pieces(toy: Path, tmp_path: Path) -> None:
    pretrain.main(lm_arguments(toy, tmp_path, "cloze", max_length=4, max_updates=2, validate_every=2))
    summary = json.loads((tmp_path / "summary.json").read_text())
    pieces = len(TokenStore(toy / "tokens/train.en").pieces(4))
    assert summary["samples"] == pieces - min(20, pieces // 20) > 200


def test_broken_off_it_goes_on_to_the_same_weights(toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = lm_arguments(toy, tmp_path, "cloze", checkpoint_minutes=1e-9, keep=[30])
    assert broken_off(arguments, 45, monkeypatch) == 45 + 60 - 44
    for weights in ("weights/perplexity.safetensors", "weights/30.safetensors"):
        assert same_weights(tmp_path / weights, toy / "cloze_en" / weights)
    assert untimed(tmp_path / "metrics.jsonl") == untimed(toy / "cloze_en/metrics.jsonl")


def test_elmo_leaves_its_lm_as_it_is_and_fine_tuning_moves_it(toy: Path, tmp_path: Path) -> None:
    finetune.main(run_arguments(toy, tmp_path, source="elmo", target="fine_tuned", dropout=0.2))
    tensors, _ = load_weights(tmp_path / "weights/perplexity.safetensors")
    for side, name in (("source", "cloze_en"), ("target", "causal_de")):
        prefix = f"representations.{side}.lm."
        pretrained, _ = load_weights(toy / name / "weights/perplexity.safetensors")
        moved = {tensor for tensor, value in pretrained.items() if not torch.equal(tensors[prefix + tensor], value)}
        assert moved == (set() if side == "source" else set(pretrained))
    transfer = (tmp_path / "transfer.md").read_text()
    lines = [line.split(" | ") for line in transfer.splitlines() if "| representations." in line]
    assert {tuple(line[3:]) for line in lines if ".source.lm." in line[0]} == {("loaded, frozen", "cloze_en |")}
    assert {tuple(line[3:]) for line in lines if ".target.lm." in line[0]} == {("loaded", "causal_de |")}
    assert {line[3] for line in lines if ".lm." not in line[0]} == {"fresh"}
    output = tmp_path / "outputs"
    decode.main(
        ["--model", str(tmp_path / "weights/perplexity.safetensors"), "--subwords", str(toy / "bpe.model"),
         "--input", f"valid={toy / 'valid.en'}", "--beam", "3", "--output-dir", str(output)]
    )  # fmt: skip
    assert len((output / "valid.txt").read_text().splitlines()) == 20


def test_what_a_frozen_decoder_s_lm_has_above_its_states_is_said_to_be_unused(toy: Path, tmp_path: Path) -> None:
    finetune.main(run_arguments(toy, tmp_path, target="elmo"))
    transfer = (tmp_path / "transfer.md").read_text()
    assert "| representations.target.lm.norm.weight | 12 | 12 | unused | causal_de |" in transfer
    assert "loaded |" not in transfer


def test_an_lm_of_another_objective_shape_or_vocabulary_is_one_line(
    toy: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    arguments = run_arguments(toy, tmp_path, source="elmo")
    swapped = [text.replace(f"{toy}/cloze_en/", f"{toy}/causal_de/") for text in arguments]
    wanted = "holds a causal_lm; this model's family starts from a cloze_lm, which an encoder reads"
    assert wanted in refused(finetune.main, swapped)
    said = refused(finetune.main, run_arguments(toy, tmp_path, source="elmo", lm={**LM, "dim": 14}))
    assert "both need the same vocabulary and model.representations.lm" in said
    learn_bpe.main(
        ["--input", str(toy / "train.en"), "--vocab-size", "60", "--seed", "1", "--output", str(tmp_path / "bpe.model")]
    )
    texts = ["--input", str(toy / "train.en"), "--subwords", str(tmp_path / "bpe.model")]
    encode.main([*texts, "--output", str(tmp_path / "tokens/train.en")])
    other = lm_arguments(tmp_path, tmp_path / "lm", "cloze", max_updates=1, validate_every=1)
    pretrain.main(other)
    said = refused(finetune.main, [text.replace(f"{toy}/cloze_en/", f"{tmp_path}/lm/") for text in arguments])
    assert "weights/perplexity.safetensors: was trained with another vocabulary than" in said


def test_an_objective_that_there_is_not_is_one_line(toy: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    said = refused(pretrain.main, lm_arguments(toy, tmp_path, "clozed"))
    assert "objective is 'clozed'; it must be causal or cloze" in said


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": {**LM, "heads": 5}}, "lm.json: shape: dim is 12; it must be a multiple of its heads (5)"),
        ({"train": {"batch_tokens": 5}}, "lm.json: train.batch_tokens is 5; it must be at least"),
        ({"kind": "transfromer_lm"}, "settings.kind is 'transfromer_lm'; did you mean 'transformer_lm'?"),
    ],
)  # fmt: skip
def test_what_no_language_model_can_be_is_one_line(
    toy: Path, tmp_path: Path, refused: Callable[..., str], changes: Any, message: str
) -> None:
    arguments = lm_arguments(toy, tmp_path, "cloze")
    said = json.loads((tmp_path / "lm.json").read_text())
    (tmp_path / "lm.json").write_text(json.dumps({**said, "settings": {**said["settings"], **changes}}))
    error = refused(pretrain.main, arguments)
    assert message in error
    assert len(error.splitlines()) == 1
