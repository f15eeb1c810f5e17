"""Inflection of English words."""

from __future__ import annotations

import re
from typing import NamedTuple

BE_FORMS = {"present": ("am", "is", "are"), "past": ("was", "was", "were")}


class EnglishVerb(NamedTuple):
    """A verb by its principal parts; `particle` is what follows it: get up, want to."""

    base: str
    past: str
    participle: str
    particle: str = ""

    def form(self, name: str, agreement: int) -> str:
        """Return a form: base, present, past, ing or participle."""
        if self.base == "be" and name in BE_FORMS:
            word = BE_FORMS[name][agreement]
        elif name == "present" and agreement == 1:
            word = with_s(self.base)
        else:
            word = {"past": self.past, "participle": self.participle, "ing": ing(self.base)}.get(name, self.base)
        return f"{word} {self.particle}".rstrip()


def read_verb(entry: str) -> EnglishVerb:
    """Read the notation of the table: `turn on`, `have/had`, `see/saw/seen`."""
    base, *others = (part.split(" ")[0] for part in entry.split("/"))
    past = others[0] if others else regular_past(base)
    return EnglishVerb(base, past, others[-1] if others else past, entry.split("/")[0].partition(" ")[2])


def with_s(word: str) -> str:
    """Return a verb with he, she or it, or the plural of a noun."""
    if word in ("have", "can", "must", "will", "should"):
        return "has" if word == "have" else word
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return word + ("es" if re.search(r"(s|x|z|ch|sh|go|do)$", word) else "s")


def ing(base: str) -> str:
    """Return the present participle."""
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    return f"{base[:-1]}ing" if re.search(r"[^be]e$", base) else f"{doubled(base)}ing"


def regular_past(base: str) -> str:
    """Return the past by rule."""
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ied"
    return f"{base}d" if base.endswith("e") else f"{doubled(base)}ed"


def doubled(base: str) -> str:
    """Return a verb's stem before a vowel: stopp-, forgett-."""
    short = re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]|begin|forget|travel", base)
    return base + base[-1] if short else base
