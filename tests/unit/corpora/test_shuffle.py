import random
from itertools import pairwise
from pathlib import Path

import pytest

from seqpre.corpora import shuffle
from seqpre.corpora.shuffle import hash_order, num_buckets, text_hash

LINES = [(number, (f"sentence {number % 700}", f"Satz {number % 700}")) for number in range(1000)]


def order(folder: Path, records: list[tuple[int, tuple[str, ...]]], seed: int = 1, buckets: int = 4) -> list[str]:
    return [" ".join(record.texts) for record in hash_order(records, seed, buckets, folder / "scratch")]


def test_it_equals_sorting_everything_in_memory(tmp_path: Path) -> None:
    expected = sorted(LINES, key=lambda record: (text_hash("\t".join(record[1]), 5), record[1], record[0]))
    found = [(record.number, record.texts) for record in hash_order(LINES, 5, 7, tmp_path / "scratch")]
    assert found == expected


def test_a_bucket_leaves_the_disk_once_it_is_read(tmp_path: Path) -> None:
    on_disk = [len(list((tmp_path / "scratch").iterdir())) for _ in hash_order(LINES, 1, 8, tmp_path / "scratch")]
    assert (on_disk[0], on_disk[-1]) == (8, 1)
    assert on_disk == sorted(on_disk, reverse=True)


@pytest.mark.parametrize("buckets", [1, 2, 3, 64])
def test_the_order_depends_on_neither_buckets_nor_input_order(tmp_path: Path, buckets: int) -> None:
    expected = order(tmp_path, LINES)
    mixed = LINES[:]
    random.Random(1).shuffle(mixed)
    assert order(tmp_path, mixed, buckets=buckets) == expected
    assert list(tmp_path.iterdir()) == []


def test_equal_records_are_neighbours_the_earliest_first(tmp_path: Path) -> None:
    found = list(hash_order(reversed(LINES), 1, 3, tmp_path / "scratch"))
    neighbours = list(pairwise(found))
    assert sum(left.texts == right.texts for left, right in neighbours) == 300
    assert all(left.number < right.number for left, right in neighbours if left.texts == right.texts)


def test_another_seed_gives_another_order_of_the_same_lines(tmp_path: Path) -> None:
    one, two = order(tmp_path, LINES, seed=1), order(tmp_path, LINES, seed=2)
    assert one != two
    assert sorted(one) == sorted(two)


def test_shares_are_random_and_nested_and_adding_text_keeps_the_order_of_the_rest(tmp_path: Path) -> None:
    unique = [(number, (f"line {number}",)) for number in range(10_000)]
    shuffled = order(tmp_path, unique)
    numbers = [int(line.split()[1]) for line in shuffled]
    # The mean of 2,000 of 0..9,999 drawn without replacement: 5,000 within 5 standard errors (58 each).
    assert abs(sum(numbers[:2000]) / 2000 - 4999.5) < 290
    fewer = order(tmp_path, unique[:5000])
    assert [line for line in shuffled if line in set(fewer)] == fewer


def test_what_a_killed_run_left_behind_is_removed(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "000.tsv").write_text("rubbish")
    assert len(order(tmp_path, LINES)) == 1000
    assert list(tmp_path.iterdir()) == []


def test_buckets_grow_with_the_input_up_to_a_limit() -> None:
    assert num_buckets(0) == num_buckets(1000) == 1
    assert num_buckets(10 * shuffle.BUCKET_BYTES + 1) == 11
    assert num_buckets(10**15) == shuffle.MAX_BUCKETS
