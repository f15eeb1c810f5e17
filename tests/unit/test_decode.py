"""Lines into the batches that are decoded together."""

from seqpre.corpora.subwords import PAD
from seqpre.decode import source_batches


def test_lines_of_like_length_are_decoded_together_the_longest_first() -> None:
    batches = list(source_batches([[5, 3], [6, 7, 8, 3], [3], [9, 3]], 2))
    assert [numbers for numbers, _, _ in batches] == [[1, 0], [3, 2]]
    _, source, lengths = batches[0]
    assert source.tolist() == [[6, 7, 8, 3], [5, 3, PAD, PAD]]
    assert lengths.tolist() == [4, 2]


def test_a_very_long_line_is_decoded_by_itself_and_others_as_many_as_asked() -> None:
    lines = [[5] * 10_000, *([5] * 1_400 for _ in range(130))]
    assert [len(numbers) for numbers, _, _ in source_batches(lines, 64)] == [1, 64, 64, 2]
