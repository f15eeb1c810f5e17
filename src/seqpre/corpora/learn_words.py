"""Learn a vocabulary of words: the most frequent ones in one or more text files, unchanged.

    python -m seqpre.corpora.learn_words --input news.en wiki.en --vocab-size 50000 --output vocabulary/words.tsv

Each line of the output is a word, a tab and its count, the most frequent first.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, read_lines
from seqpre.corpora.normalise import normalise
from seqpre.corpora.progress import Progress
from seqpre.corpora.subwords import SPECIALS


def count_words(lines: Iterable[str], size: int) -> list[tuple[str, int]]:
    """Return the most frequent words of `lines` and their counts, enough to fill `size` with the special symbols.

    Ties are broken by code-point order. Raises ConfigError if `size` leaves no room for words.
    """
    if size <= len(SPECIALS):
        raise ConfigError(f"vocab-size {size}; it must exceed the {len(SPECIALS)} special symbols")
    counts: Counter[str] = Counter()
    with Progress("count words") as progress:
        for line in lines:
            counts.update(normalise(line).split())
            progress.add(1)
    for special in SPECIALS:
        del counts[special]
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: size - len(SPECIALS)]


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, count, write the words."""
    parser = parser_of(__doc__)
    parser.add_argument("--input", type=Path, nargs="+", required=True, help="texts, words between spaces (.gz too)")
    parser.add_argument("--vocab-size", type=int, required=True, help="words, special symbols included")
    parser.add_argument("--output", type=Path, required=True, help="words.tsv")
    args = parser.parse_args(argv)
    words = count_words(chain.from_iterable(map(read_lines, args.input)), args.vocab_size)
    names = ", ".join(map(str, args.input))
    if not words:
        raise DataError(f"{names}: no text to learn words from")
    if len(words) < args.vocab_size - len(SPECIALS):
        raise ConfigError(
            f"vocab-size {args.vocab_size:,} is larger than {names} supports; the largest that works is "
            f"{len(words) + len(SPECIALS):,}"
        )
    with atomic_write(args.output) as file:
        file.writelines(f"{word}\t{count}\n" for word, count in words)
    print(f"{args.output}: {len(words):,} words, the rarest seen {words[-1][1]:,} times", file=sys.stderr)


if __name__ == "__main__":
    main()
