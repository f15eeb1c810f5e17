"""Make the news of the `demo` scale: stories with highlights, and more stories without; the same for a seed everywhere.

    python -m seqpre.demo.generate_news --output-dir results/downloads/news --seed 1

writes, a story or its highlights a line, `¶` between sentences,

    demo_news/{train,valid,test}.{document,summary}   stories of 4 to 12 sentences and one to three highlights
    demo_news_unlabelled/train.document               more stories of the same topics, with rarer names and words

Training text contains duplicates and stories without highlights for the filters to remove. Validation and test text
has none, and none of its stories is in any training text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from random import Random

from seqpre.common.errors import ConfigError, command
from seqpre.common.files import atomic_write
from seqpre.corpora.sentences import join_sentences
from seqpre.demo.grammar.news import Newsroom
from seqpre.demo.grammar.tables import LEXICON

SIDES = ("document", "summary")
# Exponents of Zipf's law: held-out stories have rarer names than the training pairs, and unlabelled ones show them.
TRAINING, HELD_OUT, UNLABELLED = 1.0, 0.8, 0.6
DUPLICATE_RATE, BLANK_RATE = 0.02, 0.01

Pair = tuple[str, str]
"""Document and summary."""


def stories(seed: str, exponent: float, excluded: set[str]) -> Iterator[Pair]:
    """Yield clean stories without end, no document of which is `excluded`."""
    # A text seed goes through SHA-512, so it does not depend on PYTHONHASHSEED.
    newsroom = Newsroom(LEXICON, exponent, Random(seed))
    while True:
        story = newsroom.story()
        document = join_sentences(story.document)
        if document not in excluded:
            yield document, join_sentences(story.highlights)


def spoilt(clean: Iterator[Pair], rng: Random) -> Iterator[Pair]:
    """Yield the stories with noise: some come twice, some have lost their highlights."""
    previous = next(clean)
    while True:
        draw = rng.random()
        if draw < DUPLICATE_RATE:
            yield previous
        elif draw < DUPLICATE_RATE + BLANK_RATE:
            yield next(clean)[0], ""
        else:
            previous = next(clean)
            yield previous


def write(pairs: Iterable[Pair], folder: Path, split: str, sides: Sequence[str] = SIDES) -> None:
    """Write the sides of the pairs, the document first."""
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_write(folder / f"{split}.{side}")) for side in sides]
        for pair in pairs:
            for file, text in zip(files, pair, strict=False):
                file.write(f"{text}\n")


def generate(output: Path, seed: int, pairs: int, unlabelled: int, valid: int, test: int) -> None:
    """Write all corpora below `output`."""
    taken: set[str] = set()
    for split, count in (("valid", valid), ("test", test)):
        chosen = list(islice(stories(f"{seed} {split}", HELD_OUT, taken), count))
        taken.update(document for document, _ in chosen)
        write(chosen, output / "demo_news", split)
    training = stories(f"{seed} train", TRAINING, taken)
    write(islice(spoilt(training, Random(f"{seed} noise")), pairs), output / "demo_news", "train")
    others = stories(f"{seed} unlabelled", UNLABELLED, taken)
    write(
        islice(spoilt(others, Random(f"{seed} unlabelled noise")), unlabelled),
        output / "demo_news_unlabelled",
        "train",
        SIDES[:1],
    )


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse the arguments and write the corpora."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output-dir", type=Path, required=True, help="folder that gets one folder per corpus")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same text (default %(default)s)")
    parser.add_argument("--pairs", type=int, default=2500, help="training pairs, noise included (default %(default)s)")
    parser.add_argument("--unlabelled", type=int, default=9000, help="unlabelled stories (default %(default)s)")
    parser.add_argument("--valid", type=int, default=200, help="validation pairs (default %(default)s)")
    parser.add_argument("--test", type=int, default=300, help="test pairs (default %(default)s)")
    arguments = parser.parse_args(argv)
    sizes = {name: getattr(arguments, name) for name in ("pairs", "unlabelled", "valid", "test")}
    for name, size in sizes.items():
        if size < 1:
            raise ConfigError(f"--{name} must be at least 1, got {size}")
    generate(arguments.output_dir, arguments.seed, **sizes)
    print(f"{arguments.output_dir}: demo_news, demo_news_unlabelled (seed {arguments.seed})", file=sys.stderr)


if __name__ == "__main__":
    main()
