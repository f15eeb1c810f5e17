"""Make the page on which people rate the outputs of two systems blind.

    python -m seqpre.human_study.make --documents raw/test.en --references raw/test.de --languages en de \\
        --system full=FULL/hypotheses/perplexity/test.txt --baseline none=NONE/hypotheses/perplexity/test.txt \\
        --sample 200 --seed 1 --page human_study/page.html --key human_study/key.json

All files are parallel, one document a line. The page needs no server and no network: send it to the raters, who export
their ratings to files. The key says which output came from which system; keep it secret from the raters until `python
-m seqpre.human_study.analyse` reads both. The page's id is a hash of its content, so ratings of another page are
recognised. The same files and seed give the same page and key.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, named_paths, read_parallel, sha256_of, write_json
from seqpre.human_study.ratings import KEY_FORMAT, RATINGS_FORMAT, read_key
from seqpre.metrics.overlap import repeats
from seqpre.report.human_counts import count_repetition
from seqpre.report.pages.page import in_lines, self_contained

TITLE = "Which output is better?"


def sample_lines(documents: Sequence[str], references: Sequence[str], size: int, seed: int) -> list[int]:
    """Draw `size` (or all) documents that have a text and a reference; return their line numbers in display order."""
    if size < 1:
        raise ConfigError(f"--sample is {size:,}; it must be at least 1")
    rateable = [place for place in range(len(documents)) if documents[place] and references[place]]
    if not rateable:
        raise DataError(f"of {len(documents):,} documents none can be rated: each one or its reference is empty")
    return random.Random(f"documents {seed}").sample(rateable, min(size, len(rateable)))


def show_orders(size: int, seed: int) -> list[list[int]]:
    """Draw for each document which output is shown first: the system's (0) or the baseline's (1)."""
    generator = random.Random(f"orders {seed}")
    return [generator.sample((0, 1), 2) for _ in range(size)]


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Sample, shuffle, write the page and its key."""
    parser = parser_of(__doc__)
    parser.add_argument("--documents", required=True, type=Path, help="the systems' inputs, one a line")
    parser.add_argument("--references", required=True, type=Path, help="outputs that people wrote, one a line")
    parser.add_argument("--languages", nargs=2, default=["en", "en"], metavar=("DOCUMENT", "OUTPUT"))
    parser.add_argument("--system", required=True, metavar="NAME=FILE", help="outputs of the system in question")
    parser.add_argument("--baseline", required=True, metavar="NAME=FILE", help="outputs of the one to compare it with")
    parser.add_argument("--sample", type=int, default=200, help="documents to rate, or all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and of the order (default: %(default)s)")
    parser.add_argument("--page", required=True, type=Path, help="HTML file to write, for the raters")
    parser.add_argument("--key", required=True, type=Path, help="JSON file to write, not for the raters")
    args = parser.parse_args(argv)

    (system, system_path), = named_paths([args.system], "--system").items()  # fmt: skip
    (baseline, baseline_path), = named_paths([args.baseline], "--baseline").items()  # fmt: skip
    if args.page.resolve() == args.key.resolve():
        raise ConfigError(f"--page and --key are both {args.key}; raters get the page, and must not see the key")
    if system == baseline:
        raise ConfigError(f"--system and --baseline are both called {system!r}; give them two names")
    paths = [args.documents, args.references, system_path, baseline_path]
    documents, references, *outputs = read_parallel(paths)
    # Unstated: which split the rated documents are from ("200 random documents"), and how many raters there are ("a
    # human evaluator"). The test set; one rater or more.
    lines = sample_lines(documents, references, args.sample, args.seed)
    orders = show_orders(len(lines), args.seed)
    items = [
        {"document": in_lines(documents[line]), "reference": in_lines(references[line]),
         "outputs": [in_lines(outputs[one][line]) for one in order]}
        for line, order in zip(lines, orders, strict=True)
    ]  # fmt: skip
    page = hashlib.sha256(json.dumps(items, sort_keys=True).encode()).hexdigest()[:16]
    repeating = [[repeats(output) for output in of_one] for of_one in outputs]
    key = {
        "format": KEY_FORMAT, "page": page, "system": system, "baseline": baseline, "seed": args.seed,
        "files": {str(path): sha256_of(path) for path in paths},
        "items": [{"line": line + 1, "shown": [(system, baseline)[one] for one in order],
                   "repeats": [repeating[one][line] for one in order]}
                  for line, order in zip(lines, orders, strict=True)],
        "all_outputs": count_repetition(zip(*repeating, strict=True))._asdict(),
        "all_references": {"documents": len(references), "repeating": sum(map(repeats, references))},
    }  # fmt: skip
    if args.key.exists() and (other := read_key(args.key).page) != page:
        raise ConfigError(
            f"{args.key} is the key of page {other}, and ratings of it need that key; this would be page {page}: name "
            "other files, or remove the page and its key"
        )
    with atomic_write(args.page) as file:
        shown = {"format": RATINGS_FORMAT, "page": page, "title": TITLE, "languages": args.languages, "items": items}
        file.write(self_contained("rate", TITLE, shown, package="seqpre.human_study"))
    write_json(args.key, key)
    print(f"{args.page}: {len(lines):,} of {len(documents):,} documents, page {page}, for the raters")
    print(f"{args.key}: which output is whose, not for the raters")


if __name__ == "__main__":
    main()
