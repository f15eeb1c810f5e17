"""docs/plan.md and docs/commands.md show the plans that the command makes."""

from pathlib import Path

import pytest

from seqpre.planning.planner import CORES, GPUS, make_plan
from seqpre.planning.sheet import number
from seqpre.planning.sheets import by_rule, by_system, overview
from seqpre.study.configuration import read_configuration

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("study", ["ramachandran-translation", "ramachandran-summarization"])
def test_the_documented_plan_is_the_current_one(study: str) -> None:
    config = read_configuration(ROOT / "config.yaml") | {"scale": "paper", "results": "none/yet"}
    plan = make_plan(config | {"studies": [study]}, ROOT, GPUS, CORES)
    assert documented_hours(study, 6) == number(plan.hours(plan.jobs, "gpus"))
    documented = (ROOT / "docs/plan.md").read_text(encoding="utf-8")
    if study == "ramachandran-translation":
        (row,) = (line.split("|") for line in documented.splitlines() if line.startswith("| translation study of "))
        faster = plan.fastest()
        planned = [number(one.hours(one.jobs, "gpus")) for one in (plan, faster)]
        assert [row[column].strip() for column in (2, 6)] == planned
    for sheet in (overview(plan, f"Plan of {study} at the paper scale"), by_rule(plan), *by_system(plan)):
        assert sheet.markdown() in documented, (
            f"run: python -m seqpre.plan --scale paper --studies {study} --output plan.md; put its tables into "
            "docs/plan.md, and see whether what is said above them still holds"
        )


def documented_hours(study: str, column: int) -> str:
    """Return a cell of the table of studies."""
    rows = (line.split("|") for line in (ROOT / "docs/commands.md").read_text(encoding="utf-8").splitlines())
    (hours,) = (row[column].strip() for row in rows if len(row) == 8 and row[1] == f" `{study}` ")
    return hours


def test_the_documented_core_hours_of_the_first_study_are_the_current_ones() -> None:
    config = read_configuration(ROOT / "config.yaml") | {"scale": "small", "results": "none/yet"}
    plan = make_plan(config, ROOT, 0, CORES)
    hours = number(plan.hours(plan.jobs, "cores"))
    assert documented_hours("ramachandran-translation", 4) == hours
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{hours} core-hours" in readme
    assert f"{documented_hours('ramachandran-translation', 6)} GPU-hours" in readme
    assert "poda-headlines]'     # real text: 2 to 3 hours on two cores" in readme
    assert 2 <= float(documented_hours("poda-headlines", 4)) / 2 <= 3
