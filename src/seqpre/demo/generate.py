"""Make all text of the `demo` scale, the same for a seed everywhere.

    python -m seqpre.demo.generate translation --output-dir results/downloads/grammar --seed 1

writes, a sentence, story or list of highlights a line, for `translation`

    demo_ende/{train,valid,test_a,test_b}.{en,de}       bitext of everyday life; test_b is longer and more varied
    demo_monolingual/train.{en,de}                      the same topic, more kinds of sentences, more rare words
    demo_other_domain/train.{en,de}                     politics, economy and science

for `news`

    demo_news/{train,valid,test}.{document,summary}     stories of 4 to 12 sentences, `¶` between, and their highlights
    demo_news_unlabelled/train.document                 more stories, with rarer names

and for `corrections`

    demo_synthetic/{train,valid,test}.{source,target}   sentences of news with synthetic errors, and as they were
    demo_synthetic/{train,valid,test}.m2                how each error is mended, and its kind

The two languages of monolingual text are drawn apart: no line is the translation of another. Training text has noise
for the filters to remove. Validation and test text is clean, and none of its lines is in training text of the same
kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice, pairwise
from pathlib import Path
from random import Random

from seqpre.common.arguments import parser_of
from seqpre.common.errors import command
from seqpre.common.files import atomic_write
from seqpre.corpora.errors import learn_lexicon, write_pairs
from seqpre.corpora.sentences import join_sentences
from seqpre.corpora.treebank import tokenize
from seqpre.demo.news import Newsroom
from seqpre.demo.noise import NEWS_RATES, spoilt
from seqpre.demo.sentences import Domain, Drawer
from seqpre.demo.words import Said

LANGUAGES = ("en", "de")
SHORTEST, LONGEST = 4, 14  # words of a sentence, in both languages
SHORTEST_HARD = 9  # words of a sentence of test_b

SIMPLE = {"statement": 40, "modal": 10, "description": 10, "question": 4, "wh_question": 3, "request": 2}
VARIED = SIMPLE | {"subordinate": 6, "relative": 3, "passive": 2, "that": 2, "infinitive": 2}
# Bitext has few rare words and unlabelled text has more, which is why it helps.
BITEXT = Domain("home", 1.6, SIMPLE)
MONOLINGUAL = Domain("home", 1.2, VARIED)
OTHER_DOMAIN = Domain("public", 0.8, VARIED)
NEWS_TRAINING, NEWS_HELD_OUT, NEWS_UNLABELLED = 1.0, 0.8, 0.6  # Zipf's exponents

SIZES = {
    "pairs": 1500, "monolingual": 12_000, "other_domain": 6000, "valid": 200, "test": 200,
    "stories": 2500, "unlabelled": 9000, "valid_stories": 200, "test_stories": 300,
    "errors": 6000, "valid_errors": 300, "test_errors": 400,
}  # fmt: skip
"""Lines of each text in each language, noise included."""
MISSPELT_FROM, MISSPELLINGS = 5, 2
"""Shortest misspelt word in letters, and number of misspellings of each."""


def pairs(domain: Domain, seed: str, excluded: set[str], shortest: int = SHORTEST) -> Iterator[Said]:
    """Yield sentences without end, except `excluded` ones."""
    drawer = Drawer(domain, Random(seed))  # text goes through SHA-512, so it does not depend on PYTHONHASHSEED
    while True:
        pair = drawer.sentence()
        lengths = [len(text.split()) for text in pair]
        if min(lengths) >= shortest and max(lengths) <= LONGEST and not excluded & set(pair):
            yield pair


def write(lines: Iterable[Sequence[str]], folder: Path, split: str, sides: Sequence[str]) -> None:
    """Write lines to parallel files, one for each side."""
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_write(folder / f"{split}.{side}")) for side in sides]
        for line in lines:
            for file, text in zip(files, line, strict=True):
                file.write(f"{text}\n")


def held_out(found: Iterator[Said], count: int, taken: set[str]) -> list[Said]:
    """Return the next `count` sentences, and add them to `taken`."""
    chosen = []
    for one in islice(found, count):
        taken.update(one)
        chosen.append(one)
    return chosen


def generate_translation(output: Path, seed: int, sizes: Mapping[str, int]) -> None:
    """Write bitext and monolingual text."""
    taken: set[str] = set()
    folder = output / "demo_ende"
    for split, domain, size, shortest in (
        ("valid", BITEXT, "valid", SHORTEST),
        ("test_a", BITEXT, "test", SHORTEST),
        ("test_b", MONOLINGUAL, "test", SHORTEST_HARD),
    ):
        chosen = held_out(pairs(domain, f"{seed} {split}", taken, shortest), sizes[size], taken)
        write(chosen, folder, split, LANGUAGES)
    noisy = spoilt(pairs(BITEXT, f"{seed} bitext", taken), Random(f"{seed} noise"))
    write(islice(noisy, sizes["pairs"]), folder, "train", LANGUAGES)
    for name, domain in (("monolingual", MONOLINGUAL), ("other_domain", OTHER_DOMAIN)):
        for side, language in enumerate(LANGUAGES):
            own = f"{seed} {name} {language}"
            noisy = spoilt(pairs(domain, own, taken), Random(f"{own} noise"), sides=(side,))
            lines = ((pair[side],) for pair in islice(noisy, sizes[name]))
            write(lines, output / f"demo_{name}", "train", (language,))


def stories(exponent: float, seed: str, excluded: set[str]) -> Iterator[Said]:
    """Yield documents with highlights without end, except `excluded` documents."""
    newsroom = Newsroom(exponent, Random(seed))
    while True:
        pair = Said(*map(join_sentences, newsroom.story()))
        if pair[0] not in excluded:
            yield pair


def generate_news(output: Path, seed: int, sizes: Mapping[str, int]) -> None:
    """Write stories, with highlights and without."""
    taken: set[str] = set()
    for split, size in (("valid", "valid_stories"), ("test", "test_stories")):
        chosen = held_out(stories(NEWS_HELD_OUT, f"{seed} {split}", taken), sizes[size], taken)
        write(chosen, output / "demo_news", split, ("document", "summary"))
    for name, exponent, size, sides in (
        ("demo_news", NEWS_TRAINING, "stories", ("document", "summary")),
        ("demo_news_unlabelled", NEWS_UNLABELLED, "unlabelled", ("document",)),
    ):
        noisy = spoilt(stories(exponent, f"{seed} {name}", taken), Random(f"{seed} {name} noise"), (1,), NEWS_RATES)
        write((pair[: len(sides)] for pair in islice(noisy, sizes[size])), output / name, "train", sides)


def sentences(exponent: float, seed: str, taken: set[str]) -> Iterator[str]:
    """Yield news sentences without end, except those in `taken`, and add them to it."""
    newsroom = Newsroom(exponent, Random(seed))
    while True:
        for sentence in newsroom.story().document:
            if sentence not in taken:
                taken.add(sentence)
                yield sentence


def generate_corrections(output: Path, seed: int, sizes: Mapping[str, int]) -> None:
    """Write news sentences with errors, tokenized and lower-cased, as the demo's denoiser reads its news."""
    taken: set[str] = set()
    texts = {}
    for split, size, exponent in (
        ("valid", "valid_errors", NEWS_HELD_OUT),
        ("test", "test_errors", NEWS_HELD_OUT),
        ("train", "errors", NEWS_TRAINING),
    ):
        chosen = islice(sentences(exponent, f"{seed} {split}", taken), sizes[size])
        texts[split] = [tokenize(sentence.lower()) for sentence in chosen]
    everything = [tokens for text in texts.values() for tokens in text]
    lexicon = learn_lexicon(everything, misspelt({token for tokens in everything for token in tokens}, seed))
    for number, (split, text) in enumerate(texts.items()):
        with ExitStack() as stack:
            names = (output / "demo_synthetic" / f"{split}.{suffix}" for suffix in ("source", "target", "m2"))
            write_pairs(text, lexicon, seed + number, [stack.enter_context(atomic_write(name)) for name in names])


