"""The whole line runs on Slurm, and two studies at once in one results folder make what they share only once.

The paths of results, studies and one of the checkouts have a space in them.
"""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

from cluster import CONFIG, PROFILE, checkout, jobs_of, made, start, within

TINY = "tests/studies/tiny-translation.yaml"
GRID = "grid:\n"
TUNING = (
    "    tuning: {grid: {optimizer.lr: [5.0e-3, 2.0e-2]}, fraction: 10pct, seed: 9, same_as: {no_pretraining: full}}\n"
)


def test_two_checkouts_share_text_and_language_models_while_both_run(tmp_path: Path) -> None:
    shared = tmp_path / "shared results"
    one, two = checkout(tmp_path / "one"), checkout(tmp_path / "checkout two")
    for project in (one, two):
        project.edit(TINY, TUNING, "")  # which would train twice as many language models
    two.edit(TINY, GRID, "grid:\n  half: {systems: [full], fractions: [50pct]}\n")
    shutil.copytree(two.folder / "tests/studies", two.folder / "my studies")
    first = start(one, "--configfile", "tests/config.tiny.yaml", "--config", f"results={shared}", *PROFILE)
    within("a claim", lambda: list((shared / ".claims").glob("*.json")))
    second = start(
        two,
        f"{shared}/tiny/tiny-translation/runs/full/50pct/seed1/weights",
        f"{shared}/tiny/subwords/fates-translation/bpe.model",
        "--configfile",
        CONFIG,
        "--config",
        f"results={shared}",
        "studies=[my studies/tiny-translation.yaml,my studies/fates-translation.yaml]",
        *PROFILE,
    )
    second.said("waiting for that")
    assert jobs_of(two) == {}
    within("its end", lambda: "Building DAG" in second.text().rpartition("waiting for that")[2], second.text)
    os.kill(first.process.pid, signal.SIGSTOP)  # That it does not end before both are at work.
    half = shared / "tiny/tiny-translation/runs/full/50pct/seed1/finetune.log"
    within("a training of the second", half.exists, second.text)
    assert first.process.poll() is None
    os.kill(first.process.pid, signal.SIGCONT)
    second.finished()
    log = first.finished()

    assert (made(log, "Pretrain "), made(log, "Extract demo_monolingual")) == (1, 1)
    others = second.text().rpartition("waiting for that")[2]
    for words in ("Pretrain ", "Extract", "Filter demo_monolingual", "Encode demo_monolingual", "Generate"):
        assert made(others, words) == 0, words
    study = shared / "tiny/tiny-translation"
    for path in ("tables/ablations.md", "figures/ablations.png", "summary.md"):
        assert (study / path).stat().st_size > 0
    for project, arguments in ((one, ()), (two, (f"{study}/runs/full/50pct/seed1/weights",))):
        planned = project.snakemake(
            "-n", *arguments, "--configfile", "tests/config.tiny.yaml", "--config", f"results={shared}"
        )
        assert "Nothing to be done" in planned.stdout, planned.stdout
