import json
from pathlib import Path

import numpy as np
import pytest

from seqpre.common.errors import DataError
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter, token_dtype


def random_sentences(count: int, vocabulary: int, seed: int = 0) -> list[list[int]]:
    generator = np.random.default_rng(seed)
    return [generator.integers(vocabulary, size=int(generator.integers(0, 30))).tolist() for _ in range(count)]


def store(path: Path, sentences: list[list[int]], vocabulary: int = 1000) -> TokenStore:
    with TokenStoreWriter(path, vocabulary, "abc") as writer:
        for sentence in sentences:
            writer.append(sentence)
    return TokenStore(path)


@pytest.mark.parametrize(("vocabulary", "dtype"), [(1000, "<u2"), (65_536, "<u2"), (65_537, "<u4"), (90_000, "<u4")])
def test_sentences_come_back_as_they_went_in(tmp_path: Path, vocabulary: int, dtype: str) -> None:
    sentences = [*random_sentences(200, vocabulary), [], [vocabulary - 1], [0]]
    found = store(tmp_path / "s", sentences, vocabulary)
    assert len(found) == 203
    assert [found[index].tolist() for index in range(203)] == sentences
    assert found[-1].tolist() == [0]
    assert found.lengths.tolist() == [len(sentence) for sentence in sentences]
    assert found.lengths.dtype == np.int32
    assert found[0].dtype == token_dtype(vocabulary) == np.dtype(dtype)
    assert found.num_tokens == sum(map(len, sentences))
    assert found.fingerprint == "abc"


def test_gathering_equals_looking_up_one_by_one(tmp_path: Path) -> None:
    sentences = random_sentences(300, 1000)
    found = store(tmp_path / "s", sentences)
    for indices in ([5, 3, 3, 299, 0], list(range(300)), np.array([7], dtype=np.int32), []):
        tokens, lengths = found.gather(indices)
        assert lengths.tolist() == [len(sentences[index]) for index in indices]
        assert tokens.tolist() == [token for index in indices for token in sentences[index]]
        assert tokens.dtype == np.dtype("<u2")


def test_long_sentences_become_pieces(tmp_path: Path) -> None:
    found = store(tmp_path / "s", [[1], [2, 3, 4, 5, 6], [], [7, 8], [9, 10, 11, 12]])
    pieces = found.pieces(2)
    assert [pieces[index].tolist() for index in range(len(pieces))] == [
        [1], [2, 3], [4, 5], [6], [], [7, 8], [9, 10], [11, 12],
    ]  # fmt: skip
    assert pieces.lengths.tolist() == [1, 2, 2, 1, 0, 2, 2, 2]
    assert pieces.gather([3, 1])[0].tolist() == [6, 2, 3]
    assert pieces.content == found.content
    assert (len(found), found.lengths.tolist()) == (5, [1, 5, 0, 2, 4])
    assert found.pieces(5) is found


