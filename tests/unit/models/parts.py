"""What is asked of several models: of batches that processes share, and of searches."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqpre.models.batch import Batch
from seqpre.models.kernels.dropout import rows_of_batch
from seqpre.models.transformer import Transformer
from seqpre.search import beam_search
from seqpre.training.processes import Processes


def assert_parts_add_up(model: nn.Module, pairs: Batch) -> None:
    """Two processes, each with its rows of a batch of three, drop what one alone drops: their losses add up to its."""
    state = torch.get_rng_state()
    whole, parts = model.loss(pairs), []
    for rank in range(2):
        torch.set_rng_state(state)
        rows = Processes(rank, 2).rows(3)
        with rows_of_batch(rows):
            parts.append(model.loss(pairs.part(rows)))
    torch.testing.assert_close(sum(parts), whole)


@torch.inference_mode()
def assert_steps_equal_the_whole(model: Transformer, source_BS: Tensor, lengths_B: Tensor) -> None:
    """Of three sources, a token at a time gives what whole sequences give, whichever hypotheses are gone on with."""
    stepper = model.stepper(source_BS, lengths_B)
    written_RT, sentences_R = torch.full((3, 1), stepper.start_id), torch.arange(3)
    memory_BSD, _ = model.encode(source_BS, lengths_B)
    for step in range(20):  # More than the cache has room for at first.
        found_RV = stepper.step(written_RT[:, -1])
        real_RS = torch.arange(source_BS.shape[1]) < lengths_B[sentences_R][:, None]
        features = model.decode(written_RT, memory_BSD[sentences_R], real_RS[:, None, None])[:, -1]
        expected_RV = torch.log_softmax(features @ model.softmax.T, dim=1)
        torch.testing.assert_close(found_RV, expected_RV, atol=1e-5, rtol=1e-4)
        rows = {0: [0, 0, 1, 1, 2, 2], 1: [1, 0, 3, 3, 4, 4], 2: [1, 1, 4, 5]}.get(step, list(range(len(written_RT))))
        places = torch.tensor([0, 2]) if step == 2 else torch.arange(len(set(sentences_R.tolist())))
        rows_R = torch.tensor(rows)
        stepper.select(rows_R, places)
        sentences_R = sentences_R[rows_R]
        generator = torch.Generator().manual_seed(step)
        new_R1 = torch.randint(4, expected_RV.shape[1], (len(rows), 1), generator=generator)
        written_RT = torch.cat([written_RT[rows_R], new_R1], dim=1)


@torch.inference_mode()
def assert_company_changes_nothing(model: Transformer, source_BS: Tensor, lengths_B: Tensor) -> None:
    """A search finds the same of a padded source among others as of that source alone."""
    together = beam_search([model], source_BS, lengths_B, 4)
    for b, length in enumerate(lengths_B):
        alone = beam_search([model], source_BS[b : b + 1, :length], lengths_B[b : b + 1], 4)[0]
        assert [h.ids for h in alone] == [h.ids for h in together[b]]
