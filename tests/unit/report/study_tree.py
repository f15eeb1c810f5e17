"""A synthetic results tree: invented scores and curves in the layout the pipeline writes."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from seqpre.report.results import Results, load_results
from seqpre.study.reported import GridRun, ReportedStudy, reported_from

STUDY = "ramachandran-translation"
SUMMARIZATION = "ramachandran-summarization"
PUBLISHED = Path(__file__).parents[3] / "workflow" / "published.tsv"

LABELS = {
    "full": "Pretrained seq2seq",
    "no_pretraining": "No pretraining",
    "no_lm_objective": "No LM objective",
    "no_pretraining_no_lm_objective": "No pretraining, no LM objective",
    "encoder_only": "Only pretrain encoder",
    "decoder_only": "Only pretrain decoder",
    "embeddings_only": "Only pretrain embeddings",
    "embeddings_and_lstm": "Only pretrain embeddings & LSTM",
    "parallel_lm": "Pretrain on parallel corpus",
    "other_domain_lm": "Pretrain on tatoeba_ende (paper: Wikipedia)",
    "low_resource_baseline": "Baseline supervised",
    "low_resource_frozen": "Pretrained (embeddings, softmax frozen)",
    "full_dropout_30": "Pretrained, dropout 0.3",
}
TRIVIAL = {"lead_3": "Lead-3", "lead_1": "Lead-1"}

ABOVE = {"rouge_1": 0.0, "rouge_2": -20.0, "rouge_l": -9.0, "rouge_lsum": -3.0}
"""ROUGE of other types than ROUGE-1: that plus so much."""


@dataclass
class Tree:
    """A results folder under construction."""

    root: Path
    scale: str = "small"
    tests: tuple[str, ...] = ("test_2016_flickr", "test_2017_flickr")
    study: str = STUDY
    corpus: str = ""
    half_width: float = 0.9
    """From a score to the ends of its interval over sentences."""
    workflow: Path = PUBLISHED.parent
    paper: str = "ramachandran2017"
    average_last: int = 0
    beside: tuple[str, ...] = ()
    """Other metrics, each 30 points above the first."""
    more: dict[str, Any] = field(default_factory=dict)
    """What study.json says beside what is declared here."""
    runs: list[GridRun] = field(default_factory=list)
    trivial: list[str] = field(default_factory=list)
    ensembles: dict[str, str] = field(default_factory=dict)

    @property
    def study_dir(self) -> Path:
        return self.root / self.scale / self.study

    @property
    def summarizes(self) -> bool:
        return self.study != STUDY

    @property
    def greedy(self) -> str:
        return "rouge_1" if self.summarizes else "bleu"

    def described(self) -> ReportedStudy:
        """Return the study as its report reads it; `study.json` says so from now on."""
        names = [*(run.system for run in self.runs), *self.trivial, *self.ensembles]
        languages = ("document", "summary") if self.summarizes else ("en", "de")
        said = {
            "name": self.study, "scale": self.scale, "paper": self.paper, "published_as": self.study,
            "task": "summarization" if self.summarizes else "translation", "languages": languages,
            "corpus": self.corpus or ("reuters21578" if self.summarizes else "multi30k"), "tests": self.tests,
            "runs": list(map(vars, self.runs)), "trivial": self.trivial, "ensembles": self.ensembles,
            "average_last": self.average_last,
            "labels": {name: (LABELS | TRIVIAL).get(name, name) for name in names},
            "variant_of": {"full_dropout_30": "full"},
        }  # fmt: skip
        study = reported_from(said | self.more, "study.json")
        write(self.study_dir / "study.json", study.to_json())
        return study

    def declare(self, system: str, fraction: str, seed: int | None) -> Path:
        """Add a run, or what nobody trains, to the study without any result."""
        if seed is None:
            self.trivial.append(system)
            return self.study_dir / "trivial" / system
        self.runs.append(GridRun(system, fraction, seed))
        return self.study_dir / self.runs[-1].folder

    def add(self, system: str, fraction: str, seed: int, score: float, *, p_value: float | None = 0.01) -> Path:
        """Add a finished run whose validation score is `score`, tests 1 lower, and 0.5 more when chosen by score."""
        folder = self.declare(system, fraction, seed)
        folder.mkdir(parents=True)
        write(folder / "run.json", {"system": system, "fraction": fraction, "seed": seed, "settings": {}})
        write(folder / "scores.json", self.entries(score, None if system == "full" else p_value))
        write(folder / "summary.json", {
            "steps": 1600, "cpu_seconds": 300.0 + seed, "seconds": 310.0, "stopped_by": "patience",
            "parameters": 2_900_000, "peak_memory_mb": 512.5, "tokens_per_second": 900.0, "padding_share": 0.05,
            "train_pairs": 5800,
        })  # fmt: skip
        write(folder / "hypotheses" / "perplexity" / "valid.json", {"sentences": 100, "cpu_seconds": 8.0})
        lines = [{"event": "train", "step": 50, "train_loss": 5.0}]
        fast = system not in ("no_pretraining", "no_pretraining_no_lm_objective")
        for place, step in enumerate(range(100, 1700 + 100 * seed, 100)):
            grown = 1 - math.exp(-step / (300 if fast else 700))
            perplexity = 6 + 90 * math.exp(-step / 250) + 0.8 * max(0, step - 900) / 800 + (0 if fast else 2)
            lines.append({"event": "validation", "step": step, "cpu_seconds": step * (0.2 if fast else 0.17),
                          f"valid_{self.greedy}": score * grown * 0.95 + 0.3 * math.sin(place + seed),
                          "valid_loss": math.log(perplexity), "valid_perplexity": perplexity})  # fmt: skip
        (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return folder

    def add_ensemble(self, name: str, score: float) -> Path:
        """Add an ensemble of runs with all labelled data."""
        self.ensembles[name] = "100pct"
        folder = self.study_dir / "ensembles" / name
        write(folder / "ensemble.json", {"members": ["full/100pct/seed1"]})
        write(folder / "scores.json", self.entries(score, None))
        return folder

    def add_trivial(self, name: str, rouge_1: float) -> Path:
        """Add the first sentences of documents, whose ROUGE-1 on validation is `rouge_1`."""
        folder = self.declare(name, "100pct", None)
        entries = [entry | {"selection": "none"} for entry in self.entries(rouge_1, 0.02)]
        write(folder / "scores.json", entries[: len(entries) // 2])
        return folder

    def entries(self, valid: float, p_value: float | None) -> list[dict[str, Any]]:
        """Return what scores.json holds: chosen by perplexity, by score, and of averaged weights, each 0.5 higher."""
        entries = []
        averaged = [("average", 1.0)] if self.average_last else []
        for selection, more in (("perplexity", 0.0), (self.greedy, 0.5), *averaged):
            for split in ("valid", *self.tests):
                for metric, above in self.metrics(split).items():
                    score = valid + more - (0 if split == "valid" else 1) + above
                    entry = {"split": split, "selection": selection, "metric": metric, "score": score,
                             "low": score - self.half_width, "high": score + self.half_width,
                             "signature": f"signature-of-{metric}", "hypotheses": "h.txt", "references": "r.txt",
                             "sentences": 1000}  # fmt: skip
                    if p_value is not None:
                        entry |= {"delta": -1.0, "p_value": p_value, "against": "full"}
                    entries.append(entry)
        return entries

    def metrics(self, split: str) -> dict[str, float]:
        """Return the metrics of a split and how far each is above the first."""
        if not self.summarizes:
            first = {"bleu_tok_multibleu": 0.0} if split == "valid" else {}
            return first | {"bleu_sacre_13a": 0.2, **dict.fromkeys(self.beside, 30.0)}
        return ABOVE | {f"{metric}_nltk": above - 0.2 for metric, above in ABOVE.items()}

    def load(self, *, published: bool = True) -> Results:
        """Read the results, with what the paper prints or without."""
        self.described()
        results = load_results(self.study_dir, self.workflow)
        return results if published else replace(results, published=())


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


LOSSES = {"no_pretraining": -4.1, "no_lm_objective": -0.4, "no_pretraining_no_lm_objective": -6.2, "encoder_only": -0.3,
          "decoder_only": -2.4, "embeddings_only": -2.0, "embeddings_and_lstm": 0.3, "parallel_lm": -1.7,
          "other_domain_lm": -0.8}  # fmt: skip


def fill(tree: Tree, ablations_at: str = "20pct") -> Tree:
    """Add a whole study of two seeds."""
    for place, fraction in enumerate(("20pct", "40pct", "60pct", "80pct", "100pct")):
        for seed in (1, 2):
            tree.add("full", fraction, seed, 26.0 + 2.2 * place + 0.4 * seed)
            tree.add("no_pretraining", fraction, seed, 21.9 + 2.9 * place - 0.5 * seed + 0.1 * seed * place)
    for system, loss in LOSSES.items():
        for seed in (1, 2):
            if system != "no_pretraining":
                tree.add(system, ablations_at, seed, 26.0 + loss + (0.9 * seed if len(system) % 2 else -0.2 * seed))
    for seed in (1, 2):
        tree.add("low_resource_baseline", "2.5pct", seed, 4.0 + seed)
        tree.add("low_resource_frozen", "2.5pct", seed, 11.0 + seed)
        tree.add("full_dropout_30", "100pct", seed, 34.0 + seed)
    tree.add_ensemble("ensemble_5", 36.5)
    return tree


def fill_summarization(tree: Tree, fraction: str = "100pct") -> Tree:
    """Add a summarization study of two seeds, each system once; the first sentences of documents come last."""
    for seed in (1, 2):
        tree.add("full", fraction, seed, 30.0 + 0.4 * seed)
    for system, loss in LOSSES.items():
        for seed in (1, 2):
            if system not in ("no_pretraining_no_lm_objective", "other_domain_lm"):
                tree.add(system, fraction, seed, 30.0 + loss + (0.9 * seed if len(system) % 2 else -0.2 * seed))
    tree.add_trivial("lead_3", 27.0)
    tree.add_trivial("lead_1", 24.0)
    return tree
