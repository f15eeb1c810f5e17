"""Corrupt some lines of training text as in crawled text, so that the filters have something to find."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from seqpre.demo.words import Said

RATES = {
    "wrong language": 0.03,  # one side is in the other language of the pair
    "foreign": 0.02,  # one side is French or Spanish
    "duplicate": 0.03,  # a recent line repeated
    "empty": 0.01,
    "length": 0.01,  # one side has many sentences
    "messy": 0.04,  # control characters, odd white space, decomposed letters: repaired rather than dropped
}
"""Shares of all lines written."""
NEWS_RATES = {"duplicate": 0.02, "empty": 0.01}
"""Shares of stories; some have lost their highlights."""
RECENT = 500
RUN_ON_SENTENCES = {1: 60, 2: 12}
"""Sentences in a run-on line, by number of sides: a filter compares lengths of two, and needs more for one."""
ODD_SPACES = "\t\u00a0\u2009\u3000"
CONTROLS = "\x02\x07\x08\x1b\x7f\u200b\u00ad\ufeff"
FOREIGN = (
    (
        ("Le chat", "La voisine", "Mon frère", "Une jeune fille", "Notre médecin"),
        ("a mangé une pomme depuis hier soir", "cherche les clés de la maison", "a perdu son livre dans la grande rue"),
    ),
    (
        ("El perro", "La vecina", "Mi hermano", "Una niña pequeña", "Nuestro médico"),
        ("ha comido una manzana durante todo el día", "busca las llaves de la casa", "perdió su libro en la calle"),
    ),
)
"""French and Spanish subjects and predicates."""


def spoilt(
    pairs: Iterator[Said], rng: Random, sides: Sequence[int] = (0, 1), rates: Mapping[str, float] = RATES
) -> Iterator[Said]:
    """Yield the pairs, some of them corrupted, on one of `sides` or on both."""
    recent = [next(pairs)]
    yield recent[0]
    for pair in pairs:
        kind = rng.choices([*rates, "clean"], [*rates.values(), 1 - sum(rates.values())])[0]
        side = rng.choice(sides)
        texts = list(pair)
        if kind == "wrong language":
            texts[side] = texts[1 - side]
        elif kind == "foreign":
            texts[side] = " ".join(map(rng.choice, rng.choice(FOREIGN))) + "."
        elif kind == "duplicate":
            texts = list(rng.choice(recent))
        elif kind == "empty":
            texts[side] = ""
        elif kind == "length":
            texts[side] = " ".join(rng.choice(recent)[side] for _ in range(RUN_ON_SENTENCES[len(sides)]))
        elif kind == "messy":
            texts = [messy(text, rng) for text in texts]
        else:
            recent = [*recent[-RECENT:], pair]
        yield Said(*texts)


def messy(text: str, rng: Random) -> str:
    """Return the text with letters decomposed, odd spaces and a stray control character."""
    words = unicodedata.normalize("NFD", text).split(" ")
    for _ in range(rng.randint(1, 3)):
        words[rng.randrange(len(words))] += rng.choice(ODD_SPACES)
    place = rng.randrange(len(words))
    words[place] = rng.choice(CONTROLS) + words[place]
    return " ".join(words)
