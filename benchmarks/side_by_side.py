"""Measure several tools in turns: each in a process of its own, one window after the other, only one of them running.

What disturbs the machine during a run then falls on all of them alike. A worker is a program that prints one JSON line
when it is ready, then answers every line on its standard input with one JSON line about one more window of work:

    {"amount": 15872, "cpu_seconds": 8.1, "seconds": 9.7, "peak_memory_mb": 912.4}

The machine may be shared with other work; speeds are therefore quoted per second of the process's own CPU time (user
and system), with the wall time beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from itertools import product
from pathlib import Path
from types import TracebackType
from typing import Any

import torch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WORK = HERE / ".work"
OPENNMT, FAIRSEQ, CTRANSLATE2 = (HERE / f".peers/{name}/bin/python" for name in ("opennmt", "fairseq", "ctranslate2"))

LIMITS = "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS"
"""What limits PyTorch, oneDNN and MKL to an older processor's instructions."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass
class Tool:
    """One contestant: how to start its worker, what it said when ready, and what its windows gave."""

    name: str
    command: Sequence[object]
    ceiling: bool = False
    """Whether it does only what cannot be avoided: what those tools are measured against that call themselves alike."""
    about: dict[str, Any] = field(default_factory=dict)
    windows: list[dict[str, float]] = field(default_factory=list)

    def start(self) -> None:
        environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(HERE)])}
        self.process = subprocess.Popen(
            [str(part) for part in self.command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(WORK / f"{self.name.replace(' ', '_')}.log").open("w"),
            env=environment,
            text=True,
        )
        self.about = self._answer()

    def window(self) -> None:
        """Let the worker do one window, and keep its answer."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.windows.append(self._answer())

    def stop(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()  # Workers end with their input.
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name}: the worker ended; see {WORK / self.name.replace(' ', '_')}.log")
        answer: dict[str, Any] = json.loads(line)
        return answer

    @property
    def rates(self) -> list[float]:
        """Amount of work per CPU second, window by window."""
        return [window["amount"] / window["cpu_seconds"] for window in self.windows]


class Running:
    """Starts workers and makes sure that none outlives the measurement."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.tools = tools

    def __enter__(self) -> None:
        for tool in self.tools:
            tool.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for tool in self.tools:
            if hasattr(tool, "process"):
                tool.stop()


def measure(tools: Sequence[Tool], windows: int) -> None:
    """Warm every tool up with one window that is not kept, then take `windows` of each, in turns."""
    WORK.mkdir(exist_ok=True)
    with Running(tools):
        for tool in tools:
            tool.window()
            tool.windows.clear()
        for number in range(windows):
            # Another one starts each time, so that nobody always runs on the other's heels.
            for place in range(len(tools)):
                tool = tools[(number + place) % len(tools)]
                tool.window()
                print(
                    f"window {number + 1}/{windows}  {tool.name}: {tool.rates[-1]:,.1f} per CPU second", file=sys.stderr
                )


def table(tools: Sequence[Tool], unit: str, peers: Sequence[Tool] = ()) -> str:
    """Return the measurements as a Markdown table, then each of our tools against each peer."""
    ceilings = {tool.about["tool"]: statistics.median(tool.rates) for tool in tools if tool.ceiling}
    columns: dict[str, list[str]] = {}
    for tool in tools:
        median = statistics.median(tool.rates)
        ceiling = None if tool.ceiling else ceilings.get(tool.about["tool"])
        parameters = tool.about.get("parameters")
        seconds, cpu_seconds = (sum(window[key] for window in tool.windows) for key in ("seconds", "cpu_seconds"))
        for title, cell in {
            "tool": tool.name,
            f"{unit} per CPU second: median [min, max]": f"{number(median)} "
            f"[{number(min(tool.rates))}, {number(max(tool.rates))}]",
            "share of its ceiling": f"{median / ceiling:.0%}" if ceiling else "",
            "parameters (trained)": f"{parameters:,}" if parameters else "",
            "wall / CPU seconds": f"{seconds:.0f} / {cpu_seconds:.0f}",
            "peak memory, MiB": f"{tool.windows[-1]['peak_memory_mb']:,.0f}",
        }.items():
            columns.setdefault(title, []).append(cell)
    columns = {title: cells for title, cells in columns.items() if any(cells)}
    rows = [list(columns), ["---"] * len(columns), *zip(*columns.values(), strict=True)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    for ours, peer in product((tool for tool in tools if tool not in peers and not tool.ceiling), peers):
        pairs = [a / b for a, b in zip(ours.rates, peer.rates, strict=True)]
        ratio = statistics.median(ours.rates) / statistics.median(peer.rates)
        lines += [
            "",
            f"{ours.name} / {peer.name}: {ratio:.2f} [{min(pairs):.2f}, {max(pairs):.2f}] "
            f"(ratio of medians, and range over {len(pairs)} rounds).",
        ]
    return "\n".join(lines)


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def report(name: str, title: str, body: str, notes: str) -> None:
    """Write results/<name>.md: the table, and on what, when and how it was measured; of AVX2, <name>_avx2.md."""
    capability = torch.backends.cpu.get_cpu_capability()
    limits = " ".join(f"{key}={os.environ[key]}" for key in LIMITS if key in os.environ)
    vectors = f"vectors of {capability}{f', limited by {limits}' if limits else ''}"
    text = f"""# {title}

{body}

{notes.strip()}

- Machine: {machine()}; {vectors}; one thread a tool, in turns.
- Versions: {versions("torch", "numpy")}; peers as pinned in `benchmarks/peers/`.
- {occasion()}
"""
    write_result(f"{name}_avx2" if capability == "AVX2" else name, text)


def write_result(name: str, text: str) -> None:
    """Print `text` and write it to results/<name>.md."""
    path = HERE / "results" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(text)
    print(f"written to {path.relative_to(ROOT)}", file=sys.stderr)


def machine() -> str:
    """Return what the machine is and how busy it was at the end."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":", 1)[1].strip() for line in lines if "model name" in line), platform.processor())
    return f"{model}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end"


def versions(*packages: str) -> str:
    """Return the versions of Python and of packages."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in packages)])


def occasion() -> str:
    """Return date and command."""
    command = " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    return f"Date: {date.today().isoformat()}. Command: `{command}`"


def arguments(description: str | None, windows: int, work: int, what: str) -> argparse.ArgumentParser:
    """Return the options that every comparison has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--windows", type=int, default=windows, help=f"windows a tool (default: {windows})")
    parser.add_argument("--work", type=int, default=work, help=f"{what} a window (default: {work})")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser


def require(*peers: Path) -> None:
    """Stop with the command to type if a peer is not installed."""
    for python in peers:
        if not python.exists():
            raise SystemExit(f"{python.relative_to(HERE)} is not there; run benchmarks/install_peers.sh first")
