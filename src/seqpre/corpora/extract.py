"""Extract one split of a corpus as plain UTF-8 text, one sentence a line, otherwise unchanged.

Archives are read as streams: only the named members are read, and nothing is unpacked to a path that the archive
chooses. Rows of a split and language are concatenated. Name several languages only for parallel text: their files must
then have equally many lines, part by part, even if only some of them are read, and SGML segments the same ids. With
--write one of them is written, checked as with the others.

Documents with summaries have the sides `document` and `summary` instead of languages. Each is one line, in lower case,
with `¶` between its sentences (see `seqpre.corpora.sentences`). Sentences with corrections have the sides `source` and
`target`. Skipped items (a document without summary, a sentence without correction, ...) and impossible edits are
counted, by reason and with examples, in extract.<split>.<sides>.json next to the text. The files of
`<split>_references`, one a reference, must have equally many lines; if a split has several parts, those of each part.

    python -m seqpre.corpora.extract --corpora workflow/corpora.tsv --name multi30k --split train --languages en de \\
        --downloads results/downloads --output-dir results/small/corpora/multi30k/raw

Readers, and what they read:

"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, write_json
from seqpre.corpora.archives import File
from seqpre.corpora.articles.article import Article, Skipped
from seqpre.corpora.catalog import REFERENCES, Row, read_catalog, select
from seqpre.corpora.download import verify
from seqpre.corpora.progress import Progress
from seqpre.corpora.readers import ARTICLES, PAIRS, described_readers, find_reader, read_sentences
from seqpre.corpora.sentences import join_sentences
from seqpre.corpora.sgml import read_beside
from seqpre.corpora.stats import Stats


def extract(
    rows: list[Row],
    name: str,
    split: str,
    languages: Sequence[str],
    downloads: Path,
    output: Path,
    write: Sequence[str] = (),
) -> int:
    """Write `output`/<split>.<language> for every language, or for those to `write`; return the number of lines.

    Raises DataError for an empty file, unequal line counts, segments without a counterpart, and if no article is left
    or not as many as the rows expect. No file is renamed to its final name before these checks.
    """
    read = [row for side in languages for row in select(rows, name, split, side)]
    for row in {row.relative_path: row for row in read}.values():
        verify(row, downloads)
    sides = {side: [row.file(downloads, side) for row in select(rows, name, split, side)] for side in languages}
    readers = {file.reader: find_reader(file.reader)[0].gives for file in sides[languages[0]]}
    stats, text = Stats(), f"{name}/{split}"
    with ExitStack() as stack:
        files = {side: stack.enter_context(atomic_write(output / f"{split}.{side}")) for side in write or languages}
        progress = stack.enter_context(Progress(f"extract {text}"))
        if ARTICLES in readers.values():
            _check_sides(select(rows, name, split, languages[0]), languages)
            for lines in _article_lines(sides[languages[0]], split, languages, output, stats):
                for side, file in files.items():
                    file.write(f"{lines[side]}\n")
                progress.add(1)
            _check_articles(text, readers, stats)
        else:
            counts = _write_sentences(files, sides, stats, progress)
            for first, *others in _parallel(rows, name, split, sides, downloads):
                _compare(first, others, counts)
    if {ARTICLES, PAIRS} & set(readers.values()):
        write_json(output / f"extract.{split}.{'_'.join(files)}.json", stats.report())
        print(f"{text}: {stats.summary()}", file=sys.stderr)
    return stats.kept


def _write_sentences(
    files: Mapping[str, IO[Any]], sides: Mapping[str, list[File]], stats: Stats, progress: Progress
) -> dict[File, int]:
    """Write the sides that have an output file; return the number of lines in each of their parts."""
    counts = dict[File, int]()
    for side, file in files.items():
        seen = stats if side == next(iter(files)) else Stats()  # Both sides of a pair are left out together.
        for part, first in zip(sides[side], _counterparts(sides, side), strict=True):
            counts[part] = 0
            for line in read_beside(part, first) if first else read_sentences(part, seen):
                file.write(f"{line}\n")
                counts[part] += 1
                progress.add(1)
            if not counts[part]:
                raise DataError(
                    f"{_label([part])}: no text in it; put some there, or correct its row in the list of corpora"
                )
        stats.kept = sum(counts[part] for part in sides[side])
    stats.lines = stats.kept + stats.reasons.total()
    return counts


def _counterparts(sides: Mapping[str, list[File]], side: str) -> Sequence[File | None]:
    """Return, for each file of a side, the SGML file of the first side that must have the same segment ids, if any."""
    files, first_side = sides[side], next(iter(sides.values()))
    if files is first_side:
        return [None] * len(files)
    if len(files) != len(first_side):
        if any(file.reader == "sgm" for file in files) and any(file.reader == "sgm" for file in first_side):
            raise ConfigError(f"{len(first_side)} and {len(files)} files for a split; SGML is paired file by file")
        return [None] * len(files)
    return [
        first if first.reader == file.reader == "sgm" else None for file, first in zip(files, first_side, strict=True)
    ]


def _parallel(
    rows: list[Row], name: str, split: str, sides: Mapping[str, list[File]], downloads: Path
) -> list[list[list[File]]]:
    """Return the texts that must have equally many lines: the sides of a split, or all references of one.

    References for some lines of files correspond to the same lines of the files they refer to.
    """
    if not split.endswith(REFERENCES):
        return [list(sides.values())]
    referred = [row for row in rows if row.name == name and split.removesuffix(REFERENCES) in row.splits]
    found = []
    for side, files in sides.items():
        parts = sum(side in row.languages for row in referred) or 1
        found.append([files[start : start + parts] for start in range(0, len(files), parts)])
        if referred and all(file.reader.startswith("lines:") for file in files):
            other = referred[0].languages[0]
            found[-1].insert(0, [row.file(downloads, other) for row in referred if other in row.languages])
    return found


def _compare(first: list[File], others: Sequence[list[File]], counts: dict[File, int]) -> None:
    """Compare line counts part by part where the parts correspond: errors that cancel out in the sum still misalign.

    Files of which the same lines are read are compared as a whole: a line missing before these would shift the pairs.
    """

    def count(file: File, whole: bool) -> int:
        file = replace(file, reader="lines") if whole else file
        if file not in counts:
            counts[file] = sum(1 for _ in read_sentences(file))
        return counts[file]

    for other in others:
        parts = [([left], [right]) for left, right in zip(first, other, strict=False)]
        for left, right in parts if len(first) == len(other) else [(first, other)]:
            if left[0].where == right[0].where and len(left) == len(right) == 1:  # both sides are from the same lines
                continue
            whole = left[0].reader == right[0].reader and left[0].reader.startswith("lines:")
            lines, other_lines = (sum(count(file, whole) for file in files) for files in (left, right))
            if lines != other_lines:
                raise DataError(
                    f"unequal line counts: {_label(left)} has {lines:,}, {_label(right)} has {other_lines:,};"
                    " each side of parallel text, and every reference, needs one line a sentence"
                )


def _label(files: Sequence[File]) -> str:
    return " + ".join(
        f"{file.where} ({file.reader})" if file.reader.startswith("column:") else file.where for file in files
    )


def _articles(files: Sequence[File], split: str, scratch: Path) -> Iterator[Article | Skipped]:
    """Yield the articles of one split; files of one reader are read together. Lines of other text count as articles."""
    for _, group in groupby(files, lambda file: find_reader(file.reader)[0].together or file.reader):
        alike = list(group)
        reader, numbers = find_reader(alike[0].reader)
        if reader.together:
            yield from reader.read(alike, split, scratch)
            continue
        for file in alike:
            if reader.gives == ARTICLES:
                yield from reader.read(file, *numbers)
            else:
                yield from (Article([line], [], cased=True) for line in read_sentences(file))


def _article_lines(
    files: Sequence[File], split: str, sides: Sequence[str], scratch: Path, stats: Stats
) -> Iterator[dict[str, str]]:
    """Yield the lines of every article in which no side is empty; count the others."""
    # Unstated: the letter case of articles and summaries. Lower, as in the paper's samples, unless a corpus says
    # otherwise.
    # Differs: the boundaries between a document's sentences are marked. The baselines of first sentences and readers
    # need the marks. Every mark is one of the tokens that the encoder reads.
    for stats.lines, article in enumerate(_articles(files, split, scratch), start=1):
        if isinstance(article, Skipped):
            stats.drop(article.reason, stats.lines, [article.text], name=article.name)
            continue
        lines = {"document": join_sentences(article.document), "summary": join_sentences(article.summary)}
        if not article.cased:
            lines = {side: line.lower() for side, line in lines.items()}
        if empty := next((side for side in sides if not lines[side]), None):
            stats.drop(f"no_{empty}", stats.lines, list(lines.values()), name=article.name)
            continue
        stats.kept += 1
        stats.repaired.update(filter(None, [article.repaired]))
        yield lines


def _check_sides(rows: Sequence[Row], sides: Sequence[str]) -> None:
    """Raise ConfigError if a row of articles lacks a side."""
    for row in rows:
        if unknown := set(sides) - set(row.languages):
            raise ConfigError(f"{row.name}: {row.url} gives {row.language}, not {' '.join(sorted(unknown))}")
        if row.gives != ARTICLES and len(sides) > 1:
            raise ConfigError(f"{row.name}: the reader {row.reader} has no summaries beside its documents")


def _check_articles(text: str, readers: Iterable[str], stats: Stats) -> None:
    """Raise DataError if there are no articles, or not as many as the readers `urls:<n>` state."""
    expected = {count for reader in readers for count in find_reader(reader)[1] if reader.startswith("urls:")}
    if len(expected) > 1:
        raise ConfigError(f"the lists of {text} expect different numbers of articles: {sorted(expected)}")
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in stats.reasons.most_common()) or "nothing left out"
    only_articles = all(find_reader(reader)[0].gives == ARTICLES for reader in readers)
    if expected and only_articles and stats.kept not in expected:
        raise DataError(
            f"{text}: expected {expected.pop():,} articles, found {stats.kept:,} ({reasons}); delete the archives to"
            " download them again, or put the number found into the rows `urls:<n>` of the list of corpora"
        )
    if stats.kept == 0:
        raise DataError(f"{text}: no articles ({reasons})")


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, extract, say how many lines there are."""
    known = "\n".join(f"    {names}\n        {described}" for names, described in described_readers())
    parser = parser_of(f"{__doc__}{known}")
    parser.add_argument("--corpora", type=Path, required=True, help="the list of corpora, workflow/corpora.tsv")
    parser.add_argument("--name", required=True, help="corpus, as in the list")
    parser.add_argument("--split", required=True, help="split, as in the list")
    parser.add_argument("--languages", nargs="+", required=True, help="several only for parallel text")
    parser.add_argument("--write", nargs="+", default=[], help="those of the languages to write (default: all)")
    parser.add_argument("--downloads", type=Path, required=True, help="folder that holds <host>/<path>")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder that receives <split>.<language>")
    args = parser.parse_args(argv)
    if unknown := [side for side in args.write if side not in args.languages]:
        raise ConfigError(f"--write has {unknown[0]!r}, which is not among --languages ({', '.join(args.languages)})")
    rows = read_catalog(args.corpora)
    lines = extract(rows, args.name, args.split, args.languages, args.downloads, args.output_dir, args.write)
    print(
        f"{args.output_dir}/{args.split}.{{{','.join(args.write or args.languages)}}}: {lines:,} lines", file=sys.stderr
    )


if __name__ == "__main__":
    main()
