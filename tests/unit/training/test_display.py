"""What a training run shows of itself."""

import pytest

from seqpre.study.tasks import BY_METRIC
from seqpre.training.display import TrainingDisplay


@pytest.mark.parametrize("metric", BY_METRIC)
def test_a_validation_shows_the_score_of_every_metric(metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    display = TrainingDisplay("a run", max_updates=10)
    display.update(5, 500)
    display.validated({"valid_perplexity": 7.0, f"valid_{metric}": 31.25})
    assert f"{metric.upper().replace('_', '-')} 31.2" in capsys.readouterr().err
