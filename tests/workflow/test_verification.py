"""A run of committed records is trained again with the settings that were chosen for it, without choosing anew."""

from __future__ import annotations

from pathlib import Path

from checkout import REPOSITORY, STUDY, Project
from seqpre import verify


def test_a_tuned_run_is_planned_without_its_tuning(project: Project) -> None:
    runs = verify.recorded(REPOSITORY / "results/small" / STUDY, fresh=False)
    (one,) = (one for one in runs if one.name == "encoder_only/5pct/seed3")
    verify.put_choices(project.folder / "results/verify/small" / STUDY, one.choices)
    scores = str(Path("results/verify/small", STUDY, one.run.folder, "scores.json"))
    planned = project.planned(scores, "--config", "scale=small", "seeds=[3]", "results=results/verify")
    with_reference = (planned["resolve_run"], planned["pretrain"], planned["finetune"])
    assert (*with_reference, planned["score"]) == (2, 2, 2, 1)
    assert "choose_settings" not in planned
