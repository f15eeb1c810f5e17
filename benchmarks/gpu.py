"""Training and search on a GPU at the paper's sizes: tokens per second, share of the matrix rate, memory, idle time.

    .venv/bin/python benchmarks/gpu.py              on a machine with a GPU, about five minutes
    .venv/bin/python benchmarks/gpu.py --tiny       without one: does the script run? its numbers mean nothing

Each piece with the settings that its study has at the paper scale: the language model, fine-tuning on sentence pairs
and on documents of 600 tokens, and beam search for outputs as long as references are on average. Each in float32 and
with TF32 products; whether the second is safe, the losses say, which start from the same weights and see the same
batches.

The matrix rate is that of one large product in the same precision, measured first. Operations are those of the model's
products alone (`seqpre.planning.operations`), padding not counted. The time that the GPU idles is what the profiler's
kernels leave of the wall time.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from side_by_side import ROOT, machine, occasion, versions, write_result
from torch.profiler import ProfilerActivity, profile
from updates import Updates

from seqpre.corpora.subwords import EOS
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter
from seqpre.models.build import build
from seqpre.models.lstm import LSTMLanguageModel, Seq2Seq
from seqpre.planning import operations
from seqpre.search import Limits, beam_search
from seqpre.study.load import load_study
from seqpre.study.models.lstm import FirstLayer
from seqpre.study.settings import RunSettings
from seqpre.study.study import Study, declared_runs
from seqpre.training.batches import LMStreams, PairBatches
from seqpre.training.objectives import Labelled, LanguageModelling
from seqpre.training.processes import Processes

PRECISIONS = {"float32": "highest", "TF32": "high"}
PROFILED = 2
"""Updates, or batches, under the profiler: it keeps each kernel, of which an update has thousands."""
GOALS = {"language model": 50, "translation": 35, "beam search": 15, "summarization": 35}
"""Per cent of the matrix rate that should be reached."""
PAIRS, SENTENCES = 4_000, 64
WORDS = {"translation": ((27.0, 0.5), (28.0, 0.5)), "summarization": ((800.0, 0.4), (65.0, 0.3))}
"""Mean and log-normal spread of source and target lengths: WMT14 in subwords, CNN/Daily Mail."""
HEADER = """\
| piece | precision | tokens/s | TFLOP/s | share of the matrix rate | goal | memory, GiB | idle | loss at the end |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


class Searches:
    """Beam search over a few batches of sentences, as many as `updates`; the sum of tokens is what it wrote."""

    objective = None

    def __init__(self, model: Seq2Seq, pairs: PairBatches, device: torch.device, beam: int, updates: int) -> None:
        self.model, self.pairs, self.device, self.beam, self.updates = model.eval(), pairs, device, beam, updates
        length = round(WORDS["translation"][1][0])
        self.limits = Limits(min_length=length, max_length=length)

    def __call__(self) -> float:
        written = 0
        with torch.no_grad():
            for _ in range(self.updates):
                batch = self.pairs.next()
                found = beam_search([self.model], batch.source_BS.to(self.device), batch.lengths_B.to(self.device),
                                    self.beam, self.limits)  # fmt: skip
                written += sum(len(hypotheses[0].ids) for hypotheses in found)
        return written


@dataclass
class Piece:
    """Something to train or to search with, made anew for each precision."""

    name: str
    make: Callable[[], Updates | Searches]
    operations: Callable[[Updates | Searches], float]
    """Of the matrix products of what an instance has done in its last call."""


def generated(folder: Path, vocabulary: int, task: str, shorter: float) -> tuple[TokenStore, TokenStore]:
    """Write pairs whose lengths are like the task's, and ids drawn from Zipf's law."""
    rng = np.random.default_rng(1)
    probability = 1 / np.arange(2, vocabulary - 2)
    probability /= probability.sum()
    for side, (mean, spread) in zip(("source", "target"), WORDS[task], strict=True):
        with TokenStoreWriter(folder / task / side, vocabulary, "benchmark") as store:
            for length in np.exp(rng.normal(np.log(mean * shorter) - spread**2 / 2, spread, PAIRS)):
                ids = 4 + rng.choice(vocabulary - 4, size=max(2, int(length)), p=probability)
                store.append([*ids.tolist(), EOS])
    return TokenStore(folder / task / "source"), TokenStore(folder / task / "target")


