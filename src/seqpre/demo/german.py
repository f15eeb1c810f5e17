"""Inflection of German words. Genders are m, f and n; p is the plural of all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

NOM, ACC, DAT = range(3)
ENDINGS = {"m": ("er", "en", "em"), "f": ("e", "e", "er"), "n": ("es", "es", "em"), "p": ("e", "e", "en")}
"""Endings of `dies`, and of adjectives without a preceding article's ending; by case."""
WEAK = {"m": ("e", "en", "en"), "f": ("e", "e", "en"), "n": ("e", "e", "en"), "p": ("en", "en", "en")}
"""Endings of other adjectives, by case."""
DEFINITE = {"er": "der", "e": "die", "es": "das", "en": "den", "em": "dem"}
BARE_EIN = {("m", NOM), ("n", NOM), ("n", ACC)}
RELATIVES = {"m": "der den dem", "f": "die die der", "n": "das das dem", "p": "die die denen"}
CONTRACTIONS = {"in dem": "im", "an dem": "am", "zu dem": "zum", "zu der": "zur", "von dem": "vom"}


class GermanVerb(NamedTuple):
    """A verb by its principal parts; a separable `prefix` is stored separately."""

    infinitive: str
    third: str
    past: str
    participle: str
    prefix: str = ""
    with_sein: bool = False

    def form(self, name: str, agreement: int) -> str:
        """Return a form: present and past (without prefix), infinitive, zu or participle."""
        if name == "present":
            if self.infinitive == "sein":
                return ("bin", "ist", "sind")[agreement]
            first = re.sub("el$", "l", stem(self.infinitive)) + "e"
            first = first if self.third.endswith(("t", "d")) else self.third  # ich entwickle, ich kann
            return (first, self.third, self.infinitive)[agreement]
        if name == "past":
            return self.past if agreement < 2 else self.past + ("n" if self.past.endswith("e") else "en")
        if name == "zu":
            return f"{self.prefix}zu{self.infinitive}" if self.prefix else f"zu {self.infinitive}"
        return self.prefix + (self.participle if name == "participle" else self.infinitive)


def read_verb(entry: str) -> GermanVerb:
    """Read the notation of the table: `kaufen`, `auf+räumen`, `gehen/geht/ging/gegangen*`."""
    prefix, _, parts = entry.removesuffix("*").rpartition("+")
    infinitive, third, past, participle = parts.split("/") if "/" in parts else weak_parts(parts)
    return GermanVerb(infinitive, third, past, participle, prefix, entry.endswith("*"))


def stem(infinitive: str) -> str:
    """Return the infinitive without -en or -n."""
    return infinitive.removesuffix("n").removesuffix("e")


def weak_parts(infinitive: str) -> Sequence[str]:
    """Return the principal parts of a weak verb: arbeiten, arbeitet, arbeitete, gearbeitet."""
    root = stem(infinitive)
    inseparable = "(be|er|ge|ver|ent|über|unter)([^aeiouäöü]+[aeiouäöü]|a)"
    without_ge = infinitive.endswith("ieren") or re.match(inseparable, root)
    root += "e" if re.search("[dt]$|[^aeiouäöülrhmn][nm]$", root) else ""
    return infinitive, f"{root}t", f"{root}te", f"{'' if without_ge else 'ge'}{root}t"


def declined(stem: str, kind: str, adjective: str, gender: str, case: int) -> list[str]:
    """Return a determiner and an adjective (or nothing) in the form before a noun.

    An adjective is weak if the determiner shows case and gender. Kinds: `the`; `der` (dies), `ein` (ein, kein, mein)
    and `bare` for words without an ending (zwei, Annas, nothing at all).
    """
    ending = ENDINGS[gender][case]
    shown = kind != "bare" and not (kind == "ein" and (gender, case) in BARE_EIN)
    word = DEFINITE[ending] if kind == "the" else stem + (ending if shown else "")
    ends = WEAK[gender][case] if shown else ending
    return [word, adjective and adjective.removesuffix("e") + ends]


def contracted(text: str) -> str:
    """Contract prepositions and articles: im, zur."""
    return re.sub(r"\b(in|an|zu|von) de[mr]\b", lambda found: CONTRACTIONS.get(found[0], found[0]), text)
