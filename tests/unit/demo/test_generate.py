"""The generated corpora: the same everywhere, held-out text kept apart, noise at its rates, in the right languages."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from seqpre.common.files import read_lines
from seqpre.corpora.langid import Identifier
from seqpre.corpora.sentences import sentences_of
from seqpre.demo.generate import (
    BITEXT,
    GENERATORS,
    MONOLINGUAL,
    NEWS_TRAINING,
    NEWS_UNLABELLED,
    OTHER_DOMAIN,
    SIZES,
    pairs,
)
from seqpre.demo.news import LONGEST, SHORTEST, Newsroom, Story
from seqpre.demo.noise import RATES, messy, spoilt
from seqpre.demo.sentences import Domain
from seqpre.demo.words import Said

SMALL = {name: max(40, size // 20) for name, size in SIZES.items()}


def read(folder: Path) -> dict[str, list[str]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): list(read_lines(path)) for path in files}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("generated")
    for make in GENERATORS.values():
        make(folder, 1, SMALL)
    return read(folder)


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    newsroom = Newsroom(NEWS_TRAINING, Random("stories"))
    return [newsroom.story() for _ in range(800)]


def test_the_text_is_what_it_always_was(corpora: dict[str, list[str]]) -> None:
    # A change of a table or of the order of draws changes every number of the demo: on purpose, and here.
    text = "\n".join(line for name in sorted(corpora) for line in (name, *corpora[name]))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "513c11a1f2382816"


def test_all_files_have_their_number_of_lines(corpora: dict[str, list[str]]) -> None:
    sizes = {
        "demo_ende/train.en": "pairs", "demo_ende/valid.de": "valid", "demo_ende/test_b.en": "test",
        "demo_monolingual/train.de": "monolingual", "demo_other_domain/train.en": "other_domain",
        "demo_news/train.summary": "stories", "demo_news/test.document": "test_stories",
        "demo_news_unlabelled/train.document": "unlabelled", "demo_synthetic/train.source": "errors",
        "demo_synthetic/valid.target": "valid_errors",
    }  # fmt: skip
    assert {name: len(corpora[name]) for name in sizes} == {name: SMALL[size] for name, size in sizes.items()}
    assert len(corpora) == 8 + 4 + 6 + 1 + 9


def test_the_text_depends_on_the_seed_and_on_nothing_else(corpora: dict[str, list[str]], tmp_path: Path) -> None:
    make = "from pathlib import Path; from seqpre.demo.generate import GENERATORS; GENERATORS['translation']"
    command = [sys.executable, "-c", f"{make}(Path({str(tmp_path / 'again')!r}), 1, {SMALL})"]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "4711"})
    again = read(tmp_path / "again")
    assert again == {name: corpora[name] for name in again}
    GENERATORS["news"](tmp_path / "other", 2, SMALL)
    assert read(tmp_path / "other")["demo_news/valid.document"] != corpora["demo_news/valid.document"]


@pytest.mark.parametrize(
    ("held_out", "training"),
    [
        (("demo_ende/valid.en", "demo_ende/test_a.en", "demo_ende/test_b.en"), ("demo_ende", "demo_mono", "demo_oth")),
        (("demo_ende/valid.de", "demo_ende/test_a.de", "demo_ende/test_b.de"), ("demo_ende", "demo_mono", "demo_oth")),
        (("demo_news/valid.document", "demo_news/test.document"), ("demo_news",)),
        (("demo_synthetic/valid.target", "demo_synthetic/test.target"), ("demo_synthetic",)),
    ],
)
def test_nothing_held_out_is_in_training_text(
    corpora: dict[str, list[str]], held_out: tuple[str, ...], training: tuple[str, ...]
) -> None:
    text = [line for name in held_out for line in corpora[name]]
    assert len({*text}) == len(text)
    lines = {line for name in corpora if "/train." in name and name.startswith(training) for line in corpora[name]}
    # Repaired noise must not bring a held-out sentence back.
    lines |= {" ".join(unicodedata.normalize("NFC", line).split()) for line in lines}
    assert not lines & {*text}


def test_the_two_monolingual_texts_are_unrelated(corpora: dict[str, list[str]]) -> None:
    source, target = (corpora[f"demo_monolingual/train.{language}"] for language in ("en", "de"))
    asked = [number for number, line in enumerate(source) if line.endswith("?")]
    # Of parallel text every question would be one in German too.
    assert len(asked) > 10
    assert sum(target[number].endswith("?") for number in asked) < 0.4 * len(asked)


def test_text_is_spoilt_at_the_stated_rates() -> None:
    numbers = (Said(f"English sentence {number}.", f"Deutscher Satz für {number}.") for number in range(40_000))
    count: Counter[str] = Counter()
    seen: set[Said] = set()
    for one, other in spoilt(numbers, Random(3)):
        lengths = sorted((len(one.split()), len(other.split())))
        if (one, other) in seen:
            count["duplicate"] += 1
        elif not (one and other):
            count["empty"] += 1
        elif one == other:
            count["wrong language"] += 1
        elif lengths[1] > 5 * lengths[0]:
            count["length"] += 1
        elif re.fullmatch(r"English sentence \d+\.", one) and re.fullmatch(r"Deutscher Satz für \d+\.", other):
            seen.add(Said(one, other))
        else:
            count["messy" if re.search(r"\d", one) and re.search(r"\d", other) else "foreign"] += 1
    # Four standard deviations of a binomial share.
    for kind, rate in RATES.items():
        assert count[kind] / 40_000 == pytest.approx(rate, abs=4 * (rate / 40_000) ** 0.5), kind


def test_messy_lines_are_repaired_by_normalisation() -> None:
    text = "Die Männer hören über die Straße."
    spoilt_lines = [messy(text, Random(seed)) for seed in range(100)]
    visible = (
        "".join(c for c in line if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf")) for line in spoilt_lines
    )
    assert text not in spoilt_lines
    assert {" ".join(unicodedata.normalize("NFC", line).split()) for line in visible} == {text}


@pytest.mark.parametrize("domain", [BITEXT, MONOLINGUAL, OTHER_DOMAIN], ids=["bitext", "monolingual", "other"])
@pytest.mark.parametrize("name", ["fasttext+py3langid", "langdetect"])
def test_next_to_no_clean_line_is_taken_for_another_language(domain: Domain, name: str) -> None:
    said = list(islice(pairs(domain, "language", set()), 600))
    for position, language in enumerate(("en", "de")):
        identifier = Identifier(name, [language])
        wrong = [pair for pair in said if identifier.wrong(identifier.evidence([pair[position]]))]
        assert len(wrong) <= 0.005 * len(said), wrong


def test_monolingual_text_shows_words_that_the_bitext_lacks(tmp_path: Path) -> None:
    GENERATORS["translation"](tmp_path, 1, {**SIZES, "other_domain": 1})
    text = read(tmp_path)

    def vocabulary(*names: str) -> list[str]:
        return [word.strip(".,?!") for name in names for line in text[name] for word in line.split()]

    bitext, monolingual = ({*vocabulary(name)} for name in ("demo_ende/train.de", "demo_monolingual/train.de"))
    held_out = vocabulary("demo_ende/test_a.de", "demo_ende/test_b.de")
    unseen = [word for word in held_out if word not in bitext]
    assert 0.005 < len(unseen) / len(held_out) < 0.10
    assert sum(word in monolingual for word in unseen) > 0.6 * len(unseen)


def test_stories_are_whole_sentences_with_every_slot_filled(stories: list[Story]) -> None:
    assert {len(story.document) for story in stories} == set(range(SHORTEST, LONGEST + 1))
    assert {len(story.highlights) for story in stories} == {1, 2, 3}
    for sentence in (text for story in stories for text in (*story.document, *story.highlights)):
        assert sentence[0].isupper() or sentence[0].isdigit()
        assert not re.search(r"[{}¶=]|  | ,|\ba [aeio]\w+|\ban [^aeiouh]", sentence), sentence
        assert sentences_of(sentence) == [sentence]


def facts(text: str) -> set[str]:
    """Digits, and words with a capital that does not begin the sentence."""
    return set(re.findall(r"\d[\d.,]*\d|\d|(?<=[^.] )[A-ZÄÖÜ]\w+", text))


def test_highlights_tell_the_facts_of_the_story_in_other_words(stories: list[Story]) -> None:
    leads = []
    for story in stories:
        told, wanted = " ".join(story.document), facts(" ".join(story.highlights))
        assert wanted <= set(re.findall(r"\d[\d.,]*\d|\d|\w+", told)), story
        assert not set(story.highlights) & set(story.document)
        lead = " ".join(story.document[:3])
        leads.append(sum(fact in lead for fact in wanted) / max(len(wanted), 1))
    # The first sentences are a fair summary, not a good one.
    assert 0.35 < sum(leads) / len(leads) < 0.75


def test_unlabelled_stories_have_rarer_names() -> None:
    seen = []
    for exponent in (NEWS_TRAINING, NEWS_UNLABELLED):
        newsroom = Newsroom(exponent, Random("names"))
        seen.append(len({word for _ in range(400) for text in newsroom.story().document for word in text.split()}))
    assert seen[0] < seen[1]
