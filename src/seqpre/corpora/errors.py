"""Make pairs for grammatical error correction from correct English: every sentence gets seeded errors of known kinds.

    python -m seqpre.corpora.errors --input captions.en --tokenize --misspellings dictionary.txt words.csv --seed 1 \\
        --output-dir results/small/corpora/synthetic/raw --split train

reads one correct sentence a line (or, with `--corpora`, `--name` and `--downloads`, the side `train.target` of a
corpus of that list, misspellings from its corpus `misspellings`) and writes, line by line in parallel,

    train.target        the sentences, as they were
    train.source        the same with errors
    train.m2            both as M2: how each error is mended, with its kind
    train.errors.json   how many errors of each kind were made, and examples of each

Kinds (seqpre.corpora.error_kinds has their rules):

    article_missing     I saw dog.              noun_number     many dog, a dogs
    article_added       in the general          verb_tense      yesterday he goes
    article_wrong       an car, the idea        verb_form       he can goes, it was build
    preposition         in Monday, to discuss about it
    agreement           he go, the dogs is      word_order      he goes always, what he is doing?
    punctuation         a comma or stop too few or too many, dont
    spelling            as in the lists of --misspellings, which the corpora `misspellings` are

The number of errors in a sentence depends only on the seed and its line: none, 1, 2, 3 or 4 with the probabilities
0.10, 0.35, 0.30, 0.15 and 0.10. Kinds that fewer sentences have a place for are drawn more often there, towards the
share of each kind; train.errors.json has the shares, and the result. Errors are never adjacent; a sentence without
enough places has fewer. Nouns and verbs are learnt from the text itself, so the same text and seed give the same
errors, everywhere.

This is training text only: it says nothing about the errors that people make.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import IO, Any

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, read_lines, write_json
from seqpre.corpora.catalog import read_catalog, select
from seqpre.corpora.download import verify
from seqpre.corpora.error_kinds import CLOSED, KINDS, Change, Lexicon
from seqpre.corpora.inflection import Inflector
from seqpre.corpora.m2 import NOTHING, SEPARATOR
from seqpre.corpora.progress import Progress
from seqpre.corpora.readers import SIDES, read_sentences
from seqpre.corpora.treebank import tokenize

# Differs: where the licensed training pairs are not at hand, pairs with synthetic errors replace them. We chose the
# share of each kind of error; kinds that learners' corpora report often (articles, prepositions, spelling) have large
# shares.
PROBABILITIES = (0.10, 0.35, 0.30, 0.15, 0.10)
"""Probabilities of none, one, two, ... errors in a sentence."""
MISSPELLINGS = "misspellings"
"""The corpus with the lists of misspellings."""
EXAMPLES = 5
SAMPLE = 2_000
"""Number of sentences from which the availability of each kind is estimated."""


def read_misspellings(paths: Iterable[Path]) -> Mapping[str, tuple[str, ...]]:
    """Return the attested misspellings of each word in the lists, in code-point order.

    Two formats are read, one entry a line: `teh->the` (codespell) and `teh,the` (typos). Entries are skipped unless
    both are single alphabetic words: with several corrections, the intended word is unknown. Raises DataError, naming
    file and line, for any other format.
    """
    found: dict[str, set[str]] = {}
    for path in paths:
        for number, line in enumerate(read_lines(path), start=1):
            wrong, arrow, right = line.strip().partition("->" if "->" in line else ",")
            if not (wrong and arrow and right):
                raise DataError(f"{path}, line {number:,}: {line[:40]!r} is neither `wrong->right` nor `wrong,right`")
            if wrong.isalpha() and right.isalpha() and wrong != right:
                found.setdefault(right.lower(), set()).add(wrong.lower())
    return {word: tuple(sorted(wrong)) for word, wrong in found.items()}


def learn_lexicon(sentences: Iterable[Sequence[str]], misspellings: Mapping[str, Sequence[str]]) -> Lexicon:
    """Return the word forms that occur in a text, and their misspellings."""
    known = {token for tokens in sentences for token in tokens if token.islower()}
    return Lexicon(Inflector(known, CLOSED), misspellings)


def balanced(sentences: Sequence[Sequence[str]], lexicon: Lexicon) -> dict[str, float]:
    """Return the weight of each kind where it has a place: its share over the share of sentences with a place."""
    sample = sentences[:: -(-len(sentences) // SAMPLE)]
    places = Counter(
        name for tokens in sample for name, (kind, _) in KINDS.items() if next(kind(tokens, lexicon), None)
    )
    return {name: share * len(sample) / max(places[name], 1) for name, (_, share) in KINDS.items()}


def wanted_errors(seed: int, number: int) -> tuple[int, Random]:
    """Return the number of errors for the sentence of a line, and the generator that draws them."""
    rng = Random(f"{seed}/{number}")
    draw = rng.random()
    for count, probability in enumerate(PROBABILITIES):
        draw -= probability
        if draw < 0:
            return count, rng
    return len(PROBABILITIES) - 1, rng


def draw_errors(
    tokens: Sequence[str], wanted: int, weights: Mapping[str, float], lexicon: Lexicon, rng: Random
) -> list[tuple[Change, str]]:
    """Return `wanted` changes of a correct sentence, with their kinds, in order; fewer if there is no place.

    A kind is drawn by weight among those that still have a place, then the place, then the change.
    """
    chosen: list[tuple[Change, str]] = []
    if any("|" in token for token in tokens):  # M2 cannot represent it
        return chosen
    possible = {name: list(kind(tokens, lexicon)) for name, (kind, _) in KINDS.items()} if wanted else {}
    while len(chosen) < wanted:
        possible = {
            name: free
            for name, changes in possible.items()
            if (free := [change for change in changes if all(_apart(change, other) for other, _ in chosen)])
        }
        if not possible:
            break
        name = rng.choices(list(possible), [weights[kind] for kind in possible])[0]
        place = rng.choice(sorted({change.start for change in possible[name]}))
        chosen.append((rng.choice([change for change in possible[name] if change.start == place]), name))
    return sorted(chosen)


def _apart(one: Change, other: Change) -> bool:
    """Return whether at least one token is between two changes, so that they do not affect each other."""
    return one.end < other.start or other.end < one.start


def apply(tokens: Sequence[str], errors: Sequence[tuple[Change, str]]) -> tuple[list[str], list[str]]:
    """Return the erroneous sentence, and the M2 lines that correct it. Errors must be in order."""
    source: list[str] = []
    edits, copied = [], 0
    for (start, end, words), kind in errors:
        source += tokens[copied:start]
        correction = " ".join(tokens[start:end]) or NOTHING
        fields = (f"{len(source)} {len(source) + len(words)}", kind, correction, "REQUIRED", NOTHING, "0")
        edits.append(f"A {SEPARATOR.join(fields)}")
        source += words
        copied = end
    return [*source, *tokens[copied:]], edits


class Tally:
    """Counts of requested and made errors, by kind and by sentence, with examples."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.asked: Counter[int] = Counter()
        self.made: Counter[int] = Counter()
        self.kinds: Counter[str] = Counter()
        self.examples: dict[str, list[dict[str, str]]] = {name: [] for name in KINDS}

    def add(self, wanted: int, errors: Sequence[tuple[Change, str]], source: str, target: str) -> None:
        """Count one sentence; sentences with a single error serve as examples."""
        self.asked[wanted] += 1
        self.made[len(errors)] += 1
        self.kinds.update(kind for _, kind in errors)
        if len(errors) == 1 and len(self.examples[errors[0][1]]) < EXAMPLES:
            self.examples[errors[0][1]].append({"source": source, "target": target})

    def report(self) -> dict[str, Any]:
        """Return the content of the statistics file."""
        sentences, errors = sum(self.asked.values()), sum(self.kinds.values())
        return {
            "seed": self.seed,
            "sentences": sentences,
            "errors": errors,
            "errors_without_a_place": sum(count * times for count, times in self.asked.items()) - errors,
            "sentences_by_errors": {str(count): self.made[count] for count in range(len(PROBABILITIES))},
            "kinds": {
                name: {
                    "share": share,
                    "errors": self.kinds[name],
                    "share_made": round(self.kinds[name] / max(errors, 1), 4),
                    "examples": self.examples[name],
                }
                for name, (_, share) in KINDS.items()
            },
        }


