"""Extract one split of a corpus as plain UTF-8 text, one sentence a line, untouched otherwise.

Archives are read as streams: nothing but the named members is read, and nothing is unpacked to a path of the archive's
choosing. Rows of one split and language are written one after the other. Name several languages only for parallel
text: their files must then have equally many lines, part by part, also where only some of them are read, and SGML
segments the same ids.

Documents with summaries have the sides `document` and `summary` instead of languages. Each is one line, in lower case,
with `¶` between its sentences (see `seqpre.corpora.sentences`). What is left out (a document without text, without a
summary, ...) is counted, by reason and with examples, in extract.<split>.<sides>.json beside the text.

Sentences with corrections have the sides `source` and `target` (see `seqpre.corpora.corrections`). What is left out of
them, and edits that cannot be made, are counted in the same kind of file. The files of `<split>_references`, one a
reference, must have equally many lines; of a split in several parts, those of each part.

    python -m seqpre.corpora.extract --corpora workflow/corpora.tsv --name multi30k --split train --languages en de \\
        --downloads results/downloads --output-dir results/small/corpora/multi30k/raw
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, write_json
from seqpre.corpora.articles.write import extract_articles
from seqpre.corpora.catalog import Row, read_catalog, select
from seqpre.corpora.download import verify_own
from seqpre.corpora.progress import Progress
from seqpre.corpora.readers import read_beside, read_sentences
from seqpre.corpora.stats import Stats

REFERENCES = "_references"
"""What the split is called after that has all references of another one."""


def extract(rows: list[Row], name: str, split: str, languages: Sequence[str], downloads: Path, output: Path) -> int:
    """Write `output`/<split>.<language> for every language; return the number of lines.

    Raises DataError for an empty file, for unequal line counts and for segments without partner, before any of the
    files takes its name.
    """
    for row in rows:
        if row.own is not None and row.name == name and split in row.splits:
            row.check()
            verify_own(row)
    first_side = select(rows, name, split, languages[0])
    if any(row.of_articles for row in first_side):
        return extract_articles(first_side, split, languages, downloads, output)
    _check_whole_files(_parallel(rows, name, split, languages), downloads)
    stats = Stats()
    with ExitStack() as files:
        counts = {}
        for language in languages:
            parts = select(rows, name, split, language)
            seen = stats if language == languages[0] else Stats()  # The sides of a pair are left out together.
            file = files.enter_context(atomic_write(output / f"{split}.{language}"))
            with Progress(f"extract {name}/{split}.{language}") as progress:
                counts[language] = [
                    (
                        _label(row, downloads),
                        _write(replace(row, language=language), first, downloads, file, progress, seen),
                    )
                    for row, first in zip(parts, _counterparts(parts, first_side), strict=True)
                ]
        first, *others = counts.values()
        for other in others:
            _compare(first, other)
        if split.endswith(REFERENCES):
            for language, found in counts.items():
                _compare_references(found, _number_of_parts(rows, name, split.removesuffix(REFERENCES), language))
    lines = sum(count for _, count in first)
    if any(row.of_corrections for row in first_side):
        stats.kept, stats.lines = lines, lines + sum(stats.reasons.values())
        write_json(output / f"extract.{split}.{'_'.join(languages)}.json", stats.report())
        print(f"{name}/{split}: {stats.summary()}", file=sys.stderr)
    return lines


def _label(row: Row, downloads: Path) -> str:
    path = str(downloads / row.relative_path)
    column = f" ({row.reader})" if row.reader.startswith("column:") else ""
    return (f"{path}!{row.member}" if row.member else path) + column


def _counterparts(parts: list[Row], first_side: list[Row]) -> Sequence[Row | None]:
    """Return for each part the SGML file of the first language whose segment ids it must have, if any."""
    if len(parts) != len(first_side):
        if any(row.reader == "sgm" for row in parts) and any(row.reader == "sgm" for row in first_side):
            raise ConfigError(
                f"{parts[0].name}: {len(first_side)} and {len(parts)} files for a split; SGML is paired file by file"
            )
        return [None] * len(parts)
    return [
        first if first is not row and first.reader == row.reader == "sgm" else None
        for row, first in zip(parts, first_side, strict=True)
    ]


def _write(row: Row, first: Row | None, downloads: Path, file: IO[Any], progress: Progress, stats: Stats) -> int:
    path, lines = downloads / row.relative_path, 0
    for sentence in (
        read_beside(path, row, downloads / first.relative_path, first) if first else read_sentences(path, row, stats)
    ):
        file.write(f"{sentence}\n")
        lines += 1
        progress.add(1)
    if lines == 0:
        remedy = "delete the file and get it again" if row.own is None else f"put some there, or correct {row.where}"
        raise DataError(f"{_label(row, downloads)}: no text in it; {remedy}")
    return lines


def _compare(first: list[tuple[str, int]], other: list[tuple[str, int]]) -> None:
    """Compare part by part where the parts correspond: two errors that cancel out in the sum still misalign."""
    if len(first) != len(other):
        first = [(" + ".join(label for label, _ in first), sum(lines for _, lines in first))]
        other = [(" + ".join(label for label, _ in other), sum(lines for _, lines in other))]
    for (left, left_lines), (right, right_lines) in zip(first, other, strict=True):
        if left_lines != right_lines:
            raise DataError(
                f"unequal line counts: {left} has {left_lines:,}, {right} has {right_lines:,};"
                " parallel text needs one line a sentence on both sides"
            )


def _parallel(rows: list[Row], name: str, split: str, languages: Sequence[str]) -> list[list[Row]]:
    """Return the rows of the sides of a split, or of each of its references and of what these refer to."""
    sides = [select(rows, name, split, language) for language in languages]
    if not split.endswith(REFERENCES):
        return sides
    referred = [row for row in rows if row.name == name and split.removesuffix(REFERENCES) in row.splits]
    known = dict.fromkeys(language for row in referred for language in row.languages)
    whole = [[row for row in referred if language in row.languages] for language in known]
    parts = len(whole[0]) if whole else 1
    return whole + [side[start : start + parts] for side in sides for start in range(0, len(side), parts)]


def _check_whole_files(sides: list[list[Row]], downloads: Path) -> None:
    """Compare the files of which the same lines are read: if one lacks a line before these, the pairs are shifted."""
    if len({len(side) for side in sides}) > 1:
        return  # Which belong together is not known.
    for first, *others in zip(*sides, strict=True):
        for other in others:
            if first.reader == other.reader and first.reader.startswith("lines:"):
                _compare([_whole_file(first, downloads)], [_whole_file(other, downloads)])


def _whole_file(row: Row, downloads: Path) -> tuple[str, int]:
    """Return a file's label and its number of lines, of which the row reads some."""
    lines = sum(1 for _ in read_sentences(downloads / row.relative_path, replace(row, reader="lines")))
    return _label(row, downloads), lines


