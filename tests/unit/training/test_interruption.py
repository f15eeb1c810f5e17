"""The time limit of a training job."""

import pytest

from seqpre.common.errors import ConfigError
from seqpre.training.interruption import Interruption


@pytest.mark.parametrize("minutes", [0.0, -5.0, float("nan")])
def test_a_time_limit_that_is_none_is_refused(minutes: float) -> None:
    with pytest.raises(ConfigError, match=r"--stop-after is .*; it must be above 0 minutes"):
        Interruption(minutes)


def test_a_job_stops_before_its_limit_and_without_one_never() -> None:
    assert Interruption(1e-9)
    assert not Interruption(60.0)
    assert not Interruption(None)
