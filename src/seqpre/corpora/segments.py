"""Cut text into the sequences that a denoiser is trained on, and leave out what is not prose.

    python -m seqpre.corpora.segments --input wiki.en --vocabulary words.tsv --split 128 --output segments/wiki.en

PoDA (Wang et al., 2019), Section 2.3: of Wikipedia, paragraphs of fewer than 3 words or more than 30 % unknown ones are
dropped, others split into segments of at most 128 words.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, full_disk_named, read_lines
from seqpre.corpora.normalise import normalise
from seqpre.corpora.progress import Progress
from seqpre.corpora.sentences import SENTENCE_BREAK
from seqpre.corpora.subwords import UNK
from seqpre.corpora.words import Words

FEWEST, MOST_UNKNOWN = 3, 0.3


def segments(lines: Iterable[str], vocabulary: Words, split: int, counts: Counter[str]) -> Iterator[str]:
    """Yield segments of at most `split` words (0: whole lines), and count kept and dropped lines.

    Sentence marks are removed, so that a segment looks like other text.
    """
    # Differs: all text of PoDA's pretraining is treated as the paper treats Wikipedia. In the paper, sentences of the
    # Billion Word Benchmark are not split, and only those above 500 words are dropped.
    # Unstated: where PoDA splits a paragraph. After every 128th word, so its last segment may be a single word.
    for line in lines:
        words = [word for word in normalise(line).split() if word != SENTENCE_BREAK]
        counts["lines"] += 1
        if len(words) < FEWEST:
            counts["too short"] += 1
        elif sum(vocabulary.id_of(word) == UNK for word in words) > MOST_UNKNOWN * len(words):
            counts["unknown"] += 1
        else:
            step = split or len(words)
            for start in range(0, len(words), step):
                counts["segments"] += 1
                counts["words"] += len(words[start : start + step])
                yield " ".join(words[start : start + step])


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, cut, say what was left out."""
    parser = parser_of(__doc__)
    parser.add_argument("--input", type=Path, required=True, help="text, one paragraph or sentence a line (.gz too)")
    parser.add_argument("--vocabulary", type=Path, required=True, help="words.tsv of seqpre.corpora.learn_words")
    parser.add_argument("--output", type=Path, required=True, help="segments, one a line")
    parser.add_argument("--split", type=int, default=0, help="most words of a segment (default: 0, lines stay whole)")
    args = parser.parse_args(argv)
    if args.split < 0:
        raise ConfigError(f"--split is {args.split}; it must be at least 0 (lines stay whole)")
    counts: Counter[str] = Counter()
    vocabulary = Words(args.vocabulary)
    with (
        full_disk_named(args.output),
        atomic_write(args.output) as file,
        Progress(f"cut {args.input.name}") as progress,
    ):
        for segment in segments(read_lines(args.input), vocabulary, args.split, counts):
            file.write(f"{segment}\n")
            progress.add(1)
        if not counts["segments"]:
            raise DataError(
                f"{args.input}: none of its {counts['lines']:,} lines is left; is {args.vocabulary} its own?"
            )
    print(
        f"{args.output}: {counts['segments']:,} segments of {counts['words']:,} words from {counts['lines']:,} lines; "
        f"left out: {counts['too short']:,} of fewer than {FEWEST} words, "
        f"{counts['unknown']:,} with more than {MOST_UNKNOWN:.0%} unknown words",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
