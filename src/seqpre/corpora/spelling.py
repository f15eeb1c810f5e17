"""Correct simple spelling errors in the sources of grammatical error correction, before a model reads them.

PoDA (Wang et al., 2019), Section 3.3: "Simple spelling errors are corrected based on edit distance." A token that is
neither in the vocabulary, in any casing, nor in SymSpell's English dictionary becomes the most frequent word of both
with the fewest edits, at most two; if there is none, it stays. An edit inserts, deletes or replaces a letter or swaps
two neighbours (SymSpell). Nothing else is changed.

    python -m seqpre.corpora.spelling --input test.source --vocabulary vocabulary/words.tsv --output spelled/test.source

<output>.json lists the corrections and their counts. Compare it with the original sources and, for JFLEG, with those
spell-checked by its authors, the corpus `jfleg_spellchecked`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from symspellpy import SymSpell, Verbosity

from seqpre.common.arguments import parser_of
from seqpre.common.errors import command
from seqpre.common.files import atomic_write, read_lines, write_json
from seqpre.corpora.error_kinds import cased
from seqpre.corpora.subwords import SPECIALS, UNK
from seqpre.corpora.words import Words

# Differs: misspellings are corrected by SymSpell, its dictionary and the frequencies of the vocabulary; the paper's own
# correction is not published. Because of the dictionary, correct words that a small vocabulary of news lacks stay.
DISTANCE = 2
DICTIONARY = files("symspellpy") / "frequency_dictionary_en_82_765.txt"
# Unstated: which tokens are corrected as misspelled words. Those of four or more letters and nothing else, unless they
# are capitalised within a sentence, as names are. Two edits turn most shorter words into another word.
SHORTEST = 4
EXAMPLES = 50


class Speller:
    """The words of a vocabulary, and the corrections of other tokens."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._dictionary = SymSpell(max_dictionary_edit_distance=DISTANCE)
        english = read_dictionary()
        # scaled to the size of the vocabulary's text
        share = max(1, int(words.counts_W.sum())) / sum(english.values())
        counts = Counter({word: max(1, int(share * count)) for word, count in english.items()})
        for word, count in zip(words.words[len(SPECIALS) :], words.counts_W, strict=True):
            if word.isalpha():
                counts[word.lower()] += int(count)
        self._english = frozenset(english)
        for word in sorted(counts):
            self._dictionary.create_dictionary_entry(word, counts[word])
        self._closest = cache(self._look_up)

    def correct(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens of a sentence; corrected ones keep their casing."""
        return [self._corrected(token, first=place == 0) for place, token in enumerate(tokens)]

    def knows(self, token: str) -> bool:
        """Return whether the vocabulary or the dictionary has a token in any casing."""
        return self.words.id_of(token) != UNK or token.lower() in self._english

    def _corrected(self, token: str, first: bool) -> str:
        if len(token) < SHORTEST or not token.isalpha() or self.knows(token):
            return token
        if not first and not token.islower() and not token.isupper():
            return token
        return cased(self._closest(token.lower()), token)

    def _look_up(self, word: str) -> str:
        found = self._dictionary.lookup(word, Verbosity.CLOSEST, DISTANCE)
        return min(found, key=lambda item: (item.distance, -item.count, item.term)).term if found else word


def read_dictionary() -> dict[str, int]:
    """Return SymSpell's English words with their frequencies."""
    lines = (line.split() for line in DICTIONARY.read_text(encoding="utf-8-sig").splitlines())
    return {word: int(count) for word, count in lines if word.isalpha()}


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, correct, write the text and what was corrected."""
    parser = parser_of(__doc__)
    parser.add_argument("--input", type=Path, required=True, help="sentences, tokens between spaces (.gz too)")
    parser.add_argument("--vocabulary", type=Path, required=True, help="words.tsv of seqpre.corpora.learn_words")
    parser.add_argument("--output", type=Path, required=True, help="the same sentences, corrected")
    args = parser.parse_args(argv)
    speller = Speller(Words(args.vocabulary))
    tokens = unknown = lines = 0
    corrections: Counter[str] = Counter()
    with atomic_write(args.output) as file:
        for lines, line in enumerate(read_lines(args.input), start=1):  # noqa: B007
            before = line.split()
            after = speller.correct(before)
            tokens += len(before)
            unknown += sum(not speller.knows(token) for token in before)
            corrections.update(f"{old} -> {new}" for old, new in zip(before, after, strict=True) if old != new)
            file.write(" ".join(after) + "\n")
    corrected = corrections.total()
    report = {
        "lines": lines,
        "tokens": tokens,
        "unknown": unknown,
        "corrected": corrected,
        "most_frequent": dict(sorted(corrections.items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]),
    }
    write_json(args.output.with_name(f"{args.output.name}.json"), report)
    print(
        f"{args.output}: {lines:,} lines, {corrected:,} of {unknown:,} unknown tokens corrected, of {tokens:,}",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
