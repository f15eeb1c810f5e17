"""The decoder a token at a time against the decoder over whole sequences."""

import pytest
import torch

from seqpre.corpora.subwords import EOS
from seqpre.models import lstm
from seqpre.models.lstm import LSTMStepper, Seq2Seq
from seqpre.study.models.lstm import FirstLayer, LSTMSettings

S, B, V = 6, 3, 30
SETTINGS = [
    (FirstLayer(embedding_dim=5, hidden_dim=7, projection_dim=6), 2, "plain", "first_and_top", True),
    (FirstLayer(embedding_dim=5, hidden_dim=7, projection_dim=0), 1, "gated", "first_and_top", True),
    (FirstLayer(embedding_dim=5, hidden_dim=7, projection_dim=6), 1, "none", "top", True),
    (FirstLayer(embedding_dim=5, hidden_dim=7, projection_dim=0), 2, "plain", "first_and_top", False),
]


@torch.no_grad()
@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize(("shape", "layers", "residual", "attention", "feeding"), SETTINGS)
def test_stepping_equals_the_full_sequence(
    shape: FirstLayer,
    layers: int,
    residual: str,
    attention: str,
    feeding: bool,
    mapped: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows are reordered, doubled and given up on the way, as a search does."""
    monkeypatch.setattr(lstm, "MAPPED_POSITIONS", S if mapped else S - 1)
    torch.manual_seed(0)
    settings = LSTMSettings(
        shape, upper_layers=layers, upper_dim=4, residual=residual, attention=attention, input_feeding=feeding
    )
    model = Seq2Seq(20, V, settings).eval()
    source, lengths = torch.randint(4, 20, (B, S)), torch.tensor([6, 3, 1])
    stepper = LSTMStepper(model, source, lengths)
    assert stepper.mapped == mapped
    ids, sentences, prefixes = torch.full((B,), EOS), torch.arange(B), torch.empty(B, 0, dtype=torch.long)
    for rows, stay in (([0, 0, 1, 1, 2, 2], [0, 1, 2]), ([1, 0, 4, 4], [0, 2]), ([3, 2], [1])):
        prefixes = torch.cat([prefixes, ids[:, None]], dim=1)
        of_row = sentences.repeat_interleave(len(ids) // len(sentences))
        full = model.decoder(prefixes, model.encoder(source[of_row], lengths[of_row]))[-1]
        torch.testing.assert_close(stepper.step(ids), model.decoder.lm.softmax(full).log_softmax(dim=1))
        stepper.select(torch.tensor(rows), torch.tensor(stay))
        sentences, prefixes, ids = sentences[stay], prefixes[rows], torch.randint(4, V, (len(rows),))