class CountedPairs(PairBatches):
    """Counts what each batch holds, for its operations."""

    pairs = source_tokens = target_tokens = 0

    def next(self):  # type: ignore[no-untyped-def]
        batch = super().next()
        self.pairs += len(batch.lengths_B)
        self.source_tokens += int(batch.lengths_B.sum())
        self.target_tokens += batch.tokens
        return batch

    def taken(self) -> tuple[int, float, float]:
        """Return pairs and their mean lengths since the last call."""
        counts = self.pairs, self.source_tokens / self.pairs, self.target_tokens / self.pairs
        self.pairs = self.source_tokens = self.target_tokens = 0
        return counts


def language_model(study: Study, text: TokenStore, device: torch.device, updates: int) -> Piece:
    settings, vocabulary = study.lm_settings, study.vocab_size

    def make() -> Updates:
        model = LSTMLanguageModel(vocabulary, settings.first_layer, settings.train.dropout).to(device)
        streams = LMStreams(text.tokens, settings.train.streams, settings.train.bptt, seed=1)
        return Updates(model, LanguageModelling("lm", model, streams, 1.0, Processes(), "streams"), updates)

    tokens = updates * settings.train.streams * settings.train.bptt
    return Piece(
        "language model", make, lambda _: tokens * operations.TRAINING * settings.first_layer.token(vocabulary)
    )


def fine_tuning(study: Study, settings: RunSettings, stores: tuple[TokenStore, TokenStore], device: torch.device,
                updates: int) -> Piece:  # fmt: skip
    train, vocabulary = settings.train, study.vocab_size

    def make() -> Updates:
        model = build(settings.model, vocabulary).to(device)
        pairs = CountedPairs(*stores, train.batch_sentences, seed=1, max_source=settings.model.max_source,
                             budget=train.batch_tokens)  # fmt: skip
        return Updates(model, Labelled(model, pairs, Processes()), updates)

    def products(done: Updates | Searches) -> float:
        count, source, target = done.objective.data.taken()  # type: ignore[union-attr]
        return operations.TRAINING * count * settings.model.sentence(vocabulary, source, target)

    return Piece(study.task, make, products)


def searching(study: Study, settings: RunSettings, stores: tuple[TokenStore, TokenStore], device: torch.device,
              updates: int) -> Piece:  # fmt: skip
    vocabulary, beam = study.vocab_size, settings.decode.beam

    def make() -> Searches:
        model = build(settings.model, vocabulary).to(device)
        return Searches(model, CountedPairs(*stores, SENTENCES, seed=1), device, beam, updates)

    def products(done: Updates | Searches) -> float:
        count, source, _ = done.pairs.taken()  # type: ignore[union-attr]
        return count * settings.model.sentence(vocabulary, source, done.limits.max_length, beam)  # type: ignore[union-attr]

    return Piece("beam search", make, products)


