import random

import langdetect
import pytest

from seqpre.corpora.langid import UNKNOWN, build_identifier
from seqpre.errors import ConfigError

ENGLISH = [
    "Two young men are standing near the garden.",
    "The committee will discuss the proposal tomorrow.",
    "She had never seen such a beautiful lake before.",
    "Why would anybody want to buy this old house?",
]
GERMAN = [
    "Zwei junge Männer stehen in der Nähe des Gartens.",
    "Der Ausschuss wird den Vorschlag morgen erörtern.",
    "Sie hatte noch nie einen so schönen See gesehen.",
    "Warum sollte jemand dieses alte Haus kaufen wollen?",
]


@pytest.mark.parametrize("name", ["langdetect", "py3langid"])
def test_clear_sentences_are_told_apart(name: str) -> None:
    identify = build_identifier(name, ["en", "de", "fr", "nl"], seed=1)
    assert [identify(line) for line in ENGLISH] == ["en"] * 4
    assert [identify(line) for line in GERMAN] == ["de"] * 4
    assert identify("Le comité discutera la proposition demain matin.") == "fr"


@pytest.mark.parametrize("name", ["langdetect", "py3langid"])
def test_lines_without_letters_have_no_language(name: str) -> None:
    identify = build_identifier(name, ["en", "de"], seed=1)
    assert identify("12 : 34 !!") == UNKNOWN


@pytest.mark.parametrize("name", ["langdetect", "py3langid"])
def test_the_answer_does_not_depend_on_what_came_before(name: str) -> None:
    # Short and mixed lines, where langdetect's random draws decide.
    lines = [*ENGLISH, *GERMAN, "Tom hasst Mary total.", "Tom lies.", "Sushi Bar", "in Berlin", "Also gut", "Radio"] * 3
    first = build_identifier(name, ["en", "de"], seed=3)
    expected = {line: first(line) for line in lines}
    second = build_identifier(name, ["de", "en"], seed=3)
    random.Random(0).shuffle(lines)
    assert all(second(line) == expected[line] for line in lines)


def test_restricted_langdetect_agrees_with_the_librarys_own_where_that_answers_with_our_languages() -> None:
    identify = build_identifier("langdetect", ["en", "de"], seed=0)
    langdetect.DetectorFactory.seed = 0
    for line in ENGLISH + GERMAN:
        assert identify(line) == langdetect.detect(line)


@pytest.mark.parametrize("name", ["langdetect", "py3langid"])
def test_an_unknown_language_is_named_with_the_known_ones(name: str) -> None:
    with pytest.raises(ConfigError, match=rf"{name} has no language 'xx'; it has .*\bde\b"):
        build_identifier(name, ["en", "xx"], seed=1)


def test_one_language_alone_cannot_be_identified() -> None:
    with pytest.raises(ConfigError, match="at least two languages"):
        build_identifier("langdetect", ["en", "en"], seed=1)
