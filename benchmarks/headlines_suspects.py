"""What is to blame where pretraining gains little on few headlines: the budget, copying, or the denoiser's noise?

    python benchmarks/headlines_suspects.py results/small --work WORK

Trains the study's systems with and without pretraining on its 1,000 pairs, with a seed that no run of the study has,
and prints the best greedy validation ROUGE-1 of each; tests have no part in it. Then again with one thing changed:
twice the updates; no copying (p_gen held at 1), both systems at both rates; from denoisers of a sixth of the updates,
half the noise of the paper, as much, and twice. Reads the texts, words and denoiser of poda-headlines below the folder
of results. What is finished in WORK is not trained again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import torch

from seqpre.common.files import read_json, write_json
from seqpre.corpora.words import Words
from seqpre.models.build import build
from seqpre.study.load import load_study
from seqpre.study.run import Run
from seqpre.study.study import Study, lm_to_json
from seqpre.study.typed import laid_over, overridden
from seqpre.training.checkpoint import load_weights, save_tensors

STUDIES = Path(__file__).parents[1] / "workflow/studies"
PAIRS = "1k"
CHOSEN = {"with": 1.5e-3, "without": 5e-4}
"""The rates that the study's systems have chosen with so many pairs."""
EARLY = 1_000
"""Updates of the denoisers with other noise."""
NOISES: dict[str, dict[str, float]] = {
    # Of two neighbours 7.9, 15.9 and 31.7 % change places; of words 7.5, 15 and 30 % are deleted, as many replaced.
    "half the noise": {"variance": 0.25, "rate": 0.075, "deviation": 0.015},
    "the paper's noise": {},
    "twice the noise": {"variance": 2.2, "rate": 0.3, "deviation": 0.06},
}
SHUT = 20.0
"""The logit of p_gen where nothing is copied: its gradient is less than what Adam adds to a divisor."""


class Case(NamedTuple):
    """Trainings at some rates: with or without pretraining, from which weights, with which change to settings."""

    name: str
    system: str
    start: Path | None = None
    change: dict[str, Any] = {}  # noqa: RUF012 - nobody writes to it
    rates: tuple[float, ...] = tuple(CHOSEN.values())


class Bench:
    """The study's files, and what is trained of them in `work`."""

    def __init__(self, results: Path, work: Path, seed: int) -> None:
        self.results, self.work, self.seed = results, work, seed
        self.study: Study = load_study(STUDIES / "poda-headlines.yaml", results.name)
        self.words = results / "words/poda/words.tsv"
        self.denoiser = results / "lms/poda/denoiser/weights/perplexity.safetensors"

    def start(self, module: str, folder: Path, *options: str | Path) -> None:
        """Run one of the project's programs on one thread; what it prints stays in its folder."""
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", f"seqpre.{module}", "--output-dir", folder, *options]
        with (folder / "log.txt").open("a") as log:
            subprocess.run(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, stdout=log, stderr=log, check=True)

    def said(self, folder: Path, settings: dict[str, Any]) -> Path:
        """Write what a training is to be beside its folder; return the file."""
        path = folder.with_name(f"{folder.name}.json")
        write_json(path, settings)
        return path

    def denoise(self, noise: str) -> Path:
        """Train a denoiser for a while with so much noise; return its weights."""
        folder = self.work / noise.replace(" ", "_")
        pretraining = self.study.owner_of("denoiser")
        said = lm_to_json(pretraining, "denoiser")
        shorter = {"train": {"max_updates": EARLY, "validate_every": EARLY // 2, "keep": []}, "noise": NOISES[noise]}
        settings = self.said(folder, said | {"settings": laid_over(said["settings"], shorter)})
        corpus = pretraining.corpora[pretraining.lms["denoiser"].corpus]
        segments = self.results / "tokens/poda" / corpus / "segments.document"
        self.start("pretrain", folder, "--settings", settings, "--train", segments, "--vocabulary", self.words)
        return folder / "weights/perplexity.safetensors"

    def without_copying(self, start: Path | None) -> Path:
        """Write weights to start from, pretrained or fresh, with p_gen held at 1; return the file."""
        tensors, about = load_weights(self.denoiser)
        if start is None:
            torch.manual_seed(self.seed)
            model = build(self.study.systems["full"].model, Words(self.words).size)
            tensors = dict(model.state_dict())
        tensors |= {"copy.gate.weight": torch.zeros_like(tensors["copy.gate.weight"])}
        tensors |= {"copy.gate.bias": torch.full_like(tensors["copy.gate.bias"], SHUT)}
        path = self.work / f"{'fresh' if start is None else 'denoiser'}_without_copying.safetensors"
        self.work.mkdir(parents=True, exist_ok=True)
        save_tensors(path, tensors, about)
        return path

    def finetune(self, case: Case, rate: float) -> float:
        """Train a case at a rate; return its best greedy validation ROUGE-1."""
        study = self.study
        system = study.systems["full" if case.start else "no_pretraining"]
        settings = overridden(system, {"optimizer.lr": rate, **case.change}, case.name)
        lms = {"denoiser": study.declaration_of("denoiser")} if case.start else {}
        run = Run(study.name, study.scale, case.system, PAIRS, self.seed, settings, lms)
        folder = self.work / f"{case.name}_{case.system}_{rate:g}".replace(" ", "_")
        said = self.said(folder, run.to_json())
        corpus = study.corpora["bitext"]
        tokens, text = self.results / f"tokens/{study.name}@poda" / corpus, self.results / "corpora" / corpus / "raw"
        self.start(
            "finetune", folder, "--run", said, "--subwords", self.words,
            "--source", tokens / "train.document", "--target", tokens / "train.summary",
            "--valid-source", tokens / "valid.document", "--valid-target", tokens / "valid.summary",
            "--valid-sources", text / "valid.document", "--valid-references", text / "valid.summary",
            *(["--lm", f"denoiser={case.start}"] if case.start else []),
        )  # fmt: skip
        return float(read_json(folder / "summary.json")["best_valid_rouge_1"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of one scale, such as results/small")
    parser.add_argument("--work", type=Path, required=True, help="where trainings go")
    parser.add_argument("--seed", type=int, default=11, help="default: %(default)s")
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="trainings (default: %(default)s)")
    args = parser.parse_args()
    bench = Bench(args.results, args.work / f"seed{args.seed}", args.seed)
    with ThreadPoolExecutor(args.at_once) as pool:
        longer = {"train.max_updates": 2 * bench.study.base.train.max_updates}
        cases = [
            Case("as the study", "with", bench.denoiser),
            Case("as the study", "without"),
            Case("twice the updates", "with", bench.denoiser, longer, (CHOSEN["with"],)),
            Case("twice the updates", "without", None, longer, (CHOSEN["without"],)),
            Case("no copying", "with", bench.without_copying(bench.denoiser)),
            Case("no copying", "without", bench.without_copying(None)),
        ]
        cases += [
            Case(name, "with", start, {}, (CHOSEN["with"],))
            for name, start in zip(NOISES, pool.map(bench.denoise, NOISES), strict=True)
        ]
        trained = [(case, rate, pool.submit(bench.finetune, case, rate)) for case in cases for rate in case.rates]
    print("| changed | pretraining | rate | ROUGE-1 |\n| --- | --- | ---: | ---: |")
    for case, rate, run in trained:
        print(f"| {case.name} | {case.system} | {rate:g} | {run.result():.1f} |")


if __name__ == "__main__":
    main()
