"""Translate or summarise text with a trained model, or with an ensemble of several.

    python -m seqpre.decode --model RUN/weights/perplexity.safetensors --subwords bpe.model \\
        --output-dir RUN/hypotheses/perplexity \\
        --input valid=valid.en test=test.en --tune valid=valid.de --length-penalties 0 0.6 1

Search settings come from options, or from the workflow's file, `--settings RUN/decode.json`; options win.

Each input gets one output, <split>.txt, with one line for each of its lines, and <split>.json, which says how it was
made. A split of `--tune` is decoded first, once for each minimum length and n-gram size. The combination with the best
score there, by `--metric` and length penalty included, is also used for the other splits: tune on validation text only.
If there are several such splits, each tunes its own search; other texts use the settings of the first, or of the one
that `--tuned-on TEXT=SPLIT` names.

The checkpoints with the lowest perplexity and the best score are often the same. `--same-as FOLDER` reuses another
checkpoint's outputs for the same texts if weights and settings are the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seqpre.common.arguments import parser_of
from seqpre.common.device import add_device_argument, device_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, named_paths, read_json, read_lines, write_json
from seqpre.corpora.progress import Progress
from seqpre.corpora.subwords import EOS, PAD
from seqpre.corpora.vocabulary import Vocabulary, load_vocabularies, source_vocabulary
from seqpre.models.build import rebuilt
from seqpre.models.family import Seq2SeqModel
from seqpre.search import DEFAULT_LIMITS, Hypothesis, Limits, beam_search, best
from seqpre.study.settings import DecodeSettings
from seqpre.study.tasks import BY_METRIC, validation_score
from seqpre.study.typed import mapping, nearest, overridden, require, require_keys, typed
from seqpre.training.checkpoint import load_weights

Found = list[list[Hypothesis]]
"""The hypotheses of each line."""
SEARCH = {
    "beam": f"hypotheses kept a sentence (default: {DecodeSettings.beam}, as in the paper)",
    "batch_sentences": f"sentences decoded at a time (default: {DecodeSettings.batch_sentences})",
    "length_penalties": "log p / length^penalty; of several, --tune chooses (default: 1; with --settings 0, 0.6 and 1)",
    "min_lengths": "outputs have at least so many subwords; of several, --tune chooses (default: 0)",
    "no_repeat_ngrams": "outputs have no n-gram of this size twice; of several --tune chooses (default: 0: any may be)",
    "max_length": "outputs have at most so many subwords (default: 0, which means 2 x source + 10)",
}
"""Options that override the settings with the same names."""
MOST_PAIRS = 1 << 27
"""Most pairs of source positions in a batch; memory for attention and for repeated words grows with them."""


def load_model(path: Path, vocabulary: Vocabulary) -> Seq2SeqModel:
    """Return a trained model, ready to decode.

    Raises ConfigError if it was trained with another vocabulary, or written by another version of this project.
    """
    tensors, about = load_weights(path)
    if about.get("kind") != "seq2seq":
        raise ConfigError(f"{path}: holds a {about.get('kind')}, not a seq2seq model")
    require_keys(about, ("subwords", "vocab_size", "model"), str(path))
    reading = source_vocabulary(vocabulary)
    if about["subwords"] != vocabulary.fingerprint:
        raise ConfigError(f"{path}: was trained with another vocabulary than {vocabulary.path}")
    if about.get("source_subwords", about["subwords"]) != reading.fingerprint:
        raise ConfigError(f"{path}: sources had another vocabulary than {reading.path} when it was trained")
    model = rebuilt(about, str(path))
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        first = str(error).splitlines()[1].strip()[:200]  # names, or shapes
        raise ConfigError(f"{path}: another version wrote it ({first}); use that one, or train it again") from error
    return model.eval()


def source_limit(models: Sequence[Seq2SeqModel]) -> int:
    """Return the source length limit, in subwords, that all models share; 0: no limit."""
    limits = {model.max_source for model in models}
    if len(limits) > 1:
        raise ConfigError(f"--model: max_source is {sorted(limits)}; models that decode together must read alike")
    return limits.pop()


def source_batches(ids: Sequence[Sequence[int]], size: int) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """Yield (line numbers, source (B, S), lengths (B,)), sentences of similar length together, longest first.

    A batch has `size` sentences; fewer, but at least one, if their attention would take too much memory.
    """
    order = np.argsort([-len(line) for line in ids], kind="stable").tolist()
    start = 0
    while start < len(order):
        longest = len(ids[order[start]])
        numbers = order[start : start + max(1, min(size, MOST_PAIRS // longest**2))]
        lengths = torch.tensor([len(ids[number]) for number in numbers])
        source = pad_sequence([torch.tensor(ids[number]) for number in numbers], batch_first=True, padding_value=PAD)
        yield numbers, source, lengths
        start += len(numbers)


def hypotheses_of(
    models: Sequence[Seq2SeqModel],
    ids: Sequence[Sequence[int]],
    beam: int,
    batch_sentences: int,
    device: torch.device,
    progress: Progress,
    limits: Limits = DEFAULT_LIMITS,
) -> Found:
    """Return the hypotheses of each source; sources are ids that end with EOS. Raises DataError if one has none."""
    found: Found = [[] for _ in ids]
    for places, source_BS, lengths_B in source_batches(ids, batch_sentences):
        hypotheses = beam_search(models, source_BS.to(device), lengths_B.to(device), beam, limits)
        if not all(hypotheses):
            raise DataError("the model returns NaN: its training diverged; train it again with a lower learning rate")
        for place, options in zip(places, hypotheses, strict=True):
            found[place] = options
        progress.add(len(places))
    return found


def decode_lines(
    models: Sequence[Seq2SeqModel],
    vocabulary: Vocabulary,
    lines: list[str],
    beam: int,
    batch_sentences: int,
    device: torch.device,
    title: str = "decode",
    limits: Limits = DEFAULT_LIMITS,
) -> Found:
    """Return the hypotheses of each line. An empty line gets one empty hypothesis; their number is printed."""
    longest = source_limit(models) or None
    sentences = [vocabulary.encode(line) for line in lines]
    read = [number for number, sentence in enumerate(sentences) if sentence]
    found: Found = [[Hypothesis([], 0.0)] for _ in lines]
    with Progress(title, len(read)) as progress:
        ids = [[*sentences[number], EOS][:longest] for number in read]
        searched = hypotheses_of(models, ids, beam, batch_sentences, device, progress, limits)
    for number, options in zip(read, searched, strict=True):
        found[number] = options
    if empty := len(lines) - len(read):
        print(f"{title}: {empty:,} of {len(lines):,} sources are empty, and so are their outputs", file=sys.stderr)
    return found


def read_text(path: Path) -> list[str]:
    """Return the lines of a text. Raises DataError if it is empty."""
    lines = list(read_lines(path))
    if not lines:
        raise DataError(f"{path}: is empty; there is nothing to decode")
    return lines


@dataclass(frozen=True)
class Choice:
    """The search limits and the length penalty. These are the keys of a <split>.json."""

    limits: Limits
    length_penalty: float

    def to_json(self) -> dict[str, float]:
        """Return the values by name."""
        return {**asdict(self.limits), "length_penalty": self.length_penalty}


def outputs(found: Found, vocabulary: Vocabulary, length_penalty: float, lines: Sequence[str]) -> list[str]:
    """Return the text of each line's best hypothesis."""
    return [
        vocabulary.decode(best(options, length_penalty).ids, line) for options, line in zip(found, lines, strict=True)
    ]


