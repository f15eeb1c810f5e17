"""docs/plan.md shows the plan that the command makes."""

from pathlib import Path

import pytest

from seqpre.plan import CORES, GPUS
from seqpre.planning.planner import make_plan
from seqpre.planning.sheets import by_rule, by_system, overview
from seqpre.study.configuration import read_configuration

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("study", ["ramachandran-translation", "ramachandran-summarization"])
def test_the_documented_plan_is_the_current_one(study: str) -> None:
    config = read_configuration(ROOT / "config.yaml") | {"scale": "paper", "results": "none/yet"}
    plan = make_plan(config | {"studies": [study]}, ROOT, GPUS, CORES)
    documented = (ROOT / "docs/plan.md").read_text(encoding="utf-8")
    for sheet in (
        overview(plan, f"Plan of {study} at the paper scale"),
        by_rule(plan),
        *by_system(plan),
    ):
        assert sheet.markdown() in documented, (
            f"run: python -m seqpre.plan --scale paper --studies {study} --output plan.md; put its tables into "
            "docs/plan.md, and see whether what is said above them still holds"
        )
