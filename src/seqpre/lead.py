"""Summarise each document by its first sentences or words: a baseline that needs no training.

    python -m seqpre.lead --documents raw/test.document --sentences 3 --output lead_3/test.txt

A document is a line, as is its summary; between sentences stands a `¶`. A document with fewer sentences, or words
(`--words 8`), is taken whole.
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
    many = parser.add_mutually_exclusive_group(required=True)
    many.add_argument("--sentences", type=int, metavar="N", help="how many to take of each document")
    many.add_argument("--words", type=int, metavar="N", help="how many to take of each document, across its sentences")
    parser.add_argument("--output", required=True, type=Path, help="text file to write, a summary a line")
    args = parser.parse_args(argv)

    unit, most = ("sentences", args.sentences) if args.words is None else ("words", args.words)
    if most < 1:
        raise ConfigError(f"--{unit} is {most}; it must be at least 1")
    if not args.documents.is_file():
        raise DataError(f"{args.documents}: no such file")
    documents, shorter, empty = 0, 0, 0
    with atomic_write(args.output) as file:
        for line in read_lines(args.documents):
            sentences = sentences_of(line)
            parts = sentences if unit == "sentences" else " ".join(sentences).split()
            documents += 1
            shorter += len(parts) < most
            empty += not parts
            taken = parts[:most]
            file.write((join_sentences(taken) if unit == "sentences" else " ".join(taken)) + "\n")
    print(f"{args.output}: {documents:,} documents; {shorter:,} have fewer {unit}, {empty:,} of them none")


if __name__ == "__main__":
    main()
