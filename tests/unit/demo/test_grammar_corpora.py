"""The generated corpora: the same everywhere, held-out text kept apart, noise at its rates, in the right languages."""

import hashlib
import os
import subprocess
import sys
import unicodedata
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from seqpre.corpora.langid import Identifier
from seqpre.demo.generate import (
    BITEXT,
    HARD,
    HELD_OUT,
    LONGEST,
    MONOLINGUAL,
    OTHER_DOMAIN,
    SHORTEST,
    Source,
    main,
)
from seqpre.demo.grammar import german, noise
from seqpre.demo.grammar.draw import Drawer
from seqpre.demo.grammar.phrases import Domain
from seqpre.demo.grammar.tables import LEXICON

SIZES = ["--pairs", "300", "--monolingual", "400", "--other-domain", "200", "--valid", "40", "--test", "40"]


def read(folder: Path) -> dict[str, list[str]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8").split("\n")[:-1] for path in files}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("grammar")
    main(["--output-dir", str(folder), "--seed", "1", *SIZES])
    return read(folder)


def test_all_files_have_the_number_of_lines_asked_for(corpora: dict[str, list[str]]) -> None:
    expected = {f"demo_ende/{split}.{language}": count
                for split, count in (("train", 300), ("valid", 40), ("test_a", 40), ("test_b", 40))
                for language in ("en", "de")}  # fmt: skip
    expected |= {f"demo_monolingual/train.{language}": 400 for language in ("en", "de")}
    expected |= {f"demo_other_domain/train.{language}": 200 for language in ("en", "de")}
    assert {name: len(lines) for name, lines in corpora.items()} == expected


def test_the_text_depends_on_the_seed_and_on_nothing_else(corpora: dict[str, list[str]], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "seqpre.demo.generate", *SIZES, "--output-dir", str(tmp_path / "again")]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "4711"}, capture_output=True)
    assert read(tmp_path / "again") == corpora
    main(["--output-dir", str(tmp_path / "other"), "--seed", "2", *SIZES])
    assert read(tmp_path / "other")["demo_ende/valid.en"] != corpora["demo_ende/valid.en"]


def test_the_text_is_what_it_always_was(corpora: dict[str, list[str]]) -> None:
    # Whoever changes a table or the order of draws changes every number of the demo: on purpose, and here.
    text = "\n".join(line for name in sorted(corpora) for line in (name, *corpora[name]))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "b54d05d8c6972f8a"


def test_no_held_out_sentence_is_in_any_training_text(corpora: dict[str, list[str]]) -> None:
    for language in ("en", "de"):
        held_out = [
            line for split in ("valid", "test_a", "test_b") for line in corpora[f"demo_ende/{split}.{language}"]
        ]
        assert len(set(held_out)) == len(held_out)
        training = {line for name, lines in corpora.items() if "/train." in name for line in lines}
        # Repaired noise must not bring a held-out sentence back.
        training |= {" ".join(unicodedata.normalize("NFC", line).split()) for line in training}
        assert not training & set(held_out)


def test_the_two_monolingual_texts_are_unrelated(corpora: dict[str, list[str]]) -> None:
    source, target = (corpora[f"demo_monolingual/train.{language}"] for language in ("en", "de"))
    asked = [number for number, line in enumerate(source) if line.endswith("?")]
    # Of parallel text every question would be one in German too.
    assert len(asked) > 10
    assert sum(target[number].endswith("?") for number in asked) < 0.4 * len(asked)


def test_clean_sentences_have_a_bounded_length() -> None:
    source = Source(BITEXT, "lengths", set())
    for _ in range(300):
        for text in source.pair():
            assert SHORTEST <= len(text.split()) <= LONGEST


def test_sentences_are_capitalised_and_punctuated() -> None:
    for domain in (BITEXT, MONOLINGUAL, OTHER_DOMAIN, HARD):
        source = Source(domain, "shape", set())
        for _ in range(300):
            for text in source.pair():
                assert text.strip('„"')[0].isupper()
                assert text[-1] in ".?!"
                assert "  " not in text
                assert " ," not in text
                assert ",," not in text
                assert text == unicodedata.normalize("NFC", text)


