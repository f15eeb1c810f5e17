"""A vocabulary of the most frequent words, in which unknown words of a source can be copied.

PoDA (Wang et al., 2019), Section 3.1: "the top 50k most frequent words (case sensitive)". An unknown word of a source
has the id `size + place`, where `place` is its first position there. A target uses the same id for it, so an id of
`size` or more means that a source word is copied.

A word known only in another casing has the id of that form. Outputs get the source's casing back; otherwise a
vocabulary of lower-case text would lose all names and sentence beginnings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seqpre.common.errors import DataError
from seqpre.common.files import file_hash, read_lines
from seqpre.corpora.normalise import normalise
from seqpre.corpora.subwords import EOS, SPECIALS, UNK

PLACES = 10_000
"""Unknown words are copied from this many first words of a source, so that 50,000 known words fit in 16 bits, too."""
COUNT = re.compile(r"[1-9][0-9]{0,14}")


def capitalised(word: str) -> str:
    """Return a word with its first letter capitalised and the others unchanged, as in McDonald."""
    return word[:1].upper() + word[1:]


class Words:
    """The words of a file with their counts, most frequent first. Text is normalised here and split at spaces."""

    # Differs: a word that PoDA's vocabulary has only in another casing has the id of that one; this is given only in
    # the published code. Outputs are given the source's casing again; this is ours.

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise DataError(f"{self.path}: no such vocabulary; make it with seqpre.corpora.learn_words")
        self.fingerprint = file_hash(self.path)
        self.words: list[str] = list(SPECIALS)
        counts = []
        for number, line in enumerate(read_lines(self.path), start=1):
            word, tab, count = line.partition("\t")
            if not (word and tab and COUNT.fullmatch(count)):
                raise DataError(f"{self.path}, line {number}: {line[:40]!r} is not a word, a tab and its count")
            self.words.append(word)
            counts.append(int(count))
        self.counts_W: NDArray[np.int64] = np.array(counts, dtype=np.int64)
        """Count of each word, for ids from len(SPECIALS) on."""
        if len(set(self.words)) < len(self.words):
            twice = Counter(self.words).most_common(1)[0][0]
            raise DataError(f"{self.path}: has {twice!r} twice (or a special symbol as a word); learn it again")
        self.size = len(self.words)
        """Number of words, special symbols included: the rows of an embedding."""
        self.copies = self.size
        """First id that copies a source word, by its position."""
        self.ids_below = self.size + PLACES
        """Upper bound (exclusive) of all ids, those of unknown words included."""
        self._ids = {word: index for index, word in enumerate(self.words) if index >= len(SPECIALS)}
        self._found = {"<unk>": UNK}
        """Cache of words that are known only in another casing, or unknown."""

    def id_of(self, word: str) -> int:
        """Return a word's id or, if it is unknown, that of its lower, capitalised or upper-case form; else UNK."""
        if word in self._ids:
            return self._ids[word]
        if word not in self._found:
            known = (self._ids.get(form) for form in (word.lower(), capitalised(word), word.upper()))
            self._found[word] = next((found for found in known if found is not None), UNK)
        return self._found[word]

    def encode(self, text: str, source: str | None = None) -> list[int]:
        """Return the ids of one line, without bos or eos: of a source or, if `source` is given, of its target.

        An unknown word of a target that the source lacks is UNK; so is a literal `<unk>`.
        """
        words = normalise(text).split()
        ids = [self.id_of(word) for word in words]
        if UNK in ids:
            places = self._places(words, ids) if source is None else self._places(normalise(source).split())
            ids = [places.get(word, UNK) if index == UNK else index for word, index in zip(words, ids, strict=True)]
        return ids

    def _places(self, words: Sequence[str], ids: Sequence[int] | None = None) -> Mapping[str, int]:
        """Return the ids of a source's unknown words."""
        places: dict[str, int] = {}
        for place, word in enumerate(words[:PLACES]):
            if (self.id_of(word) if ids is None else ids[place]) == UNK and word != "<unk>":
                places.setdefault(word, self.size + place)
        return places

    def encode_lines(self, lines: Sequence[str], sources: Sequence[str] | None = None) -> list[list[int]]:
        """Return the ids of many lines, each ending with eos."""
        pairs = ((line, None) for line in lines) if sources is None else zip(lines, sources, strict=True)
        return [[*self.encode(line, source), EOS] for line, source in pairs]

    def decode(self, ids: Sequence[int], source: str = "") -> str:
        """Return the text of `ids`, with words and casing copied from `source`; special symbols but <unk> are dropped.

        Raises DataError for an id beyond the words of `source`.
        """
        theirs = normalise(source).split()
        cased = self._cased(theirs)
        text: list[str] = []
        for index in map(int, ids):
            if index >= self.size + len(theirs):
                raise DataError(
                    f"id {index} copies word {index - self.size + 1} of a source of {len(theirs)} words; "
                    f"it was written for another source than {source[:60]!r}, or with other words than {self.path}"
                )
            if index in cased:
                options = cased[index]
                text.append(options.pop(0) if len(options) > 1 else options[0])
            elif index == UNK or index >= len(SPECIALS):
                text.append(self.words[index] if index < self.size else theirs[index - self.size])
        begins = text and theirs and theirs[0] not in self._ids and theirs[0][:1].isupper() and text[0][:1].islower()
        if begins:  # with a capital, which the vocabulary's form may lack
            text[0] = capitalised(text[0])
        return " ".join(text)

    def _cased(self, words: Sequence[str]) -> dict[int, list[str]]:
        """Return the source's spellings of words that are known only in another casing, by id, in order."""
        if all(word in self._ids for word in words):
            return {}
        ids = [self.id_of(word) for word in words]
        other = {index for word, index in zip(words, ids, strict=True) if index != UNK and word not in self._ids}
        written: dict[int, list[str]] = {}
        for place, (word, index) in enumerate(zip(words, ids, strict=True)):
            if index in other:
                # The capital at the start of a sentence is not informative.
                known = self.words[index]
                begins = place == 0 and word == capitalised(known)
                written.setdefault(index, []).append(known if begins else word)
        return written