def _number_of_parts(rows: list[Row], name: str, split: str, language: str) -> int:
    """Return of how many files one reference is; one, where the split that they belong to is not listed."""
    return sum(row.name == name and split in row.splits and language in row.languages for row in rows) or 1


def _compare_references(files: list[tuple[str, int]], parts: int) -> None:
    for (first, first_lines), (other, other_lines) in zip(files, files[parts:], strict=False):
        if first_lines != other_lines:
            raise DataError(
                f"unequal line counts: {first} has {first_lines:,}, {other} has {other_lines:,};"
                " every reference needs one line a sentence"
            )


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, extract, say how many lines there are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True, help="the list of corpora, workflow/corpora.tsv")
    parser.add_argument("--name", required=True, help="corpus, as in the list")
    parser.add_argument("--split", required=True, help="split, as in the list")
    parser.add_argument("--languages", nargs="+", required=True, help="several only for parallel text")
    parser.add_argument("--downloads", type=Path, required=True, help="folder that holds <host>/<path>")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder that receives <split>.<language>")
    args = parser.parse_args(argv)
    rows = read_catalog(args.corpora)
    lines = extract(rows, args.name, args.split, args.languages, args.downloads, args.output_dir)
    print(f"{args.output_dir}/{args.split}.{{{','.join(args.languages)}}}: {lines:,} lines", file=sys.stderr)


if __name__ == "__main__":
    main()
