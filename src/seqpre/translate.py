"""Translate a line, a file or standard input with any trained run.

    python -m seqpre.translate --run results/small/ramachandran-translation/runs/full/100pct/seed1 "A dog runs."
    python -m seqpre.translate --run RUN --input captions.en --output captions.de
    python -m seqpre.translate --run RUN < captions.en

Several runs make an ensemble. The length penalty is the one the run's validation chose.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from seqpre.corpora.subwords import Subwords
from seqpre.decode import decode_lines, load_model
from seqpre.device import add_device_argument, device_of
from seqpre.errors import ConfigError, command
from seqpre.files import atomic_write, read_json, read_lines
from seqpre.search import best


def subwords_of(run: Path) -> Path:
    """Return the subword model of a run's study, which lives beside the study's folder."""
    study = run.resolve().parents[3]
    return study.parent / "subwords" / study.name / "bpe.model"


def penalty_of(run: Path) -> float:
    """Return the length penalty chosen on validation, 1 where the run was not decoded yet."""
    chosen = run / "hypotheses" / "perplexity" / "valid.json"
    return float(read_json(chosen)["length_penalty"]) if chosen.exists() else 1.0


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Translate what is given."""
    parser = argparse.ArgumentParser(
        prog="seqpre.translate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "text", nargs="*", help="sentences to translate; without them --input or standard input is read"
    )
    parser.add_argument(
        "--run", type=Path, nargs="+", required=True, help="folder of a trained run; several for an ensemble"
    )
    parser.add_argument("--input", type=Path, help="file with one sentence a line")
    parser.add_argument("--output", type=Path, help="where the translations go (default: standard output)")
    parser.add_argument("--subwords", type=Path, help="SentencePiece model (default: the one of the run's study)")
    parser.add_argument("--beam", type=int, default=10, help="hypotheses kept a sentence (default: 10)")
    parser.add_argument("--n-best", type=int, default=1, help="show so many translations of each sentence, best first")
    add_device_argument(parser)
    args = parser.parse_args(argv)
    if args.text and args.input:
        raise ConfigError("give sentences or --input, not both")
    if not 1 <= args.n_best <= args.beam:
        raise ConfigError(f"--n-best is {args.n_best}; it must be between 1 and --beam ({args.beam})")
    for run in args.run:
        if not (run / "model.safetensors").exists():
            raise ConfigError(f"--run {run}: has no model.safetensors; train it first, or name another run")

    device = device_of(args.device)
    subwords = Subwords(args.subwords or subwords_of(args.run[0]))
    models = [load_model(run / "model.safetensors", subwords).to(device) for run in args.run]
    lines = args.text or list(read_lines(args.input) if args.input else (line.rstrip("\n") for line in sys.stdin))
    found = decode_lines(models, subwords, lines, args.beam, 64, device, "translate")
    penalty = penalty_of(args.run[0])
    outputs = []
    for options in found:
        ranked = (
            [best(options, penalty)]
            if args.n_best == 1
            else sorted(options, key=lambda o: -o.score(penalty))[: args.n_best]
        )
        outputs += [subwords.decode(option.ids) for option in ranked]
    if args.output:
        with atomic_write(args.output) as file:
            file.writelines(f"{line}\n" for line in outputs)
    else:
        print("\n".join(outputs))


if __name__ == "__main__":
    main()
