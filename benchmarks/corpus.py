"""Sentence pairs for the measurements: of the same lengths as Multi30k's, or the text that is given.

What a model computes depends on lengths and not on which words stand there; so ids are drawn from Zipf's law and
lengths from what Multi30k has in 8,000 joint subwords: 14.27 ± 4.73 English and 14.78 ± 5.45 German tokens a sentence,
EOS not counted, log-normal within rounding, correlation of the logarithms 0.86. Every tool reads the same pairs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from seqpre.corpora.subwords import EOS
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter

VOCABULARY = 8000
FIRST_WORD = 4
"""Ids below are padding, unknown, begin and end of a sentence."""
PAIRS = 29_000
LOG_MEAN, LOG_SD, CORRELATION = np.array([2.608, 2.630]), np.array([0.317, 0.354]), 0.857
LONGEST = 52
SEARCH_BATCHES, BEAM_BATCH = 4, 32

Sentences = list[NDArray[np.int64]]
SearchBatch = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Source ids with EOS (B, S), and target lengths with EOS (B,)."""


def generated(pairs: int = PAIRS, seed: int = 1) -> tuple[Sentences, Sentences]:
    """Return source and target sentences as arrays of ids, without EOS."""
    rng = np.random.default_rng(seed)
    first = rng.standard_normal(pairs)
    second = CORRELATION * first + np.sqrt(1 - CORRELATION**2) * rng.standard_normal(pairs)
    probability = 1 / np.arange(2, VOCABULARY - FIRST_WORD + 2)
    probability /= probability.sum()
    sides = []
    for mean, sd, normal in zip(LOG_MEAN, LOG_SD, (first, second), strict=True):
        lengths = np.clip(np.rint(np.exp(mean + sd * normal)), 2, LONGEST).astype(int)
        ids = FIRST_WORD + rng.choice(VOCABULARY - FIRST_WORD, size=lengths.sum(), p=probability)
        sides.append(np.split(ids, np.cumsum(lengths)[:-1]))
    return sides[0], sides[1]


def encoded(texts: tuple[Path, Path], folder: Path) -> tuple[Sentences, Sentences]:
    """Return two parallel texts in joint subwords learned from both."""
    model = folder / "subwords"
    sentencepiece.SentencePieceTrainer.train(
        input=[str(path) for path in texts], model_prefix=str(model), vocab_size=VOCABULARY, model_type="bpe",
        pad_id=0, unk_id=1, bos_id=2, eos_id=3, num_threads=1, minloglevel=2,
    )  # fmt: skip
    subwords = sentencepiece.SentencePieceProcessor(model_file=f"{model}.model")
    source, target = (
        [np.array(ids) for ids in subwords.encode(path.read_text(encoding="utf-8").splitlines())] for path in texts
    )
    kept = [i for i in range(len(source)) if len(source[i]) and len(target[i])]
    return [source[i] for i in kept], [target[i] for i in kept]


def prepare(folder: Path, texts: tuple[Path, Path] | None = None) -> str:
    """Write the pairs as token stores (ours) and as text with a vocabulary (OpenNMT-py); return a description."""
    folder.mkdir(parents=True, exist_ok=True)
    source, target = encoded(texts, folder) if texts else generated()
    for side, sentences in (("source", source), ("target", target)):
        with TokenStoreWriter(folder / side, VOCABULARY, "benchmark") as store:
            for ids in sentences:
                store.append([*ids.tolist(), EOS])
        with (folder / f"{side}.txt").open("w", encoding="utf-8") as file:
            file.writelines(" ".join(f"w{i}" for i in ids) + "\n" for ids in sentences)
    with (folder / "vocabulary.txt").open("w", encoding="utf-8") as file:
        file.writelines(f"w{i}\t1\n" for i in range(FIRST_WORD, VOCABULARY))
    means = [np.mean([len(ids) for ids in sentences]) for sentences in (source, target)]
    origin = f"{texts[0].name}, {texts[1].name}" if texts else "generated with Multi30k's length distribution"
    return f"{len(source):,} pairs, {origin}; {means[0]:.1f} source and {means[1]:.1f} target subwords a sentence"


def stores(folder: Path) -> tuple[TokenStore, TokenStore]:
    return TokenStore(folder / "source"), TokenStore(folder / "target")


def search_batches(folder: Path) -> list[SearchBatch]:
    """Return batches of one source length each.

    Their source lengths are the quantiles 1/8, 3/8, 5/8 and 7/8 of the first thousand pairs'.
    """
    source, target = stores(folder)
    found = []
    for number in range(SEARCH_BATCHES):
        length = np.sort(source.lengths[:1000])[1000 * (2 * number + 1) // (2 * SEARCH_BATCHES)]
        numbers = np.flatnonzero(source.lengths == length)[:BEAM_BATCH]
        found.append((np.stack([source[i] for i in numbers]).astype(np.int64), target.lengths[numbers]))
    return found


def of_one_length(batches: list[SearchBatch]) -> list[SearchBatch]:
    """Return the batches with the mean of each one's target lengths for all its sentences."""
    return [(sources, np.full_like(lengths, round(lengths.mean()))) for sources, lengths in batches]


def mean_lengths(folder: Path) -> tuple[float, float]:
    """Return source and target tokens a sentence, EOS counted."""
    source, target = stores(folder)
    return source.num_tokens / len(source), target.num_tokens / len(target)
