"""Output the beginning of each source, or all of it: trivial baselines, which need no training.

    python -m seqpre.baseline --sources test=raw/test.document --take lead_3 --output-dir trivial/lead_3/hypotheses

A document is one line, as is its summary; `¶` separates sentences. `lead_3` takes three sentences, `words_8` eight
words across sentences, `copied_source` the whole line. A source with fewer is taken as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, command
from seqpre.common.files import atomic_write, named_paths, read_lines, require_files
from seqpre.corpora.sentences import join_sentences, sentences_of


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Cut every source, and print how many were shorter."""
    parser = parser_of(__doc__)
    parser.add_argument("--sources", required=True, nargs="+", metavar="SPLIT=FILE", help="texts, a source a line")
    parser.add_argument("--take", required=True, help="lead_N (sentences), words_N or copied_source")
    parser.add_argument("--output-dir", required=True, type=Path, help="folder of the outputs, <split>.txt")
    args = parser.parse_args(argv)

    asked = re.fullmatch(r"(lead|words)_([1-9]\d*)|copied_source", args.take)
    if asked is None:
        raise ConfigError(f"--take is {args.take!r}; it must be lead_N or words_N, N at least 1, or copied_source")
    texts = named_paths(args.sources, "--sources")
    require_files(texts.values())
    unit, most = asked[1], int(asked[2] or 0)
    for split, path in texts.items():
        sources, shorter, empty = 0, 0, 0
        output = args.output_dir / f"{split}.txt"
        with atomic_write(output) as file:
            for line in read_lines(path):
                sources += 1
                if unit is None:
                    file.write(line + "\n")
                    continue
                sentences = sentences_of(line)
                parts = sentences if unit == "lead" else " ".join(sentences).split()
                shorter += len(parts) < most
                empty += not parts
                taken = parts[:most]
                file.write((join_sentences(taken) if unit == "lead" else " ".join(taken)) + "\n")
        units = "sentences" if unit == "lead" else "words"
        counts = f"; {shorter:,} have fewer {units}, {empty:,} of them none" if unit else ""
        print(f"{output}: {sources:,} sources{counts}")


if __name__ == "__main__":
    main()
