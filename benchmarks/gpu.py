"""What the first minutes on a GPU should tell, in the order of how much depends on it; each result is kept at once.

    python benchmarks/gpu.py --budget 520 --text train.en train.de     nine minutes, from a clean checkout
    python benchmarks/gpu.py --tiny                                    without a GPU: does all of it run?
    python benchmarks/gpu.py --table gpu.jsonl                         only the table of what was measured

A line of JSON is on disk as soon as something is measured: gpu.jsonl in --output, in $OUT, or in benchmarks/results
(--tiny: benchmarks/.work). A piece whose share of the budget is not left, nor half of it, is skipped.
Each piece is a process of its own, which ends when its share of the budget is overdrawn, so none takes others with it.
Models, losses, optimisers and batches are those of the studies at the paper scale; text is drawn from Zipf's law, with
the lengths of the studies' text, but for curves, which need real text. Operations are those of the products alone,
padding not counted; idle is what the profiler's kernels leave of the wall time.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from gpu.same import agreement, ceilings, lstm_error
from gpu.speed import curves, full_update, processes, search, transformers
from gpu.work import Bench
from side_by_side import HERE, WORK, machine, occasion, versions

PIECES: dict[str, tuple[Callable[[Bench], None], float]] = {
    "ceilings": (ceilings, 15),
    "lstm_error": (lstm_error, 15),
    "agreement": (agreement, 60),
    "full_update": (full_update, 150),
    "processes": (processes, 60),
    "transformers": (transformers, 90),
    "curves": (curves, 100),
    "search": (search, 30),
}
"""Each piece and its share of the budget."""
OVERDRAWN, START = 1.25, 10.0
"""How much more than its share a piece may take, and seconds that its start may, before it is ended."""


def about(bench: Bench) -> None:
    """Say what machine this is. Refuses to go on without a GPU, unless all is tiny."""
    cuda = torch.cuda.is_available()
    if not cuda and not bench.tiny:
        raise SystemExit("torch sees no GPU here; --tiny tries all of it without one")
    bench.say("about", chip=torch.cuda.get_device_name() if cuda else "no GPU", machine=machine(),
              versions=f"{versions('torch', 'numpy')}; CUDA {torch.version.cuda}; cuDNN "
                       f"{torch.backends.cudnn.version()}", occasion=occasion())  # fmt: skip


def run(function: Callable[[Bench], None], bench: Bench) -> None:
    """Be the process of a piece."""
    os.setsid()  # It is ended with those that it has started.
    if bench.tiny:
        torch.set_num_threads(1)
    try:
        function(bench)
    except Exception as error:
        traceback.print_exc()
        bench.say("piece", error=f"{type(error).__name__}: {error}"[:500])


def piece(function: Callable[[Bench], None], bench: Bench, most: float) -> int:
    """Run a piece in a process of its own, for at most so many seconds; return its exit status."""
    child = multiprocessing.get_context("fork").Process(target=run, args=(function, bench))
    child.start()
    child.join(most)
    assert child.pid is not None
    if child.is_alive():
        os.killpg(child.pid, signal.SIGKILL)
        child.join()
        bench.say("piece", error=f"ended after {most:.0f} s")
    elif child.exitcode and child.exitcode < 0:
        bench.say("piece", error=f"died of signal {-child.exitcode}")
    return child.exitcode or 0


def cell(value: Any) -> str:
    """Return a value as a table shows it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def table(lines: Iterable[dict[str, Any]]) -> str:
    """Return a Markdown table for each part that was measured, its goal and whether that is reached at the end."""
    parts: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in lines:
        values = {key: value for key, value in line.items() if key not in ("piece", "part")}
        parts.setdefault((line["piece"], line["part"]), []).append(values)
    found = ["# On a GPU"]
    for (name, part), rows in parts.items():
        if part == "about":
            found += ["\n".join(f"- {key}: {value}" for row in rows for key, value in row.items())]
            continue
        last = ("goal", "reached", "skipped", "error")
        columns = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in last]
        columns += [key for key in last if any(key in row for row in rows)]
        head = [" | ".join(columns).replace("_", " "), " | ".join(["---"] * len(columns))]
        body = [
            " | ".join(cell(row.get(key, "")).replace("|", "/").replace("\n", " ") for key in columns) for row in rows
        ]
        found += [
            f"## {name.replace('_', ' ').capitalize()}: {part}",
            "\n".join(f"| {row} |" for row in [*head, *body]),
        ]
    return "\n\n".join(found) + "\n"


def read_table(lines: Path) -> str:
    """Return the table of a file of lines."""
    return table(map(json.loads, lines.read_text(encoding="utf-8").splitlines()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, default=520, help="seconds for all of it (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=PIECES, default=list(PIECES), help="these pieces (default: all)")
    parser.add_argument(
        "--text", type=Path, nargs=2, metavar=("SOURCE", "TARGET"), help="sentence pairs for the curves"
    )
    parser.add_argument("--output", type=Path, help="folder of gpu.jsonl (default: $OUT, or benchmarks/results)")
    parser.add_argument("--tiny", action="store_true", help="small sizes, for a machine without a GPU")
    parser.add_argument("--table", type=Path, metavar="FILE", help="print the table of these lines, measure nothing")
    args = parser.parse_args()
    if args.table:
        return print(read_table(args.table))
    ends = time.monotonic() + args.budget
    output = args.output or Path(os.environ.get("OUT", WORK if args.tiny else HERE / "results"))
    output.mkdir(parents=True, exist_ok=True)
    lines = output / "gpu.jsonl"
    lines.unlink(missing_ok=True)
    work = Path(tempfile.mkdtemp(prefix="seqpre-gpu-"))
    # This process leaves the GPU alone, as it forks those that use it.
    device = torch.device("cpu" if args.tiny else "cuda")
    try:
        if piece(about, Bench("machine", device, args.tiny, work, lines, 30), 60):
            sys.exit(2)
        scale = (ends - time.monotonic()) / sum(share for _, share in PIECES.values())
        for name in args.only:
            function, share = PIECES[name]
            left, whole = ends - time.monotonic(), min(1.0, scale) * share
            share = min(left, whole)
            bench = Bench(name, device, args.tiny, work / name, lines, share, args.text)
            if share < whole / 2:
                bench.say("piece", skipped=f"it takes {whole:.0f} s and {left:.0f} s are left")
            else:
                bench.folder.mkdir()
                piece(function, bench, min(left + START, OVERDRAWN * share + START))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(read_table(lines))


if __name__ == "__main__":
    main()
