import gzip
import json
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from shared import write_lines

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora import filter as filtering
from seqpre.corpora import langid
from seqpre.corpora.filter import Rules, filter_corpus, read_excluded, why_implausible
from seqpre.corpora.grams import HeldOut
from seqpre.corpora.shuffle import text_hash
from seqpre.corpora.stats import EXAMPLES
from seqpre.study.declarations import FilterSettings

PLACES = ["garden", "house", "street", "river", "school", "station", "office", "market", "forest", "village"]
ORTE = ["Garten", "Haus", "Straße", "Fluss", "Schule", "Bahnhof", "Büro", "Markt", "Wald", "Dorf"]
EN = [
    f"The {age} year old man walked from the {a} to the {b}." for age in range(20, 24) for a in PLACES for b in PLACES
]
DE = [
    f"Der {age} Jahre alte Mann ging von dort ({a}) nach hier ({b})."
    for age in range(20, 24)
    for a in ORTE
    for b in ORTE
]


def run(folder: Path, sides: list[list[str]], rules: Rules, exclude: list[Path] | None = None, workers: int = 1):
    inputs = [write_lines(folder / f"in{index}", lines) for index, lines in enumerate(sides)]
    outputs = [folder / f"out{index}" for index in range(len(sides))]
    stats = filter_corpus(inputs, outputs, rules, exclude or [], workers, dropped=folder / "dropped.gz")
    return stats, [path.read_text(encoding="utf-8").splitlines() for path in outputs]


PAIR = Rules(languages=("en", "de"), identifier="none", max_length=10, max_ratio=2.0)


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (("a b", "c d"), None),
        (("", "c"), "empty"),
        (("a", ""), "empty"),
        (("a " * 10 + "a", "b"), "too_long"),
        (("a " * 9 + "a", "b " * 9 + "b"), None),
        (("a b c", "d"), "ratio"),
        (("a b", "d"), None),
        (("same", "same"), "copy"),
        (("held out", "c d"), "excluded"),
        (("a b", "held out"), "excluded"),
        (("same",), None),
    ],
)
def test_reasons_worked_out_by_hand(texts: tuple[str, ...], reason: str | None) -> None:
    assert why_implausible(texts, PAIR, {text_hash("held out")}) == reason


def test_noise_goes_for_the_right_reason_and_pairs_stay_together(tmp_path: Path) -> None:
    noise = [
        (EN[0], DE[0]),  # duplicate
        (EN[1], ""),
        (DE[2], DE[2]),
        (EN[3], " ".join(DE[:30])),
        (EN[4], "Le vieil homme de vingt ans a marché du jardin jusqu'à la maison."),
        (DE[5], EN[5]),
        (EN[6] + "\u200b ", DE[6]),  # a duplicate once normalised
    ]
    sides = [EN + [pair[0] for pair in noise], DE + [pair[1] for pair in noise]]
    rules = Rules(languages=("en", "de"), max_length=100)
    stats, (english, german) = run(tmp_path, sides, rules)
    assert dict(stats.reasons) == {"empty": 1, "copy": 1, "too_long": 1, "duplicate": 2, "not_de": 2}
    assert (stats.lines, stats.kept) == (len(sides[0]), len(EN))
    assert english != EN, "the order must be random"
    assert sorted(zip(english, german, strict=True)) == sorted(zip(EN, DE, strict=True))
    french, swapped = sorted(stats.examples["not_de"], key=lambda example: example["line"])
    assert (swapped["line"], swapped["detected"], swapped["text"]) == (len(EN) + 6, "de en", [DE[5], EN[5]])
    assert (french["line"], french["detected"]) == (len(EN) + 5, "en fr")
    assert all(float(margin) > 20 for margin in swapped["margin"].split())


@pytest.mark.parametrize("identifier", ["fasttext+py3langid", "langdetect"])
def test_nothing_depends_on_the_number_of_workers(
    tmp_path: Path, identifier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filtering, "CHUNK", 37)
    sides = [EN + DE[:50] + EN[:20], DE + EN[:50] + DE[:20]]
    rules = Rules(languages=("en", "de"), identifier=identifier)
    one, one_text = run(tmp_path, sides, rules, workers=1)
    one_dropped = (tmp_path / "dropped.gz").read_bytes()
    three, three_text = run(tmp_path, sides, rules, workers=3)
    assert one_text == three_text
    assert json.dumps(one.report()) == json.dumps(three.report())
    assert one_dropped == (tmp_path / "dropped.gz").read_bytes()
    assert one.kept == len(EN)


