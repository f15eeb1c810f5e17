"""Show outputs of several systems with their sources and references, on one self-contained web page.

    python -m seqpre.samples --task translation --languages en de --title "Multi30k, test 2016" \\
        --sources raw/test.en --references raw/test.de \\
        --outputs full=FULL/hypotheses/perplexity/test.txt none=NONE/hypotheses/perplexity/test.txt \\
        --output samples/test.html

The reader chooses two systems and sees first where one gains most over the other, by a metric of single items: BLEU
(with effective order) and chrF2 of sacreBLEU for translation, ROUGE-1 F1 for summarization. Repetitions in an output,
and text copied from its source, are marked; items can be filtered by these. In corrections, insertions, deletions and
replacements are marked, and the score is GLEU; they are shown detokenized. All files are parallel, one item a line. If
there are more than `--sample` items, that many are drawn, and the page says so.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, named_paths, read_parallel
from seqpre.corpora.treebank import detokenize, separators
from seqpre.metrics.correction import Gold
from seqpre.metrics.metric import Texts
from seqpre.metrics.overlap import RULE, Span, copied_spans, repeated_spans
from seqpre.metrics.texts import normalised
from seqpre.report.pages.page import in_lines, self_contained
from seqpre.study.tasks import TASKS

EDITS = "beside the source as it is written, word by word"


def scores_of_items(
    task: str, outputs: Sequence[str], references: Sequence[str], sources: Sequence[str]
) -> dict[str, list[float]]:
    """Return the scores of single items, 0..100, by metric label. Sources are only used for corrections."""
    texts = Texts(outputs, references, gold=Gold(list(sources), [list(references)]))
    return {metric.label: metric.of_items(texts) for metric in TASKS[task].scored_by() if metric.of_items}


def drawn_lines(total: int, size: int, seed: int) -> list[int]:
    """Return the indices of all items, or of `size` of them, in text order."""
    return sorted(random.Random(seed).sample(range(total), size)) if size < total else list(range(total))


def output_entry(text: str, source: str, least_copied: int, scores: Sequence[float]) -> dict[str, Any]:
    """Return one output for the page's program: spans are character offsets in the text."""
    shown = in_lines(text)
    return {
        "text": shown,
        "scores": [round(score, 1) for score in scores],
        "repeated": repeated_spans(shown),
        "copied": copied_spans(shown, in_lines(source), least_copied),
    }


def correction_entry(text: str, source: str, scores: Sequence[float]) -> dict[str, Any]:
    """Return one correction for the page's program: deleted words are included, and marked."""
    words, theirs = text.split(), source.split()
    tokens: list[tuple[str, str]] = []  # each with its mark
    for what, start, end, first, last in SequenceMatcher(None, theirs, words, autojunk=False).get_opcodes():
        if what in ("delete", "replace"):
            tokens += [(word, "deleted") for word in theirs[start:end]]
        mark = {"equal": "", "delete": "", "insert": "inserted", "replace": "replaced"}[what]
        tokens += [(word, mark) for word in words[first:last]]
    spans: dict[str, list[Span]] = {"inserted": [], "deleted": [], "replaced": []}
    shown, before = "", ""
    for separator, (word, mark) in zip(separators([word for word, _ in tokens]), tokens, strict=True):
        start = len(shown) + len(separator)
        shown += separator + word
        if mark and mark == before:
            start, _ = spans[mark].pop()
        if mark:
            spans[mark].append((start, len(shown)))
        before = mark
    return {"text": shown, "scores": [round(score, 1) for score in scores], "repeated": repeated_spans(shown), **spans}


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read, score and mark the items, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--task", required=True, choices=TASKS)
    parser.add_argument("--languages", nargs=2, default=["en", "en"], metavar=("SOURCE", "OUTPUT"))
    parser.add_argument("--title", required=True)
    parser.add_argument("--sources", required=True, type=Path)
    parser.add_argument("--references", required=True, type=Path)
    parser.add_argument("--outputs", required=True, nargs="+", metavar="NAME=FILE", help="the systems, in their order")
    parser.add_argument("--sample", type=int, default=1000, help="items to show at most (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the items, where not all are shown")
    parser.add_argument("--output", required=True, type=Path, help="HTML file to write")
    args = parser.parse_args(argv)

    paths = named_paths(args.outputs, "--outputs")
    if len(paths) < 2:
        raise ConfigError("--outputs has one system; give two or more to compare")
    if args.sample < 1:
        raise ConfigError(f"--sample is {args.sample}; show at least one item")
    texts = [normalised(lines) for lines in read_parallel([args.sources, args.references, *paths.values()])]
    total = len(texts[0])
    lines = drawn_lines(total, args.sample, args.seed)
    sources, references, *outputs = ([text[line] for line in lines] for text in texts)
    try:
        scores = [scores_of_items(args.task, output, references, sources) for output in outputs]
    except DataError as error:
        raise DataError(f"{args.references}, {total:,} lines, of which {len(lines):,} are shown: {error}") from error
    least, corrected = TASKS[args.task].least_copied, TASKS[args.task].corrects
    entry = correction_entry if corrected else partial(output_entry, least_copied=least)
    items = [
        {
            "line": line + 1,
            "source": detokenize(sources[place].split()) if corrected else in_lines(sources[place]),
            "reference": detokenize(references[place].split()) if corrected else in_lines(references[place]),
            "outputs": [
                entry(output[place], sources[place], scores=[values[place] for values in of_system.values()])
                for output, of_system in zip(outputs, scores, strict=True)
            ],
        }
        for place, line in enumerate(lines)
    ]
    rules = (
        {"edits": EDITS} if corrected else {"copied": f"{least} words or more in succession that the source has too"}
    )
    data = {
        "title": args.title, "languages": args.languages, "systems": list(paths), "metrics": list(scores[0]),
        "repeated": RULE, **rules,
        "total": total, "seed": args.seed, "items": items,
    }  # fmt: skip
    with atomic_write(args.output) as file:
        file.write(self_contained("samples", args.title, data))
    print(f"{args.output}: {len(lines):,} of {total:,} items, {len(paths)} systems")


if __name__ == "__main__":
    main()
