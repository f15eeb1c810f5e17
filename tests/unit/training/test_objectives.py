"""Gradients as the optimiser gets them, against the definition of Jozefowicz et al.'s published code."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from seqpre.common.errors import ConfigError
from seqpre.corpora.subwords import EOS
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter
from seqpre.models.batch import Batch
from seqpre.models.lstm import LSTMLanguageModel
from seqpre.study.load import load_study
from seqpre.study.models.lstm import FirstLayer
from seqpre.training.batches import LMStreams, PairBatches
from seqpre.training.objectives import CrossEntropy, LanguageModelling, perplexity
from seqpre.training.processes import Processes, added_up

STUDIES = Path(__file__).parents[3] / "workflow/studies"
VOCABULARY, STREAMS, BPTT = 11, 3, 5


def gradients(norm: float, **settings: Any) -> tuple[LSTMLanguageModel, dict[str, Tensor], dict[str, Tensor]]:
    """Return a model, the gradients of its mean loss a token, and what `limit_gradients` makes of them."""
    torch.manual_seed(1)
    model = LSTMLanguageModel(VOCABULARY, FirstLayer(4, 8, 6))
    text = np.random.default_rng(1).integers(VOCABULARY, size=200).astype(np.uint16)
    objective = LanguageModelling(
        "lm", model, LMStreams(text, STREAMS, BPTT, 1), 1.0, Processes(), "streams", **settings
    )
    ((loss, tokens),) = objective.next_losses()
    assert tokens == STREAMS * BPTT
    torch.autograd.backward(loss)
    before = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    objective.limit_gradients(norm)
    return model, before, {name: p.grad for name, p in model.named_parameters() if p.grad is not None}


def norm_of(tensors: dict[str, Tensor], part: str = "") -> float:
    return float(nn.utils.get_total_norm([tensor for name, tensor in tensors.items() if name.startswith(part)]))


def test_a_loss_per_stream_sums_over_steps_and_the_embeddings_over_streams_too() -> None:
    _, mean, summed = gradients(norm=1e9, loss_per="stream")
    for name, gradient in summed.items():
        factor = BPTT * STREAMS if name.startswith("embedding") else BPTT
        torch.testing.assert_close(gradient, factor * mean[name])


def test_where_the_lstm_alone_is_clipped_other_gradients_stay() -> None:
    _, mean, clipped = gradients(norm=1e-3, clipped="lstm")
    assert norm_of(clipped, "lstm") == pytest.approx(1e-3, rel=1e-3)
    for name in ("embedding.weight", "softmax.weight", "softmax.bias"):
        torch.testing.assert_close(clipped[name], mean[name])


def test_the_norm_that_is_clipped_is_that_of_scaled_gradients() -> None:
    _, mean, _ = gradients(norm=1e9)
    between = 2 * norm_of(mean, "lstm")
    _, _, clipped = gradients(norm=between, loss_per="stream", clipped="lstm")
    assert norm_of(clipped, "lstm") == pytest.approx(between, rel=1e-3)


def test_without_settings_gradients_are_those_of_the_mean_and_clipped_together() -> None:
    model, mean, limited = gradients(norm=1e-3)
    for name, parameter in model.named_parameters():
        parameter.grad = mean[name]
    nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
    assert all(torch.equal(limited[name], mean[name]) for name in limited)


@pytest.mark.parametrize("study", ["ramachandran-translation", "ramachandran-summarization"])
def test_adagrad_at_this_rate_gets_the_gradients_it_is_meant_for(study: str) -> None:
    settings = load_study(STUDIES / f"{study}.yaml", "paper").lm_settings
    assert (settings.optimizer.name, settings.optimizer.lr) == ("adagrad", 0.2)
    assert (settings.train.loss_per, settings.train.clipped) == ("stream", "lstm")


class Linear(nn.Module):
    """A labelled model of one product."""

    def __init__(self) -> None:
        super().__init__()
        self.scores = nn.Embedding(VOCABULARY, VOCABULARY)

    def loss(self, batch: Batch) -> Tensor:
        """Return the summed loss of targets given the first token of each source."""
        scores_BV = self.scores(batch.source_BS[:, 0])
        return nn.functional.cross_entropy(scores_BV, batch.targets_BT[:, 0], reduction="sum")

    def unused_by_loss(self) -> None:
        """Nothing is without a gradient."""


def pairs_of(folder: Path) -> PairBatches:
    rng = np.random.default_rng(1)
    with TokenStoreWriter(folder / "tokens", VOCABULARY, "f") as store:
        for _ in range(40):
            store.append([*rng.integers(4, VOCABULARY, size=3).tolist(), EOS])
    return PairBatches(*[TokenStore(folder / "tokens")] * 2, 4, 1)


@pytest.fixture
def group() -> Iterator[None]:
    """A group of processes that has this one only, whose sums change no bit."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("group")
def test_gradients_of_several_batches_are_added_up_over_processes_once_where_asked(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model, data, processes = Linear(), pairs_of(tmp_path), Processes(0, 2)
    objective = CrossEntropy(model, data, processes, tokens_per_update=3 * 16)  # type: ignore[arg-type]
    assert isinstance(objective.loss, DistributedDataParallel)
    sums = []

    def counted(state: None, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:
        sums.append(bucket.index())
        future: torch.futures.Future[Tensor] = torch.futures.Future()
        future.set_result(bucket.buffer())
        return future

    objective.loss.register_comm_hook(None, counted)
    for loss, _ in objective.next_losses():
        torch.autograd.backward(loss)
    assert sums == [0, 0, 0]  # on a processor, whose results keep their bits
    each_time, model.scores.weight.grad, data.batch = model.scores.weight.grad, None, 0
    for left in (2, 1, 0):
        with added_up(objective.loss, now=not left):
            torch.autograd.backward(objective.loss(data.next().part(processes.rows(4))) * (1 / 48))
        assert len(sums) == 3 + (not left)
    assert each_time is not None
    assert torch.equal(each_time, model.scores.weight.grad)  # type: ignore[arg-type]


def test_fewer_streams_than_processes_are_refused() -> None:
    streams = LMStreams(np.zeros(200, dtype=np.uint16), 1, BPTT, 1)
    model = LSTMLanguageModel(VOCABULARY, FirstLayer(4, 8, 6))
    with pytest.raises(ConfigError, match=r"train\.streams is 1: too few streams for 2 processes"):
        LanguageModelling("lm", model, streams, 1.0, Processes(0, 2), "train.streams")


def test_a_loss_that_has_grown_beyond_all_numbers_has_the_highest_perplexity() -> None:
    """So what diverged loses to whatever else was tried, and its curve can be drawn."""
    assert perplexity(0.0) == 1
    assert perplexity(math.nan) == perplexity(math.inf) == perplexity(700.0) < math.inf