def tuned(
    found: Mapping[Limits, Found],
    penalties: Sequence[float],
    vocabulary: Vocabulary,
    lines: Sequence[str],
    references: Sequence[str],
    metric: str,
) -> tuple[Choice, list[dict[str, float]]]:
    """Return the choice with the best score (the first in a tie) and the score of each."""
    scores = {
        Choice(limits, penalty): validation_score(
            metric, outputs(options, vocabulary, penalty, lines), references, lines
        )
        for limits, options in found.items()
        for penalty in penalties
    }
    chosen = max(scores, key=lambda choice: scores[choice])
    return chosen, [{**choice.to_json(), metric: score} for choice, score in scores.items()]


def write_n_best(
    path: Path, found: Found, vocabulary: Vocabulary, penalty: float, lines: Sequence[str], n: int
) -> None:
    """Write the best `n` hypotheses of every line as tab-separated line number, score, log probability and text."""
    with atomic_write(path) as file:
        for number, (options, line) in enumerate(zip(found, lines, strict=True), start=1):
            for option in sorted(options, key=lambda o: -o.score(penalty))[:n]:
                text = vocabulary.decode(option.ids, line)
                file.write(f"{number}\t{option.score(penalty):.4f}\t{option.log_probability:.4f}\t{text}\n")


def same_weights(paths: Sequence[Path], others: Sequence[Path]) -> bool:
    """Return whether existing checkpoints hold the same weights."""
    if len(paths) != len(others) or not all(other.is_file() for other in others):
        return False
    pairs = ((load_weights(path)[0], load_weights(other)[0]) for path, other in zip(paths, others, strict=True))
    return all(
        one.keys() == other.keys() and all(torch.equal(weights, other[name]) for name, weights in one.items())
        for one, other in pairs
    )


