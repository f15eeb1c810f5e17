"""What a plan takes to be at hand if nobody says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre.planning.planner import CORES, GPUS, at_hand
from seqpre.study.configuration import read_configuration

CONFIG = read_configuration(Path(__file__).parents[3] / "config.yaml")


@pytest.mark.parametrize(("wanted", "found"), [(1, GPUS), (8, GPUS), (16, 16)])
def test_a_training_of_several_nodes_has_its_gpus(wanted: int, found: int) -> None:
    assert at_hand(CONFIG | {"scale": "paper", "gpus": wanted}) == (found, CORES)


def test_what_is_said_counts() -> None:
    assert at_hand(CONFIG | {"scale": "paper"}, 4, 16) == (4, 16)
    assert at_hand(CONFIG | {"scale": "demo"})[0] == 0
