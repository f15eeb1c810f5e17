"""How cost grows: time and memory over corpus, vocabulary, sentence length, beam and batch.

    .venv/bin/python benchmarks/scaling.py                     all, hours: ten million sentences take most of it
    .venv/bin/python benchmarks/scaling.py --only length beam  some
    .venv/bin/python benchmarks/scaling.py --largest 100000    a smaller corpus

Text is generated, then filtered (py3langid), cut into subwords and encoded by the commands that the workflow calls. The
models are those of lstm_seq2seq_training.py, on generated ids; training is forward, backward and update. Each point is
a process of its own: CPU seconds and peak memory are the process's, start included for text and not for models.
Writes results/scaling.tsv, whose rows are added to, and draws all of it into results/scaling.png.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import torch
from lstm_seq2seq_training import FIRST_LAYER, MODEL
from matplotlib.ticker import EngFormatter, LogLocator, NullLocator
from side_by_side import HERE, machine, occasion
from updates import ADAM

from seqpre.common.device import device_of
from seqpre.models.batch import Batch
from seqpre.models.lstm import LSTMLanguageModel, Seq2Seq
from seqpre.report.style import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, styled
from seqpre.search import Limits, beam_search
from seqpre.training.optimisation import make_optimizer

TABLE, FIGURE = HERE / "results/scaling.tsv", HERE / "results/scaling.png"
COLUMNS = ("part", "piece", "x", "amount", "unit", "cpu_seconds", "wall_seconds", "peak_mib")
TEXT = "corpus"
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
POINTS: dict[str, tuple[int, ...]] = {
    "vocabulary": (8_000, 16_000, 32_000, 64_000, 90_000),
    "length": (16, 32, 75, 150, 300, 600),
    "beam": (1, 2, 5, 10, 20),
    "batch": (8, 16, 32, 64, 128),
}
PIECES = {
    "vocabulary": ("LM training", "seq2seq training"),
    "length": ("seq2seq training", "beam search"),
    "beam": ("beam search",),
    "batch": ("LM training", "seq2seq training", "beam search"),
}
AXES = {TEXT: "sentences", "vocabulary": "subwords", "length": "source tokens a sentence", "beam": "beam",
        "batch": "sentences a batch"}  # fmt: skip
COLOURS = {"LM training": BLUE, "seq2seq training": VERMILION, "beam search": GREEN,
           "generate": ORANGE, "filter": PURPLE, "learn BPE": SKY, "encode": INK}  # fmt: skip
LIMITS = Limits(min_length=15, max_length=15)
LM_BPTT, TARGET, SOURCE, VOCABULARY, BATCH, BEAM = 16, 16, 15, 8_000, 64, 10

Row = dict[str, Any]
MEASURED = """
import json, os, sys, time
begin = time.monotonic()
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(json.dumps([usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss]))
sys.exit(bool(status))
"""
"""Runs a command and measures it, in a small process: a child's peak memory is never less than what started it has."""

GENERATE = """
import sys
from pathlib import Path
from seqpre.demo.generate import SIZES, generate_translation
generate_translation(Path(sys.argv[1]), 1, SIZES | {"monolingual": int(sys.argv[2]), "other_domain": 1000})
"""

# ----------------------------------------------------------------------------------------------------------------- text


def text_rows(sentences: int, folder: Path) -> Iterator[Row]:
    """Run the text commands on so many sentences a language; yield a row for each command, of English."""
    corpora = folder / "grammar"
    commands = {
        "generate": ["-c", GENERATE, corpora, sentences],
        "filter": ["-m", "seqpre.corpora.filter", "--input", corpora / "demo_monolingual/train.en", "--languages", "en",
                   "--identifier", "py3langid", "--output", folder / "train.en", "--stats", folder / "stats.json"],
        "learn BPE": ["-m", "seqpre.corpora.learn_bpe", "--input", folder / "train.en", "--vocab-size", "2000",
                      "--output", folder / "bpe.model"],
        "encode": ["-m", "seqpre.corpora.encode", "--input", folder / "train.en", "--subwords", folder / "bpe.model",
                   "--output", folder / "tokens"],
    }  # fmt: skip
    for piece, options in commands.items():
        command = [sys.executable, *map(str, options)]
        done = subprocess.run([sys.executable, "-c", MEASURED, *command], stdout=subprocess.PIPE, check=False)
        if done.returncode:
            raise SystemExit(f"{piece} failed on {sentences:,} sentences")
        yield row(TEXT, piece, sentences, sentences, "sentences", *json.loads(done.stdout.splitlines()[-1]))


def row(part: str, piece: str, x: int, amount: float, unit: str, cpu: float, wall: float, kib: float) -> Row:
    values = (part, piece, x, amount, unit, round(cpu, 2), round(wall, 2), round(kib / 1024))
    return dict(zip(COLUMNS, values, strict=True))


# --------------------------------------------------------------------------------------------------------------- models


def training(model: torch.nn.Module, loss: Callable[[], torch.Tensor], tokens: int) -> Callable[[], int]:
    optimizer = make_optimizer(list(model.parameters()), ADAM)

    def update() -> int:
        loss().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return tokens

    return update


