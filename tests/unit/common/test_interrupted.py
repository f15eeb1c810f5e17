"""Ctrl-C ends a command in one line, and what it has started ends first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

COMMAND = """
from seqpre.common.errors import command
from seqpre.common.workflow import snakemake

@command
def main(argv=None):
    snakemake(["--cores", "1"], "it has failed")

main()
"""
SNAKEMAKE = """
import signal, sys, time
def save(*_):
    time.sleep(1)
    print("saved", flush=True)
    sys.exit(1)
signal.signal(signal.SIGINT, save)
print("training", flush=True)
time.sleep(60)
"""


def test_snakemake_saves_its_work_before_the_command_ends(tmp_path: Path) -> None:
    (tmp_path / "snakemake.py").write_text(SNAKEMAKE, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path}, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "training\n"
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
    said, errors = process.communicate(timeout=60)
    assert (said, errors, process.returncode) == ("saved\n", "stopped by Ctrl-C\n", 130)
