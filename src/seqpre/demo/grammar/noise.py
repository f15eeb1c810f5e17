"""Spoil some lines of training text the way crawled text is spoilt, so that the filters have something to find.

The rates are shares of all lines written. Every line comes with the name of what was done to it, for tests and counts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple, TypeVar

WRONG_LANGUAGE_RATE = 0.03  # one side is in the other language of the pair
FOREIGN_RATE = 0.02  # one side is French or Spanish
DUPLICATE_RATE = 0.03  # a recent line once more
EMPTY_RATE = 0.01  # one side, or the line, is empty
LENGTH_RATE = 0.01  # one side, or the line, runs on over many sentences
MESSY_RATE = 0.04  # control characters, odd white space, decomposed letters: to be repaired rather than dropped

_KINDS = ("wrong_language", "foreign", "duplicate", "empty", "length", "messy")
_RATES = (WRONG_LANGUAGE_RATE, FOREIGN_RATE, DUPLICATE_RATE, EMPTY_RATE, LENGTH_RATE, MESSY_RATE)

RECENT_LINES = 500
RUN_ON_SENTENCES = 12
RUN_ON_LINE_SENTENCES = 60

_ODD_SPACES = "\t\u00a0\u2009\u3000"
_CONTROLS = "\x02\x07\x08\x1b\x7f\u200b\u00ad\ufeff"

# Subjects, predicates and ends that fit together freely, a row each.
_FRENCH = """
Le chat | La voisine | Mon frère | Le vieux professeur | Une jeune fille | Notre médecin | Le boulanger | Ma grand-mère
a mangé une pomme | cherche les clés de la maison | n'a pas compris la question | a perdu son livre | vend des fleurs
pendant toute la journée | parce qu'il fait froid | avec beaucoup de patience | depuis hier soir | dans la grande rue
"""
_SPANISH = """
El perro | La vecina | Mi hermano | El viejo profesor | Una niña pequeña | Nuestro médico | El panadero | Mi abuela
ha comido una manzana | busca las llaves de la casa | no entendió la pregunta | perdió su paraguas | vende flores
durante todo el día | porque hace mucho frío | con mucha paciencia | desde ayer por la noche | en la calle principal
"""
_FOREIGN = [[row.split(" | ") for row in table.strip().splitlines()] for table in (_FRENCH, _SPANISH)]


Item = TypeVar("Item")


class NoisyPair(NamedTuple):
    """A line of bitext and what was done to it (`clean` for nothing)."""

    kind: str
    english: str
    german: str


class NoisyLine(NamedTuple):
    """A line of monolingual text and what was done to it (`clean` for nothing)."""

    kind: str
    text: str


def _kind(rng: Random) -> str:
    draw = rng.random()
    for kind, rate in zip(_KINDS, _RATES, strict=True):
        if draw < rate:
            return kind
        draw -= rate
    return "clean"


def foreign(rng: Random) -> str:
    """A sentence of French or Spanish."""
    subjects, predicates, ends = _FOREIGN[rng.random() < 0.5]
    return f"{rng.choice(subjects)} {rng.choice(predicates)} {rng.choice(ends)}."


def messy(text: str, rng: Random) -> str:
    """The same text with letters decomposed, odd spaces, and stray control characters."""
    if rng.random() < 0.5:
        text = unicodedata.normalize("NFD", text)
    words = text.split(" ")
    for _ in range(1 + int(3 * rng.random())):
        position = int(len(words) * rng.random())
        words[position] += rng.choice(_ODD_SPACES)
    if rng.random() < 0.6:
        position = int(len(words) * rng.random())
        words[position] = rng.choice(_CONTROLS) + words[position]
    return " ".join(words) + " " * int(3 * rng.random())


def spoil_pairs(draw: Callable[[], tuple[str, str]], rng: Random) -> Iterator[NoisyPair]:
    """Yield pairs without end, some of them spoilt; `draw` makes a clean (English, German) pair."""
    recent: list[tuple[str, str]] = []
    while True:
        english, german = draw()
        kind = _kind(rng) if recent else "clean"
        spoil_english = kind != "clean" and rng.random() < 0.5
        if kind == "duplicate":
            english, german = _any(recent, rng)
        elif kind == "messy":
            english, german = messy(english, rng), messy(german, rng)
        elif kind != "clean":
            if kind == "wrong_language":
                spoilt = german if spoil_english else english
            elif kind == "foreign":
                spoilt = foreign(rng)
            elif kind == "empty":
                spoilt = " " * int(2 * rng.random())
            else:
                spoilt = " ".join(_any(recent, rng)[0 if spoil_english else 1] for _ in range(RUN_ON_SENTENCES))
            english, german = (spoilt, german) if spoil_english else (english, spoilt)
        else:
            _remember(recent, (english, german), rng)
        yield NoisyPair(kind, english, german)


def spoil_lines(draw: Callable[[], str], draw_other: Callable[[], str], rng: Random) -> Iterator[NoisyLine]:
    """Yield lines without end, some spoilt; `draw` makes a clean line, `draw_other` one of the other language."""
    recent: list[str] = []
    while True:
        kind = _kind(rng) if recent else "clean"
        if kind == "duplicate":
            text = _any(recent, rng)
        elif kind == "wrong_language":
            text = draw_other()
        elif kind == "foreign":
            text = foreign(rng)
        elif kind == "empty":
            text = " " * int(2 * rng.random())
        elif kind == "length":
            text = " ".join(_any(recent, rng) for _ in range(RUN_ON_LINE_SENTENCES))
        elif kind == "messy":
            text = messy(draw(), rng)
        else:
            text = draw()
            _remember(recent, text, rng)
        yield NoisyLine(kind, text)


def _any(recent: list[Item], rng: Random) -> Item:
    return recent[int(len(recent) * rng.random())]


def _remember(recent: list[Item], item: Item, rng: Random) -> None:
    if len(recent) < RECENT_LINES:
        recent.append(item)
    else:
        recent[int(RECENT_LINES * rng.random())] = item
