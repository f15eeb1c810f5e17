"""ROUGE against counting by hand, brute force, rouge-score itself and what ROUGE-1.5.5 printed.

rouge_155.tsv and rouge_155_stems.tsv are what the official Perl program computed with `-a -m -n 2` and its exception
list built (5,930 entries), for text made up for the purpose; `¶` separates sentences. For `rouge_l` it was given one
line.
"""

from __future__ import annotations

import csv
import itertools
import random
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from nltk.stem.porter import PorterStemmer
from rouge_score.rouge_scorer import RougeScorer

from seqpre.common.errors import DataError
from seqpre.metrics import rouge as rouge_module
from seqpre.metrics.rouge import NLTK, ROUGE_155, TYPES, UNICODE, Tokens, rouge, tokens_for
from seqpre.metrics.rouge_tokens import (
    NltkTokenizer,
    Rouge155Stemmer,
    Rouge155Tokenizer,
    UnicodeTokenizer,
    irregular_forms,
)
from seqpre.metrics.significance import bootstrap_interval, bootstrap_scores, mean_of_items, paired_bootstrap

FOLDER = Path(__file__).parent


def table(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


OFFICIAL = table("rouge_155.tsv")
SUMMARIES, REFERENCES = ([row[side].replace(" ¶ ", "\n") for row in OFFICIAL]
                         for side in ("summary", "reference"))  # fmt: skip


def f1_of(summary: str, reference: str, tokens: Tokens = ROUGE_155) -> dict[str, float]:
    """Return the F1 of one pair in 0..1."""
    return {name: score.score / 100 for name, score in rouge([summary], [reference], tokens).items()}


def f1(matches: int, in_summary: int, in_reference: int) -> float:
    return 2 * matches / (in_summary + in_reference)


def subsequences(tokens: list[str]) -> set[tuple[str, ...]]:
    return {chosen for size in range(len(tokens) + 1) for chosen in itertools.combinations(tokens, size)}


def shared(tokens: list[str], others: list[str], order: int) -> int:
    """Count n-grams that both have by crossing them out one by one."""
    left = [others[start : start + order] for start in range(len(others) - order + 1)]
    count = 0
    for start in range(len(tokens) - order + 1):
        if tokens[start : start + order] in left:
            left.remove(tokens[start : start + order])
            count += 1
    return count


def test_scores_equal_those_counted_by_hand() -> None:
    # 6 and 7 words. Shared: the, cat, the, mat | the cat, the mat | in order: the cat the mat.
    scores = f1_of("The cat lay by the mat", "the cat sat on the mat here")
    assert scores == pytest.approx({"rouge_1": f1(4, 6, 7), "rouge_2": f1(2, 5, 6), "rouge_l": f1(4, 6, 7),
                                    "rouge_lsum": f1(4, 6, 7)})  # fmt: skip


def test_rouge_lsum_unites_the_subsequences_of_the_sentences_and_rouge_l_knows_no_sentences() -> None:
    # The example of Lin (2004), Section 3.2: w1 w2 of one sentence, w1 w3 w5 of the other, united w1 w2 w3 w5.
    scores = f1_of("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5")
    assert scores["rouge_lsum"] == pytest.approx(f1(4, 10, 5))
    assert scores["rouge_l"] == pytest.approx(f1(4, 10, 5))
    turned = f1_of("w4 w5\nw1 w2 w3", "w1 w2 w3 w4 w5")
    assert (turned["rouge_lsum"], turned["rouge_l"]) == pytest.approx((1.0, f1(3, 5, 5)))


def test_scores_equal_brute_force() -> None:
    rng = random.Random(1)
    for _ in range(60):
        summary, reference = (rng.choices("abcd", k=rng.randint(1, 9)) for _ in range(2))
        longest = max(len(one) for one in subsequences(summary) & subsequences(reference))
        scores = f1_of(" ".join(summary), " ".join(reference))
        for order in (1, 2):
            possible = [max(len(tokens) - order + 1, 0) for tokens in (summary, reference)]
            expected = f1(shared(summary, reference, order), *possible) if sum(possible) else 0.0
            assert scores[f"rouge_{order}"] == pytest.approx(expected)
        assert scores["rouge_l"] == scores["rouge_lsum"] == pytest.approx(f1(longest, len(summary), len(reference)))


def test_every_item_equals_rouge_155() -> None:
    ours = rouge(SUMMARIES, REFERENCES)
    assert sum(row["rouge_l_f1"] != row["rouge_lsum_f1"] for row in OFFICIAL) > 20, "else the items test nothing"
    for name in TYPES:
        official = np.array([float(row[f"{name}_f1"]) for row in OFFICIAL])
        # The program rounds recall and precision to five places before it computes F1, and that again.
        np.testing.assert_allclose(ours[name].statistics[:, 0] / 100, official, rtol=0, atol=1.25e-5)
        assert ours[name].score == pytest.approx(100 * official.mean(), abs=2e-4)


def test_recall_and_precision_have_the_digits_that_rouge_155_prints() -> None:
    scorer = RougeScorer(list(TYPES.values()), tokenizer=Rouge155Tokenizer())
    for row, summary, reference in zip(OFFICIAL, SUMMARIES, REFERENCES, strict=True):
        scores = scorer.score(reference, summary)
        for name, theirs in TYPES.items():
            printed = (f"{scores[theirs].recall:.5f}", f"{scores[theirs].precision:.5f}")
            assert printed == (row[f"{name}_recall"], row[f"{name}_precision"]), row


def test_stems_equal_those_of_rouge_155() -> None:
    tokenizer, stems = Rouge155Tokenizer(), table("rouge_155_stems.tsv")
    wrong = [
        (row, tokenizer.tokenize(row["word"])) for row in stems if tokenizer.tokenize(row["word"]) != [row["stem"]]
    ]
    assert wrong == []
    assert sum(NltkTokenizer().tokenize(row["word"]) != [row["stem"]] for row in stems) > 100


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("children", "child"), ("running", "run"), ("ran", "ran"), ("comics", "comic_strip"), ("best", "good"),
        ("oxen", "ox"), ("geese", "goose"),
    ],
)  # fmt: skip
def test_irregular_words_are_looked_up_if_they_have_four_letters(word: str, stem: str) -> None:
    assert Rouge155Tokenizer().tokenize(word) == [stem]


