"""Write the articles of a split as parallel lines, and count what is left out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import atomic_write, write_json
from seqpre.corpora.articles.article import Article, Skipped
from seqpre.corpora.articles.read import read_articles
from seqpre.corpora.articles.stories import expected_articles
from seqpre.corpora.catalog import Row
from seqpre.corpora.progress import Progress
from seqpre.corpora.sentences import join_sentences
from seqpre.corpora.stats import Stats


def extract_articles(rows: list[Row], split: str, sides: Sequence[str], downloads: Path, output: Path) -> int:
    """Write the articles of a split, a file for each side, and what was left out; return the number of lines.

    Raises DataError, before any of the files takes its name, if no article is left or not as many as the rows expect.
    """
    for row in rows:
        if unknown := set(sides) - set(row.languages):
            raise ConfigError(f"{row.name}: {row.url} gives {row.language}, not {' '.join(sorted(unknown))}")
    stats = Stats()
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_write(output / f"{split}.{side}")) for side in sides]
        progress = stack.enter_context(Progress(f"extract {rows[0].name}/{split}"))
        for number, article in enumerate(read_articles(rows, split, downloads, output), start=1):
            stats.lines = number
            lines = _lines(article, sides, number, stats)
            for file, line in zip(files, lines, strict=False):
                file.write(f"{line}\n")
            progress.add(1)
        _check(rows, split, stats)
    write_json(output / f"extract.{split}.{'_'.join(sides)}.json", stats.report())
    print(f"{rows[0].name}/{split}: {stats.summary()}", file=sys.stderr)
    return stats.kept


def _lines(article: Article | Skipped, sides: Sequence[str], number: int, stats: Stats) -> list[str]:
    """Return an article's line for every side; none, and the reason in `stats`, if it has nothing to say on one."""
    if isinstance(article, Skipped):
        stats.drop(article.reason, number, [article.text], name=article.name)
        return []
    # Unstated: the letter case of articles and summaries. Lower, as in the paper's samples, unless a corpus says
    # otherwise.
    # Differs: the boundaries between a document's sentences are marked. The baselines of first sentences and readers
    # need the marks. Every mark is one of the tokens that the encoder reads.
    lines = {"document": join_sentences(article.document), "summary": join_sentences(article.summary)}
    if not article.cased:
        lines = {side: line.lower() for side, line in lines.items()}
    for side in sides:
        if not lines[side]:
            stats.drop(f"no_{side}", number, list(lines.values()), name=article.name)
            return []
    stats.kept += 1
    stats.repaired.update(filter(None, [article.repaired]))
    return [lines[side] for side in sides]


def _check(rows: list[Row], split: str, stats: Stats) -> None:
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in stats.reasons.most_common()) or "nothing left out"
    expected = expected_articles(rows)
    if expected is not None and all(row.of_articles for row in rows) and stats.kept != expected:
        raise DataError(
            f"{rows[0].name}/{split}: expected {expected:,} articles, found {stats.kept:,} ({reasons}); delete the"
            " archives to download them again, or put the number found into the rows `urls:<n>` of the list of corpora"
        )
    if stats.kept == 0:
        raise DataError(f"{rows[0].name}/{split}: no articles ({reasons})")
