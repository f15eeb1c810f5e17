"""Translate or summarise a file with a trained model, or with an ensemble of several.

    python -m seqpre.decode --model RUN/model.safetensors --subwords bpe.model --input valid.en --output valid.txt \\
        --references valid.de --length-penalties 0 0.6 1
    python -m seqpre.decode --model A/model.safetensors B/model.safetensors --subwords bpe.model --input test.en \\
        --output test.txt --penalty-from valid.json

With `--references` the length penalty that gives the best BLEU is chosen: do this on validation text only. The output has
one line for each input line; beside it, a .json file says how it was made.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seqpre.checkpoint import load_weights
from seqpre.corpora.progress import Progress
from seqpre.corpora.subwords import EOS, PAD, Subwords
from seqpre.device import add_device_argument, device_of
from seqpre.errors import ConfigError, DataError, command
from seqpre.files import atomic_write, read_json, read_lines, write_json
from seqpre.metrics.bleu import corpus_bleu_13a
from seqpre.models.lstm import Seq2Seq
from seqpre.search import Hypothesis, beam_search, best
from seqpre.settings import FirstLayer, ModelSettings, overridden


def load_model(path: Path, subwords: Subwords) -> Seq2Seq:
    """Return a trained model, ready to decode; its subwords must be the given ones."""
    tensors, about = load_weights(path)
    if about.get("kind") != "seq2seq":
        raise ConfigError(f"{path}: holds a {about.get('kind')}, not a seq2seq model")
    if about["subwords"] != subwords.fingerprint:
        raise ConfigError(f"{path}: was trained with other subwords than {subwords.path}")
    model = Seq2Seq(about["vocab_size"], about["vocab_size"], overridden(FirstLayer(), about["first_layer"], str(path)),
                    overridden(ModelSettings(), about["model"], str(path)))
    model.load_state_dict(tensors)
    return model.eval()


def source_batches(ids: Sequence[Sequence[int]], size: int) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """Yield (line numbers, source (S, B), lengths (B,)), sentences of like length together, the longest first."""
    order = np.argsort([-len(line) for line in ids], kind="stable")
    for start in range(0, len(order), size):
        numbers = order[start : start + size].tolist()
        lengths = torch.tensor([len(ids[number]) for number in numbers])
        source = torch.full((int(lengths.max()), len(numbers)), PAD)
        for column, number in enumerate(numbers):
            source[: lengths[column], column] = torch.tensor(ids[number])
        yield numbers, source, lengths


def decode_lines(models: list[Seq2Seq], subwords: Subwords, lines: list[str], beam: int, batch_sentences: int,
                 device: torch.device, show_progress: bool = True) -> list[list[Hypothesis]]:
    """Return the hypotheses of each line. An empty line is the sentence that holds only EOS."""
    ids = [[*sentence, EOS] for sentence in (subwords.encode(line) for line in lines)]
    found: list[list[Hypothesis]] = [[] for _ in lines]
    progress = Progress("decode", len(lines)) if show_progress else None
    for numbers, source_SB, lengths_B in source_batches(ids, batch_sentences):
        hypotheses = beam_search(models, source_SB.to(device), lengths_B.to(device), beam)
        for number, options in zip(numbers, hypotheses, strict=True):
            found[number] = options
        if progress:
            progress.add(len(numbers))
    return found


def tuned_penalty(found: list[list[Hypothesis]], subwords: Subwords, references: list[str],
                  penalties: Sequence[float]) -> tuple[float, dict[str, float]]:
    """Return the penalty of best BLEU, and every penalty's BLEU."""
    scores = {}
    for penalty in penalties:
        texts = [subwords.decode(best(options, penalty).ids) for options in found]
        scores[penalty] = corpus_bleu_13a(texts, references)
    return max(scores, key=lambda penalty: scores[penalty]), {str(penalty): score for penalty, score in scores.items()}


def write_n_best(path: Path, found: list[list[Hypothesis]], subwords: Subwords, penalty: float, n: int) -> None:
    """Write tab-separated line number, score, log probability and text, the best `n` of every line."""
    with atomic_write(path) as file:
        for number, options in enumerate(found, start=1):
            for option in sorted(options, key=lambda o: -o.score(penalty))[:n]:
                file.write(f"{number}\t{option.score(penalty):.4f}\t{option.log_probability:.4f}\t{subwords.decode(option.ids)}\n")


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Decode one file."""
    parser = argparse.ArgumentParser(prog="seqpre.decode", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, nargs="+", required=True, help="one model, or several for an ensemble")
    parser.add_argument("--subwords", type=Path, required=True, help="the SentencePiece model they were trained with")
    parser.add_argument("--input", type=Path, required=True, help="text, one sentence a line")
    parser.add_argument("--output", type=Path, required=True, help="where the outputs go, one a line")
    parser.add_argument("--beam", type=int, default=10, help="hypotheses kept a sentence (default: 10, as in the paper)")
    parser.add_argument("--batch-sentences", type=int, default=64, help="sentences decoded at a time (default: 64)")
    parser.add_argument("--length-penalties", type=float, nargs="+", default=[1.0],
                        help="log p / length^penalty; with --references the best of these is chosen (default: 1)")
    parser.add_argument("--references", type=Path, help="references of the input, to choose the length penalty")
    parser.add_argument("--penalty-from", type=Path, help=".json of an earlier call whose chosen penalty to use")
    parser.add_argument("--n-best", type=int, default=0, help="also write the n best of each line to OUTPUT.nbest.tsv")
    add_device_argument(parser)
    args = parser.parse_args(argv)
    if len(args.length_penalties) > 1 and not args.references:
        raise ConfigError("--length-penalties has several values: choosing one needs --references")
    if args.n_best > args.beam:
        raise ConfigError(f"--n-best {args.n_best} is more than --beam {args.beam} can find")

    device = device_of(args.device)
    torch.manual_seed(0)
    subwords = Subwords(args.subwords)
    models = [load_model(path, subwords).to(device) for path in args.model]
    lines = list(read_lines(args.input))
    if not lines:
        raise DataError(f"{args.input}: is empty")
    references = list(read_lines(args.references)) if args.references else None
    if references is not None and len(references) != len(lines):
        raise DataError(f"{args.input} has {len(lines):,} lines, {args.references} has {len(references):,}")

    wall, cpu = time.monotonic(), time.process_time()
    found = decode_lines(models, subwords, lines, args.beam, args.batch_sentences, device)
    about: dict[str, Any] = {"model": [str(path) for path in args.model], "beam": args.beam, "sentences": len(lines)}
    about |= {"seconds": round(time.monotonic() - wall, 2), "cpu_seconds": round(time.process_time() - cpu, 2)}
    if references is not None:
        penalty, about["valid_bleu_by_penalty"] = tuned_penalty(found, subwords, references, args.length_penalties)
    else:
        penalty = read_json(args.penalty_from)["length_penalty"] if args.penalty_from else args.length_penalties[0]
    about["length_penalty"] = penalty
    if args.n_best:
        write_n_best(args.output.with_suffix(".nbest.tsv"), found, subwords, penalty, args.n_best)
    with atomic_write(args.output) as file:
        for options in found:
            file.write(subwords.decode(best(options, penalty).ids) + "\n")
    write_json(args.output.with_suffix(".json"), about)


if __name__ == "__main__":
    main()
