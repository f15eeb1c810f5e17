"""Make the `demo` scale's pairs for grammatical error correction: sentences of its news, with synthetic errors.

    python -m seqpre.demo.generate_corrections --output-dir results/downloads/corrections --seed 1

writes, tokenized and in lower case, as the demo's denoiser reads its news, a sentence a line,

    demo_synthetic/{train,valid,test}.{source,target}   sentences with errors, and as they were
    demo_synthetic/{train,valid,test}.m2                how each error is mended, and its kind

with the errors of `seqpre.corpora.errors`; misspellings are made up. No sentence of validation and test is in training.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice, pairwise
from pathlib import Path
from random import Random

from seqpre.common.errors import ConfigError, command
from seqpre.common.files import atomic_write
from seqpre.corpora.errors import learn_lexicon, write_pairs
from seqpre.corpora.treebank import tokenize
from seqpre.demo.generate_news import HELD_OUT, TRAINING
from seqpre.demo.grammar.news import Newsroom
from seqpre.demo.grammar.tables import LEXICON

SUFFIXES = ("source", "target", "m2")
SHORTEST_MISSPELT = 5
FORMS = 2
"""A word is misspelt in so many ways."""


def sentences(seed: str, exponent: float, taken: set[str]) -> Iterator[str]:
    """Yield sentences of news without end, none twice, none that is `taken`."""
    # A text seed goes through SHA-512, so it does not depend on PYTHONHASHSEED.
    newsroom, seen = Newsroom(LEXICON, exponent, Random(seed)), set(taken)
    while True:
        for sentence in newsroom.story().document:
            if sentence not in seen:
                seen.add(sentence)
                yield sentence


def misspelt(words: Iterable[str], seed: int) -> dict[str, tuple[str, ...]]:
    """Return misspellings of long words: two letters in the wrong order, one left out or written twice."""
    known = set(words)
    found = {}
    for word in sorted(known):
        if len(word) < SHORTEST_MISSPELT or not (word.isalpha() and word.islower()):
            continue
        pairs = [f"{word[:place]}{two}{one}{word[place + 2 :]}" for place, (one, two) in enumerate(pairwise(word))]
        places = range(1, len(word))
        lost = [word[:place] + word[place + 1 :] for place in places]
        doubled = [word[:place] + word[place] + word[place:] for place in places]
        wrong = sorted({*pairs, *lost, *doubled} - known)
        found[word] = tuple(Random(f"{seed}/{word}").sample(wrong, FORMS))
    return found


def generate(output: Path, seed: int, sizes: dict[str, int]) -> None:
    """Write the splits, those that are held out first."""
    taken: set[str] = set()
    texts: dict[str, list[list[str]]] = {}
    for split, size in sorted(sizes.items(), key=lambda item: item[0] == "train"):
        chosen = list(islice(sentences(f"{seed} {split}", TRAINING if split == "train" else HELD_OUT, taken), size))
        taken.update(chosen)
        texts[split] = [tokenize(sentence.lower()) for sentence in chosen]
    everything = [tokens for text in texts.values() for tokens in text]
    lexicon = learn_lexicon(everything, misspelt((token for tokens in everything for token in tokens), seed))
    for number, (split, text) in enumerate(texts.items()):
        with ExitStack() as stack:
            names = (output / "demo_synthetic" / f"{split}.{suffix}" for suffix in SUFFIXES)
            write_pairs(text, lexicon, seed + number, [stack.enter_context(atomic_write(name)) for name in names])


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse the arguments and write the corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output-dir", type=Path, required=True, help="folder that gets the corpus' folder")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same text (default %(default)s)")
    parser.add_argument("--train", type=int, default=6000, help="training pairs (default %(default)s)")
    parser.add_argument("--valid", type=int, default=300, help="validation pairs (default %(default)s)")
    parser.add_argument("--test", type=int, default=400, help="test pairs (default %(default)s)")
    arguments = parser.parse_args(argv)
    sizes = {split: getattr(arguments, split) for split in ("train", "valid", "test")}
    for split, size in sizes.items():
        if size < 1:
            raise ConfigError(f"--{split} must be at least 1, got {size}")
    generate(arguments.output_dir, arguments.seed, sizes)
    print(f"{arguments.output_dir}: demo_synthetic (seed {arguments.seed})", file=sys.stderr)


if __name__ == "__main__":
    main()