def test_chunks_and_single_sentences_make_the_same_files(tmp_path: Path) -> None:
    sentences = random_sentences(100, 1000)
    store(tmp_path / "one", sentences)
    with TokenStoreWriter(tmp_path / "many", 1000, "abc") as writer:
        for start in range(0, 100, 17):
            part = sentences[start : start + 17]
            flat = np.array([token for sentence in part for token in sentence])
            writer.add(flat, np.array([len(sentence) for sentence in part]))
    for name in ("tokens.bin", "offsets.npy", "store.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "many" / name).read_bytes()
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["offsets.npy", "store.json", "tokens.bin"]
    assert json.loads((tmp_path / "one" / "store.json").read_text())["sentences"] == 100


def test_the_content_is_known_by_the_tokens_and_by_nothing_else(tmp_path: Path) -> None:
    sentences = random_sentences(50, 1000)
    one, same = store(tmp_path / "one", sentences), store(tmp_path / "same", sentences)
    assert one.content == same.content
    changed = [*sentences[:-1], [*sentences[-1], 7]]
    swapped = [sentences[1], sentences[0], *sentences[2:]]
    others = [store(tmp_path / f"other{number}", text).content for number, text in enumerate((changed, swapped, []))]
    assert len({one.content, *others}) == 4


def test_empty_stores_can_be_read(tmp_path: Path) -> None:
    nothing, blank = store(tmp_path / "a", []), store(tmp_path / "b", [[], []])
    assert (len(nothing), len(blank)) == (0, 2)
    assert blank[1].tolist() == []
    assert [part.tolist() for part in blank.gather([0, 1])] == [[], [0, 0]]


def write_and_fail(path: Path) -> None:
    with TokenStoreWriter(path, 1000, "new") as writer:
        writer.append([9])
        raise RuntimeError


def test_a_failed_writer_leaves_the_old_store(tmp_path: Path) -> None:
    store(tmp_path / "s", [[1, 2]])
    with pytest.raises(RuntimeError):
        write_and_fail(tmp_path / "s")
    assert TokenStore(tmp_path / "s")[0].tolist() == [1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    assert store(tmp_path / "s", [[5]])[0].tolist() == [5]


def test_sentences_outside_the_store_are_index_errors(tmp_path: Path) -> None:
    found = store(tmp_path / "s", [[1], [2]])
    for index in (2, -3):
        with pytest.raises(IndexError):
            found[index]
    with pytest.raises(IndexError):
        found.gather([0, 2])


def without_checksum(path: Path) -> None:
    """Make a store what stores were before they had checksums."""
    about = json.loads((path / "store.json").read_text())
    del about["xxh3_128"]
    (path / "store.json").write_text(json.dumps(about))


@pytest.mark.parametrize("name", ["tokens.bin", "offsets.npy", "store.json"])
def test_a_bit_that_flipped_anywhere_in_a_store_is_noticed(tmp_path: Path, name: str) -> None:
    store(tmp_path / "s", random_sentences(10, 1000))
    file = tmp_path / "s" / name
    whole = file.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        file.write_bytes(damaged)
        with pytest.raises(DataError, match=str(tmp_path / "s")):
            TokenStore(tmp_path / "s")


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("name", ["tokens.bin", "offsets.npy", "store.json"])
def test_a_store_that_is_cut_off_or_incomplete_is_named(tmp_path: Path, name: str, checked: bool) -> None:
    store(tmp_path / "s", random_sentences(5, 1000))
    if not checked:
        without_checksum(tmp_path / "s")
    file = tmp_path / "s" / name
    whole = file.read_bytes().rstrip(b"\n")
    for size in range(len(whole)):
        file.write_bytes(whole[:size])
        with pytest.raises(DataError, match=str(tmp_path / "s")):
            TokenStore(tmp_path / "s")
    file.unlink()
    with pytest.raises(DataError, match=str(tmp_path / "s")):
        TokenStore(tmp_path / "s")


def test_a_header_that_is_damaged_is_a_message_in_older_stores_too(tmp_path: Path) -> None:
    store(tmp_path / "s", [[1, 2], [3]])
    without_checksum(tmp_path / "s")
    file = tmp_path / "s" / "offsets.npy"
    whole, refused = file.read_bytes(), 0
    for place in range(128):  # of the header
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        file.write_bytes(damaged)
        try:
            TokenStore(tmp_path / "s")
        except DataError:
            refused += 1
    assert refused > 50


def test_stores_from_before_there_were_checksums_are_taken_as_they_are(tmp_path: Path) -> None:
    sentences = random_sentences(10, 1000)
    content = store(tmp_path / "s", sentences).content
    without_checksum(tmp_path / "s")
    found = TokenStore(tmp_path / "s")
    assert [found[index].tolist() for index in range(10)] == sentences
    assert found.content == content


@pytest.mark.parametrize(
    ("about", "says"),
    [
        ("[]", "says something else than dtype, sentences, tokens, fingerprint"),
        ('{"dtype": "<u2", "sentences": 1, "tokens": 3}', "says something else than"),
        ('{"dtype": "<u2", "sentences": "1", "tokens": 3, "fingerprint": "abc"}', "says something else than"),
        ('{"dtype": "<u2", "sentences": 2, "tokens": 3, "fingerprint": "abc"}', "does not fit store.json"),
        ('{"dtype": "<u4", "sentences": 1, "tokens": 3, "fingerprint": "abc"}', "does not fit store.json"),
        ('{"dtype": "u99", "sentences": 1, "tokens": 3, "fingerprint": "abc"}', "u99"),
        ("{", "not valid JSON"),
    ],
)
def test_what_a_store_says_of_itself_is_checked(tmp_path: Path, about: str, says: str) -> None:
    store(tmp_path / "s", [[1, 2, 3]])
    (tmp_path / "s" / "store.json").write_text(about)
    with pytest.raises(DataError, match=str(tmp_path / "s")) as error:
        TokenStore(tmp_path / "s")
    assert says in str(error.value)


def test_what_is_no_store_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a token store"):
        TokenStore(tmp_path)
