"""From text to a denoiser, to a fine-tuned pointer-generator, to its outputs; broken off and broken on the way."""

import io
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from toy_language import broken_off, events, same_weights, untimed

from seqpre import complete, decode, finetune, pretrain
from seqpre.corpora import encode, learn_words, segments
from seqpre.training.checkpoint import load_weights

SHAPE = {
    "dim": 32, "ff_dim": 48, "heads": 2, "encoder_layers": 1, "decoder_layers": 1, "norm": "pre", "dropout": 0.0,
}  # fmt: skip
BEST = "weights/perplexity.safetensors"
DENOISER = f"denoiser/{BEST}"
VERBS = ["visits", "greets", "meets", "follows", "calls", "paints", "hears", "finds"]
PLACES = ["park", "house", "river", "market", "station", "garden"]
PAIRS = "train.src", "train.tgt", "valid.src", "valid.tgt"


def name(rng: random.Random) -> str:
    return "".join(rng.choices("abcdefgh", k=6)).capitalize()


def encode_all(texts: Path, folder: Path, words: str, *names: str) -> None:
    """Encode these texts, targets with their sources."""
    for text in names:
        sources = ["--source", str(texts / text.replace("tgt", "src"))] if text.endswith("tgt") else []
        output = ["--output", str(folder / "tokens" / text)]
        encode.main(["--input", str(texts / text), "--subwords", words, *output, *sources])


def make_news(folder: Path) -> None:
    """Write unlabelled lines, and pairs whose targets are the sources' verbs and names: no name is in two lines."""
    rng = random.Random(1)

    def line() -> tuple[str, str]:
        one, other, verb, place = name(rng), name(rng), rng.choice(VERBS), rng.choice(PLACES)
        return f"today in the {place} {one} {verb} {other} and is glad", f"{one} {verb} {other}"

    texts = {"news": [line()[0] for _ in range(900)]}
    for split, count in (("train", 300), ("valid", 20)):
        texts[f"{split}.src"], texts[f"{split}.tgt"] = map(list, zip(*(line() for _ in range(count)), strict=True))
    for file, lines in texts.items():
        (folder / file).write_text("\n".join(lines) + "\n")
    words = str(folder / "words.tsv")
    learn_words.main(["--input", str(folder / "news"), "--vocab-size", "25", "--output", words])
    segments.main(
        ["--input", str(folder / "news"), "--vocabulary", words, "--split", "128", "--output", str(folder / "segments")]
    )
    encode_all(folder, folder, words, "segments", *PAIRS)


def denoise_arguments(news: Path, output: Path, **train: Any) -> list[str]:
    output.mkdir(parents=True, exist_ok=True)
    settings = {
        "kind": "denoiser",
        "model": SHAPE,
        "optimizer": {
            "name": "adam",
            "lr": 3e-3,
            "schedule": "exponential",
            "decay": 1.0,
            "lr_end": 0.0,
            "average": 0.0,
            "warmup": 10,
        },
        "train": {"batch_tokens": 800, "max_updates": 120, "validate_every": 60, "held_out": 40, **train},
    }
    (output / "denoiser.json").write_text(json.dumps({"name": "toy", "fraction": "100pct", "settings": settings}))
    texts = ["--train", str(news / "tokens/segments"), "--vocabulary", str(news / "words.tsv")]
    return ["--settings", str(output / "denoiser.json"), *texts, "--output-dir", str(output), "--device", "cpu"]


def finetune_arguments(news: Path, output: Path, init: str = "denoiser", **train: Any) -> list[str]:
    output.mkdir(parents=True, exist_ok=True)
    run = {
        "study": "toy", "scale": "test", "system": "full", "fraction": "100pct", "seed": 1,
        "lms": {"denoiser": {"language": "en", "corpus": "news"}},
        "settings": {
            "model": {"kind": "pointer_generator", **SHAPE}, "init": {"encoder": init, "decoder": init},
            "optimizer": {"lr": 3e-3},
            "train": {"batch_sentences": 32, "max_updates": 60, "validate_every": 30, "metric": "rouge_1", **train},
        },
    }  # fmt: skip
    (output / "run.json").write_text(json.dumps(run))
    stores = []
    for option, text in zip(("--source", "--target", "--valid-source", "--valid-target"), PAIRS, strict=True):
        stores += [option, str(news / "tokens" / text)]
    texts = ["--valid-sources", str(news / "valid.src"), "--valid-references", str(news / "valid.tgt")]
    start = [
        "--subwords",
        str(news / "words.tsv"),
        "--lm",
        f"denoiser={news / 'denoiser/weights/perplexity.safetensors'}",
    ]
    return ["--run", str(output / "run.json"), *stores, *texts, *start, "--output-dir", str(output), "--device", "cpu"]


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("news")
    make_news(folder)
    pretrain.main(denoise_arguments(folder, folder / "denoiser"))
    return folder