def write_pairs(sentences: Sequence[Sequence[str]], lexicon: Lexicon, seed: int, files: Sequence[IO[Any]]) -> Tally:
    """Write source, target and M2 of every sentence to three `files`; return the tally."""
    tally = Tally(seed)
    source_file, target_file, m2_file = files
    weights = balanced(sentences, lexicon)
    with Progress("make errors") as progress:
        for number, tokens in enumerate(sentences, start=1):
            wanted, rng = wanted_errors(seed, number)
            errors = draw_errors(tokens, wanted, weights, lexicon, rng)
            words, edits = apply(tokens, errors)
            source, target = " ".join(words), " ".join(tokens)
            source_file.write(f"{source}\n")
            target_file.write(f"{target}\n")
            m2_file.write("\n".join([f"S {source}", *edits]) + "\n\n")
            tally.add(wanted, errors, source, target)
            progress.add(1)
    return tally


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, learn the words, make the errors, write."""
    parser = parser_of(__doc__)
    parser.add_argument("--input", type=Path, nargs="+", default=[], help="correct sentences, one a line (.gz too)")
    parser.add_argument("--corpora", type=Path, help="instead of --input: the list of corpora, workflow/corpora.tsv")
    parser.add_argument("--name", help="corpus of that list")
    parser.add_argument("--downloads", type=Path, help="folder that holds <host>/<path>")
    parser.add_argument("--tokenize", action="store_true", help="the sentences are as people write them")
    parser.add_argument("--misspellings", type=Path, nargs="+", default=[], help="lists `wrong->right`, `wrong,right`")
    parser.add_argument("--seed", type=int, required=True, help="another one makes other errors")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder that receives <split>.source and others")
    parser.add_argument("--split", default="train", help="what the files are called; default train")
    args = parser.parse_args(argv)
    listed = [args.corpora, args.name, args.downloads]
    if any(listed) != all(listed) or bool(args.input) == all(listed):
        raise ConfigError("give --input, or --corpora, --name and --downloads")
    lists, texts = args.misspellings, [read_lines(path) for path in args.input]
    if args.corpora:
        rows = read_catalog(args.corpora)
        listed_words = [] if lists else [row for row in rows if row.name == MISSPELLINGS]
        found = select(rows, args.name, "train", SIDES[1])
        for row in (*listed_words, *found):
            verify(row, args.downloads)
        lists = lists or [args.downloads / row.relative_path for row in listed_words]
        texts = [read_sentences(row.file(args.downloads, SIDES[1])) for row in found]
    if not lists:
        raise ConfigError("--misspellings is missing: spelling errors are taken from such lists")
    misspellings = read_misspellings(lists)
    lines = [line for text in texts for line in text]
    if not any(lines):
        raise DataError(f"{', '.join(map(str, args.input)) or args.name}: no text in it")
    sentences = [tokenize(line) if args.tokenize else line.split() for line in lines]
    lexicon = learn_lexicon(sentences, misspellings)
    stem = args.output_dir / args.split
    with (
        atomic_write(f"{stem}.source") as source,
        atomic_write(f"{stem}.target") as target,
        atomic_write(f"{stem}.m2") as m2,
    ):
        tally = write_pairs(sentences, lexicon, args.seed, (source, target, m2))
    report = tally.report()
    write_json(f"{stem}.errors.json", report)
    print(f"{stem}: {report['errors']:,} errors in {report['sentences']:,} sentences", file=sys.stderr)


if __name__ == "__main__":
    main()
