"""Make the text of the `demo` scale from a bilingual grammar of English and German, the same for a seed everywhere.

    python -m seqpre.demo.generate --output-dir results/downloads/grammar --seed 1

writes, one sentence a line,

    demo_ende/{train,valid,test_a,test_b}.{en,de}   bitext of everyday topics; test_b is longer, with rarer words
    demo_monolingual/train.{en,de}                  the same topics, more kinds of sentences, more rare words
    demo_other_domain/train.{en,de}                 politics, economy, science, technology

The two languages of monolingual text are drawn apart: no line is the translation of another. Training text contains
noise (see `grammar.noise`) for the filters to remove. Validation and test text is clean, and none of its sentences is
in any training text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

from seqpre.common.errors import ConfigError, command
from seqpre.common.files import atomic_write
from seqpre.demo.grammar import english, german
from seqpre.demo.grammar.draw import Drawer
from seqpre.demo.grammar.meaning import Sentence
from seqpre.demo.grammar.noise import NoisyLine, spoil_lines, spoil_pairs
from seqpre.demo.grammar.phrases import Domain
from seqpre.demo.grammar.tables import LEXICON

SHORTEST, LONGEST = 4, 14  # words of a sentence, in both languages
SHORTEST_HARD = 9  # words of a sentence of test_b

# Few topics and frequent words, so that a thousand pairs teach most of what held-out text asks for.
BITEXT = Domain(
    topics={
        "home": 1.0, "food": 0.8, "city": 0.4, "school": 0.3, "travel": 0.005, "nature": 0.005, "health": 0.005,
        "work": 0.005, "sport": 0.005, "culture": 0.005, "technology": 0.005, "politics": 0.005, "economy": 0.005,
        "science": 0.005,
    },
    exponent=1.9,
    constructions={
        "plain": 40, "modal": 10, "copula": 6, "location": 4, "weather": 1, "yes_no": 4, "wh": 3, "request": 2,
        "subordinate": 2,
    },
    detail=0.5,
)  # fmt: skip

MONOLINGUAL = Domain(
    topics={
        "home": 1.0, "food": 0.8, "city": 0.4, "school": 0.3, "travel": 0.02, "nature": 0.02, "health": 0.02,
        "work": 0.02, "sport": 0.02, "culture": 0.02, "technology": 0.02, "politics": 0.02, "economy": 0.02,
        "science": 0.02,
    },
    exponent=1.5,
    constructions={
        "plain": 40, "modal": 10, "copula": 6, "location": 4, "profession": 0.3, "existence": 0.3, "comparison": 0.3,
        "weather": 1, "subordinate": 6, "coordination": 3, "shared_subject": 0.3, "that": 0.3, "whether": 0.3,
        "infinitive": 0.3, "purpose": 0.3, "yes_no": 4, "wh": 3, "request": 2, "passive": 0.3, "since": 0.3,
        "cost": 0.3, "age": 0.3, "change": 0.3, "quotation": 0.3,
    },
    detail=0.7,
)  # fmt: skip

OTHER_DOMAIN = Domain(
    topics={
        "politics": 1.0, "economy": 1.0, "science": 1.0, "technology": 1.0, "work": 0.4, "culture": 0.15,
        "city": 0.1, "travel": 0.05, "home": 0.03, "food": 0.02, "school": 0.05, "nature": 0.05, "health": 0.15,
        "sport": 0.03,
    },
    exponent=0.7,
    constructions={
        "plain": 40, "that": 14, "passive": 16, "change": 8, "subordinate": 6, "coordination": 5, "modal": 6,
        "infinitive": 4, "since": 2, "copula": 4, "existence": 1, "quotation": 3, "shared_subject": 2, "purpose": 1,
        "whether": 2,
    },
    detail=1.2,
)  # fmt: skip

# Held-out text asks for rarer words than the bitext teaches: that is where unlabelled text helps.
HELD_OUT = replace(BITEXT, exponent=1.7)
HARD = replace(
    MONOLINGUAL,
    topics={topic: (weight + MONOLINGUAL.topics[topic]) / 2 for topic, weight in BITEXT.topics.items()},
    detail=1.4,
)


class Source:
    """Draws clean sentences of one domain, none of which is `excluded`."""

    def __init__(self, domain: Domain, seed: str, excluded: set[str], shortest: int = SHORTEST) -> None:
        # A text seed goes through SHA-512, so it does not depend on PYTHONHASHSEED.
        self.drawer = Drawer(LEXICON, domain, Random(seed))
        self.excluded = excluded
        self.shortest = shortest

    def line(self, say: Callable[[Sentence], str]) -> str:
        """A sentence in one language."""
        while True:
            text = say(self.drawer.sentence())
            if self._usable(text):
                return text

    def pair(self) -> tuple[str, str]:
        """A sentence in both languages."""
        while True:
            meaning = self.drawer.sentence()
            pair = english.say(meaning), german.say(meaning)
            if all(map(self._usable, pair)):
                return pair

    def _usable(self, text: str) -> bool:
        return self.shortest <= text.count(" ") + 1 <= LONGEST and text not in self.excluded


def held_out_pairs(
    domain: Domain, seed: str, count: int, taken: set[str], shortest: int = SHORTEST
) -> list[tuple[str, str]]:
    """`count` clean pairs, none of them `taken`; they are added to `taken`."""
    source = Source(domain, seed, taken, shortest)
    pairs = []
    for _ in range(count):
        pair = source.pair()
        pairs.append(pair)
        taken.update(pair)
    return pairs


def training_pairs(seed: str, excluded: set[str]) -> Iterator[tuple[str, str]]:
    """Bitext with noise, without end."""
    source = Source(BITEXT, seed, excluded)
    return ((english, german) for _, english, german in spoil_pairs(source.pair, Random(f"{seed} noise")))


def training_lines(domain: Domain, language: str, seed: str, excluded: set[str]) -> Iterator[NoisyLine]:
    """Monolingual text with noise, without end."""
    source = Source(domain, f"{seed} {language}", excluded)
    say, say_other = (english.say, german.say) if language == "en" else (german.say, english.say)
    return spoil_lines(lambda: source.line(say), lambda: source.line(say_other), Random(f"{seed} {language} noise"))


def write_pairs(pairs: Iterator[tuple[str, str]], folder: Path, split: str) -> None:
    """Write both sides of a bitext."""
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_write(folder / f"{split}.{language}")) for language in ("en", "de")]
        for pair in pairs:
            for file, text in zip(files, pair, strict=True):
                file.write(text + "\n")


def generate(output: Path, seed: int, pairs: int, monolingual: int, other_domain: int, valid: int, test: int) -> None:
    """Write all corpora below `output`."""
    taken: set[str] = set()
    for split, domain, count, shortest in (
        ("valid", HELD_OUT, valid, SHORTEST),
        ("test_a", HELD_OUT, test, SHORTEST),
        ("test_b", HARD, test, SHORTEST_HARD),
    ):
        chosen = held_out_pairs(domain, f"{seed} {split}", count, taken, shortest)
        write_pairs(iter(chosen), output / "demo_ende", split)
    write_pairs(islice(training_pairs(f"{seed} bitext", taken), pairs), output / "demo_ende", "train")
    for name, domain, count in (
        ("demo_monolingual", MONOLINGUAL, monolingual),
        ("demo_other_domain", OTHER_DOMAIN, other_domain),
    ):
        for language in ("en", "de"):
            with atomic_write(output / name / f"train.{language}") as file:
                for line in islice(training_lines(domain, language, f"{seed} {name}", taken), count):
                    file.write(line.text + "\n")


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse the arguments and write the corpora."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output-dir", type=Path, required=True, help="folder that gets one folder per corpus")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same text (default %(default)s)")
    parser.add_argument(
        "--pairs", type=int, default=1500, help="lines of training bitext, noise included (default %(default)s)"
    )
    parser.add_argument("--monolingual", type=int, default=12000, help="lines per language (default %(default)s)")
    parser.add_argument("--other-domain", type=int, default=6000, help="lines per language (default %(default)s)")
    parser.add_argument("--valid", type=int, default=200, help="validation pairs (default %(default)s)")
    parser.add_argument("--test", type=int, default=200, help="pairs of each test set (default %(default)s)")
    arguments = parser.parse_args(argv)
    for name in ("pairs", "monolingual", "other_domain", "valid", "test"):
        if getattr(arguments, name) < 1:
            raise ConfigError(f"--{name.replace('_', '-')} must be at least 1, got {getattr(arguments, name)}")
    generate(
        arguments.output_dir,
        arguments.seed,
        arguments.pairs,
        arguments.monolingual,
        arguments.other_domain,
        arguments.valid,
        arguments.test,
    )
    print(
        f"{arguments.output_dir}: demo_ende, demo_monolingual, demo_other_domain (seed {arguments.seed})",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
