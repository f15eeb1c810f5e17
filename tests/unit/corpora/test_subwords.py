import random
from pathlib import Path

import pytest
from shared import write_lines

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.learn_bpe import learn_bpe, sample
from seqpre.corpora.subwords import BOS, EOS, PAD, SPECIALS, UNK, Subwords
from seqpre.corpora.take_subwords import MOST_UNKNOWN, unknown
from seqpre.corpora.take_subwords import main as take_subwords

SYLLABLES = ["ka", "le", "mi", "no", "ru", "sche", "tä", "pfu", "gri", "wöl"]


def text(lines: int, seed: int = 0) -> list[str]:
    generator = random.Random(seed)
    words = ["".join(generator.choices(SYLLABLES, k=generator.randint(1, 4))) for _ in range(300)]
    return [" ".join(generator.choices(words, k=8)) + "." for _ in range(lines)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("bpe") / "train.txt", text(500))


@pytest.fixture(scope="module")
def subwords(corpus: Path) -> Subwords:
    path = corpus.with_name("bpe.model")
    path.write_bytes(learn_bpe([corpus], 200))
    return Subwords(path)


def test_special_symbols_have_fixed_ids_and_the_size_is_as_asked(subwords: Subwords) -> None:
    assert subwords.size == 200
    assert subwords.pieces([PAD, UNK, BOS, EOS]) == list(SPECIALS)
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)


def test_encoding_and_decoding_give_the_text_back(subwords: Subwords) -> None:
    lines = text(50, seed=1)
    for line in lines:
        ids = subwords.encode(line)
        assert set(ids).isdisjoint({PAD, UNK, BOS, EOS})
        assert subwords.decode(ids) == line
    assert subwords.encode_lines(lines) == [[*subwords.encode(line), EOS] for line in lines]


def test_text_is_normalised_before_it_is_cut(subwords: Subwords) -> None:
    assert subwords.encode("  ta\u0308\u00adka \t le ") == subwords.encode("täka le")
    assert subwords.encode_lines(["ta\u0308ka\u200b", ""]) == [[*subwords.encode("täka"), EOS], [EOS]]
    assert subwords.encode(" \u200b ") == []


def test_special_symbols_in_the_text_are_text_and_have_no_text_when_decoded(subwords: Subwords) -> None:
    assert set(subwords.encode("</s> <pad>")).isdisjoint({PAD, BOS, EOS})
    ids = subwords.encode("kale minoru.")
    assert subwords.decode([BOS, *ids, EOS, PAD, PAD]) == "kale minoru."


@pytest.mark.parametrize("character", ["▁", "▅"])
def test_characters_that_mean_something_to_sentencepiece_come_back_as_they_are(character: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "train.txt", [*text(300), f"Wert{character}eins {character} q"])
    (tmp_path / "bpe.model").write_bytes(learn_bpe([path], 100))
    subwords = Subwords(tmp_path / "bpe.model")
    ids = subwords.encode(f"ka{character}le {character} q")
    assert UNK not in ids, "every character of the line is learned, q too"
    assert subwords.decode(ids) == f"ka{character}le {character} q"


def test_a_character_that_a_model_has_not_seen_is_unknown_and_no_space(subwords: Subwords) -> None:
    assert UNK in subwords.encode("ka▁le")


def test_unseen_characters_become_unknown(subwords: Subwords) -> None:
    assert UNK in subwords.encode("ka Ω le")


def test_learning_twice_gives_the_same_bytes(corpus: Path, subwords: Subwords) -> None:
    assert learn_bpe([corpus], 200, seed=1) == learn_bpe([corpus], 200, seed=1) == subwords.path.read_bytes()


def test_other_models_have_other_fingerprints(corpus: Path, subwords: Subwords, tmp_path: Path) -> None:
    (tmp_path / "bpe.model").write_bytes(learn_bpe([corpus], 150))
    assert Subwords(tmp_path / "bpe.model").fingerprint != subwords.fingerprint
    assert Subwords(subwords.path).fingerprint == subwords.fingerprint


