"""The generated news: the same everywhere, key facts in other words, held-out stories kept apart."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from seqpre.common.files import read_lines
from seqpre.corpora.sentences import sentences_of
from seqpre.demo.generate_news import BLANK_RATE, DUPLICATE_RATE, HELD_OUT, TRAINING, UNLABELLED, main
from seqpre.demo.grammar.news import LONGEST, SHORTEST, TOPICS, Newsroom, NewsStory, read_topics
from seqpre.demo.grammar.tables import LEXICON

SIZES = ["--pairs", "300", "--unlabelled", "500", "--valid", "40", "--test", "40"]
SPLITS = ("train", "valid", "test")


def read(folder: Path) -> dict[str, list[str]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): list(read_lines(path)) for path in files}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("news")
    main(["--output-dir", str(folder), "--seed", "1", *SIZES])
    return read(folder)


@pytest.fixture(scope="module")
def stories() -> list[NewsStory]:
    newsroom = Newsroom(LEXICON, TRAINING, Random("stories"))
    return [newsroom.story() for _ in range(1500)]


def words(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text.lower())


def test_all_files_have_the_number_of_lines_asked_for(corpora: dict[str, list[str]]) -> None:
    expected = {f"demo_news/{split}.{side}": {"train": 300}.get(split, 40)
                for split in SPLITS for side in ("document", "summary")}  # fmt: skip
    assert {name: len(lines) for name, lines in corpora.items()} == {
        **expected, "demo_news_unlabelled/train.document": 500,
    }  # fmt: skip


def test_the_text_depends_on_the_seed_and_on_nothing_else(corpora: dict[str, list[str]], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "seqpre.demo.generate_news", *SIZES, "--output-dir", str(tmp_path / "again")]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "4711"}, capture_output=True)
    assert read(tmp_path / "again") == corpora
    main(["--output-dir", str(tmp_path / "other"), "--seed", "2", *SIZES])
    assert read(tmp_path / "other")["demo_news/valid.document"] != corpora["demo_news/valid.document"]


def test_the_text_is_what_it_always_was(corpora: dict[str, list[str]]) -> None:
    # Whoever changes a table or the order of draws changes every number of the demo: on purpose, and here.
    text = "\n".join(line for name in sorted(corpora) for line in (name, *corpora[name]))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "df66f6e993344ff9"


def test_no_held_out_story_is_in_any_training_text(corpora: dict[str, list[str]]) -> None:
    held_out = [*corpora["demo_news/valid.document"], *corpora["demo_news/test.document"]]
    assert len(set(held_out)) == len(held_out) == 80
    assert not set(held_out) & {*corpora["demo_news/train.document"], *corpora["demo_news_unlabelled/train.document"]}


def test_training_text_is_spoilt_at_the_stated_rates_and_held_out_text_is_not(tmp_path: Path) -> None:
    main(["--output-dir", str(tmp_path), "--pairs", "5000", "--unlabelled", "1", "--valid", "300", "--test", "1"])
    text = read(tmp_path)
    pairs = list(zip(text["demo_news/train.document"], text["demo_news/train.summary"], strict=True))
    # Four standard deviations of a binomial share.
    for rate, found in (
        (DUPLICATE_RATE, sum(left == right for left, right in pairwise(pairs))),
        (BLANK_RATE, sum(not summary for _, summary in pairs)),
    ):
        assert found / len(pairs) == pytest.approx(rate, abs=4 * (rate / len(pairs)) ** 0.5)
    assert all(text["demo_news/valid.summary"])


def test_documents_and_highlights_have_their_lengths(stories: list[NewsStory]) -> None:
    for story in stories:
        assert SHORTEST <= len(story.document) <= LONGEST
        assert 1 <= len(story.highlights) <= 3
    assert {len(story.document) for story in stories} == set(range(SHORTEST, LONGEST + 1))
    assert {len(story.highlights) for story in stories} == {1, 2, 3}


def test_sentences_are_whole_and_every_slot_is_filled(stories: list[NewsStory]) -> None:
    for story in stories:
        for sentence in (*story.document, *story.highlights):
            assert sentence[0].isupper() or sentence[0].isdigit() or sentence[0] == '"'
            assert sentence[-1] in '.?!"'
            assert not re.search(r"[{}¶]|  | ,|\ba [aeio]\w+|\ban [^aeiouh]", sentence), sentence
            assert sentences_of(sentence) == [sentence]


def numbers_and_names(text: str) -> set[str]:
    """Digits, and words with a capital that does not begin the sentence."""
    return set(re.findall(r"\d[\d.,]*\d|\d|(?<=[^.] )[A-ZÄÖÜ]\w+", text))


def test_highlights_keep_the_names_and_numbers_of_the_story(stories: list[NewsStory]) -> None:
    for story in stories:
        assert numbers_and_names(" ".join(story.highlights)) <= set(
            re.findall(r"\d[\d.,]*\d|\d|\w+", " ".join(story.document))
        ), story


def test_highlights_say_it_in_other_words(stories: list[NewsStory]) -> None:
    copied = sum(highlight in story.document for story in stories for highlight in story.highlights)
    assert copied == 0
    told = [set(words(" ".join(story.document))) for story in stories]
    summaries = [words(" ".join(story.highlights)) for story in stories]
    shared = sum(word in document for document, summary in zip(told, summaries, strict=True) for word in summary)
    assert 0.5 < shared / sum(map(len, summaries)) < 0.9


def recall(story: NewsStory, sentences: int) -> float:
    """The share of the highlights' names and numbers in the first sentences."""
    wanted = numbers_and_names(" ".join(story.highlights))
    lead = set(re.findall(r"\d[\d.,]*\d|\d|\w+", " ".join(story.document[:sentences])))
    return len(wanted & lead) / len(wanted) if wanted else 1.0


def test_the_first_sentences_are_a_fair_summary_and_not_a_good_one(stories: list[NewsStory]) -> None:
    mean = sum(recall(story, 3) for story in stories) / len(stories)
    assert 0.4 < mean < 0.75
    assert 0.05 < sum(recall(story, 3) == 0 for story in stories) / len(stories) < 0.3


def test_other_events_have_other_names_and_numbers_than_the_news(stories: list[NewsStory]) -> None:
    seen = 0
    for story in stories:
        facts = numbers_and_names(" ".join(story.highlights))
        for sentence in story.document:
            if re.match(r"(A|An) \w+ in \w+ had (cut power|burnt down)", sentence):
                assert not numbers_and_names(sentence[2:]) & facts, story
                seen += 1
    assert seen > 30


def test_rarer_names_are_seen_in_held_out_and_unlabelled_stories() -> None:
    seen = []
    for exponent in (TRAINING, HELD_OUT, UNLABELLED):
        newsroom = Newsroom(LEXICON, exponent, Random("names"))
        seen.append(len({word for _ in range(400) for text in newsroom.story().document for word in words(text)}))
    assert seen[0] < seen[1] < seen[2]


def test_every_topic_has_three_points_in_three_wordings_and_extras() -> None:
    assert len(TOPICS) == 8
    for topic in TOPICS:
        assert len(topic.points) == 3
        for name, wordings in topic.points.items():
            assert len(wordings) == 3, (topic.name, name)
        assert all(len(texts) >= 3 for texts in topic.extras.values())


def test_a_line_that_is_none_of_the_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="no such line"):
        read_topics("[fire: home]\nno such line")


def test_sizes_below_one_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["--output-dir", str(tmp_path), "--unlabelled", "0"])
    assert "--unlabelled must be at least 1, got 0" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
