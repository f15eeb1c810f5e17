"""Pairs with synthetic errors: how many, of which kind, and the same again."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from seqpre.common.files import read_lines
from seqpre.corpora import errors
from seqpre.corpora.error_kinds import KINDS
from seqpre.corpora.errors import (
    PROBABILITIES,
    apply,
    balanced,
    draw_errors,
    learn_lexicon,
    read_misspellings,
    wanted_errors,
)
from seqpre.corpora.m2 import read_m2

WORDS = ["dog", "cat", "car", "idea", "house", "teacher", "student", "letter", "garden", "river"]
VERBS = ["walk", "look", "work", "talk", "wait"]


def sentences(count: int) -> list[str]:
    """Return invented sentences with a place for every kind."""
    rng = Random(5)
    found = []
    for _ in range(count):
        noun, other, third = rng.sample(WORDS, 3)
        verb, second = rng.sample(VERBS, 2)
        found += [
            f"Yesterday the {noun} {verb}ed in the {other} , and she {second}ed with many {third}s .",
            f"He always {verb}s because the {noun}s are {second}ing at a {other} .",
            f"They can {verb} to the {noun} , but in general it is {second}ed by two {other}s .",
        ]
    return found[:count]


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    path = tmp_path / "misspellings.txt"
    path.write_text("".join(f"{word}{word[-1]}->{word}\n" for word in (*WORDS, "because", "always")))
    return path


def make(folder: Path, lists: Path, seed: int, lines: list[str], *options: str) -> Path:
    (folder / "clean.en").write_text("".join(f"{line}\n" for line in lines))
    arguments = ["--input", f"{folder}/clean.en", "--misspellings", str(lists), "--seed", str(seed), *options]
    errors.main([*arguments, "--output-dir", f"{folder}/{seed}"])
    return folder / str(seed)


def test_texts_are_parallel_and_the_m2_mends_every_error(tmp_path: Path, lists: Path) -> None:
    clean = [*sentences(60), "", "a | b in the car"]
    made = make(tmp_path, lists, 1, clean)
    source, target = (list(read_lines(made / f"train.{side}")) for side in ("source", "target"))
    annotated = list(read_m2(made / "train.m2"))
    assert target == clean
    assert [" ".join(sentence.source) for sentence in annotated] == source
    assert [sentence.corrected_by(sentence.annotators[0]) for sentence in annotated] == target
    assert source[-2:] == clean[-2:]
    assert sum(wrong != right for wrong, right in zip(source, target, strict=True)) > 45


def test_the_same_seed_gives_the_same_errors_and_another_others(tmp_path: Path, lists: Path) -> None:
    clean = sentences(40)
    first = (make(tmp_path, lists, 1, clean) / "train.m2").read_bytes()
    assert (make(tmp_path, lists, 1, clean) / "train.m2").read_bytes() == first
    assert (make(tmp_path, lists, 2, clean) / "train.m2").read_bytes() != first


def test_the_number_of_errors_depends_on_seed_and_line_alone(tmp_path: Path, lists: Path) -> None:
    clean = sentences(90)
    made = list(read_m2(make(tmp_path, lists, 3, clean) / "train.m2"))
    other = list(read_m2(make(tmp_path, lists, 3, clean[::-1]) / "train.m2"))
    wanted = [wanted_errors(3, number)[0] for number in range(1, 91)]
    for found in (made, other):
        numbers = [len(sentence.annotators[0]) for sentence in found]
        assert all(number <= asked for number, asked in zip(numbers, wanted, strict=True))
        assert sum(numbers) > 0.95 * sum(wanted)


def test_errors_a_sentence_and_kinds_come_at_their_rates(tmp_path: Path, lists: Path) -> None:
    count = 2400
    made = make(tmp_path, lists, 4, sentences(count))
    report = json.loads((made / "train.errors.json").read_text())
    asked = Counter(wanted_errors(4, number)[0] for number in range(1, count + 1))
    for number, probability in enumerate(PROBABILITIES):
        spread = (probability * (1 - probability) / count) ** 0.5
        assert asked[number] / count == pytest.approx(probability, abs=4 * spread)
    assert report["sentences"] == count
    assert report["errors"] + report["errors_without_a_place"] == sum(key * times for key, times in asked.items())
    # Weights level out where there are fewer places; several errors in a sentence still crowd each other.
    for name, (_, share) in KINDS.items():
        assert report["kinds"][name]["share"] == share
        assert 0.6 * share < report["kinds"][name]["share_made"] < 1.5 * share, name
        assert report["kinds"][name]["examples"]


def test_errors_do_not_touch_each_other() -> None:
    text = [line.split() for line in sentences(30)]
    lexicon = learn_lexicon(text, {})
    weights = balanced(text, lexicon)
    for number, tokens in enumerate(text):
        drawn = [change for change, _ in draw_errors(tokens, 4, weights, lexicon, Random(number))]
        assert all(one.end < other.start for one, other in itertools.pairwise(drawn))


def test_a_sentence_that_errors_cannot_be_made_in_stays_as_it_is() -> None:
    text = [["Yes", "!"], ["Paris"]]
    lexicon = learn_lexicon(text, {})
    drawn = draw_errors(text[1], 3, balanced(text, lexicon), lexicon, Random(1))
    assert apply(text[1], drawn) == (["Paris"], [])


def test_sentences_as_people_write_them_are_tokenized(tmp_path: Path, lists: Path) -> None:
    made = make(tmp_path, lists, 1, ['He doesn\'t say "no", Tom.'], "--tokenize")
    assert (made / "train.target").read_text() == 'He does n\'t say " no " , Tom .\n'


def test_misspellings_of_both_lists_are_those_of_one_word_for_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hosue->house\nwrod->word, world,\nalot->a lot\n2rd->2nd\nhouse->house\n")
    (tmp_path / "b.csv").write_text("huose,house\nhosue,house\nwrod,word,world\n")
    assert read_misspellings([tmp_path / "a.txt", tmp_path / "b.csv"]) == {"house": ("hosue", "huose")}


@pytest.mark.parametrize("line", ["house", "->house", "hosue->", ""])
def test_a_list_of_another_form_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    (tmp_path / "list.txt").write_text(f"teh->the\n{line}\n")
    with pytest.raises(SystemExit):
        make(tmp_path, tmp_path / "list.txt", 1, ["a b"])
    assert "list.txt, line 2" in capsys.readouterr().err


def test_no_text_is_one_line(tmp_path: Path, lists: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make(tmp_path, lists, 1, [])
    assert "clean.en: no text in it" in capsys.readouterr().err
