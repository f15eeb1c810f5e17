"""Draw news stories: key facts with highlights, told in other words, among details, other events and background.

What happens comes from `news_topics`, the background from the sentence grammar. Many stories open with something else
than the news, so that the first sentences are a fair summary, not a good one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from random import Random
from typing import TypeVar

from seqpre.demo.grammar import english, news_topics
from seqpre.demo.grammar.draw import Drawer
from seqpre.demo.grammar.english_forms import indefinite_article, number_word
from seqpre.demo.grammar.lexicon import Lexicon, Proper
from seqpre.demo.grammar.phrases import Domain, Weighted, zipf

Item = TypeVar("Item")

SHORTEST, LONGEST = 4, 12  # sentences of a document
NEWS_FIRST = 0.6  # of the stories
NEWS_TOGETHER = 0.6  # of them tell all of the news at once
OPENING = 0.7  # of the others set the scene
POINT_TOLD = 0.7  # of the key facts after the first
DETAIL, OTHER, BACKGROUND = 0.45, 0.4, 0.15  # what else there is
SPELLED = 13  # numbers below are words

SLOT = re.compile(r"\{(a )?(other )?(\w+)\}")
RANGE = re.compile(r"([\d.]+?)\.\.([\d.]+)")


@dataclass(frozen=True)
class Wording:
    """One way to tell a key fact, and one to put it into a highlight."""

    sentences: tuple[str, ...]
    highlight: str


@dataclass
class Topic:
    """What a kind of news is made of."""

    name: str
    background: tuple[str, ...]
    slots: dict[str, str] = field(default_factory=dict)
    points: dict[str, list[Wording]] = field(default_factory=dict)
    extras: dict[str, list[str]] = field(default_factory=lambda: {"opening": [], "detail": [], "other": []})


@dataclass(frozen=True)
class NewsStory:
    """The sentences of a document and its highlights."""

    document: list[str]
    highlights: list[str]


@dataclass
class Facts:
    """What has been filled in so far, and whether the reader knows the person by now."""

    values: dict[str, str] = field(default_factory=dict)
    woman: bool = False
    introduced: bool = False


def read_topics(table: str) -> tuple[Topic, ...]:
    """Read the table of `news_topics`; a line that is none of its kinds raises ValueError."""
    topics: list[Topic] = []
    for line in filter(None, map(str.strip, table.splitlines())):
        if line.startswith("["):
            name, _, background = line.strip("[]").partition(":")
            topics.append(Topic(name, tuple(background.split())))
            continue
        key, separator, text = line.partition(": ")
        if not separator:
            slot, separator, text = line.partition(" = ")
            topics[-1].slots[slot] = text
        elif key in topics[-1].extras:
            topics[-1].extras[key].append(text)
        else:
            told, separator, highlight = text.partition(" => ")
            topics[-1].points.setdefault(key, []).append(Wording(tuple(told.split(" / ")), highlight))
        if not separator:
            raise ValueError(f"not a line of the table of topics: {line!r}")
    return tuple(topics)


TOPICS = read_topics(news_topics.TOPICS)


def _made(stems: str, endings: str) -> Iterator[str]:
    """Every stem with every ending, so that neither the first stems nor the first endings are the frequent ones."""
    first, second = stems.split(), endings.split()
    for number in range(len(first) * len(second)):
        yield first[number % len(first)] + second[(number + number // len(first)) % len(second)]


def _alternating(*names: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(name for name in chain.from_iterable(zip_longest(*names)) if name))


class Newsroom:
    """Draws stories; the smaller `exponent`, the more rare names are seen. The same seed gives the same stories."""

    def __init__(self, lexicon: Lexicon, exponent: float, rng: Random) -> None:
        self.rng = rng
        self.exponent = exponent
        towns = _alternating(
            (city.english for city in lexicon.cities), _made(news_topics.TOWN_STEMS, news_topics.TOWN_ENDINGS)
        )
        families = _alternating(iter(lexicon.families), _made(news_topics.FAMILY_STEMS, news_topics.FAMILY_ENDINGS))
        companies = _alternating(_made(news_topics.COMPANY_STEMS, news_topics.COMPANY_ENDINGS))
        self.towns, self.families, self.companies = (zipf(each, exponent) for each in (towns, families, companies))
        self.countries = zipf(lexicon.countries, exponent)
        self.first_names: Weighted[Proper] = zipf(
            [name for both in zip(lexicon.women, lexicon.men, strict=False) for name in both], exponent
        )
        self.lists = {
            name: zipf(words.split(), 0.0)
            for name, words in (
                ("day", news_topics.DAYS), ("month", news_topics.MONTHS), ("sector", news_topics.SECTORS)
            )
        }  # fmt: skip
        self.drawers = {topic.name: Drawer(lexicon, self._domain(lexicon, topic), rng) for topic in TOPICS}

    def _domain(self, lexicon: Lexicon, topic: Topic) -> Domain:
        weights = {noun.topic: 0.02 for noun in lexicon.nouns} | dict.fromkeys(topic.background, 1.0)
        return Domain(weights, self.exponent, {"passive": 3, "that": 1, "change": 0.3}, detail=0.8)

    def story(self) -> NewsStory:
        """One story with its highlights."""
        topic = TOPICS[int(self.rng.random() * len(TOPICS))]
        first, *others = topic.points
        points = [first, *(point for point in others if self._chance(POINT_TOLD))]
        told = [list(self._pick(topic.points[point]).sentences) for point in points]
        facts = Facts()
        length = max(SHORTEST, sum(map(len, told)), SHORTEST + int((LONGEST - SHORTEST + 1) * self.rng.random()))
        document = [self._filled(text, topic, facts) for text in self._arranged(topic, told, length)]
        highlights = [self._filled(self._pick(topic.points[point]).highlight, topic, facts) for point in points]
        return NewsStory(document, [f"{highlight}." for highlight in highlights])

    def _arranged(self, topic: Topic, told: list[list[str]], length: int) -> list[str]:
        """Put the sentences of the key facts in their order and the rest between them, or before."""
        key = [sentence for sentences in told for sentence in sentences]
        count = length - len(key)
        before = 0 if self._chance(NEWS_FIRST) else min(count, 1 + int(3 * self.rng.random()))
        rest = self._extras(topic, count, opening=before > 0 and self._chance(OPENING))
        news = len(told[0]) if self._chance(NEWS_TOGETHER) else 1
        arranged = rest[:before] + key[:news]
        rest, key = rest[before:], key[news:]
        while rest or key:
            source = key if key and self.rng.random() * (len(rest) + len(key)) < len(key) else rest or key
            arranged.append(source.pop(0))
        return arranged

    def _extras(self, topic: Topic, count: int, opening: bool) -> list[str]:
        """Sentences beside the key facts, none twice; an opening comes first."""
        chosen = [self._pick(topic.extras["opening"])] if opening else []
        while len(chosen) < count:
            draw = self.rng.random()
            if draw < BACKGROUND:
                text = english.say(self.drawers[topic.name].sentence())
            else:
                text = self._pick(topic.extras["detail" if draw < BACKGROUND + DETAIL else "other"])
            if text not in chosen:
                chosen.append(text)
        return chosen

    def _filled(self, text: str, topic: Topic, facts: Facts) -> str:
        def value(found: re.Match[str]) -> str:
            article, other, slot = found.groups()
            filled = self._other(slot, topic, facts) if other else self._value(slot, topic, facts)
            return f"{indefinite_article(filled)} {filled}" if article else filled

        filled = SLOT.sub(value, text)
        return filled[0].upper() + filled[1:]

    def _value(self, slot: str, topic: Topic, facts: Facts) -> str:
        if slot in ("person", "surname", "he", "his") and "person" not in facts.values:
            name = self.first_names.draw(self.rng)
            facts.woman = name.gender == "f"
            facts.values["person"] = f"{name.english} {self.families.draw(self.rng)}"
        if slot == "person" or (slot in ("surname", "he") and not facts.introduced):
            facts.introduced = True
            return facts.values["person"]
        if slot == "surname":
            return facts.values["person"].split(" ", 1)[1]
        if slot in ("he", "his"):
            return {"he": ("he", "she"), "his": ("his", "her")}[slot][facts.woman]
        if slot not in facts.values:
            facts.values[slot] = self._drawn(slot, topic)
            if slot == "rival" and facts.values[slot] == self._value("town", topic, facts):
                facts.values[slot] = self._other("town", topic, facts)
        return facts.values[slot]

    def _other(self, slot: str, topic: Topic, facts: Facts) -> str:
        """Another value than the story's own."""
        while True:
            value = self._drawn(slot, topic)
            if value not in facts.values.values():
                return value

    def _drawn(self, slot: str, topic: Topic) -> str:
        rng = self.rng
        if slot in topic.slots:
            span = RANGE.fullmatch(topic.slots[slot])
            if span is None:
                return zipf(topic.slots[slot].split(" | "), self.exponent).draw(rng)
            low, high = map(float, span.groups())
            if "." in span[1]:
                return f"{low + (high - low) * rng.random():.1f}"
            number = int(low * (high / low) ** rng.random())
            return number_word(number) if number < SPELLED else f"{number:,}"
        if slot in self.lists:
            return self.lists[slot].draw(rng)
        if slot == "company":
            return f"{self.companies.draw(rng)} {self.lists['sector'].draw(rng)}"
        if slot == "person":
            return f"{self.first_names.draw(rng).english} {self.families.draw(rng)}"
        if slot == "country":
            return self.countries.draw(rng).english
        if slot == "year":
            return str(1860 + int(150 * rng.random()))
        assert slot in ("town", "rival"), slot
        return self.towns.draw(rng)

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def _pick(self, items: list[Item]) -> Item:
        return items[int(self.rng.random() * len(items))]
