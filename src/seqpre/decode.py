"""Translate or summarise text with a trained model, or with an ensemble of several.

    python -m seqpre.decode --model RUN/model.safetensors --subwords bpe.model --output-dir RUN/hypotheses/perplexity \
        --input valid=valid.en test=test.en --tune valid=valid.de --length-penalties 0 0.6 1

Each input gets one output, <split>.txt, with one line for each of its lines, and <split>.json, which says how it was
made. With `--tune` that split is decoded first, and the length penalty of its best BLEU is used for the others too:
tune on validation text only.
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
from seqpre.files import atomic_write, named_paths, read_lines, write_json
from seqpre.metrics.bleu import corpus_bleu_13a
from seqpre.models.lstm import Seq2Seq
from seqpre.overrides import nearest, overridden
from seqpre.search import Hypothesis, beam_search, best
from seqpre.settings import FirstLayer, ModelSettings


def load_model(path: Path, subwords: Subwords) -> Seq2Seq:
    """Return a trained model, ready to decode; its subwords must be the given ones."""
    tensors, about = load_weights(path)
    if about.get("kind") != "seq2seq":
        raise ConfigError(f"{path}: holds a {about.get('kind')}, not a seq2seq model")
    if about["subwords"] != subwords.fingerprint:
        raise ConfigError(f"{path}: was trained with other subwords than {subwords.path}")
    model = Seq2Seq(
        about["vocab_size"],
        about["vocab_size"],
        overridden(FirstLayer(), about["first_layer"], str(path)),
        overridden(ModelSettings(), about["model"], str(path)),
    )
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


def decode_lines(
    models: list[Seq2Seq],
    subwords: Subwords,
    lines: list[str],
    beam: int,
    batch_sentences: int,
    device: torch.device,
    title: str = "decode",
) -> list[list[Hypothesis]]:
    """Return the hypotheses of each line. An empty line is the sentence that holds only EOS."""
    ids = [[*sentence, EOS] for sentence in (subwords.encode(line) for line in lines)]
    found: list[list[Hypothesis]] = [[] for _ in lines]
    with Progress(title, len(lines)) as progress:
        for numbers, source_SB, lengths_B in source_batches(ids, batch_sentences):
            hypotheses = beam_search(models, source_SB.to(device), lengths_B.to(device), beam)
            for number, options in zip(numbers, hypotheses, strict=True):
                found[number] = options
            progress.add(len(numbers))
    return found


def read_text(path: Path) -> list[str]:
    """Return the lines of a text that must not be empty."""
    lines = list(read_lines(path))
    if not lines:
        raise DataError(f"{path}: is empty; there is nothing to decode")
    return lines


def tuned_penalty(
    found: list[list[Hypothesis]], subwords: Subwords, references: list[str], penalties: Sequence[float]
) -> tuple[float, dict[str, float]]:
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
                file.write(
                    f"{number}\t{option.score(penalty):.4f}\t{option.log_probability:.4f}\t{subwords.decode(option.ids)}\n"
                )


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Decode one file."""
    parser = argparse.ArgumentParser(
        prog="seqpre.decode", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, nargs="+", required=True, help="one model, or several for an ensemble")
    parser.add_argument("--subwords", type=Path, required=True, help="the SentencePiece model they were trained with")
    parser.add_argument("--input", nargs="+", required=True, metavar="SPLIT=FILE", help="texts, one sentence a line")
    parser.add_argument(
        "--output-dir", type=Path, required=True, help="folder of the outputs, <split>.txt and <split>.json"
    )
    parser.add_argument(
        "--beam", type=int, default=10, help="hypotheses kept a sentence (default: 10, as in the paper)"
    )
    parser.add_argument("--batch-sentences", type=int, default=64, help="sentences decoded at a time (default: 64)")
    parser.add_argument(
        "--length-penalties",
        type=float,
        nargs="+",
        default=[1.0],
        help="log p / length^penalty; of several, --tune chooses (default: 1)",
    )
    parser.add_argument("--tune", metavar="SPLIT=REFERENCES", help="choose the length penalty on this split")
    parser.add_argument("--n-best", type=int, default=0, help="also write the n best of each line to <split>.nbest.tsv")
    add_device_argument(parser)
    args = parser.parse_args(argv)
    if len(args.length_penalties) > 1 and not args.tune:
        raise ConfigError("--length-penalties has several values: choosing one needs --tune")
    if not 0 <= args.n_best <= args.beam:
        raise ConfigError(f"--n-best is {args.n_best}; it must be between 0 and --beam ({args.beam})")
    inputs = named_paths(args.input, "--input")
    tune = named_paths([args.tune], "--tune") if args.tune else {}
    for split in tune:
        if split not in inputs:
            raise ConfigError(f"--tune names {split!r}, which is not among --input{nearest(split, inputs)}")
    texts = {split: read_text(path) for split, path in inputs.items()}
    references = {split: read_text(path) for split, path in tune.items()}
    for split, lines in references.items():
        if len(lines) != len(texts[split]):
            raise DataError(f"{inputs[split]} has {len(texts[split]):,} lines, {tune[split]} has {len(lines):,}")

    device = device_of(args.device)
    subwords = Subwords(args.subwords)
    models = [load_model(path, subwords).to(device) for path in args.model]
    penalty: float = args.length_penalties[0]
    for split in sorted(texts, key=lambda split: split not in tune):
        wall, cpu = time.monotonic(), time.process_time()
        found = decode_lines(models, subwords, texts[split], args.beam, args.batch_sentences, device, f"decode {split}")
        about: dict[str, Any] = {
            "model": [str(path) for path in args.model],
            "beam": args.beam,
            "sentences": len(found),
            "seconds": round(time.monotonic() - wall, 2),
            "cpu_seconds": round(time.process_time() - cpu, 2),
        }
        if split in tune:
            penalty, about["bleu_by_length_penalty"] = tuned_penalty(
                found, subwords, references[split], args.length_penalties
            )
        about["length_penalty"] = penalty
        output = args.output_dir / f"{split}.txt"
        if args.n_best:
            write_n_best(output.with_suffix(".nbest.tsv"), found, subwords, penalty, args.n_best)
        with atomic_write(output) as file:
            file.writelines(f"{subwords.decode(best(options, penalty).ids)}\n" for options in found)
        write_json(output.with_suffix(".json"), about)


if __name__ == "__main__":
    main()
