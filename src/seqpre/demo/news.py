"""Generate news stories: key facts with highlights, paraphrased, among details and other events (`news.txt`).

Some stories open with something other than the news, so that the first sentences are a fair summary, not a good one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.resources import files
from random import Random
from typing import NamedTuple

from seqpre.corpora.inflection import with_article
from seqpre.demo import words

SHORTEST, LONGEST = 4, 12  # sentences of a document
NEWS_FIRST = 0.6  # share of the stories
POINT_TOLD = 0.7  # share of the key facts after the first
DETAIL = 0.5  # share of the other sentences
EXTRAS = ("opening", "detail", "other")
SLOT = re.compile(r"\{(a )?(other )?(\w+)\}")
SPELLED = ["", "one", *(number.english for number in words.names("number"))]


class Story(NamedTuple):
    """The sentences of a document, and its highlights."""

    document: list[str]
    highlights: list[str]


@dataclass
class Topic:
    """The building blocks of one kind of news; a point has several pairs of sentence and highlight."""

    slots: dict[str, list[str]]
    points: dict[str, list[tuple[list[str], str]]] = field(default_factory=dict)
    extras: dict[str, list[str]] = field(default_factory=lambda: {kind: [] for kind in EXTRAS})


def read_topics() -> list[Topic]:
    """Read the table of topics; the first one has the slots of all."""
    topics = [Topic({})]
    for line in files("seqpre.demo").joinpath("news.txt").read_text("utf-8").splitlines():
        key, colon, text = line.partition(": ")
        if line.startswith("["):
            topics.append(Topic(dict(topics[0].slots)))
        elif " = " in line and not colon:
            slot, _, values = line.partition(" = ")
            topics[-1].slots[slot] = [made for value in values.split(" | ") for made in _names(value)]
        elif key in EXTRAS:
            topics[-1].extras[key].append(text)
        elif colon and not line.startswith("#"):
            told, _, highlight = text.partition(" => ")
            topics[-1].points.setdefault(key, []).append((told.split(" / "), highlight))
    return topics[1:]


def _names(value: str) -> list[str]:
    """Return each stem with each ending, so that every stem is among the first."""
    stems, plus, endings = (part.split() for part in value.partition(" + "))
    if not plus:
        return [value]
    return [
        stem + endings[(place + turn) % len(endings)]
        for turn in range(len(endings))
        for place, stem in enumerate(stems)
    ]


class Newsroom:
    """Generates stories; the smaller the `exponent` of Zipf's law, the more rare names."""

    def __init__(self, exponent: float, rng: Random) -> None:
        self.exponent, self.rng, self.topics = exponent, rng, read_topics()

    def story(self) -> Story:
        """Draw a story with its highlights."""
        topic = self.rng.choice(self.topics)
        facts: dict[str, str] = {}
        first, *others = topic.points
        points = [first, *(point for point in others if self.rng.random() < POINT_TOLD)]
        key = [text for point in points for text in self.rng.choice(topic.points[point])[0]]
        key = [self._filled(text, topic, facts) for text in key]
        opened = self.rng.random() > NEWS_FIRST
        rest = [self._filled(self.rng.choice(topic.extras["opening"]), topic, facts)] if opened else []
        length = self.rng.randint(SHORTEST, LONGEST)
        while len(key) + len(rest) < length:
            kind = "detail" if self.rng.random() < DETAIL else "other"
            text = self._filled(self.rng.choice(topic.extras[kind]), topic, facts)
            if text not in rest:
                rest.append(text)
        document = [(rest if opened else key).pop(0)]
        while key or rest:
            more = key if self.rng.random() * (len(key) + len(rest)) < len(key) else rest
            document.append(more.pop(0))
        highlights = [self._filled(self.rng.choice(topic.points[point])[1], topic, facts) for point in points]
        return Story(document, [f"{highlight}." for highlight in highlights])

    def _filled(self, text: str, topic: Topic, facts: dict[str, str]) -> str:
        def value(found: re.Match[str]) -> str:
            article, other, slot = found.groups()
            filled = self._value(slot, topic, facts, bool(other))
            return f"{with_article(filled)} {filled}" if article else filled

        filled = SLOT.sub(value, text)
        return filled[0].upper() + filled[1:]

    def _value(self, slot: str, topic: Topic, facts: dict[str, str], other: bool) -> str:
        """Return the value of a slot in this story, or another value."""
        if not other and slot in facts:
            return facts[slot]
        while True:
            drawn = self._drawn(topic.slots[slot])
            value = SLOT.sub(lambda found: self._value(found[3], topic, facts, other), drawn)
            if not other:
                facts[slot] = value
            if not other or value not in facts.values():
                return value

    def _drawn(self, values: list[str]) -> str:
        span = re.fullmatch(r"([\d.]+?)\.\.([\d.]+)", values[0])
        if span is None:
            return words.zipf(values, self.exponent, self.rng)
        low, high = map(float, span.groups())
        if "." in span[1]:
            return f"{self.rng.uniform(low, high):.1f}"
        number = int(low * (high / low) ** self.rng.random())
        if low > 1000 and high < 3000:  # a year
            return str(number)
        return SPELLED[number] if number < len(SPELLED) else f"{number:,}"