def test_pairs_are_spoilt_at_the_stated_rates() -> None:
    numbers = iter(range(10**9))

    def draw() -> tuple[str, str]:
        number = next(numbers)
        return f"English sentence {number}.", f"Deutscher Satz für {number}."

    lines = list(islice(noise.spoil_pairs(draw, Random(3)), 40_000))
    share = {kind: count / len(lines) for kind, count in Counter(line.kind for line in lines).items()}
    rates = {
        "wrong_language": noise.WRONG_LANGUAGE_RATE, "foreign": noise.FOREIGN_RATE, "duplicate": noise.DUPLICATE_RATE,
        "empty": noise.EMPTY_RATE, "length": noise.LENGTH_RATE, "messy": noise.MESSY_RATE,
    }  # fmt: skip
    for kind, rate in rates.items():
        # Four standard deviations of a binomial share.
        assert share[kind] == pytest.approx(rate, abs=4 * (rate / len(lines)) ** 0.5), kind
    seen: set[tuple[str, str]] = set()
    for kind, source, target in lines:
        if kind == "duplicate":
            assert (source, target) in seen
        if kind == "empty":
            assert not (source.strip() and target.strip())
        if kind == "length":
            lengths = sorted((len(source.split()), len(target.split())))
            assert lengths[1] > 5 * lengths[0]
        if kind == "wrong_language":
            assert source == target
        seen.add((source, target))


def test_messy_lines_are_repaired_by_normalisation() -> None:
    rng = Random(5)
    text = "Die Männer hören über die Straße."
    spoilt = [noise.messy(text, rng) for _ in range(200)]
    assert all("\n" not in line and "\r" not in line for line in spoilt)
    assert all(line != text for line in spoilt)
    visible = (
        "".join(c for c in line if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf")) for line in spoilt
    )
    assert {" ".join(unicodedata.normalize("NFC", line).split()) for line in visible} == {text}


@pytest.mark.parametrize(
    "domain", [HELD_OUT, MONOLINGUAL, OTHER_DOMAIN], ids=["held_out", "monolingual", "other_domain"]
)
@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("name", ["fasttext+py3langid", "langdetect"])
def test_next_to_no_clean_line_is_taken_for_another_language(domain: Domain, position: int, name: str) -> None:
    language = ("en", "de")[position]
    identifier = Identifier(name, [language])
    source = Source(domain, "language", set())
    lines = [source.pair()[position] for _ in range(1000)]
    wrong = [line for line in lines if identifier.wrong(identifier.evidence([line]))]
    assert len(wrong) <= 0.005 * len(lines), wrong


def test_monolingual_text_shows_words_that_the_bitext_lacks(tmp_path: Path) -> None:
    main(["--output-dir", str(tmp_path), "--monolingual", "6000", "--other-domain", "1"])
    text = read(tmp_path)

    def vocabulary(name: str) -> set[str]:
        return {word.strip(".,?!„“") for line in text[name] for word in line.split()}

    bitext, monolingual = vocabulary("demo_ende/train.de"), vocabulary("demo_monolingual/train.de")
    held_out = [line for split in ("valid", "test_a", "test_b") for line in text[f"demo_ende/{split}.de"]]
    words = [word.strip(".,?!„“") for line in held_out for word in line.split()]
    unseen = [word for word in words if word not in bitext]
    assert 0.01 < len(unseen) / len(words) < 0.10
    assert sum(word in monolingual for word in unseen) > 0.6 * len(unseen)


def test_every_construction_makes_many_sentences() -> None:
    for name in sorted({*BITEXT.constructions, *MONOLINGUAL.constructions, *OTHER_DOMAIN.constructions}):
        drawer = Drawer(LEXICON, replace(MONOLINGUAL, constructions={name: 1.0}), Random(name))
        texts = {german.say(drawer.sentence()) for _ in range(50)}
        assert len(texts) > 25, name


def test_sizes_below_one_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["--output-dir", str(tmp_path), "--pairs", "0"])
    assert "--pairs" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
