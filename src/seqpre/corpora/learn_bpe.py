"""Learn a joint BPE vocabulary with SentencePiece from one or more text files.

The special symbols have fixed ids (<pad> 0, <unk> 1, <s> 2, </s> 3), every character of the text is in the vocabulary,
and spaces are marked as part of the subwords, so decoding restores the text. Lines of any length count. From more than
ten million lines a seeded random sample of that size is used.

    python -m seqpre.corpora.learn_bpe --input train.en train.de --vocab-size 4000 --seed 1 --output bpe/bpe.model
"""

from __future__ import annotations

import io
import random
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, read_lines
from seqpre.corpora.subwords import BOS, EOS, PAD, SPECIALS, UNK, escaped

MOST_SENTENCES = 10_000_000
LINE_BYTES = 1 << 16
"""Smallest line limit given to SentencePiece, in bytes; it would silently skip longer lines."""


def learn_bpe(inputs: Sequence[Path], vocab_size: int, seed: int = 1) -> bytes:
    """Return the model's bytes, which depend only on input, size and seed.

    Raises ConfigError, with the nearest possible vocabulary size, if the text cannot fill this one.
    """
    if vocab_size <= len(SPECIALS):
        raise ConfigError(f"vocab-size {vocab_size}; it must exceed the {len(SPECIALS)} special symbols")
    lines = (line for path in inputs for raw in read_lines(path) if (line := escaped(raw)))
    sentences = sample(lines, MOST_SENTENCES, seed)
    names = ", ".join(map(str, inputs))
    if not sentences:
        raise DataError(f"{names}: no text to learn subwords from")
    model = io.BytesIO()
    try:
        # Differs: merges count towards a vocabulary size, and spaces are marked at the start of words. Sennrich et al.
        # (2015) fix the number of merges and mark word-internal cuts.
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=model,
            model_type="bpe",
            vocab_size=vocab_size,
            pad_id=PAD,
            unk_id=UNK,
            bos_id=BOS,
            eos_id=EOS,
            pad_piece=SPECIALS[PAD],
            unk_piece=SPECIALS[UNK],
            bos_piece=SPECIALS[BOS],
            eos_piece=SPECIALS[EOS],
            character_coverage=1.0,
            byte_fallback=False,
            normalization_rule_name="identity",  # `normalise` has done it, as for encoding
            max_sentence_length=max(LINE_BYTES, max(len(line.encode()) for line in sentences)),
            minloglevel=2,
        )
    except RuntimeError as error:
        raise _explained(error, vocab_size, names) from error
    return model.getvalue()


def sample(lines: Iterable[str], size: int, seed: int) -> list[str]:
    """Return a uniform sample of at most `size` lines: reservoir sampling, one pass, `size` lines in memory."""
    generator = random.Random(seed)
    reservoir: list[str] = []
    for number, line in enumerate(lines):
        if number < size:
            reservoir.append(line)
        elif (place := generator.randrange(number + 1)) < size:
            reservoir[place] = line
    return reservoir


def _explained(error: RuntimeError, vocab_size: int, names: str) -> Exception:
    """Turn SentencePiece's error about the vocabulary size into one that says which size is possible."""
    text = str(error)
    if found := re.search(r"too high.*<= (\d+)", text):
        return ConfigError(
            f"vocab-size {vocab_size:,} is larger than {names} supports; the largest that works is {int(found[1]):,}"
        )
    if found := re.search(r"smaller than required_chars. \d+ vs (\d+)", text):
        return ConfigError(
            f"vocab-size {vocab_size:,} is too small for the characters of {names}; the smallest is {int(found[1]):,}"
        )
    return error


def write_model(content: bytes, output: Path) -> None:
    """Write a model and, next to it, its vocabulary in plain text; print its size."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=content)
    with atomic_write(output.with_suffix(".vocab")) as file:
        for index in range(processor.get_piece_size()):
            file.write(f"{processor.id_to_piece(index)}\t{processor.get_score(index):g}\n")
    with atomic_write(output, "wb") as file:
        file.write(content)
    print(f"{output}: {processor.get_piece_size():,} subwords", file=sys.stderr)


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, learn, write the model and its vocabulary in plain text."""
    parser = parser_of(__doc__)
    parser.add_argument("--input", type=Path, nargs="+", required=True, help="texts, one sentence a line")
    parser.add_argument("--vocab-size", type=int, required=True, help="subwords, special symbols included")
    parser.add_argument("--output", type=Path, required=True, help="bpe.model; bpe.vocab is written beside it")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default 1)")
    args = parser.parse_args(argv)
    write_model(learn_bpe(args.input, args.vocab_size, args.seed), args.output)


if __name__ == "__main__":
    main()
