"""Use a finished SentencePiece model as the vocabulary of texts.

    python -m seqpre.corpora.take_subwords --model mine.model --input train.en train.de --output bpe/bpe.model

Every text is encoded, and the share of unknown subwords is printed. More than 1 % is an error: a vocabulary learned
from a text has none.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.errors import DataError, command
from seqpre.common.files import read_lines
from seqpre.corpora.learn_bpe import write_model
from seqpre.corpora.parallel import chunked
from seqpre.corpora.subwords import UNK, Subwords

MOST_UNKNOWN = 0.01
LINES = 10_000
"""Lines encoded at a time."""


def unknown(subwords: Subwords, text: Path) -> float:
    """Return the share of a text's subwords that are <unk>, 0 for an empty text."""
    total, missing = 0, 0
    for some in chunked(read_lines(text), LINES):
        for ids in subwords.encode_lines(some):
            total, missing = total + len(ids) - 1, missing + ids.count(UNK)
    return missing / max(1, total)


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, look, copy."""
    parser = parser_of(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the finished SentencePiece model")
    parser.add_argument("--input", type=Path, nargs="+", required=True, help="texts, one sentence a line")
    parser.add_argument("--output", type=Path, required=True, help="bpe.model; bpe.vocab is written beside it")
    args = parser.parse_args(argv)
    subwords = Subwords(args.model)
    for text in args.input:
        share = unknown(subwords, text)
        print(f"{text}: {share:.2%} of its subwords are unknown", file=sys.stderr)
        if share > MOST_UNKNOWN:
            raise DataError(
                f"{args.model}: {share:.1%} of the subwords of {text} are unknown; give a model that was trained on"
                " text of these languages, with all their characters (spm_train --character_coverage=1)"
            )
    write_model(args.model.read_bytes(), args.output)


if __name__ == "__main__":
    main()