def test_every_character_of_the_text_is_in_the_vocabulary(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rare.txt", [*text(300), "ein ☃ und ß"])
    (tmp_path / "bpe.model").write_bytes(learn_bpe([path], 100))
    assert UNK not in Subwords(tmp_path / "bpe.model").encode("☃ß")


def test_a_vocabulary_larger_than_the_text_supports_names_the_largest_that_works(corpus: Path) -> None:
    with pytest.raises(ConfigError, match=r"vocab-size 50,000 is larger than .*train\.txt supports") as caught:
        learn_bpe([corpus], 50_000)
    largest = int(str(caught.value).rsplit(" ", 1)[1].replace(",", ""))
    assert learn_bpe([corpus], largest)
    with pytest.raises(ConfigError, match=f"largest that works is {largest:,}"):
        learn_bpe([corpus], largest + 1)


def test_a_vocabulary_too_small_for_the_characters_names_the_smallest_that_works(corpus: Path) -> None:
    with pytest.raises(ConfigError, match=r"vocab-size 10 is too small") as caught:
        learn_bpe([corpus], 10)
    smallest = int(str(caught.value).rsplit(" ", 1)[1].replace(",", ""))
    assert learn_bpe([corpus], smallest)
    with pytest.raises(ConfigError, match="special symbols"):
        learn_bpe([corpus], 4)


def test_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n \n")
    with pytest.raises(DataError, match="empty: no text"):
        learn_bpe([tmp_path / "empty"], 100)


def test_a_sample_is_all_lines_if_they_fit_and_else_uniform() -> None:
    assert sample(map(str, range(10)), 10, seed=1) == [str(number) for number in range(10)]
    counts = [0] * 20
    for seed in range(2000):
        drawn = sample(map(str, range(20)), 5, seed)
        assert len(set(drawn)) == 5
        for line in drawn:
            counts[int(line)] += 1
    # Each line is drawn with probability 1/4: 500 of 2,000, standard deviation 19.
    assert all(abs(count - 500) < 5 * 19.4 for count in counts)


def test_other_files_are_refused_as_models(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such SentencePiece model"):
        Subwords(tmp_path / "none.model")
    for content in (b"not a model", b""):
        (tmp_path / "bad.model").write_bytes(content)
        with pytest.raises(DataError, match=r"bad\.model: not a SentencePiece model, or damaged"):
            Subwords(tmp_path / "bad.model")


def test_a_finished_model_is_taken_as_it_is_for_text_that_it_knows(
    corpus: Path, subwords: Subwords, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, other = tmp_path / "taken" / "bpe.model", tmp_path / "other.txt"
    other.write_text("ka le\n" * 3 + "Ω\n", encoding="utf-8")
    expected = 1 / (3 * len(subwords.encode("ka le")) + len(subwords.encode("Ω")))
    assert unknown(subwords, corpus) == 0
    assert unknown(subwords, other) == expected > MOST_UNKNOWN
    take_subwords(["--model", str(subwords.path), "--input", str(corpus), "--output", str(output)])
    assert output.read_bytes() == subwords.path.read_bytes()
    assert len(output.with_suffix(".vocab").read_text(encoding="utf-8").splitlines()) == subwords.size
    output.unlink()
    with pytest.raises(SystemExit):
        take_subwords(["--model", str(subwords.path), "--input", str(corpus), str(other), "--output", str(output)])
    assert f"of the subwords of {other} are unknown; give a model" in capsys.readouterr().err
    assert not output.exists()


def test_lines_of_any_length_are_learned_from(tmp_path: Path) -> None:
    longer = "zq " * 30_000  # 90,000 bytes, where SentencePiece takes 65,536 unless it is told otherwise
    path = write_lines(tmp_path / "train.txt", [*text(100), longer])
    (tmp_path / "bpe.model").write_bytes(learn_bpe([path], 100))
    assert len(Subwords(tmp_path / "bpe.model").encode("zq")) == 1