def take_over(
    folder: Path, output_dir: Path, models: Sequence[Path], splits: Iterable[str], how: Mapping[str, Any]
) -> bool:
    """Reuse the outputs in `folder` if they are whole, and weights, texts and search were the same; return whether so.

    `how` is what each output says of texts and search.
    """
    files = [folder / f"{split}.json" for split in splits]
    if not all(file.is_file() for file in files):
        return False
    abouts = [read_json(file) for file in files]
    if not all(isinstance(about, dict) and how.items() <= about.items() for about in abouts):
        return False
    found = [list(read_lines(file.with_suffix(".txt"))) for file in files]
    made = [(about["model"], about["sentences"]) for about in abouts]
    if made != [(made[0][0], len(lines)) for lines in found]:
        return False
    if not same_weights(models, [Path(other) for other in made[0][0]]):
        return False
    for file, about, lines in zip(files, abouts, found, strict=True):
        with atomic_write(output_dir / f"{file.stem}.txt") as copy:
            copy.writelines(f"{line}\n" for line in lines)
        about |= {"model": [str(path) for path in models], "taken_from": str(file)}
        write_json(output_dir / file.name, about)
    print(f"{folder} is of the same weights, searched in the same way; its outputs are taken")
    return True


def members(ensemble: Path) -> list[Path]:
    """Return the weights of the members of an ensemble, which `seqpre.choose` has chosen.

    Raises ConfigError for a file without members, such as a choice of settings, and for a damaged one.
    """
    chosen, found = read_json(ensemble), []
    require_keys(chosen, ("criterion", "candidates"), str(ensemble))
    require(isinstance(chosen["candidates"], list), str(ensemble), "candidates", chosen["candidates"], "a list")
    for place, one in enumerate(chosen["candidates"]):
        where = f"{ensemble}: candidates[{place}]"
        if typed(bool, mapping(one, where).get("member", False), f"{where}.member"):
            require_keys(one, ("model",), where)
            found.append(Path(typed(str, one["model"], f"{where}.model")))
    if not found:
        raise ConfigError(f"{ensemble} has no members; name what `python -m seqpre.choose --keep` has written")
    return found


def settings_of(args: argparse.Namespace) -> DecodeSettings:
    """Return the search settings: options override the file of --settings."""
    settings = DecodeSettings() if args.settings else DecodeSettings(length_penalties=(1.0,))
    if args.settings:
        settings = overridden(settings, read_json(args.settings), str(args.settings))
    given = {name: value for name in SEARCH if (value := getattr(args, name)) is not None}
    settings = overridden(settings, given, "seqpre.decode")
    assert isinstance(settings, DecodeSettings)
    settings.check("seqpre.decode")
    for name in ("length_penalties", "min_lengths", "no_repeat_ngrams"):
        if len(getattr(settings, name)) > 1 and not args.tune:
            raise ConfigError(f"--{name.replace('_', '-')} has several values: choosing one needs --tune")
    return settings


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed arguments; models listed in a file are included."""
    parser = parser_of(__doc__)
    add = parser.add_argument
    add("--model", type=Path, nargs="+", required=True, help="a model, or several for an ensemble, or an ensemble.json")
    add("--subwords", type=Path, nargs="+", required=True, help="the SentencePiece model, or words.tsv, they were "
        "trained with; or two: that of sources, that of targets")  # fmt: skip
    add("--input", nargs="+", required=True, metavar="SPLIT=FILE", help="texts, one sentence a line")
    add("--output-dir", type=Path, required=True, help="folder of the outputs, <split>.txt and <split>.json")
    add("--settings", type=Path, help="how to search, as JSON: a run's decode.json")
    for name, text in SEARCH.items():
        several = isinstance(getattr(DecodeSettings(), name), tuple)
        kind = float if name == "length_penalties" else int
        add(f"--{name.replace('_', '-')}", type=kind, nargs="+" if several else None, help=text)
    add("--tune", nargs="+", action="extend", default=[], metavar="SPLIT=REFERENCES",
        help="choose penalty, smallest length and n-gram size on this split")  # fmt: skip
    add("--tuned-on", nargs="*", default=[], metavar="TEXT=SPLIT", help="which of several --tune a text's search is by")
    add("--metric", choices=BY_METRIC, default="bleu", help="what --tune goes by (default: bleu)")
    add("--same-as", nargs="*", type=Path, default=[], metavar="FOLDER", help="outputs of another checkpoint, to be "
        "taken where its weights, and how to search, are the same")  # fmt: skip
    add("--n-best", type=int, default=0, help="also write the n best of each line to <split>.nbest.tsv")
    add_device_argument(parser)
    args = parser.parse_args(argv)
    if lists := [path for path in args.model if path.suffix == ".json"]:
        if len(args.model) > 1:
            raise ConfigError(f"--model has {lists[0]}, which names the models of an ensemble, and others beside it")
        args.model = members(lists[0])
    return args


@dataclass(frozen=True)
class Inputs:
    """The texts to decode, the references of splits that tune the search, and which text uses which split's choice."""

    lines: dict[str, list[str]]
    references: dict[str, list[str]]
    tuned_on: dict[str, str]

    def digest(self, metric: str) -> str:
        """Return a hash of all that is decoded, and of what the search is tuned by."""
        return hashlib.sha256(json.dumps([asdict(self), metric]).encode()).hexdigest()

    def settled_by(self, split: str) -> str:
        """Return the split that tuned the search settings of a text; empty if none did."""
        return self.tuned_on.get(split, next(iter(self.references), ""))


