"""A toy language, and the commands that train on it."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import torch

from seqpre import pretrain
from seqpre.common.errors import TrainingError
from seqpre.corpora import encode, learn_bpe
from seqpre.training.checkpoint import load_weights
from seqpre.training.objectives import CrossEntropy

WORDS = {
    "ein": "a", "hund": "dog", "katze": "cat", "kind": "child", "schläft": "sleeps", "läuft": "runs", "isst": "eats",
    "und": "and", "spielt": "plays", "rot": "red", "blau": "blue", "groß": "big", "heute": "today",
}  # fmt: skip
SHAPE = {"embedding_dim": 12, "hidden_dim": 12, "projection_dim": 0}
LM = {
    "name": "lm_en",
    "language": "en",
    "corpus": "bitext",
    "fraction": "100pct",
    "settings": {
        "first_layer": SHAPE,
        "optimizer": {"name": "adam", "lr": 0.01},
        "train": {"streams": 4, "bptt": 8, "max_tokens": 1280, "validate_every": 20, "held_out": 20},
    },
}
RUN = {
    "study": "toy",
    "scale": "test",
    "system": "full",
    "fraction": "100pct",
    "seed": 3,
    "lms": {
        "lm_en": {"language": "en", "corpus": "bitext", "fraction": "100pct"},
        "lm_de": {"language": "de", "corpus": "bitext", "fraction": "100pct"},
    },
    "settings": {
        "model": {"first_layer": SHAPE, "upper_layers": 2, "upper_dim": 10},
        "init": {"encoder": "lm_en", "decoder": "lm_de"},
        "objectives": {
            "source_lm_weight": 1.0,
            "target_lm_weight": 1.0,
            "source_lm": "lm_en",
            "target_lm": "lm_de",
            "lm_streams": 4,
            "bptt": 8,
        },
        "optimizer": {"lr": 0.01, "decay": 0.9, "decay_after": 10, "decay_every": 5},
        "train": {"batch_sentences": 8, "max_updates": 60, "validate_every": 10, "patience": 9},
    },
}


def make_toy(folder: Path) -> None:
    """Write 200 pairs of a word-for-word language, its subwords, token stores and two language models."""
    rng = random.Random(1)
    german = [" ".join(rng.choices(sorted(WORDS), k=rng.randint(2, 7))) for _ in range(220)]
    english = [" ".join(WORDS[word] for word in line.split()) for line in german]
    for split, rows in (("train", slice(20, None)), ("valid", slice(0, 20))):
        (folder / f"{split}.de").write_text("\n".join(german[rows]) + "\n")
        (folder / f"{split}.en").write_text("\n".join(english[rows]) + "\n")
    texts, subwords = [str(folder / f"train.{language}") for language in ("en", "de")], str(folder / "bpe.model")
    learn_bpe.main(["--input", *texts, "--vocab-size", "70", "--seed", "1", "--output", subwords])
    for name in ("train.en", "train.de", "valid.en", "valid.de"):
        output = str(folder / "tokens" / name)
        encode.main(["--input", str(folder / name), "--subwords", subwords, "--output", output])
    for language in ("en", "de"):
        pretrain.main(pretrain_arguments(folder, folder / f"lm_{language}", language))


def pretrain_arguments(toy: Path, output: Path, language: str = "en", **train: Any) -> list[str]:
    output.mkdir(parents=True, exist_ok=True)
    settings = {**LM["settings"], "train": {**LM["settings"]["train"], **train}}  # type: ignore[index]
    (output / "lm.json").write_text(json.dumps({**LM, "language": language, "settings": settings}))
    return [
        "--settings", str(output / "lm.json"), "--train", str(toy / f"tokens/train.{language}"),
        "--vocabulary", str(toy / "bpe.model"), "--output-dir", str(output), "--device", "cpu",
    ]  # fmt: skip


def finetune_arguments(
    toy: Path, output: Path, model: dict[str, Any] | None = None, **sections: dict[str, Any]
) -> list[str]:
    """Return the arguments of a run with some sections changed, or with another model."""
    output.mkdir(parents=True, exist_ok=True)
    settings = {name: {**value, **sections.get(name, {})} for name, value in RUN["settings"].items()}  # type: ignore[attr-defined]
    settings["model"] = model or settings["model"]
    (output / "run.json").write_text(json.dumps({**RUN, "settings": settings}))
    tokens = toy / "tokens"
    return [
        "--run", str(output / "run.json"), "--source", str(tokens / "train.en"), "--target", str(tokens / "train.de"),
        "--valid-source", str(tokens / "valid.en"), "--valid-target", str(tokens / "valid.de"),
        "--valid-references", str(toy / "valid.de"), "--subwords", str(toy / "bpe.model"),
        "--output-dir", str(output), "--device", "cpu",
        "--lm", *(f"lm_{x}={toy}/lm_{x}/weights/perplexity.safetensors" for x in ("en", "de")),
        "--lm-text", *(f"lm_{x}={tokens}/train.{x}" for x in ("en", "de")),
    ]  # fmt: skip


def broken_off(arguments: list[str], at: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Pretrain, break off in an update, go on to the end, and return how many updates that took in all."""
    calls, whole = 0, CrossEntropy.next_losses

    def broken(self: CrossEntropy) -> Any:
        nonlocal calls
        calls += 1
        if calls == at:
            raise TrainingError("broken off")
        return whole(self)

    monkeypatch.setattr(CrossEntropy, "next_losses", broken)
    with pytest.raises(SystemExit):
        pretrain.main(arguments)
    pretrain.main(arguments)
    return calls


def same_weights(one: Path, two: Path) -> bool:
    (first, _), (second, _) = load_weights(one), load_weights(two)
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def events(path: Path, event: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, path.read_text().splitlines()) if line["event"] == event]


def untimed(path: Path) -> list[dict[str, Any]]:
    return [{k: v for k, v in json.loads(line).items() if "seconds" not in k} for line in path.read_text().splitlines()]