def test_the_exception_list_is_complete() -> None:
    assert len(irregular_forms()) == 5930


def test_step_4_goes_on_after_a_suffix_that_porter_stops_at() -> None:
    # docu-ment: too short a stem for -ment, so -ent is tried; profession-al: -ion is tried after -al.
    words = ("document", "professional", "replacement")
    assert [Rouge155Stemmer().stem(word) for word in words] == ["docum", "profess", "replac"]
    martin = PorterStemmer(mode=PorterStemmer.MARTIN_EXTENSIONS)
    assert [martin.stem(word) for word in words] == ["document", "profession", "replac"]


def test_own_stemmer_equals_rouge_score() -> None:
    scorer = RougeScorer(list(TYPES.values()), use_stemmer=True)
    ours = rouge(SUMMARIES, REFERENCES, NLTK)
    for name, theirs in TYPES.items():
        expected = [scorer.score(reference, summary)[theirs].fmeasure
                    for summary, reference in zip(SUMMARIES, REFERENCES, strict=True)]  # fmt: skip
        assert (ours[name].statistics[:, 0] / 100).tolist() == pytest.approx(expected, abs=1e-15)
        assert ours[name].score != rouge(SUMMARIES, REFERENCES)[name].score


def test_letters_beyond_ascii_are_breaks_even_where_python_lower_cases_them_to_ascii() -> None:
    # The Kelvin sign becomes k, the dotted capital I becomes i and a dot; ROUGE-1.5.5 lower-cases bytes.
    assert Rouge155Tokenizer().tokenize("273 \u212a naïve co-op \u0130zmir \u00a0x\u2028y") == [
        "273", "na", "ve", "co", "op", "zmir", "x", "y",
    ]  # fmt: skip
    assert NltkTokenizer().tokenize("273 \u212a") == ["273", "k"]


def test_other_languages_are_compared_by_words_of_their_own_letters() -> None:
    assert f1_of("größer", "grüßer")["rouge_1"] == 1.0, "to ROUGE-1.5.5 both are `gr` and `er`"
    # Of three words two are the same.
    assert f1_of("Ein größer Hund", "ein grüßer Hund", UNICODE)["rouge_1"] == pytest.approx(2 / 3)
    assert f1_of("Häuser", "Haus", UNICODE)["rouge_1"] == 0.0, "nothing is stemmed"
    signature = rouge(["ä"], ["ä"], UNICODE)["rouge_1"].signature
    assert "|case:lower|tok:unicode|stem:none|regex:" in signature


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Die GRÖSSE, 3,5-mal!", ["die", "grösse", "3", "5", "mal"]),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.", ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"]),
        (
            "\u0939\u093f\u0928\u094d\u0926\u0940 है",
            ["\u0939\u093f\u0928\u094d\u0926\u0940", "है"],
        ),  # marks are no breaks
        ("日本語 abc", ["日", "本", "語", "abc"]),
        ("ที่นี่", ["ที่", "นี่"]),  # a letter with its marks
    ],
)
def test_words_of_any_script_are_letters_marks_and_digits(text: str, words: list[str]) -> None:
    assert UnicodeTokenizer().tokenize(text) == words