@pytest.fixture(scope="module")
def tuned(news: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned")
    finetune.main(finetune_arguments(news, folder))
    return folder


def test_a_denoiser_learns_to_restore_text(news: Path) -> None:
    first, last = events(news / "denoiser/metrics.jsonl", "validation")
    assert last["valid_perplexity"] < first["valid_perplexity"] < 27
    assert last["perplexity_of_all_words"] < last["valid_perplexity"]  # Most words need only be copied.
    summary = json.loads((news / "denoiser/summary.json").read_text())
    assert (summary["steps"], summary["segments_too_long"]) == (120, 0)


def test_broken_off_it_goes_on_to_the_same_weights(news: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = denoise_arguments(news, tmp_path, checkpoint_minutes=1e-9)
    assert broken_off(arguments, 75, monkeypatch) == 75 + 120 - 74
    assert same_weights(tmp_path / "weights/perplexity.safetensors", news / "denoiser/weights/perplexity.safetensors")
    assert untimed(tmp_path / "metrics.jsonl") == untimed(news / "denoiser/metrics.jsonl")


def test_a_run_from_the_denoiser_copies_names_it_has_never_seen(news: Path, tuned: Path, tmp_path: Path) -> None:
    words = str(news / "words.tsv")
    decode.main(
        ["--model", str(tuned / BEST), "--subwords", words, "--input", f"valid={news / 'valid.src'}",
         "--tune", f"valid={news / 'valid.tgt'}", "--metric", "rouge_1", "--beam", "3", "--output-dir", str(tmp_path)]
    )  # fmt: skip
    found = (tmp_path / "valid.txt").read_text().splitlines()
    expected = (news / "valid.tgt").read_text().splitlines()
    known = set((news / "words.tsv").read_text().split())
    names = [set(line.split()) - known for line in expected]
    assert sum(len(theirs & set(ours.split())) for ours, theirs in zip(found, names, strict=True)) >= 20  # Of 40.
    transfer = (tuned / "transfer.md").read_text()
    assert "| copy.gate.weight | 1 x 32 | 32 | loaded | denoiser |" in transfer
    assert "fresh" not in transfer


def test_without_fine_tuning_the_weights_stay_the_denoiser_s(news: Path, tmp_path: Path) -> None:
    finetune.main(finetune_arguments(news, tmp_path, max_updates=0))
    ours, theirs = (load_weights(path / "weights/perplexity.safetensors")[0] for path in (tmp_path, news / "denoiser"))
    assert all(torch.equal(ours[tensor], theirs[tensor]) for tensor in theirs)


def test_words_that_are_not_the_model_s_are_refused(news: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    other = tmp_path / "words.tsv"
    learn_words.main(["--input", str(news / "train.src"), "--vocab-size", "20", "--output", str(other)])
    arguments = denoise_arguments(news, tmp_path)
    arguments[arguments.index("--vocabulary") + 1] = str(other)
    assert "was encoded with another vocabulary" in refused(pretrain.main, arguments)
    encode_all(news, tmp_path, str(other), *PAIRS)
    theirs, ours = str(news / "tokens"), str(tmp_path / "tokens")
    arguments = [text.replace(theirs, ours) for text in finetune_arguments(news, tmp_path)]
    arguments[arguments.index("--subwords") + 1] = str(other)
    assert "weights/perplexity.safetensors: was trained with another vocabulary" in refused(finetune.main, arguments)


def test_a_model_that_copies_no_words_is_refused_words(news: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    arguments, file = finetune_arguments(news, tmp_path, init="random"), tmp_path / "run.json"
    run = json.loads(file.read_text())
    run["settings"]["model"]["kind"] = "transformer"
    file.write_text(json.dumps(run))
    said = refused(finetune.main, arguments)
    assert "run.json: model.kind is 'transformer'; it must be pointer_generator: --subwords has words" in said


def test_a_shape_that_no_denoiser_can_have_is_one_line(news: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    arguments, path = denoise_arguments(news, tmp_path), tmp_path / "denoiser.json"
    said = json.loads(path.read_text())
    said["settings"]["model"] = {**SHAPE, "heads": 5}
    path.write_text(json.dumps(said))
    error = refused(pretrain.main, arguments)
    assert "denoiser.json: model.dim is 32; it must be a multiple of model.heads (5), and even" in error
    assert len(error.splitlines()) == 1


def test_texts_of_unequal_length_and_lost_sources_are_one_line(
    news: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    (tmp_path / "short").write_text("a line\n")
    texts = ["--input", str(news / "valid.tgt"), "--source", str(tmp_path / "short")]
    more = ["--subwords", str(news / "words.tsv"), "--output", str(tmp_path / "store")]
    assert "short has 1" in refused(encode.main, [*texts, *more])
    arguments = finetune_arguments(news, tmp_path)
    arguments[arguments.index("--valid-sources") + 1] = str(tmp_path / "short")
    assert "--valid-sources has 1 lines" in refused(finetune.main, arguments)


def test_a_denoiser_completes_sentences_and_the_same_seed_draws_the_same(
    news: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--model", str(news / DENOISER), "--vocabulary", str(news / "words.tsv")]
    drawn = []
    for seed in ("1", "1", "2"):
        complete.main([*arguments, "--samples", "3", "--seed", seed, "today in the park Zog greets", ""])
        drawn.append(capsys.readouterr().out)
    assert drawn[0] == drawn[1] != drawn[2]
    lines = drawn[0].splitlines()
    assert [line for line in lines if not line.startswith("    ")] == ["today in the park Zog greets", ""]
    assert len(lines) == 8
    assert sum("Zog" in line for line in lines[1:4]) >= 1


def test_sentences_to_complete_are_refused_unless_they_are_utf_8(
    news: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    given = io.TextIOWrapper(io.BytesIO(b"a caf\xe9\n"), errors="surrogateescape")  # as the C locale reads it
    monkeypatch.setattr(sys, "stdin", given)
    said = refused(complete.main, ["--model", str(news / DENOISER), "--vocabulary", str(news / "words.tsv")])
    assert "DataError: standard input, line 1: not valid UTF-8" in said
