"""Encode a text file into a token store: normalise every line and cut it into subword ids.

Every sentence ends with the end-of-sentence symbol. Nothing is dropped: an empty line becomes a sentence of that symbol
alone, so the store keeps the file's line count and parallel files stay parallel. Limits on length belong to training.
The text is streamed; memory does not grow with the file.

    python -m seqpre.corpora.encode --input train.de --subwords bpe.model --output tokens/train.de --workers 2
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqpre.common.errors import command
from seqpre.common.files import full_disk_named, read_lines
from seqpre.corpora.parallel import chunked, ordered_map
from seqpre.corpora.progress import Progress
from seqpre.corpora.subwords import UNK, Subwords
from seqpre.corpora.token_store import TokenStoreWriter, token_dtype

CHUNK = 4096

_subwords: Subwords  # one a process, set by _load


def _load(path: Path) -> None:
    global _subwords
    _subwords = Subwords(path)


def _encode_chunk(lines: list[str]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the chunk's ids one after the other and the number of ids of every line."""
    ids = _subwords.encode_lines(lines)
    lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
    flat = np.fromiter(chain.from_iterable(ids), dtype=token_dtype(_subwords.size), count=int(lengths.sum()))
    return flat, lengths


def encode_file(source: Path, model: Path, output: Path, workers: int = 1) -> dict[str, float]:
    """Write the store `output`; return the counts of sentences and tokens and the per cent of unknown subwords."""
    subwords = Subwords(model)
    unknown = 0
    with (
        full_disk_named(output),
        TokenStoreWriter(output, subwords.size, subwords.fingerprint) as store,
        Progress(f"encode {source.name}") as progress,
    ):
        chunks = chunked(read_lines(source), CHUNK)
        for tokens, lengths in ordered_map(_encode_chunk, chunks, workers, _load, (model,)):
            store.add(tokens, lengths)
            unknown += int((tokens == UNK).sum())
            progress.add(len(lengths))
    return {
        "sentences": store.sentences,
        "tokens": store.num_tokens,
        "unknown_percent": 100 * unknown / max(store.num_tokens, 1),
    }


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, encode, say how much there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=Path, required=True, help="text, one sentence a line (.gz too)")
    parser.add_argument("--subwords", type=Path, required=True, help="bpe.model from seqpre.corpora.learn_bpe")
    parser.add_argument("--output", type=Path, required=True, help="directory of the token store")
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1); the store does not depend on it")
    args = parser.parse_args(argv)
    counts = encode_file(args.input, args.subwords, args.output, args.workers)
    print(
        f"{args.output}: {counts['sentences']:,} sentences, {counts['tokens']:,} tokens, "
        f"{counts['unknown_percent']:.3f} % unknown",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
