"""Clean a training split: normalise, drop unusable lines, deduplicate, shuffle, and report what was dropped and why.

One input is a monolingual text, two are parallel text whose lines stay together. A line (or pair) is dropped for the
first reason that holds:

    empty          a side has no text
    too_long       a side has more than --max-length words
    ratio          one side has more than --max-ratio times the words of the other
    copy           both sides are the same text (not with --keep-copies)
    excluded       a side occurs in one of the --exclude files (validation, tests, the bitext)
    near_copy      with --near-copies: more than half of a side's 6-grams occur in these files; or a side contains more
                   than half of the 6-grams of one of their lines, and these are at least eight, or a quarter of the
                   side's own
    duplicate      the same line or pair came before
    not_<language> a side is clearly in another language, as `seqpre.corpora.langid` says

The output order is random, given by --seed and the text only, so its first n % are a random sample, which every larger
share contains. The statistics hold counts, percentages and examples; --dropped gets every dropped line with its number,
the reason and, for a wrong language, the detected one and its margin (nats) on each side. Nothing depends on --workers.

    python -m seqpre.corpora.filter --input raw/train.en raw/train.de --languages en de --seed 1 \\
        --output train.en train.de --stats train.stats.json --dropped train.dropped.tsv.gz
"""

from __future__ import annotations

import gzip
import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, NamedTuple

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, read_lines, read_together, write_json
from seqpre.corpora import langid
from seqpre.corpora.grams import HeldOut
from seqpre.corpora.normalise import normalise
from seqpre.corpora.parallel import chunked, ordered_map
from seqpre.corpora.progress import Progress
from seqpre.corpora.shuffle import Record, hash_order, num_buckets, text_hash
from seqpre.corpora.stats import Stats

CHUNK = 1000
DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Rules:
    """The conditions for keeping a line."""

    languages: tuple[str, ...]
    identifier: str = "fasttext+py3langid"
    max_length: int = 250
    max_ratio: float = 3.0
    seed: int = 1
    keep_copies: bool = False
    hash_digits: bool = False

    def __post_init__(self) -> None:
        if len(self.languages) not in (1, 2):
            raise ConfigError(f"languages: expected one or two, got {self.languages}")
        if self.identifier not in langid.NAMES:
            raise ConfigError(f"identifier {self.identifier!r}; accepted: {', '.join(langid.NAMES)}")
        if self.max_length < 1:
            raise ConfigError(f"max-length {self.max_length}; at least 1 word")
        if not self.max_ratio >= 1:
            raise ConfigError(f"max-ratio {self.max_ratio}; at least 1")


class Drop(NamedTuple):
    """The reason for dropping a line, and its text for the statistics."""

    reason: str
    details: dict[str, str]


_identifier: langid.Identifier  # one for each process, set by _load_identifier


def _load_identifier(name: str, languages: tuple[str, ...]) -> None:
    global _identifier
    _identifier = langid.Identifier(name, languages)


def _identify_chunk(chunk: list[tuple[str, ...]]) -> list[Drop | None]:
    return list(map(_identify, chunk))


def _identify(texts: tuple[str, ...]) -> Drop | None:
    evidence = _identifier.evidence(texts)
    wrong = _identifier.wrong(evidence)
    if wrong is None:
        return None
    found, margins = " ".join(side.found for side in evidence), " ".join(f"{side.margin:.1f}" for side in evidence)
    return Drop(f"not_{wrong}", {"detected": found, "margin": margins})


def filter_corpus(
    inputs: Sequence[Path],
    outputs: Sequence[Path],
    rules: Rules,
    exclude: Sequence[Path] = (),
    workers: int = 1,
    dropped: Path | None = None,
    *,
    near_copies: bool = False,
) -> Stats:
    """Write the lines of `inputs` that satisfy `rules` to `outputs`, shuffled; return the statistics.

    All other lines go to `dropped`, tab-separated and compressed; its bytes depend only on text and rules. Raises
    DataError for unequal line counts and if nothing is left; then there are no outputs.
    """
    stats = Stats()
    excluded = read_excluded(exclude, rules.hash_digits)
    near = HeldOut(_lines(exclude, rules.hash_digits)) if near_copies else None
    scratch = outputs[0].with_name(f".{outputs[0].name}.buckets")
    plausible = _plausible(inputs, rules, excluded, near, stats)
    buckets = num_buckets(sum(path.stat().st_size for path in inputs))
    records = hash_order(plausible, rules.seed, buckets, scratch)
    with ExitStack() as stack:
        if dropped:
            stats.dropped = stack.enter_context(_compressed(dropped))
            header = "\t".join(["line", "reason", "detected", "margin", *rules.languages])
            stats.dropped.write(f"{header}\n")
        files = [stack.enter_context(atomic_write(path)) for path in outputs]
        progress = stack.enter_context(Progress(f"filter {inputs[0].name}"))
        for record, drop in _judged(records, rules, workers):
            progress.add(1)
            if drop:
                stats.drop(drop.reason, record.number, record.texts, **drop.details)
                continue
            stats.kept += 1
            for file, text in zip(files, record.texts, strict=True):
                file.write(f"{text}\n")
        if stats.kept == 0:
            reasons = ", ".join(f"{reason} {count:,}" for reason, count in stats.reasons.most_common()) or "empty input"
            names = " and ".join(map(str, inputs))
            raise DataError(f"{names}: none of {stats.lines:,} lines is left ({reasons}); check --languages and limits")
    return stats


def read_excluded(paths: Iterable[Path], hash_digits: bool = False) -> set[int]:
    """Return 64-bit hashes of all normalised lines of the files."""
    return set(map(text_hash, _lines(paths, hash_digits)))


