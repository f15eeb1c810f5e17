"""Make the tables of a human study from the exported ratings.

    python -m seqpre.human_study.analyse ratings-anna.json ratings-ben.json --key human_study/key.json \\
        --published workflow/published.tsv --output-dir human_study/tables

Writes and prints table_4 (scores, sign test), table_5 (repetition, McNemar's test) and agreement (.csv, .md, .tex).
Without ratings, --key gives the automatic measure of repetition next to the published counts; without a key, only the
published counts are tested:

    python -m seqpre.human_study.analyse --published workflow/published.tsv --output-dir published

Rejected are: a file for another page, two files of one rater, a score that is not 1 to 5, an unknown item.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.human_study.ratings import Ratings, read_all_ratings, read_key
from seqpre.human_study.tables import agreement_table, common_items, repetition_table, score_table
from seqpre.report.human_counts import published_human_study
from seqpre.report.published import load_published
from seqpre.report.table import to_markdown


def refuse_unfinished(ratings: Sequence[Ratings]) -> None:
    """Raise DataError if a rater has not rated every item."""
    for one in ratings:
        if one.unfinished:
            numbers = ", ".join(str(item + 1) for item in one.unfinished[:10])
            more = ", ..." if len(one.unfinished) > 10 else ""
            raise DataError(
                f"{one.path}: {one.rater} has not rated {len(one.unfinished)} of "
                f"{len(one.unfinished) + len(one.marks)} items ({numbers}{more}); "
                "import the file into the page and finish it, or leave these out with --skip-unfinished"
            )


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read, check, unblind, count, test, write."""
    parser = parser_of(__doc__)
    parser.add_argument("ratings", nargs="*", type=Path, help="files that raters exported")
    parser.add_argument("--key", type=Path, help="the key that was written with the page")
    parser.add_argument("--published", required=True, type=Path, help="workflow/published.tsv")
    parser.add_argument("--study", default="", help="whose published counts (default: of the only one that has any)")
    parser.add_argument("--skip-unfinished", action="store_true", help="leave out and report items that are not rated")
    parser.add_argument("--output-dir", required=True, type=Path)
    args = parser.parse_args(argv)

    if args.ratings and not args.key:
        raise ConfigError("ratings mean nothing without --key, the file that was written with the page")
    published = published_human_study(load_published(args.published), args.study)
    key = read_key(args.key) if args.key else None
    ratings = read_all_ratings(args.ratings, key) if key else []
    if not args.skip_unfinished:
        refuse_unfinished(ratings)
    if ratings and not common_items(ratings):
        raise DataError("there is no item that every rater has rated; nothing can be counted")
    tables = [
        score_table(published.scores, key, ratings),
        repetition_table(published.repetition, key, ratings),
        *([agreement_table(key, ratings)] if key and ratings else []),
    ]
    for table in tables:
        table.write(args.output_dir)
    print("\n".join(map(to_markdown, tables)))


if __name__ == "__main__":
    main()