def pieces(folder: Path, device: torch.device, updates: int, *, tiny: bool) -> list[Piece]:
    """Return the pieces, at the sizes of the studies or at none to speak of."""
    found = []
    for task in ("translation", "summarization"):
        study = load_study(ROOT / f"workflow/studies/ramachandran-{task}.yaml", "paper")
        settings = next(run.settings for run in declared_runs(study) if run.system == "full")
        if tiny:
            shape = FirstLayer(16, 32 if task == "translation" else 16, 16 if task == "translation" else 0)
            study = dataclasses.replace(study, vocab_size=500)
            study = dataclasses.replace(study, lm_settings=dataclasses.replace(study.lm_settings, first_layer=shape))
            small = dataclasses.replace(
                settings.model, first_layer=shape, upper_dim=16, max_source=settings.model.max_source // 8
            )
            train = dataclasses.replace(settings.train, batch_tokens=settings.train.batch_tokens // 16)
            settings = dataclasses.replace(settings, model=small, train=train)
        stores = generated(folder, study.vocab_size, task, 1 / 8 if tiny else 1.0)
        if task == "translation":
            found.append(language_model(study, stores[1], device, updates))
        found.append(fine_tuning(study, settings, stores, device, updates))
        if task == "translation":
            found.append(searching(study, settings, stores, device, max(1, updates // 10)))
    return found


def synchronised(device: torch.device) -> float:
    """Return the time when the device has done what it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def matrix_rate(device: torch.device, size: int) -> float:
    """Return operations per second of a square product in the precision that is set, best of ten."""
    left, right = torch.randn(2, size, size, device=device)
    best = float("inf")
    for _ in range(10):
        begin = synchronised(device)
        torch.mm(left, right)
        best = min(best, synchronised(device) - begin)
    return 2 * size**3 / best


def idle_share(work: Updates | Searches, device: torch.device) -> float:
    """Return the share of time in which no kernel runs."""
    work.updates = PROFILED
    begin = synchronised(device)
    work()
    wall = synchronised(device) - begin
    with profile(activities=[ProfilerActivity.CUDA]) as seen:  # Slows the work down, not its kernels.
        work()
        synchronised(device)
    return 1 - sum(event.self_device_time_total for event in seen.key_averages()) / 1e6 / wall


def measure(piece: Piece, precision: str, device: torch.device, rate: float) -> str:
    """Return one row."""
    torch.manual_seed(1)
    work = piece.make()
    work()  # Memory is found, kernels are chosen.
    piece.operations(work)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    begin = synchronised(device)
    tokens = work()
    seconds = synchronised(device) - begin
    speed = piece.operations(work) / seconds
    memory, idle, loss = "-", "-", "-"
    if work.objective is not None:
        loss = f"{float(next(work.objective.next_losses())[0].detach()):.4f}"
    if device.type == "cuda":
        memory, idle = (
            f"{torch.cuda.max_memory_allocated(device) / 2**30:.1f}",
            f"{100 * idle_share(work, device):.0f} %",
        )
    return (
        f"| {piece.name} | {precision} | {tokens / seconds:,.0f} | {speed / 1e12:.2f} | {100 * speed / rate:.0f} % "
        f"| {GOALS[piece.name]} % | {memory} | {idle} | {loss} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--updates", type=int, default=20, help="of each piece in each precision (default: %(default)s)"
    )
    parser.add_argument("--only", nargs="+", choices=GOALS, default=list(GOALS), help="these pieces; writes no result")
    parser.add_argument("--tiny", action="store_true", help="sizes for a machine without a GPU; writes no result")
    args = parser.parse_args()
    if not args.tiny and not torch.cuda.is_available():
        raise SystemExit("torch sees no GPU here; --tiny tries the script without one")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    folder = Path(tempfile.mkdtemp(prefix="seqpre-gpu-"))
    rates, rows = [], []
    ready = [piece for piece in pieces(folder, device, args.updates, tiny=args.tiny) if piece.name in args.only]
    for name, setting in PRECISIONS.items():
        torch.set_float32_matmul_precision(setting)
        torch.backends.cudnn.allow_tf32 = name == "TF32"
        rate = matrix_rate(device, 512 if args.tiny else 8192)
        rates.append(f"{name} {rate / 1e12:.1f}")
        for index, piece in enumerate(ready):
            rows.append((index, measure(piece, name, device, rate)))
            print(rows[-1][1], file=sys.stderr, flush=True)
    shutil.rmtree(folder)
    body = "\n".join(row for _, row in sorted(rows, key=lambda row: row[0]))
    chip = torch.cuda.get_device_name(device) if device.type == "cuda" else "no GPU"
    text = f"""# Training and search on a GPU

{HEADER}
{body}

Matrix rate, TFLOP/s: {", ".join(rates)}. Tokens: of text, or on the target side, of the best outputs in
search. {args.updates} updates a row, a tenth as many batches of {SENTENCES} sentences in search, beam 10.

- Machine: {chip}; {machine()}.
- Versions: {versions("torch", "numpy")}; CUDA {torch.version.cuda}.
- {occasion()}
"""
    if args.tiny or len(args.only) < len(GOALS):
        print(text)
    else:
        write_result("gpu", text)


if __name__ == "__main__":
    main()