def _lines(paths: Iterable[Path], hash_digits: bool) -> Iterator[str]:
    return (line for path in paths for line in _normalised(read_lines(path), hash_digits) if line)


def _normalised(lines: Iterable[str], hash_digits: bool) -> Iterator[str]:
    return (DIGIT.sub("#", normalise(line)) if hash_digits else normalise(line) for line in lines)


def why_implausible(
    texts: tuple[str, ...], rules: Rules, excluded: set[int], near: HeldOut | None = None
) -> str | None:
    """Return the reason to drop normalised `texts` if it can be found without identifying languages."""
    words = [text.count(" ") + 1 for text in texts]
    if not all(texts):
        return "empty"
    if max(words) > rules.max_length:
        return "too_long"
    if max(words) > rules.max_ratio * min(words):
        return "ratio"
    if len(texts) == 2 and texts[0] == texts[1] and not rules.keep_copies:
        return "copy"
    # Differs: text that is also validation or test text is left out, and a pair is kept once; Ramachandran et al. and
    # PoDA do not say so.
    if excluded and any(text_hash(text) in excluded for text in texts):
        return "excluded"
    if near is not None and any(map(near.is_near, texts)):
        return "near_copy"
    return None


def _plausible(
    inputs: Sequence[Path], rules: Rules, excluded: set[int], near: HeldOut | None, stats: Stats
) -> Iterator[tuple[int, tuple[str, ...]]]:
    with Progress(f"normalise {inputs[0].name}") as progress:
        for number, raw in enumerate(read_together(inputs), start=1):
            texts = tuple(_normalised(raw, rules.hash_digits))
            stats.lines = number
            stats.changed_by_normalisation += texts != raw
            progress.add(1)
            reason = why_implausible(texts, rules, excluded, near)
            if reason:
                stats.drop(reason, number, texts)
            else:
                yield number, texts


def _judged(records: Iterable[Record], rules: Rules, workers: int) -> Iterator[tuple[Record, Drop | None]]:
    """Yield every record in order, with the reason to drop it; among equal ones only the first is identified."""
    if rules.identifier == "none":
        yield from _repeated(records)
        return
    chunks: list[list[tuple[Record, Drop | None]]] = []

    def different() -> Iterator[list[tuple[str, ...]]]:
        for chunk in chunked(_repeated(records), CHUNK):
            chunks.append(chunk)
            yield [record.texts for record, drop in chunk if not drop]

    known = (rules.identifier, rules.languages)
    for drops in ordered_map(_identify_chunk, different(), workers, _load_identifier, known):
        identified = iter(drops)
        for record, drop in chunks.pop(0):
            yield record, drop or next(identified)


def _repeated(records: Iterable[Record]) -> Iterator[tuple[Record, Drop | None]]:
    """Yield every record; those equal to the one before are dropped as duplicates."""
    previous: tuple[str, ...] | None = None
    for record in records:
        yield record, Drop("duplicate", {}) if record.texts == previous else None
        previous = record.texts


@contextmanager
def _compressed(path: Path) -> Iterator[IO[str]]:
    """Yield a text file that is renamed when complete; the same text always gives the same bytes."""
    with (
        atomic_write(path, "wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as text,
    ):
        yield text


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, filter, write the statistics and a summary."""
    parser = parser_of(__doc__)
    parser.add_argument("--input", type=Path, nargs="+", required=True, help="one text, or two parallel ones")
    parser.add_argument("--output", type=Path, nargs="+", required=True, help="as many outputs")
    parser.add_argument("--stats", type=Path, required=True, help="JSON with counts, reasons, examples")
    parser.add_argument("--languages", nargs="+", required=True, help="language of each input (ISO 639-1)")
    parser.add_argument("--dropped", type=Path, help="every line that was dropped, and why (tab-separated, .gz)")
    parser.add_argument("--identifier", choices=langid.NAMES, default=Rules.identifier, help="default: %(default)s")
    parser.add_argument("--max-length", type=int, default=Rules.max_length, help="words a side (default %(default)s)")
    longer = "words of the longer side by the shorter's"
    parser.add_argument("--max-ratio", type=float, default=Rules.max_ratio, help=longer)
    parser.add_argument("--exclude", type=Path, nargs="*", default=[], help="files whose sentences must not occur")
    parser.add_argument("--near-copies", action="store_true", help="nor lines that are nearly in those files")
    parser.add_argument("--keep-copies", action="store_true", help="pairs of a text and itself, too: corrections")
    parser.add_argument("--hash-digits", action="store_true", help="digits become #, as in Gigaword's headlines")
    parser.add_argument("--seed", type=int, default=1, help="of the order (default 1)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1); no effect on the result")
    args = parser.parse_args(argv)
    if not len(args.input) == len(args.output) == len(args.languages):
        raise ConfigError(
            f"--input, --output and --languages need equally many values,"
            f" got {len(args.input)}, {len(args.output)} and {len(args.languages)}"
        )
    rules = Rules(
        languages=tuple(args.languages),
        identifier=args.identifier,
        max_length=args.max_length,
        max_ratio=args.max_ratio,
        seed=args.seed,
        keep_copies=args.keep_copies,
        hash_digits=args.hash_digits,
    )
    stats = filter_corpus(
        args.input, args.output, rules, args.exclude, args.workers, args.dropped, near_copies=args.near_copies
    )
    settings = {**asdict(rules), "identifier_version": langid.identifier_version(rules.identifier)}
    for option in ("keep_copies", "hash_digits"):
        if not settings[option]:
            del settings[option]
    excluded = [str(path) for path in args.exclude]
    write_json(args.stats, {**stats.report(), "rules": settings, "exclude": excluded})
    print(f"{args.output[0]}: {stats.summary()}", file=sys.stderr)


if __name__ == "__main__":
    main()
