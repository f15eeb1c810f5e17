"""Streams and buckets against the obvious way of reading a corpus."""

from pathlib import Path

import numpy as np
import pytest
import torch

from seqpre.common.errors import DataError
from seqpre.corpora.subwords import EOS, PAD
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter
from seqpre.models.batch import Rows
from seqpre.training.batches import LMStreams, PairBatches, Sentences, lm_lines, order_of


def make_store(path: Path, sentences: list[list[int]]) -> TokenStore:
    with TokenStoreWriter(path, 1000, "test") as writer:
        for ids in sentences:
            writer.append([*ids, EOS])
    return TokenStore(path)


def numbered(path: Path, lengths: list[int]) -> TokenStore:
    """Sentence i holds the number i + 10, `lengths[i]` times."""
    return make_store(path, [[i + 10] * length for i, length in enumerate(lengths)])


def test_streams_read_contiguous_text_and_predict_the_next_token(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s", [list(range(10, 10 + n)) for n in (30, 40, 25, 33)])
    text = np.asarray(store.tokens)
    streams = LMStreams(store.tokens, streams=3, bptt=4, seed=1)
    chunks = [streams.next() for _ in range(streams.chunks)]
    inputs = np.concatenate([x.numpy() for x, _ in chunks], axis=1)
    targets = np.concatenate([y.numpy() for _, y in chunks], axis=1)
    assert (inputs[:, 1:] == targets[:, :-1]).all()  # Each stream runs on over the borders of chunks.
    rotated = np.concatenate([text, text])
    for stream in inputs:
        joined = "".join(map(chr, stream))
        assert joined in "".join(map(chr, rotated))


def test_streams_of_one_pass_do_not_overlap(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s", [list(range(10, 210))])
    streams = LMStreams(store.tokens, streams=4, bptt=7, seed=3)
    seen = np.concatenate([streams.next()[0].numpy().ravel() for _ in range(streams.chunks)])
    assert len(seen) == len(set(seen.tolist()))


def test_the_streams_of_a_pass_lie_one_after_the_other_and_the_next_pass_starts_elsewhere(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s", [list(range(10, 70))])  # with eos 61 tokens: 3 streams of 4 chunks of 5
    streams = LMStreams(store.tokens, streams=3, bptt=5, seed=1)
    assert (streams.piece, streams.chunks) == (20, 4)
    starts = []
    for epoch in range(3):
        chunks = [streams.next() for _ in range(4)]
        assert streams.epoch == epoch
        first, last = chunks[0][0][:, 0].tolist(), chunks[-1][1][:, -1].tolist()
        assert last[:-1] == first[1:]  # the token after one stream's last input is the first of the next stream
        starts.append(first[0])
    assert len(set(starts)) == 3


def test_text_that_just_fills_the_streams_is_enough(tmp_path: Path) -> None:
    enough, short = make_store(tmp_path / "a", [[9] * 60]), make_store(tmp_path / "b", [[9] * 59])
    assert LMStreams(enough.tokens, 3, 20, seed=1).chunks == 1
    with pytest.raises(DataError, match="60 tokens of text are too few for 3 streams of 20"):
        LMStreams(short.tokens, 3, 20, seed=1)


def test_a_resumed_stream_reads_on(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s", [list(range(10, 70)), list(range(100, 190))])
    one, two = LMStreams(store.tokens, 3, 5, seed=1), LMStreams(store.tokens, 3, 5, seed=1)
    for _ in range(17):  # Over the end of a pass.
        one.next()
    two.load_state_dict(one.state_dict())
    for _ in range(9):
        assert all((a == b).all() for a, b in zip(one.next(), two.next(), strict=True))


def test_too_little_text_for_the_streams_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="too few for 64 streams of 20"):
        LMStreams(numbered(tmp_path / "s", [5, 6]).tokens, 64, 20, seed=1)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[TokenStore, TokenStore]:
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 30, 500)
    return (
        numbered(tmp_path / "source", lengths.tolist()),
        numbered(tmp_path / "target", (lengths + rng.integers(0, 3, 500)).tolist()),
    )


def test_a_pass_reads_every_pair_once_and_keeps_pairs_together(pair: tuple[TokenStore, TokenStore]) -> None:
    batches = PairBatches(*pair, size=16, seed=1)
    for epoch in range(2):
        seen: list[int] = []
        while batches.epoch == epoch:
            batch = batches.next()
            assert (batch.source_BS[:, 0] == batch.targets_BT[:, 0]).all()
            seen += batch.source_BS[:, 0].tolist()
        assert sorted(seen) == list(range(10, 510))


@pytest.mark.parametrize("budget", [0, 70])
def test_a_pass_of_many_pools_reads_every_pair_once(pair: tuple[TokenStore, TokenStore], budget: int) -> None:
    plan = PairBatches(*pair, size=1, seed=1, budget=budget).plan(0)
    assert sorted(np.concatenate(plan).tolist()) == list(range(500))


def planned(source: list[int], target: list[int], size: int, budget: int) -> list[list[int]]:
    """Return the first pass with seed 1, a pair at a time, on Python's own integers."""
    rng = np.random.default_rng((1, 0))
    order = rng.permutation(len(source)).tolist()

    def filled(pairs: list[int]) -> list[list[int]]:
        batches: list[list[int]] = [[]]
        for pair in sorted(pairs, key=lambda i: sorted((source[i], target[i]), reverse=True)):
            more = [*batches[-1], pair]
            if (max(source[i] for i in more) + max(target[i] for i in more)) * len(more) > budget:
                batches.append([pair])
            else:
                batches[-1] = more
        return batches

    def halved(pairs: list[int]) -> list[list[int]]:
        if len(pairs) <= size:
            return [pairs]
        half = -(-len(pairs) // size) // 2 * size
        ways = [
            sorted(pairs, key=lambda i: (source[i], target[i])),
            sorted(pairs, key=lambda i: (target[i], source[i])),
        ]

        def padded(way: list[int]) -> int:
            parts = way[:half], way[half:]
            return sum(max(side[i] for i in part) * len(part) for part in parts for side in (source, target))

        best = min(ways, key=padded)
        return halved(best[:half]) + halved(best[half:])

    pools = [order[start : start + 200 * size] for start in range(0, len(order), 200 * size)]
    batches = [batch for pool in pools for batch in (filled if budget else halved)(pool)]
    return [batches[i] for i in rng.permutation(len(batches))]


@pytest.mark.parametrize("scale", [1, 3_000])  # Then lengths do not fit into two bytes.
@pytest.mark.parametrize("budget", [0, 70, 400])
def test_a_plan_is_that_of_one_pair_after_the_other(
    pair: tuple[TokenStore, TokenStore], budget: int, scale: int
) -> None:
    sides = [store.lengths * scale for store in pair]
    for store, lengths in zip(pair, sides, strict=True):
        store.lengths = lengths
    batches = PairBatches(*pair, size=2, seed=1, budget=budget * scale)
    expected = planned(sides[0].tolist(), sides[1].tolist(), batches.size, budget * scale)
    assert [batch.tolist() for batch in batches.plan(0)] == expected


def test_all_batches_but_the_last_are_full(pair: tuple[TokenStore, TokenStore]) -> None:
    sizes = sorted(len(batch) for batch in PairBatches(*pair, size=16, seed=1).plan(0))
    assert sizes == [500 % 16, *[16] * (500 // 16)]


def test_the_parts_of_a_batch_hold_its_pairs(pair: tuple[TokenStore, TokenStore]) -> None:
    batch = PairBatches(*pair, size=7, seed=1).next()
    assert batch.part(Rows(0, 7, 7)) is batch
    parts = [batch.part(Rows(0, 3, 7)), batch.part(Rows(3, 7, 7))]
    for name in ("source_BS", "lengths_B", "inputs_BT", "targets_BT"):
        assert torch.equal(torch.cat([getattr(part, name) for part in parts]), getattr(batch, name))
    for part in parts:
        real_TB = (part.targets_BT != PAD).t()
        assert [part.steps_N.tolist(), part.rows_N.tolist()] == real_TB.nonzero().t().tolist()


def test_batches_are_shifted_padded_and_marked_as_real(pair: tuple[TokenStore, TokenStore]) -> None:
    source, target = pair
    batch = PairBatches(source, target, size=4, seed=1).collate(np.array([3, 7]))
    longest = batch.source_BS.shape[1]
    for row, index in enumerate((3, 7)):
        length = len(source[index])
        assert batch.source_BS[row].tolist() == source[index].tolist() + [PAD] * (longest - length)
        assert batch.inputs_BT[row, : len(target[index])].tolist() == [EOS, *target[index].tolist()[:-1]]
    assert sorted(batch.scored(batch.targets_BT).tolist()) == sorted([*target[3].tolist(), *target[7].tolist()])


def test_the_order_differs_between_passes_and_seeds_and_repeats_for_the_same(
    pair: tuple[TokenStore, TokenStore],
) -> None:
    def order(seed: int, epoch: int) -> list[int]:
        return np.concatenate(PairBatches(*pair, size=16, seed=seed).plan(epoch)).tolist()

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


@pytest.mark.parametrize("tokens_per_update", [0, 1, 300, 700, 5_000])
def test_the_updates_of_a_pass_are_those_that_are_made(
    pair: tuple[TokenStore, TokenStore], tokens_per_update: int
) -> None:
    batches, updates, tokens, passes = PairBatches(*pair, size=16, seed=1), 0, 0, 20
    for batch in (batch for epoch in range(passes) for batch in batches.plan(epoch)):
        tokens += sum(len(pair[1][int(number)]) for number in batch)
        if tokens >= tokens_per_update:
            updates, tokens = updates + 1, 0
    assert batches.updates_of_a_pass(tokens_per_update) * passes == pytest.approx(updates, rel=0.05)


def test_a_smaller_count_reads_the_first_sentences_only(pair: tuple[TokenStore, TokenStore]) -> None:
    small = set(np.concatenate(PairBatches(*pair, size=16, seed=1, count=100).plan(0)).tolist())
    large = set(np.concatenate(PairBatches(*pair, size=16, seed=1, count=200).plan(0)).tolist())
    assert small == set(range(100))
    assert small < large


def test_buckets_waste_little(tmp_path: Path) -> None:
    """The sides' lengths are those of a translation corpus: spread by a third around 15, correlated by 0.86."""
    rng = np.random.default_rng(0)
    logs = rng.multivariate_normal([2.6, 2.6], [[0.1, 0.095], [0.095, 0.122]], 6_400)
    source, target = (
        numbered(tmp_path / name, np.exp(side).round().astype(int).clip(2).tolist())
        for name, side in zip("ab", logs.T, strict=True)
    )
    batches = PairBatches(source, target, size=16, seed=1)
    tokens = padding = 0
    while batches.epoch == 0:
        batch = batches.next()
        tokens += sum(side.numel() for side in (batch.source_BS, batch.targets_BT))
        padding += sum(int((side == PAD).sum()) for side in (batch.source_BS, batch.targets_BT))
    assert (batches.padded_tokens, batches.padding) == (tokens, padding)
    assert padding / tokens < 0.035  # 0.027; halved by one side alone, 0.045


def test_a_resumed_pass_goes_on_with_the_next_batch(pair: tuple[TokenStore, TokenStore]) -> None:
    one, two = PairBatches(*pair, size=16, seed=1), PairBatches(*pair, size=16, seed=1)
    for _ in range(45):  # Into the second pass.
        one.next()
    two.load_state_dict(one.state_dict())
    for _ in range(30):
        assert one.next().source_BS.equal(two.next().source_BS)


def test_long_pairs_are_left_out_and_counted(pair: tuple[TokenStore, TokenStore]) -> None:
    batches = PairBatches(*pair, size=16, seed=1, max_length=10)
    assert batches.too_long == sum(max(len(s), len(t)) > 10 for s, t in zip(*pair, strict=False))
    with pytest.raises(DataError, match="no pair is left within 1 subwords"):
        PairBatches(*pair, size=16, seed=1, max_length=1)


def test_sides_of_unequal_length_are_refused(pair: tuple[TokenStore, TokenStore], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"500 sentences, .* has 2"):
        PairBatches(pair[0], numbered(tmp_path / "short", [1, 2]), size=16, seed=1)


def test_a_budget_of_tokens_bounds_every_batch_and_covers_every_pair(pair: tuple[TokenStore, TokenStore]) -> None:
    batches = PairBatches(*pair, size=64, seed=1, budget=300)
    plan = batches.plan(0)
    assert sorted(np.concatenate(plan).tolist()) == list(range(500))
    tokens, padding = 0, 0
    for indices in plan:
        batch = batches.collate(indices)
        used = batch.source_BS.numel() + batch.targets_BT.numel()
        assert used <= 300
        tokens, padding = tokens + used, padding + used - int(batch.lengths_B.sum()) - batch.tokens
    assert padding / tokens < 0.05
    assert tokens / len(plan) > 250  # They are nearly full.


def test_a_batch_may_fill_its_budget_to_the_last_token(tmp_path: Path) -> None:
    sides = [numbered(tmp_path / name, [4] * 6) for name in "ab"]  # with eos 5 subwords a side, 10 a pair
    assert [len(batch) for batch in PairBatches(*sides, size=1, seed=1, budget=20).plan(0)] == [2, 2, 2]


def test_a_budget_takes_the_place_of_a_number_of_pairs(pair: tuple[TokenStore, TokenStore]) -> None:
    one, other = (PairBatches(*pair, size=size, seed=1, budget=300).plan(0) for size in (1, 64))
    assert [batch.tolist() for batch in one] == [batch.tolist() for batch in other]


def test_a_pair_that_fits_in_no_batch_is_an_error(pair: tuple[TokenStore, TokenStore]) -> None:
    with pytest.raises(DataError, match="does not fit in batches of 20"):
        PairBatches(*pair, size=64, seed=1, budget=20)
    longest = max(len(one) + len(other) for one, other in zip(*pair, strict=False))
    assert PairBatches(*pair, size=64, seed=1, budget=longest).plan(0)


def test_a_long_source_is_cut_and_not_left_out(pair: tuple[TokenStore, TokenStore]) -> None:
    source, target = pair
    uncut = PairBatches(source, target, size=500, seed=1, max_length=12)
    batches = PairBatches(target, source, size=500, seed=1, max_length=12, max_source=5)
    assert batches.too_long == sum(len(summary) > 12 for summary in map(source.__getitem__, range(500)))
    assert batches.too_long < uncut.too_long
    batches = PairBatches(source, target, size=500, seed=1, max_length=32, max_source=5)
    assert batches.too_long == 0
    batch = batches.collate(np.arange(500))
    assert batch.source_BS.shape[1] == 5
    for index in (0, 17, 499):
        assert batch.source_BS[index, : batch.lengths_B[index]].tolist() == source[index][:5].tolist()


def test_own_subsets_differ_by_seed_and_are_nested(tmp_path: Path) -> None:
    pair = numbered(tmp_path / "a", [5] * 100), numbered(tmp_path / "b", [5] * 100)

    def read(seed: int, count: int) -> set[int]:
        order = order_of(pair[0], "own", seed)
        return set(np.concatenate(PairBatches(*pair, size=8, seed=1, count=count, order=order).plan(0)).tolist())

    assert len(read(1, 10)) == 10
    assert read(1, 10) < read(1, 30)
    assert read(1, 10) != read(2, 10)
    assert order_of(pair[0], "shared", 1) is None


def test_a_text_is_that_of_the_pairs_read(tmp_path: Path) -> None:
    store = numbered(tmp_path / "a", [2] * 20)
    order = order_of(store, "own", 3)
    assert order is not None
    ids = [number + 10 for number in order[:5].tolist()]
    assert Sentences(store, 0, 5, order).tokens.tolist() == [token for i in ids for token in (i, i, EOS)]
    assert Sentences(store, 0, 2).tokens.tolist() == [10, 10, EOS, 11, 11, EOS]


def test_lines_of_a_language_model_are_read_in_pieces_of_the_sentences_asked_for(tmp_path: Path) -> None:
    lengths = [2, 11, 5, 24, 9, 1]
    batches = lm_lines(Sentences(numbered(tmp_path / "a", lengths), 0, 3, np.array([3, 0, 4])), 2, 10, 1)
    pieces = [row[row != PAD].tolist() for numbers in batches.plan(0) for row in batches.collate(numbers).targets_BT]
    tens = [[13] * 10, [13] * 10, [13] * 4 + [EOS], [10, 10, EOS], [14] * 9 + [EOS]]
    assert sorted(pieces) == sorted(tens)
    assert all(batches.collate(numbers).targets_BT.numel() <= 20 for numbers in batches.plan(0))
