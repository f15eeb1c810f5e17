"""Score the hypotheses of one run (or ensemble) and test them against a baseline.

    python -m seqpre.score --language de \\
        --hypotheses perplexity.valid=RUN/hypotheses/perplexity/valid.txt perplexity.test_a=... bleu.valid=... \\
        --references valid=raw/valid.de test_a=raw/test_a.de \\
        --baseline-hypotheses perplexity.valid=FULL/hypotheses/perplexity/valid.txt ... --against full \\
        --output RUN/scores.json

A hypothesis file is named by the selection of its checkpoint and by its split, `SELECTION.SPLIT=FILE`; with
`--selection`, plain `SPLIT=FILE` suffices. Files are plain, detokenized text, one sentence or summary a line.
References and hypotheses are normalised like training text, which every signature says (`norm:`); the number of changed
lines is printed and, if there are any, stored in the entry. Text must not be tokenized before.

Metrics of `--task translation`, the default:
- `bleu_tok_multibleu`, of the split `valid` only: the paper's validation score, equal to multi-bleu.perl on text that
  Moses tokenized before November 2018.
- `bleu_sacre_13a`: the paper's test score, equal to mteval-v13a.pl; sacreBLEU's default.
- `chrf2`: sacreBLEU's default chrF. No checkpoint is chosen by it.

Metrics of `--task summarization`:
- `rouge_1`, `rouge_2`, `rouge_lsum` (by sentences, which `¶` separates) and `rouge_l` (the summary as one sentence):
  equal to ROUGE-1.5.5 `-m`.
- The same four with the suffix `_nltk`: stemmed as by the rouge-score package.
If more than 0.5 % of the references' letters are not a-z, there are only the first four, of unstemmed words of any
script.

Metrics of `--task correction`, which needs `--sources`:
- `gleu`, equal to JFLEG's program under Python 3, and `gleu_expected`, of the mean counts over references: against the
  references, or all those that `--gold` has of the split.
- `m2_f0.5`, `m2_precision` and `m2_recall`, if `--gold` is M2: equal to the scorer of CoNLL-2014.

Each score has a signature and a 95 % bootstrap interval; against a baseline, also the difference and the p-value of a
paired bootstrap. The last line printed has the scores of the files that `--counts` names, beside the baseline's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import named_paths, read_lines, require_files, write_json
from seqpre.metrics.correction import Gold, read_gold
from seqpre.metrics.metric import Score, Texts
from seqpre.metrics.moses import LANGUAGES
from seqpre.metrics.sentences import key, write_sentences
from seqpre.metrics.significance import (
    Statistics,
    bootstrap_interval,
    interval_name,
    paired_bootstrap,
    paired_test_name,
)
from seqpre.metrics.texts import CHANGED, IN_SIGNATURES, changed_lines, normalised
from seqpre.study.tasks import TASKS, VALIDATION, Task, metric_called, metric_labels
from seqpre.study.typed import nearest

Key = tuple[str, str]
"""Selection and split."""


def score_files(
    hypotheses: Mapping[Key, Path],
    references: Mapping[str, Path],
    task: Task,
    language: str,
    baselines: Mapping[Key, Path],
    against: str,
    gold: Mapping[str, Path],
    measured: Mapping[str, Gold],
    workers: int,
) -> tuple[list[dict[str, Any]], dict[str, Statistics]]:
    """Return one entry for each file and metric, as in `scores.json`, and the statistics of every item.

    For corrections, `measured` has the gold standard of each split, and `gold` its files other than references. Raises
    DataError if a file and its references (or its baseline) are not parallel.
    """
    scores, statistics, items = [], {}, task.items

    def scored(path: Path, split: str) -> tuple[list[str], dict[str, Score]]:
        lines = parallel_lines(path, references[split], len(reference_lines))
        texts = Texts(normalised(lines), normalised(reference_lines), language, measured.get(split), workers)
        try:
            return lines, task.scores(texts, split)
        except DataError as error:
            raise DataError(f"{references[split]}: {error}") from error

    for (selection, split), path in hypotheses.items():
        reference_lines = list(read_lines(references[split]))
        lines, found = scored(path, split)
        changed = changed_lines(lines, read_lines(gold.get(split, references[split])))
        baseline = baselines.get((selection, split))
        others = scored(baseline, split)[1] if baseline else {}
        for name, score in found.items():
            scorer = metric_called(name).scorer
            low, high = bootstrap_interval(score.statistics, scorer)
            entry: dict[str, Any] = {
                "split": split, "selection": selection, "metric": name, "score": score.score, "low": low, "high": high,
                "interval": interval_name(items), "signature": f"{score.signature}{IN_SIGNATURES}",
                "hypotheses": str(path), "references": str(references[split]), items: len(lines),
            }  # fmt: skip
            if changed:
                entry[CHANGED] = changed
            if name in others:
                test = paired_bootstrap(score.statistics, others[name].statistics, scorer)
                entry |= {
                    "delta": test.delta, "p_value": test.p_value, "against": against,
                    "test": paired_test_name(items), "baseline_hypotheses": str(baseline),
                }  # fmt: skip
            if score.kinds:
                entry["kinds"] = score.kinds
            scores.append(entry)
            statistics[key(selection, split, name)] = score.statistics
    return scores, statistics


def _changed_in_words(entry: Mapping[str, Any]) -> str:
    """Return how many lines normalisation changed, in words; empty if none."""
    if CHANGED not in entry:
        return ""
    changed = entry[CHANGED]
    return (
        f"{entry['selection']}.{entry['split']}: {changed['references']:,} of {changed['reference_lines']:,} lines of "
        f"references and {changed['hypotheses']:,} of hypotheses differ from their normal form (Unicode NFC without "
        "invisible characters), in which both are scored"
    )


def parallel_lines(path: Path, references: Path, expected: int) -> list[str]:
    """Read the lines of `path`. Raises DataError unless it has as many as its references."""
    if expected == 0:
        raise DataError(f"{references}: no references, the file is empty")
    lines = list(read_lines(path))
    if len(lines) != expected:
        raise DataError(
            f"{path} has {len(lines):,} lines, {references} has {expected:,}; they must be parallel. Decode again"
        )
    return lines


def parse_hypotheses(items: Sequence[str], selection: str | None, option: str) -> dict[Key, Path]:
    """Parse `SELECTION.SPLIT=FILE`, or `SPLIT=FILE` if `--selection` is given."""
    parsed = {}
    for name, path in named_paths(items, option).items():
        chosen, dot, split = name.rpartition(".")
        chosen = chosen if dot else selection or ""
        if not (split and chosen):
            raise ConfigError(f"{option}: {name!r} is not SELECTION.SPLIT (or, with --selection, SPLIT)")
        if (chosen, split) in parsed:
            raise ConfigError(f"{option}: {name!r} is given twice")
        parsed[chosen, split] = path
    return parsed


def in_one_line(scores: Sequence[Mapping[str, Any]], counts: Sequence[str], task: Task) -> str:
    """Return the scores of the files in `counts`, each in the first metric of its split, with the baseline's."""
    found = {(f"{entry['selection']}.{entry['split']}", entry["metric"]): entry for entry in scores}
    parts = []
    for name in counts:
        metrics = task.validation if name.endswith(f".{VALIDATION}") else task.tests
        entry = next(found[name, metric] for metric in metrics if (name, metric) in found)
        beside = f" ({entry['against']} {entry['score'] - entry['delta']:.1f})" if "delta" in entry else ""
        parts.append(f"{entry['split']} {entry['score']:.1f} {metric_labels()[entry['metric']]}{beside}")
    return ", ".join(parts)


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Score every hypothesis file and write one JSON list."""
    parser = parser_of(__doc__)
    parser.add_argument("--hypotheses", nargs="+", required=True, metavar="[SELECTION.]SPLIT=FILE")
    parser.add_argument("--references", nargs="+", required=True, metavar="SPLIT=FILE")
    parser.add_argument("--sources", nargs="*", default=[], metavar="SPLIT=FILE", help="what corrections correct")
    parser.add_argument("--gold", nargs="*", default=[], metavar="SPLIT=FILE",
                        help="all references of corrections, one text after the other, or M2")  # fmt: skip
    parser.add_argument("--task", choices=TASKS, default="translation",
                        help="translation: BLEU, chrF2; summarization: ROUGE; correction: GLEU, M2")  # fmt: skip
    parser.add_argument("--language", help="language of translations, for the Moses tokenizer (de, en, ...)")
    parser.add_argument("--workers", type=int, default=1, help="processes that compute ROUGE (default: 1)")
    parser.add_argument("--selection", help="what chose the checkpoint of files named by split only, e.g. perplexity")
    parser.add_argument("--baseline-hypotheses", nargs="*", default=[], metavar="[SELECTION.]SPLIT=FILE",
                        help="the same files of the system to test against; name it with --against")  # fmt: skip
    parser.add_argument("--against", default="", help="name of the baseline system, e.g. full")
    parser.add_argument("--counts", nargs="*", default=[], metavar="SELECTION.SPLIT",
                        help="files whose scores are printed last: tests, by the selection that counts")  # fmt: skip
    parser.add_argument("--output", required=True, type=Path, help="JSON file to write")
    parser.add_argument("--sentences", type=Path, help="write the statistics of every item, too (.npz)")
    args = parser.parse_args(argv)

    task = TASKS[args.task]
    needs = {need for metric in task.scored_by() for need in metric.needs}
    if "language" in needs and not args.language:
        raise ConfigError("--language is missing: translations are tokenized by the rules of their language")
    if "language" in needs and args.language not in LANGUAGES:
        raise ConfigError(
            f"--language is {args.language!r}, which Moses' tokenizer has no rules for; known are "
            f"{', '.join(sorted(LANGUAGES))}. Any other language takes en, as with Moses itself"
        )
    hypotheses = parse_hypotheses(args.hypotheses, args.selection, "--hypotheses")
    references = named_paths(args.references, "--references")
    baselines = parse_hypotheses(args.baseline_hypotheses, args.selection, "--baseline-hypotheses")
    if bool(baselines) != bool(args.against):
        raise ConfigError("--baseline-hypotheses and --against belong together: give both or neither")
    for _, split in (*hypotheses, *baselines):
        if split not in references:
            raise ConfigError(f"--references lacks {split!r}; it has {', '.join(references)}")
    for selection, split in set(hypotheses) ^ set(baselines) if baselines else ():
        raise ConfigError(f"--hypotheses and --baseline-hypotheses must name the same files; "
                          f"only one has {selection}.{split}")  # fmt: skip
    names = [".".join(name) for name in hypotheses]
    for name in args.counts:
        if name not in names:
            raise ConfigError(f"--counts has {name!r}, which --hypotheses lacks{nearest(name, names)}")
    sources, gold = named_paths(args.sources, "--sources"), named_paths(args.gold, "--gold")
    for split in gold.keys() - references.keys():
        raise ConfigError(f"--gold has {split!r}, which --references lacks{nearest(split, references)}")
    if "sources" in needs:
        for split in dict.fromkeys(split for _, split in hypotheses):
            if split not in sources:
                raise ConfigError(f"--sources lacks {split!r}, which corrections are scored with")
    require_files(path for files in (hypotheses, references, baselines, sources, gold) for path in files.values())

    measured = (
        {split: read_gold(sources[split], references[split], gold.get(split)) for _, split in hypotheses}
        if "sources" in needs
        else {}
    )
    scores, statistics = score_files(
        hypotheses, references, task, args.language, baselines, args.against, gold, measured, args.workers
    )
    if args.sentences:
        write_sentences(args.sentences, statistics)
    write_json(args.output, scores)
    for line in dict.fromkeys(filter(None, map(_changed_in_words, scores))):
        print(line)
    for entry in scores:
        delta = f"  {entry['delta']:+.2f} against {args.against}, p = {entry['p_value']:.3f}" if baselines else ""
        print(f"{entry['selection']}.{entry['split']} {entry['metric']} {entry['score']:.2f} "
              f"[{entry['low']:.2f}, {entry['high']:.2f}]{delta}")  # fmt: skip
    if args.counts:
        print(in_one_line(scores, args.counts, task))


if __name__ == "__main__":
    main()
