"""The pairs of a run with synthetic ones: real pairs first, then translations as `seqpre.decode` writes them."""

import json
from pathlib import Path
from typing import Any

import pytest
from toy_language import RUN

from seqpre import backtranslate, decode
from seqpre.corpora.subwords import Subwords
from seqpre.corpora.token_store import TokenStore

REAL, SYNTHETIC = 20, 10


def arguments(toy: Path, trained: Path, folder: Path, **backtranslation: Any) -> list[str]:
    """Return those for a run from German to English; what was trained translates English to German."""
    settings = {"backtranslation": {"system": "other", "corpus": "news", **backtranslation}}
    run = {**RUN, "fraction": str(REAL), "lms": {}, "settings": settings}
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    tokens = toy / "tokens"
    return [
        *("--run", str(folder / "run.json"), "--model", str(trained / "weights/bleu.safetensors"), "--beam", "3"),
        *("--subwords", str(toy / "bpe.model"), "--text", str(tokens / "valid.en")),
        *("--source", str(tokens / "train.de"), "--target", str(tokens / "train.en")),
        *("--output-dir", str(folder / "pairs")),
    ]


def test_translations_stand_behind_the_pairs(toy: Path, trained: Path, tmp_path: Path) -> None:
    backtranslate.main(arguments(toy, trained, tmp_path, ratio=SYNTHETIC / REAL))
    sources, targets = (TokenStore(tmp_path / "pairs" / side) for side in ("source", "target"))
    for store, real in ((sources, "train.de"), (targets, "train.en")):
        assert len(store) == REAL + SYNTHETIC
        assert [store[n].tolist() for n in range(REAL)] == [
            TokenStore(toy / "tokens" / real)[n].tolist() for n in range(REAL)
        ]

    decode.main(
        [
            *("--model", str(trained / "weights/bleu.safetensors"), "--subwords", str(toy / "bpe.model")),
            *("--beam", "3", "--input", f"valid={toy / 'valid.en'}", "--output-dir", str(tmp_path / "outputs")),
        ]
    )
    english = (toy / "valid.en").read_text(encoding="utf-8").splitlines()
    translated = (tmp_path / "outputs/valid.txt").read_text(encoding="utf-8").splitlines()
    expected = dict(zip(english, translated, strict=True))
    vocabulary = Subwords(toy / "bpe.model")
    synthetic = [
        tuple(vocabulary.decode(store[n].tolist()[:-1]) for store in (targets, sources))
        for n in range(REAL, REAL + SYNTHETIC)
    ]
    assert len(set(synthetic)) == SYNTHETIC
    assert all(expected[target] == source for target, source in synthetic)


@pytest.mark.parametrize(("ratio", "synthetic"), [(0, 20), (0.01, 1)])
def test_a_ratio_of_0_takes_all_text_and_a_small_one_a_sentence(
    toy: Path, trained: Path, tmp_path: Path, ratio: float, synthetic: int
) -> None:
    backtranslate.main(arguments(toy, trained, tmp_path, ratio=ratio))
    assert len(TokenStore(tmp_path / "pairs/target")) == REAL + synthetic


def test_more_synthetic_pairs_than_there_is_text_are_refused(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        backtranslate.main(arguments(toy, trained, tmp_path, ratio=2))
    assert end.value.code
    assert "20 sentences of at most 100 subwords, 40 asked for; lower backtranslation.ratio" in capsys.readouterr().err
    assert not (tmp_path / "pairs").exists()
