"""Score the hypotheses of one run (or ensemble) and test them against a baseline.

    python -m seqpre.score --language de \\
        --hypotheses perplexity.valid=RUN/hypotheses/perplexity.valid.txt perplexity.test_a=... bleu.valid=... \\
        --references valid=raw/valid.de test_a=raw/test_a.de \\
        --baseline-hypotheses perplexity.valid=FULL/hypotheses/perplexity.valid.txt ... --against full \\
        --output RUN/scores.json

A hypothesis file is named by the rule that chose its checkpoint and by its split, `SELECTION.SPLIT=FILE`; with
`--selection`, plain `SPLIT=FILE` will do. Files are plain, detokenized text, one sentence a line. References are scored
as they are; nothing is tokenized before it comes here.

Two metrics, never mixed: `bleu_tok_multibleu` for the split `valid` (the paper's validation score, equal to
multi-bleu.perl on Moses-tokenized text) and `bleu_sacre_13a` for every split (the paper's test score, equal to
mteval-v13a.pl; sacreBLEU's default). Each carries its signature and a 95 % bootstrap interval, and against a baseline
also the difference and the p-value of a paired bootstrap.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from seqpre.errors import ConfigError, DataError, command
from seqpre.files import read_lines, write_json
from seqpre.metrics.bleu import Bleu, bleu_from_statistics, detokenized_bleu, tokenized_bleu
from seqpre.metrics.significance import INTERVAL, PAIRED_TEST, bootstrap_interval, paired_bootstrap

VALIDATION = "valid"

Metric = Callable[[Sequence[str], Sequence[str]], Bleu]
Key = tuple[str, str]
"""Selection and split."""


def metrics_for(split: str, language: str) -> dict[str, Metric]:
    """Return the metrics a split is scored with, by name."""
    metrics: dict[str, Metric] = {"bleu_sacre_13a": detokenized_bleu}
    if split == VALIDATION:
        metrics = {"bleu_tok_multibleu": partial(tokenized_bleu, language=language), **metrics}
    return metrics


def score_files(
    hypotheses: Mapping[Key, Path],
    references: Mapping[str, Path],
    language: str,
    baselines: Mapping[Key, Path] | None = None,
    against: str = "",
) -> list[dict[str, Any]]:
    """Return one entry a file and metric, as `scores.json` holds them.

    Raises DataError where a file and its references (or its baseline) are not parallel.
    """
    scores = []
    for (selection, split), path in hypotheses.items():
        reference_lines = list(read_lines(references[split]))
        lines = parallel_lines(path, references[split], len(reference_lines))
        baseline = (baselines or {}).get((selection, split))
        baseline_lines = parallel_lines(baseline, references[split], len(reference_lines)) if baseline else None
        for name, metric in metrics_for(split, language).items():
            bleu = metric(lines, reference_lines)
            scorer = partial(bleu_from_statistics, smoothing=bleu.smoothing)
            low, high = bootstrap_interval(bleu.statistics, scorer)
            entry: dict[str, Any] = {
                "split": split, "selection": selection, "metric": name, "score": bleu.score, "low": low, "high": high,
                "interval": INTERVAL, "signature": bleu.signature, "hypotheses": str(path),
                "references": str(references[split]), "sentences": len(lines),
            }  # fmt: skip
            if baseline_lines is not None:
                test = paired_bootstrap(bleu.statistics, metric(baseline_lines, reference_lines).statistics, scorer)
                entry |= {
                    "delta": test.delta, "p_value": test.p_value, "against": against,
                    "test": PAIRED_TEST, "baseline_hypotheses": str(baseline),
                }  # fmt: skip
            scores.append(entry)
    return scores


def parallel_lines(path: Path, references: Path, expected: int) -> list[str]:
    """Read the lines of `path`, which must be as many as its references have."""
    if expected == 0:
        raise DataError(f"{references}: no references, the file is empty")
    lines = list(read_lines(path))
    if len(lines) != expected:
        raise DataError(
            f"{path} has {len(lines):,} lines, {references} has {expected:,}; they must be parallel. Decode again"
        )
    return lines


def parse_hypotheses(items: Sequence[str], selection: str | None, option: str) -> dict[Key, Path]:
    """Parse `SELECTION.SPLIT=FILE`, or `SPLIT=FILE` where `--selection` is given."""
    parsed = {}
    for item in items:
        name, equals, path = item.partition("=")
        chosen, dot, split = name.rpartition(".")
        chosen = chosen if dot else selection or ""
        if not (equals and path and split and chosen):
            raise ConfigError(f"{option}: {item!r} is not SELECTION.SPLIT=FILE (or, with --selection, SPLIT=FILE)")
        if (chosen, split) in parsed:
            raise ConfigError(f"{option}: {name!r} is given twice")
        parsed[chosen, split] = Path(path)
    return parsed


def parse_references(items: Sequence[str]) -> dict[str, Path]:
    """Parse `SPLIT=FILE`."""
    parsed = {}
    for item in items:
        split, equals, path = item.partition("=")
        if not (equals and split and path):
            raise ConfigError(f"--references: {item!r} is not SPLIT=FILE")
        if split in parsed:
            raise ConfigError(f"--references: {split!r} is given twice")
        parsed[split] = Path(path)
    return parsed


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Score every hypothesis file and write one JSON list."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.score", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hypotheses", nargs="+", required=True, metavar="[SELECTION.]SPLIT=FILE")
    parser.add_argument("--references", nargs="+", required=True, metavar="SPLIT=FILE")
    parser.add_argument("--language", required=True, help="language of the text, for the Moses tokenizer (de, en, ...)")
    parser.add_argument("--selection", help="what chose the checkpoint of files named by split only, e.g. perplexity")
    parser.add_argument("--baseline-hypotheses", nargs="*", default=[], metavar="[SELECTION.]SPLIT=FILE",
                        help="the same files of the system to test against; name it with --against")  # fmt: skip
    parser.add_argument("--against", default="", help="name of the baseline system, e.g. full")
    parser.add_argument("--output", required=True, type=Path, help="JSON file to write")
    args = parser.parse_args(argv)

    hypotheses = parse_hypotheses(args.hypotheses, args.selection, "--hypotheses")
    references = parse_references(args.references)
    baselines = parse_hypotheses(args.baseline_hypotheses, args.selection, "--baseline-hypotheses")
    if bool(baselines) != bool(args.against):
        raise ConfigError("--baseline-hypotheses and --against belong together: give both or neither")
    for _, split in (*hypotheses, *baselines):
        if split not in references:
            raise ConfigError(f"--references lacks {split!r}; it has {', '.join(references)}")
    for selection, split in set(hypotheses) ^ set(baselines) if baselines else ():
        raise ConfigError(f"--hypotheses and --baseline-hypotheses must name the same files; "
                          f"only one has {selection}.{split}")  # fmt: skip
    paths = (*hypotheses.values(), *references.values(), *baselines.values())
    for path in paths:
        if not path.is_file():
            raise DataError(f"{path}: no such file")

    scores = score_files(hypotheses, references, args.language, baselines, args.against)
    write_json(args.output, scores)
    for entry in scores:
        delta = f"  {entry['delta']:+.2f} against {args.against}, p = {entry['p_value']:.3f}" if baselines else ""
        print(f"{entry['selection']}.{entry['split']} {entry['metric']} {entry['score']:.2f} "
              f"[{entry['low']:.2f}, {entry['high']:.2f}]{delta}")  # fmt: skip


if __name__ == "__main__":
    main()
