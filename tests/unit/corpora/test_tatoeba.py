"""Near copies end up on one side of a split."""

from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.archives import File
from seqpre.corpora.tatoeba import DEALS, EVALUATED, FREQUENT, groups, portions, read_portion, skeletons

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


def test_portions_take_whole_groups_in_their_shares_each_time_alike() -> None:
    pairs = [(f"word{number} thing{number}", f"wort{number // 2} ding{number // 2}") for number in range(2000)]
    sides = {"en": [en for en, _ in pairs], "de": [de for _, de in pairs]}
    shares = {"train": 0.7, "valid": 0.1, "test": 0.2}
    dealt = portions(sides, shares)
    assert all(dealt[number] == dealt[number + 1] for number in range(0, 2000, 2))
    for name, share in shares.items():
        assert abs(dealt.count(name) / 2000 - share) < 0.04
    assert portions(sides, shares) == dealt


def test_a_language_without_a_stemmer_has_its_first_letters() -> None:
    lines = collection(("bahçesinde evlerimizden", ""), ("bahçeye evlerine", ""))["en"]
    assert skeletons(lines, "tr")[0] == skeletons(lines, "tr")[1]


def portion_of(folder: Path, lines: list[str], name: str, language: str = "en") -> list[str]:
    (folder / "file").write_text("\n".join(lines))
    return list(read_portion(File(folder / "file", language=language), name))


@pytest.mark.parametrize("deal", DEALS)
def test_tatoeba_s_portions_hold_every_pair_once_and_no_text_twice(tmp_path: Path, deal: str) -> None:
    lines = [f"word{number} thing{number}\t{number}wort {number}ding\tauthor" for number in range(3000)]
    names = {portion: f"{deal}:{portion}" if deal else portion for portion in DEALS[deal]}
    dealt = {
        portion: [portion_of(tmp_path, lines, name, language) for language in ("en", deal or "de")]
        for portion, name in names.items()
    }
    for english, other in dealt.values():
        assert len(english) == len(other) > 10
        for en, de in zip(english, other, strict=True):
            assert en.removeprefix("word").split()[0] == de.split()[0].removesuffix("wort")
    assert sorted(line for english, _ in dealt.values() for line in english) == sorted(
        line.split("\t")[0] for line in lines
    )


def test_the_german_deals_have_the_same_validation_and_test_sets(tmp_path: Path) -> None:
    lines = [f"word{number} thing{number}\twort{number} ding{number}" for number in range(3000)]
    for portion in EVALUATED:
        assert portion_of(tmp_path, lines, portion) == portion_of(tmp_path, lines, f"de:{portion}")


def test_a_language_that_a_portion_lacks_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="file: tatoeba:tr:pairs has the languages en and tr, not 'de'"):
        portion_of(tmp_path, ["a\tb"], "tr:pairs", "de")


def test_a_line_without_its_columns_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="file, line 2: 1 tab-separated columns"):
        portion_of(tmp_path, ["a\tb", "c"], "en")
