"""Encoding of text into a token store, beside the SentencePiece library alone: lines per CPU second.

    python benchmarks/subword_encoding.py [--text train.de]

Ours reads the file, normalises every line, encodes it and writes the store; the ceiling is one call into the library
that turns the same lines, in memory and normalised, into lists of ids.
"""

from __future__ import annotations

import sys
from pathlib import Path

import sentencepiece
from side_by_side import WORK, Tool, measure, report, table
from text import first_lines, prepare, text_arguments
from worker import Answers

from seqpre.corpora.encode import encode_file
from seqpre.corpora.learn_bpe import learn_bpe
from seqpre.corpora.normalise import normalise

VOCABULARY = 4000
MODEL = WORK / "encoding/bpe.model"


def work(name: str, text: Path, count: int) -> None:
    """Answer requests for windows of `count` lines."""
    lines = [normalise(line) for line in first_lines(text, count)]
    answers = Answers()
    if name == "store":
        source = WORK / "encoding/lines"
        source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

        def window() -> float:
            return encode_file(source, MODEL, WORK / "encoding/tokens")["sentences"]

    else:
        processor = sentencepiece.SentencePieceProcessor(model_file=str(MODEL))

        def window() -> float:
            return len(processor.encode(lines, num_threads=1))

    answers.ready(tool="sentencepiece")
    answers.serve(window)


def main() -> None:
    args = text_arguments(__doc__, windows=7, work=40_000).parse_args()
    text, about = prepare(args.text)
    if args.worker:
        return work(args.worker, text, args.work)
    MODEL.parent.mkdir(parents=True, exist_ok=True)
    MODEL.write_bytes(learn_bpe([text], VOCABULARY))
    command = [sys.executable, Path(__file__), "--text", text, "--work", args.work, "--worker"]
    tools = [
        Tool("seqpre, into a token store", [*command, "store"]),
        Tool("SentencePiece alone", [*command, "library"], ceiling=True),
    ]
    measure(tools, args.windows)
    report("subword_encoding", "Subword encoding", table(tools, "lines"), NOTES.format(about, args.work, VOCABULARY))


NOTES = """
Text: {}. A window is {:,} lines; {:,} subwords.
"""

if __name__ == "__main__":
    main()
