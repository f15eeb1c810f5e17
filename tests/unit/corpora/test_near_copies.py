"""Near copies end up on one side of a split."""

import pytest

from seqpre.common.errors import DataError
from seqpre.corpora.near_copies import FREQUENT, groups, portions, skeletons
from seqpre.corpora.tatoeba import COLUMNS, SHARES, read_portion

FILLER = [f"filler{number}" for number in range(FREQUENT)]


def collection(*pairs: tuple[str, str]) -> dict[str, list[str]]:
    """Return pairs in a collection whose frequent words are fillers."""
    noise = [" ".join(FILLER)] * 10
    return {"en": [*(en for en, _ in pairs), *noise], "de": [*(de for _, de in pairs), *noise]}


def test_a_name_a_number_and_a_tense_do_not_part_a_group() -> None:
    sides = collection(
        ("Yesterday Tom painted 3 garden fences.", "Gestern strich er drei Zäune."),
        ("Yesterday Mary paints 7 garden fences.", "Etwas ganz anderes auf dieser Seite."),
        ("Birds sing in winter too.", "Vögel singen auch im Winter."),
    )
    assert groups(sides)[:3] == [0, 0, 2]


def test_the_same_text_on_either_side_joins_pairs_and_so_do_chains() -> None:
    sides = collection(
        ("Stop!", "Halt!"), ("Wait!", "Halt!"), ("Wait!", "Warte!"), ("Come!", "Komm!")
    )  # fmt: skip
    assert groups(sides)[:4] == [0, 0, 0, 3]


def test_a_sentence_of_frequent_words_only_is_known_by_its_text() -> None:
    lines = collection((f"{FILLER[0]} {FILLER[1]}", ""), (f"{FILLER[1]} {FILLER[0]}", ""))["en"]
    assert skeletons(lines, "en")[:2] == [(lines[0],), (lines[1],)]


def test_portions_take_whole_groups_in_their_shares_whatever_the_order() -> None:
    pairs = [(f"word{number} thing{number}", f"wort{number // 2} ding{number // 2}") for number in range(2000)]
    sides = {"en": [en for en, _ in pairs], "de": [de for _, de in pairs]}
    shares = {"train": 0.7, "valid": 0.1, "test": 0.2}
    dealt = portions(sides, shares)
    assert all(dealt[number] == dealt[number + 1] for number in range(0, 2000, 2))
    for name, share in shares.items():
        assert abs(dealt.count(name) / 2000 - share) < 0.04
    assert portions(sides, shares) == dealt


def test_tatoeba_s_portions_hold_every_pair_once_and_no_text_twice() -> None:
    lines = [f"word{number} thing{number}\twort{number} ding{number}\tauthor" for number in range(3000)]
    labelled = [list(read_portion(lines, "labelled", language, "file")) for language in COLUMNS]
    assert len(labelled[0]) == len(labelled[1]) > 50
    for en, de in zip(*labelled, strict=True):
        assert en.removeprefix("word").split()[0] == de.removeprefix("wort").split()[0]
    english = [sentence for portion in SHARES for sentence in read_portion(lines, portion, "en", "file")]
    assert sorted(english) == sorted(line.split("\t")[0] for line in lines)
    with pytest.raises(DataError, match="file, line 2: 1 tab-separated columns"):
        list(read_portion(["a\tb", "c"], "en", "en", "file"))
