"""Batches of noisy and clean sequences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from seqpre.corpora.subwords import EOS, PAD
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter
from seqpre.models.batch import Batch
from seqpre.training.denoising import DenoisingBatches
from seqpre.training.noise import Unigrams
from seqpre.training.processes import Processes

KNOWN = 30


def store_of(folder: Path, sequences: int = 50) -> TokenStore:
    rng = np.random.default_rng(0)
    with TokenStoreWriter(folder / "tokens", KNOWN + 100, "f") as store:
        for _ in range(sequences):
            words = rng.integers(4, KNOWN, size=rng.integers(1, 12)).tolist()
            words[0] = KNOWN  # Unknown, first at the first place.
            store.append([*words, EOS])
    return TokenStore(folder / "tokens")


def batches_of(store: TokenStore, masked: bool = True, seed: int = 3) -> DenoisingBatches:
    unigrams = Unigrams.of(np.ones(KNOWN - 4, dtype=np.int64))
    return DenoisingBatches(store, unigrams, KNOWN, np.arange(len(store)), 8, seed, 20, masked=masked)


def same(one: Batch, other: Batch) -> bool:
    return all(torch.equal(getattr(one, name), getattr(other, name)) for name in vars(one))


def test_noise_depends_on_seed_pass_and_sequence_alone(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    data, again = batches_of(store), batches_of(store)
    first_pass = [data.next() for _ in range(7)]
    state = data.state_dict()
    later = [data.next() for _ in range(9)]
    again.load_state_dict(state)
    assert all(same(one, again.next()) for one in later)
    indices = np.arange(8)
    data.epoch, again.epoch = 0, 0
    assert same(data.collate(indices), again.collate(indices))
    alone = data.collate(indices[3:4])
    length = int(alone.lengths_B[0])
    assert data.collate(indices).source_BS[3, :length].tolist() == alone.source_BS[0].tolist()
    again.epoch = 1
    assert not same(data.collate(indices), again.collate(indices))
    assert not same(data.collate(indices), batches_of(store, seed=4).collate(indices))
    assert len(first_pass) == 7


def test_batches_gathered_early_are_the_same_and_no_state_knows_of_them(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    data, early = batches_of(store), batches_of(store)
    start = early.state_dict()
    first = early.gather()
    for _ in range(15):  # Over the ends of two passes.
        before = early.state_dict(), early.summary()
        gathered = early.gather()
        assert (early.state_dict(), early.summary()) == before
        assert same(data.next(), gathered)
        assert early.next() is gathered
    early.gather()
    early.load_state_dict(start)
    assert same(early.next(), first)


def test_targets_are_the_clean_words_and_an_unknown_one_can_be_copied(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    batch = batches_of(store).collate(np.arange(50))
    copied = 0
    for index in range(50):
        clean = store[index][1:].tolist()
        target = [token for token in batch.targets_BT[index].tolist() if token != PAD]
        assert target[1:] == clean
        assert batch.inputs_BT[index, : len(target)].tolist() == [EOS, *target[:-1]]
        if target[0] >= KNOWN:
            copied += 1
            assert int(batch.source_BS[index, target[0] - KNOWN]) == target[0]
    assert copied > 30


def test_only_masked_positions_are_scored_and_each_process_has_its_own(tmp_path: Path) -> None:
    data = batches_of(store_of(tmp_path))
    batch, whole = data.collate(np.arange(50)), batches_of(data.source, masked=False).collate(np.arange(50))
    assert 0.2 < batch.tokens / whole.tokens < 0.7
    assert whole.tokens == data.source.num_tokens
    found = []
    for rank in range(3):
        rows = Processes(rank, 3).rows(50)
        part = batch.part(rows)
        found += zip(part.steps_N.tolist(), (part.rows_N + rows.start).tolist(), strict=True)
    assert sorted(found) == list(zip(batch.steps_N.tolist(), batch.rows_N.tolist(), strict=True))


def test_a_batch_in_which_nothing_is_scored_is_passed_over(tmp_path: Path) -> None:
    with TokenStoreWriter(tmp_path / "tokens", KNOWN, "f") as store:
        for _ in range(40):
            store.append([5, EOS])
    data = DenoisingBatches(TokenStore(tmp_path / "tokens"), Unigrams.of(np.array([1])), KNOWN, np.arange(40), 1, 1, 20)
    assert all(data.next().tokens for _ in range(30))
    assert data.epoch > 0