def work(piece: str, part: str, x: int) -> tuple[Callable[[], int], str]:
    """Return what one piece does at a time, and the unit of what it returns."""
    sizes = {"vocabulary": VOCABULARY, "length": SOURCE, "beam": BEAM, "batch": BATCH} | {part: x}
    vocabulary, length, batch = sizes["vocabulary"], sizes["length"], sizes["batch"]
    ids = lambda steps: torch.randint(4, vocabulary, (batch, steps))  # noqa: E731
    if piece == "LM training":
        lm = LSTMLanguageModel(vocabulary, FIRST_LAYER, MODEL.dropout)
        stretch, targets = ids(LM_BPTT), ids(LM_BPTT)
        return training(lm, lambda: lm.stream_loss(stretch, targets, None)[0], targets.numel()), "tokens"
    model = Seq2Seq(vocabulary, vocabulary, MODEL)
    source, lengths = ids(length), torch.full((batch,), length)
    if piece == "beam search":
        model.eval()

        def search() -> int:
            beam_search([model], source, lengths, sizes["beam"], LIMITS)
            return batch

        return search, "sentences"
    pairs = Batch.of(source, lengths, ids(TARGET), torch.ones(batch, TARGET, dtype=torch.bool))
    return training(model, lambda: model.loss(pairs), pairs.tokens), "target tokens"


def work_for(piece: str, part: str, x: int, seconds: float) -> None:
    """Work for some CPU seconds after the first time; print the row."""
    torch.set_num_threads(1)
    device_of("cpu")
    torch.manual_seed(1)
    once, unit = work(piece, part, x)
    once()
    begin, start, amount = time.monotonic(), time.process_time(), 0
    while (cpu := time.process_time() - start) < seconds:
        amount += once()
    wall, peak = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(row(part, piece, x, amount, unit, cpu, wall, peak)))


def model_rows(part: str, seconds: float) -> Iterator[Row]:
    for piece in PIECES[part]:
        for x in POINTS[part]:
            point = ["--worker", piece, part, str(x), "--seconds", str(seconds)]
            done = subprocess.run([sys.executable, __file__, *point], stdout=subprocess.PIPE, check=True)
            yield json.loads(done.stdout)


# --------------------------------------------------------------------------------------------------------------- figure


def draw(rows: list[Row]) -> None:
    """Draw a column a part: time for each unit of work above, peak memory below."""
    parts = [part for part in AXES if any(one["part"] == part for one in rows)]
    figure, axes = plt.subplots(2, len(parts), figsize=(2.9 * len(parts), 5.2), squeeze=False, layout="constrained")
    for column, part in enumerate(parts):
        for piece in dict.fromkeys(one["piece"] for one in rows if one["part"] == part):
            points = sorted(((float(one["x"]), one) for one in rows if (one["part"], one["piece"]) == (part, piece)),
                            key=lambda point: point[0])  # fmt: skip
            x = [place for place, _ in points]
            cost = [1e3 * float(one["cpu_seconds"]) / float(one["amount"]) for _, one in points]
            label = f"{piece}, a {points[0][1]['unit'].removesuffix('s')}"
            axes[0, column].plot(x, cost, marker="o", markersize=4, label=label, color=COLOURS[piece])
            axes[1, column].plot(
                x, [float(one["peak_mib"]) for _, one in points], marker="o", markersize=4, color=COLOURS[piece]
            )
        for line, what in ((0, "CPU ms"), (1, "peak memory, MiB")):
            axis = axes[line, column]
            axis.set(xscale="log", yscale="log", xlabel=AXES[part], ylabel=what if column == 0 else "")
            axis.set_xticks(sorted({float(one["x"]) for one in rows if one["part"] == part}))
            axis.xaxis.set_major_formatter(EngFormatter(sep=""))
            axis.yaxis.set_major_formatter("{x:g}")
            axis.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
            axis.yaxis.set_minor_formatter("{x:g}")
            axis.xaxis.set_minor_locator(NullLocator())
            axis.tick_params("x", rotation=45)
        axes[0, column].legend(title=part, loc="lower left", bbox_to_anchor=(-0.05, 1.0), alignment="left")
    figure.savefig(FIGURE, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[TEXT, *POINTS], default=[TEXT, *POINTS], help="(default: all)")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="sentences (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=8.0, help="CPU seconds a point of models (default: 8)")
    parser.add_argument("--folder", type=Path, help="for text, some GB (default: a temporary folder)")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        piece, part, x = args.worker
        return work_for(piece, part, int(x), args.seconds)
    rows = []
    if TABLE.exists():
        with TABLE.open(encoding="utf-8") as file:
            rows = [one for one in csv.DictReader(file, delimiter="\t") if one["part"] not in args.only]
    for part in args.only:
        if part == TEXT:
            for size in (size for size in SIZES if size <= args.largest):
                folder = Path(tempfile.mkdtemp(prefix="seqpre-scaling-", dir=args.folder))
                rows += text_rows(size, folder)
                shutil.rmtree(folder)
        else:
            rows += model_rows(part, args.seconds)
        print(f"{part}: measured. {machine()}. {occasion()}", file=sys.stderr)
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        with styled():
            draw(rows)


if __name__ == "__main__":
    main()
