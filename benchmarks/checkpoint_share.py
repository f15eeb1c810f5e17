"""Share of training time that goes into writing checkpoints, at the default interval of each scale.

    .venv/bin/python benchmarks/checkpoint_share.py [--folder /scratch]

Builds the full translation model of each scale with the state of its optimizer and writes training states as training
does: copied while training stands still, then serialised, synchronised with the disk (fsync) and renamed beside it.
What that takes from a CPU that trains is not counted. At the paper scale a state has about 6 GB: two must fit into
memory beside the model, three on the disk.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import torch
from side_by_side import ROOT, machine, occasion, versions, write_result

from seqpre.models.build import build
from seqpre.study.load import load_study
from seqpre.study.study import declared_runs
from seqpre.training.checkpoint import TrainingStates

STUDY = ROOT / "workflow/studies/ramachandran-translation.yaml"
GOAL = 2.0
HEADER = """\
| scale | parameters | state, MB | training stands still, s: median [min, max] | until on disk, s | every, min \
| share of the time | goal |
| --- | ---: | ---: | --- | --- | ---: | ---: | --- |"""


def states_of(scale: str, folder: Path, repeats: int) -> str:
    """Return one row: write the states of a scale's model, `repeats` times."""
    study = load_study(STUDY, scale)
    settings = next(run.settings for run in declared_runs(study) if run.system == "full")
    size = study.vocab_size
    model = build(settings.model, size)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    optimizer.zero_grad()
    states, still, written = TrainingStates(folder / scale, scale), [], []
    for _ in range(repeats):
        begin = time.perf_counter()
        states.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()})
        still.append(time.perf_counter() - begin)
        states.wait()
        written.append(time.perf_counter() - begin)
    megabytes = states.last.stat().st_size / 1e6
    shutil.rmtree(folder / scale)
    minutes, middle = settings.train.checkpoint_minutes, statistics.median(still)
    share = 100 * middle / (60 * minutes + middle)
    return (
        f"| {scale} | {sum(p.numel() for p in model.parameters()):,} | {megabytes:,.0f} "
        f"| {middle:.2f} [{min(still):.2f}, {max(still):.2f}] "
        f"| {statistics.median(written):.2f} [{min(written):.2f}, {max(written):.2f}] "
        f"| {minutes:g} | {share:.2f} % | {'met' if share < GOAL else 'missed'} (< {GOAL:g} %) |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where to write (default: a temporary folder)")
    parser.add_argument("--scales", nargs="+", default=["demo", "small", "paper"], help="(default: all three)")
    parser.add_argument("--repeats", type=int, default=5, help="states a scale (default: %(default)s)")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="seqpre-states-", dir=args.folder))
    rows = "\n".join(states_of(scale, folder, args.repeats) for scale in args.scales)
    shutil.rmtree(folder)
    text = f"""# Writing of checkpoints

{HEADER}
{rows}

- Machine: {machine()}.
- Versions: {versions("torch")}.
- {occasion()}
"""
    write_result("checkpoint_share", text)


if __name__ == "__main__":
    main()