def misspelt(known: set[str], seed: int) -> dict[str, tuple[str, ...]]:
    """Return misspellings of long words: two letters swapped, one missing or doubled."""
    found = {}
    for word in sorted(word for word in known if len(word) >= MISSPELT_FROM and word.isalpha()):
        swapped = [f"{word[:place]}{two}{one}{word[place + 2 :]}" for place, (one, two) in enumerate(pairwise(word))]
        places = range(1, len(word))
        lost = [word[:place] + word[place + 1 :] for place in places]
        doubled = [word[:place] + word[place] + word[place:] for place in places]
        wrong = sorted({*swapped, *lost, *doubled} - known)
        found[word] = tuple(Random(f"{seed}/{word}").sample(wrong, MISSPELLINGS))
    return found


GENERATORS = {"translation": generate_translation, "news": generate_news, "corrections": generate_corrections}


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse the arguments and write the corpora."""
    parser = parser_of(__doc__)
    parser.add_argument("text", choices=GENERATORS, help="what to write")
    parser.add_argument("--output-dir", type=Path, required=True, help="folder that gets one folder per corpus")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same text (default %(default)s)")
    arguments = parser.parse_args(argv)
    GENERATORS[arguments.text](arguments.output_dir, arguments.seed, SIZES)


if __name__ == "__main__":
    main()