def test_every_dropped_line_can_be_read_with_its_number_and_the_reason(tmp_path: Path) -> None:
    sides = [[*EN[:50], EN[0], *DE[:8]], [*DE[:50], DE[0], *EN[:7], ""]]
    stats, _ = run(tmp_path, sides, Rules(languages=("en", "de")))
    packed = (tmp_path / "dropped.gz").read_bytes()
    header, *lines = gzip.decompress(packed).decode("utf-8").splitlines()
    assert header.split("\t") == ["line", "reason", "detected", "margin", "en", "de"]
    rows = sorted((line.split("\t") for line in lines), key=lambda row: int(row[0]))
    assert [int(row[0]) for row in rows] == list(range(51, 60))
    assert [row[1] for row in rows][::8] == ["duplicate", "empty"]
    assert all(row[1] in ("not_en", "not_de") and row[2] == "de en" for row in rows[1:-1])
    assert [tuple(row[4:]) for row in rows] == list(zip(*sides, strict=True))[50:]
    assert packed[4:8] == bytes(4), "no time of writing: the same text gives the same bytes"
    assert stats.reasons.total() == len(rows)


def test_near_copies_share_more_than_half_of_their_runs_of_six_words_with_the_excluded_text() -> None:
    held_out = HeldOut(["the old man walked from the garden to the house"])  # Ten words, five runs.
    rules = Rules(languages=("en",), identifier="none")
    for text, reason in (
        ("The old man walked from the garden, to THE house!", "near_copy"),
        ("the old man walked from the garden to the river", "near_copy"),  # Four of its five.
        ("an old man walked from the garden to a house", None),  # Two of its five.
        ("the old man walked", None),  # A shorter text is one run, and that is not there.
    ):
        assert why_implausible((text,), rules, set(), held_out) == reason
    assert why_implausible(("The house?",), rules, set(), HeldOut(["the house"])) == "near_copy"
    assert why_implausible(("the old man walked from the garden to the river",), rules, set()) is None


def test_excluded_sentences_go_on_either_side_and_are_compared_after_normalisation(tmp_path: Path) -> None:
    held_out = [
        write_lines(tmp_path / "valid.en", [f"  {EN[0]}", ""]),
        write_lines(tmp_path / "valid.de", [DE[1] + "\u00ad"]),
    ]
    rules = Rules(languages=("en", "de"), identifier="none")
    stats, (english, german) = run(tmp_path, [EN, DE], rules, held_out)
    assert stats.reasons == {"excluded": 2}
    assert EN[0] not in english
    assert DE[1] not in german
    assert len(read_excluded(held_out)) == 2, "an empty line is no sentence"


def test_digits_become_number_signs_before_lines_are_compared(tmp_path: Path) -> None:
    held_out = write_lines(tmp_path / "valid", ["born in 1987 ."])
    rules = Rules(languages=("en",), identifier="none", hash_digits=True)
    stats, ((line,),) = run(tmp_path, [["in 3 of 10", "in 4 of 27", "born in 2001 ."]], rules, [held_out])
    assert line == "in # of ##"
    assert stats.reasons == {"duplicate": 1, "excluded": 1}


def test_a_monolingual_text_is_deduplicated_and_a_smaller_one_keeps_the_same_order(tmp_path: Path) -> None:
    rules = Rules(languages=("en",), identifier="none")
    stats, (everything,) = run(tmp_path, [EN * 3], rules)
    assert stats.reasons == {"duplicate": 2 * len(EN)}
    _, (half,) = run(tmp_path, [EN[: len(EN) // 2]], rules)
    assert [line for line in everything if line in set(half)] == half


def test_examples_are_few_and_counts_are_whole(tmp_path: Path) -> None:
    stats, _ = run(tmp_path, [EN + [""] * 40 + ["x " * 300] * 3], Rules(languages=("en",), identifier="none"))
    report = json.loads(json.dumps(stats.report()))
    assert report["reasons"]["empty"]["count"] == 40
    assert len(report["reasons"]["empty"]["examples"]) == EXAMPLES
    assert report["dropped"] == report["lines"] - report["kept"] == 43
    assert sum(reason["count"] for reason in report["reasons"].values()) == 43
    assert report["dropped_percent"] == round(100 * 43 / len(EN + [""] * 43), 3)


def test_an_empty_result_is_an_error_with_the_counts_and_no_output(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"in0: none of 401 lines is left \(not_en 400, empty 1\)"):
        run(tmp_path, [[*DE, ""]], Rules(languages=("en",)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in0"]


@pytest.mark.parametrize(("left", "right"), [(5, 3), (3, 5)])
def test_unequal_line_counts_name_both_files_and_counts(tmp_path: Path, left: int, right: int) -> None:
    with pytest.raises(DataError, match=rf"in0 has {left}, .*in1 has {right}"):
        run(tmp_path, [EN[:left], DE[:right]], Rules(languages=("en", "de"), identifier="none"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in0", "in1"]


def test_a_study_may_declare_every_identifier_and_both_have_one_default() -> None:
    assert get_args(get_type_hints(FilterSettings)["identifier"]) == langid.NAMES
    assert FilterSettings().identifier == Rules(languages=("en",)).identifier


def test_impossible_rules_are_refused() -> None:
    for wrong in (
        {"max_length": 0},
        {"max_ratio": 0.5},
        {"max_ratio": float("nan")},
        {"identifier": "fasttext"},
        {"languages": ("a", "b", "c")},
    ):
        with pytest.raises(ConfigError):
            Rules(**{"languages": ("en",), **wrong})