def test_the_tokens_are_chosen_by_the_letters_of_the_references() -> None:
    assert tokens_for(["a" * 500, "a" * 495 + "é" * 5]) == ROUGE_155, "5 of 1,000: English has such names"
    assert tokens_for(["a" * 500, "a" * 494 + "é" * 6]) == UNICODE
    assert tokens_for(["Die Bären überraschen alle."]) == tokens_for(["привет"]) == UNICODE
    assert tokens_for(["", "..."]) == ROUGE_155


@pytest.mark.parametrize(("summary", "expected"), [("Paris", 1.0), ("paris.", 1.0), ("London", 0.0)])
def test_texts_of_one_token_have_no_bigram(summary: str, expected: float) -> None:
    assert f1_of(summary, "Paris") == {
        "rouge_1": expected, "rouge_2": 0.0, "rouge_l": expected, "rouge_lsum": expected
    }  # fmt: skip


@pytest.mark.parametrize("stemmer", [ROUGE_155, NLTK])
@pytest.mark.parametrize("summary", ["", "\n", " ... ", "日本語"])
def test_a_summary_without_a_word_scores_zero(summary: str, stemmer: Tokens) -> None:
    assert set(f1_of(summary, "a reference", stemmer).values()) == {0.0}


@pytest.mark.parametrize("reference", ["", "\n", "...", "日本語"])
def test_a_reference_without_a_word_is_refused_by_its_number(reference: str) -> None:
    with pytest.raises(DataError, match=r"reference 3 is .* without a letter a-z or digit"):
        rouge(["a"] * 3, ["a", "b", reference])


def test_lists_that_are_not_parallel_or_empty_are_refused() -> None:
    with pytest.raises(DataError, match="1 summaries for 2 references"):
        rouge(["a"], ["a", "b"])
    with pytest.raises(DataError, match="are empty"):
        rouge([], [])


def test_many_processes_give_the_numbers_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rouge_module, "CHUNK", 20)
    one, many = rouge(SUMMARIES, REFERENCES), rouge(SUMMARIES, REFERENCES, workers=2)
    for name in TYPES:
        assert many[name].statistics.tolist() == one[name].statistics.tolist()
    with pytest.raises(DataError, match="reference 21 is ''"):
        rouge(["a"] * 21, [*["a"] * 20, ""], workers=2)


def test_signatures_name_type_stemmer_and_versions() -> None:
    exact, own = rouge(["a"], ["a"]), rouge(["a"], ["a"], NLTK)
    versions = f"|nltk:{version('nltk')}|rouge-score:{version('rouge-score')}"
    assert exact["rouge_lsum"].signature == (
        "nrefs:1|type:rougeLsum|stat:f1|mean:items|case:lower|stem:rouge-1.5.5|exceptions:wordnet-2.0"
        f"|py-rouge:{version('py-rouge')}{versions}"
    )
    assert own["rouge_2"].signature == f"nrefs:1|type:rouge2|stat:f1|mean:items|case:lower|stem:nltk{versions}"


def test_intervals_and_tests_resample_items() -> None:
    scores = rouge(SUMMARIES, REFERENCES)["rouge_1"]
    generator = np.random.default_rng(3)
    drawn = [generator.choice(len(SUMMARIES), size=len(SUMMARIES), replace=True) for _ in range(50)]
    slow = [scores.statistics[rows, 0].mean() for rows in drawn]
    assert bootstrap_scores(scores.statistics, mean_of_items, resamples=50, seed=3).tolist() == pytest.approx(slow)
    low, high = bootstrap_interval(scores.statistics, mean_of_items)
    assert low < scores.score < high
    better = rouge(REFERENCES, REFERENCES)["rouge_1"]
    test = paired_bootstrap(better.statistics, scores.statistics, mean_of_items)
    assert test.delta == pytest.approx(100 - scores.score)
    assert test.p_value == pytest.approx(1 / 1001)
