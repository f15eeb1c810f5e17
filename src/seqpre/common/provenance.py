"""The code and the machine that made a result."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch


def provenance(device: torch.device) -> dict[str, Any]:
    """Return versions, the commit of the checkout, machine and threads."""
    return {
        "seqpre": installed_version(),
        "commit": commit(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else processor(),
        "processors": os.cpu_count(),
        "threads": torch.get_num_threads(),
    }


def installed_version() -> str:
    """Return the version of the installed package, `not installed` for a bare checkout."""
    try:
        return version("seqpre")
    except PackageNotFoundError:
        return "not installed"


def commit() -> str:
    """Return the commit of this file's checkout, with `-dirty` if code differs; `unknown` outside a checkout."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
        # Results are committed, too; rewriting them does not change the code.
        difference = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", ":/", ":(top,exclude)results"], check=False)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return head.stdout.strip() + ("-dirty" if difference.returncode else "")


def processor() -> str:
    """Return the name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
