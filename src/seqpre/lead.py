"""Summarise each document by its first sentences: a baseline that needs no training.

    python -m seqpre.lead --documents raw/test.document --sentences 3 --output lead_3/test.txt

A document is a line, as is its summary; between sentences stands a `¶`. A document with fewer sentences is taken whole.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, read_lines
from seqpre.corpora.sentences import join_sentences, sentences_of


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Cut every document, say how many were shorter."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.lead", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", required=True, type=Path, help="text file, a document a line")
    parser.add_argument("--sentences", required=True, type=int, help="how many to take of each document")
    parser.add_argument("--output", required=True, type=Path, help="text file to write, a summary a line")
    args = parser.parse_args(argv)

    if args.sentences < 1:
        raise ConfigError(f"--sentences is {args.sentences}; it must be at least 1")
    if not args.documents.is_file():
        raise DataError(f"{args.documents}: no such file")
    documents, shorter, empty = 0, 0, 0
    with atomic_write(args.output) as file:
        for line in read_lines(args.documents):
            sentences = sentences_of(line)
            documents += 1
            shorter += len(sentences) < args.sentences
            empty += not sentences
            file.write(join_sentences(sentences[: args.sentences]) + "\n")
    print(f"{args.output}: {documents:,} documents; {shorter:,} have fewer sentences, {empty:,} of them none")


if __name__ == "__main__":
    main()
