"""Forms of English nouns and verbs, from school-book spelling rules and the words of a text.

Nouns and verbs are recognised by their forms in the text: a noun has a plural there, a verb a past and an -ing form.
There is no tagger, so some words are both, and some are neither although they could be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

VOWELS = "aeiou"
SHORTEST = 3  # letters of a regular noun or verb
IRREGULAR_NOUNS = {
    "man": "men", "woman": "women", "child": "children", "person": "people", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "life": "lives", "wife": "wives", "knife": "knives", "leaf": "leaves", "half": "halves",
    "shelf": "shelves",
}  # fmt: skip
NO_PLURALS = {
    "news", "means", "series", "species", "physics", "mathematics", "always", "perhaps", "less", "unless", "across",
    "plus", "thus", "yes", "princess", "business", "process", "address", "access", "success", "progress", "congress",
    "dress",
}  # fmt: skip
"""Words that end in s and are no plural of the word without it."""
IRREGULAR_VERBS = {
    "be": ("was", "been"), "have": ("had", "had"), "do": ("did", "done"), "go": ("went", "gone"),
    "begin": ("began", "begun"), "break": ("broke", "broken"), "bring": ("brought", "brought"),
    "build": ("built", "built"), "buy": ("bought", "bought"), "catch": ("caught", "caught"),
    "choose": ("chose", "chosen"), "come": ("came", "come"), "cut": ("cut", "cut"), "draw": ("drew", "drawn"),
    "drink": ("drank", "drunk"), "drive": ("drove", "driven"), "eat": ("ate", "eaten"), "fall": ("fell", "fallen"),
    "feel": ("felt", "felt"), "fight": ("fought", "fought"), "find": ("found", "found"), "fly": ("flew", "flown"),
    "forget": ("forgot", "forgotten"), "get": ("got", "got"), "give": ("gave", "given"), "grow": ("grew", "grown"),
    "hear": ("heard", "heard"), "hide": ("hid", "hidden"), "hold": ("held", "held"), "keep": ("kept", "kept"),
    "know": ("knew", "known"), "lead": ("led", "led"), "leave": ("left", "left"), "lose": ("lost", "lost"),
    "make": ("made", "made"), "mean": ("meant", "meant"), "meet": ("met", "met"), "pay": ("paid", "paid"),
    "put": ("put", "put"), "read": ("read", "read"), "ride": ("rode", "ridden"), "rise": ("rose", "risen"),
    "run": ("ran", "run"), "say": ("said", "said"), "see": ("saw", "seen"), "sell": ("sold", "sold"),
    "send": ("sent", "sent"), "set": ("set", "set"), "show": ("showed", "shown"), "sing": ("sang", "sung"),
    "sit": ("sat", "sat"), "sleep": ("slept", "slept"), "speak": ("spoke", "spoken"), "spend": ("spent", "spent"),
    "stand": ("stood", "stood"), "steal": ("stole", "stolen"), "swim": ("swam", "swum"), "take": ("took", "taken"),
    "teach": ("taught", "taught"), "tell": ("told", "told"), "think": ("thought", "thought"),
    "throw": ("threw", "thrown"), "understand": ("understood", "understood"), "wear": ("wore", "worn"),
    "win": ("won", "won"), "write": ("wrote", "written"),
}  # fmt: skip


class Verb(NamedTuple):
    """The forms of a verb: goes, went, gone, going of go."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str


class Inflector:
    """The nouns and verbs among the `known` words of a text, all in lower case."""

    def __init__(self, known: Collection[str], others: Collection[str] = ()) -> None:
        """Take the words of a text; `others` are neither noun nor verb."""
        # Sorted, because of two nouns with one plural, or two verbs with one past, the last counts.
        words = sorted(word for word in known if word.isalpha() and word.isascii() and word not in others)
        self.plurals = {noun: plural for noun in words if (plural := _plural(noun, known)) and plural not in others}
        self.singulars = {plural: noun for noun, plural in self.plurals.items()}
        self.verbs = {base: verb for base in words if (verb := _verb(base, known))}
        self.by_third = {verb.third: verb for verb in self.verbs.values()}
        self.by_past = {verb.past: verb for verb in self.verbs.values()}
        self.by_participle = {verb.participle: verb for verb in self.verbs.values()}
        self.by_gerund = {verb.gerund: verb for verb in self.verbs.values()}


def with_s(word: str) -> str:
    """Return the plural of a regular noun, or the third person of a verb."""
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{word}s"


def with_article(word: str) -> str:
    """Return `a` or `an`, depending on the first letter of the next word."""
    return (
        "an" if word[:1].lower() in VOWELS and not word.lower().startswith(("uni", "use", "usu", "eu", "one")) else "a"
    )


def _plural(noun: str, known: Collection[str]) -> str | None:
    if noun in IRREGULAR_NOUNS:
        return IRREGULAR_NOUNS[noun]
    found = _first((with_s(noun), f"{noun}s"), known)
    return found if len(noun) >= SHORTEST and found not in NO_PLURALS else None


def _verb(base: str, known: Collection[str]) -> Verb | None:
    if len(base) < SHORTEST and base not in IRREGULAR_VERBS:
        return None
    # stop, stopped; visit, visited; hope, hoped; try, tried; lie, lying
    stem = base.removesuffix("e")
    doubled = base + base[-1] if base[-1] not in VOWELS + "wxy" else base
    cut = base[:-1] if base.endswith("y") and base[-2:-1] not in VOWELS else None
    pasts = (f"{cut}ied",) if cut else (f"{stem}ed", f"{doubled}ed")
    gerunds = (f"{base[:-2]}ying",) if base.endswith("ie") else (f"{stem}ing", f"{doubled}ing", f"{base}ing")
    gerund = _first(gerunds, known)
    past, participle = IRREGULAR_VERBS.get(base) or (_first(pasts, known),) * 2
    if gerund is None or past is None or participle is None or base == "be":
        return None
    third = {"have": "has"}.get(base) or _first((with_s(base), f"{base}s"), known) or with_s(base)
    return Verb(base, third, past, participle, gerund)


def _first(forms: Iterable[str], known: Collection[str]) -> str | None:
    return next((form for form in forms if form in known), None)