def read_inputs(args: argparse.Namespace) -> Inputs:
    """Read the texts. Raises ConfigError for wrong names, DataError for texts that are not parallel."""
    inputs, tune = named_paths(args.input, "--input"), named_paths(args.tune, "--tune")
    for split in tune:
        if split not in inputs:
            raise ConfigError(f"--tune names {split!r}, which is not among --input{nearest(split, inputs)}")
    tuned_on = {text: str(split) for text, split in named_paths(args.tuned_on, "--tuned-on").items()}
    for text, split in tuned_on.items():
        if text not in inputs or text in tune:
            raise ConfigError(f"--tuned-on names {text!r}, which is no --input, or one that --tune names")
        if split not in tune:
            raise ConfigError(f"--tuned-on {text}={split}: {split!r} is not among --tune{nearest(split, tune)}")
    lines, references = ({split: read_text(path) for split, path in paths.items()} for paths in (inputs, tune))
    for split in references:
        if len(references[split]) != len(lines[split]):
            raise DataError(
                f"{inputs[split]} has {len(lines[split]):,} lines, {tune[split]} has {len(references[split]):,}"
            )
    return Inputs(lines, references, tuned_on)


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Decode the texts, beginning with those that tune search settings."""
    args = parsed(argv)
    settings = settings_of(args)
    if not 0 <= args.n_best <= settings.beam:
        raise ConfigError(f"--n-best is {args.n_best}; it must be between 0 and the beam ({settings.beam})")
    texts = read_inputs(args)
    how = {"search": json.loads(json.dumps(asdict(settings))), "texts": texts.digest(args.metric)}
    if not args.n_best and any(take_over(one, args.output_dir, args.model, texts.lines, how) for one in args.same_as):
        return
    device = device_of(args.device)
    vocabulary = load_vocabularies(args.subwords)
    models = [load_model(path, vocabulary).to(device) for path in args.model]
    choices = [
        Limits(shortest, settings.max_length, n)
        for shortest, n in product(settings.min_lengths, settings.no_repeat_ngrams)
    ]
    untuned = Choice(choices[0], settings.length_penalties[0])
    settled: dict[str, Choice] = {}
    for split in sorted(texts.lines, key=lambda split: split not in texts.references):
        wall, cpu = time.monotonic(), time.process_time()
        lines, references = texts.lines[split], texts.references.get(split)
        chosen = settled.get(texts.settled_by(split), untuned)
        found = {
            limits: decode_lines(
                models, vocabulary, lines, settings.beam, settings.batch_sentences, device, f"decode {split}", limits
            )
            for limits in (choices if references else [chosen.limits])
        }
        about: dict[str, Any] = {
            "model": [str(path) for path in args.model],
            "max_source": source_limit(models),
            "beam": settings.beam,
            **how,
            "sentences": len(lines),
            "searches": len(found),
            "seconds": round(time.monotonic() - wall, 2),
            "cpu_seconds": round(time.process_time() - cpu, 2),
        }
        if references:
            chosen, about["tuned"] = tuned(found, settings.length_penalties, vocabulary, lines, references, args.metric)
            settled[split] = chosen
        output = args.output_dir / f"{split}.txt"
        ranked = found[chosen.limits], vocabulary, chosen.length_penalty, lines
        if args.n_best:
            write_n_best(output.with_suffix(".nbest.tsv"), *ranked, args.n_best)
        with atomic_write(output) as file:
            file.writelines(f"{line}\n" for line in outputs(*ranked))
        write_json(output.with_suffix(".json"), about | chosen.to_json())


if __name__ == "__main__":
    main()
