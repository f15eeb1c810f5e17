"""Encode a text file into a token store: normalise every line and turn it into ids.

Every sentence ends with the end-of-sentence symbol. Nothing is dropped: an empty line becomes that symbol alone, so
line counts are kept and parallel files stay parallel. Limits on length belong to training. The text is streamed; memory
does not grow with the file.

    python -m seqpre.corpora.encode --input train.de --subwords bpe.model --output tokens/train.de --workers 2

With a word vocabulary, unknown words of a target get ids that copy from its source: pass it as `--source`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqpre.common.arguments import parser_of
from seqpre.common.errors import command
from seqpre.common.files import full_disk_named, read_together
from seqpre.corpora.parallel import chunked, ordered_map
from seqpre.corpora.progress import Progress
from seqpre.corpora.subwords import UNK, Subwords
from seqpre.corpora.token_store import TokenStoreWriter, token_dtype
from seqpre.corpora.vocabulary import load_vocabulary
from seqpre.corpora.words import Words

CHUNK = 4096

_vocabulary: Subwords | Words  # one for each process, set by _load


def _load(path: Path) -> None:
    global _vocabulary
    _vocabulary = load_vocabulary(path)


def _encode_chunk(together: list[tuple[str, ...]]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the concatenated ids of lines, each with its source if it is a target, and the length of every line."""
    lines, *sources = zip(*together, strict=True)
    ids = _vocabulary.encode_lines(lines, *sources)
    lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
    flat = np.fromiter(chain.from_iterable(ids), dtype=token_dtype(_vocabulary.ids_below), count=int(lengths.sum()))
    return flat, lengths


def encode_file(text: Path, vocabulary: Path, output: Path, workers: int, sources: Path | None) -> dict[str, float]:
    """Write the store `output`; return the counts of sentences and tokens, and the percentage of unknown tokens."""
    tokens_of = load_vocabulary(vocabulary)
    unknown = 0
    with (
        full_disk_named(output),
        TokenStoreWriter(output, tokens_of.ids_below, tokens_of.fingerprint) as store,
        Progress(f"encode {text.name}") as progress,
    ):
        chunks = chunked(read_together([text] if sources is None else [text, sources]), CHUNK)
        for tokens, lengths in ordered_map(_encode_chunk, chunks, workers, _load, (vocabulary,)):
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
    parser = parser_of(__doc__)
    parser.add_argument("--input", type=Path, required=True, help="text, one sentence a line (.gz too)")
    parser.add_argument(
        "--subwords",
        type=Path,
        required=True,
        help="bpe.model of seqpre.corpora.learn_bpe, or words.tsv of learn_words",
    )
    parser.add_argument("--source", type=Path, help="the source side of this text: words may be copied from it")
    parser.add_argument("--output", type=Path, required=True, help="directory of the token store")
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1); the store does not depend on it")
    args = parser.parse_args(argv)
    counts = encode_file(args.input, args.subwords, args.output, args.workers, args.source)
    print(
        f"{args.output}: {counts['sentences']:,} sentences, {counts['tokens']:,} tokens, "
        f"{counts['unknown_percent']:.3f} % unknown",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
