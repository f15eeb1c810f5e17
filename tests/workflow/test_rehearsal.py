"""A rehearsal trains each kind with the study's own commands, stops and resumes it, and leaves only texts behind."""

from __future__ import annotations

import re
import subprocess
import sys

from checkout import Project

LM, RUN = "lm, float32", "translation, lstm, float32"


def test_each_kind_is_trained_stopped_resumed_and_set_beside_the_plan(project: Project) -> None:
    words = ["-m", "seqpre.rehearse", "--config", "tests/config.tiny.yaml", "--updates", "40"]
    done = subprocess.run(
        [sys.executable, *words], cwd=project.folder, capture_output=True, text=True, check=False
    )  # fmt: skip
    rows = re.findall(r"^ *([a-z][\w, ]+): (tokens/s|memory|sentences/s decoded) +.* ([\d.]+|[MG]B)", done.stdout, re.M)
    ratios = {(kind, what): ratio for kind, what, ratio in rows}
    assert set(ratios) == {
        *((kind, what) for kind in (LM, RUN) for what in ("tokens/s", "memory")), (RUN, "sentences/s decoded"),
    }, done.stdout + done.stderr  # fmt: skip
    assert ratios.pop((LM, "memory")) == ratios.pop((RUN, "memory")) == "MB"  # nothing is planned without a GPU
    # So small a model is a small part of what a step takes: the plan is for larger ones.
    assert all(0 < float(ratio) < 0.7 for ratio in ratios.values())
    assert done.returncode == 2
    for (kind, what), ratio in ratios.items():
        assert f"{kind}: {ratio} times the {what}" in done.stderr.splitlines()[-1]
    assert not (project.folder / "results/rehearsal/tiny").exists()
    assert not list((project.folder / "results/tiny").rglob("weights")), "the study's own models are not trained"
