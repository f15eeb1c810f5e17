"""Translate a line, a file or standard input with any trained run.

    python -m seqpre.translate --run results/small/ramachandran-translation/runs/full/100pct/seed1 "A dog runs."
    python -m seqpre.translate --run RUN --input captions.en --output captions.de
    python -m seqpre.translate --run RUN < captions.en
    python -m seqpre.translate --run RUN --run OTHER "A dog runs."

Several runs make an ensemble. A run's checkpoint is the one with the best validation score, if training measured one.
Beam, length penalty and output limits are the first run's: its `decode.json`, as tuned on its validation set.

For correction runs, input is ordinary text: it is tokenized, the spelling of words that the vocabulary lacks is
corrected (unless --as-written), and the output is detokenized.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.device import add_device_argument, device_of
from seqpre.common.errors import ConfigError, command
from seqpre.common.files import atomic_write, decoded, read_json, read_lines
from seqpre.corpora.treebank import detokenize, tokenize
from seqpre.corpora.vocabulary import Vocabulary, load_vocabularies
from seqpre.corpora.words import Words
from seqpre.decode import Choice, decode_lines, load_model
from seqpre.search import Limits
from seqpre.study.declarations import WEIGHTS
from seqpre.study.run import REVERSE, run_from_json
from seqpre.study.settings import AVERAGE, PERPLEXITY, DecodeSettings
from seqpre.study.tasks import BY_METRIC, CORRECTION
from seqpre.study.typed import overridden, require_keys, typed

EXPORTED = [f"{name}{suffix}" for name in ("vocabulary", "source", "target") for suffix in (".model", ".tsv")]
"""File names of vocabularies in the folder of an exported run."""


def subwords_of(run: Path) -> list[Path]:
    """Return the subword model of a run, or those of its two sides."""
    if exported := [run / name for name in EXPORTED if (run / name).is_file()]:
        return exported
    study = (run.resolve() / "../../../..").resolve()
    of = run_from_json(read_json(run / "run.json"))
    names = (of.settings.vocabulary.source, of.settings.vocabulary.target)
    return [_file_of(name, study) for name in dict.fromkeys(reversed(names) if of.system.endswith(REVERSE) else names)]


def _file_of(name: str, study: Path) -> Path:
    """Return the file of a vocabulary: the study's usual one for the empty name, else a named one, perhaps shared."""
    usual = study.parent / "subwords" / study.name / "bpe.model"
    if not name:
        return usual
    files = ("subwords/{}/bpe.model", "words/{}/words.tsv")
    places = [study.parent / file.format(owner) for owner in (f"{study.name}@{name}", name) for file in files]
    return next((place for place in places if place.is_file()), places[0])


def checkpoint_of(run: Path, selection: str | None) -> tuple[Path, str]:
    """Return a run's weights and their selection: `selection`, or else the validation score's if they were kept."""
    kept = {path.stem: path for path in sorted((run / WEIGHTS).glob("*.safetensors"))}
    score = next((name for name in kept if name in BY_METRIC), PERPLEXITY)
    name = selection or score
    if name not in kept:
        known = f"it has those by {', '.join(kept)}" if kept else "train it first, or name another run"
        raise ConfigError(f"--run {run}: has no {WEIGHTS}/{name}.safetensors; {known}")
    return kept[name], name


def choice_of(run: Path, selection: str) -> Choice:
    """Return the search settings that were tuned on validation; if it is not decoded yet, those with one candidate.

    Settings with several candidates have the defaults: length penalty 1 and no limits.
    """
    path = run / "hypotheses" / selection / "valid.json"
    if path.exists():
        chosen = read_json(path)
        require_keys(chosen, ("length_penalty",), str(path))
        given = {name: chosen[name] for name in asdict(Limits()) if name in chosen}
        return Choice(
            overridden(Limits(), given, str(path)), typed(float, chosen["length_penalty"], f"{path}: length_penalty")
        )
    settings = search_of(run)
    (shortest, *others), (ngram, *more), (penalty, *penalties) = (
        settings.min_lengths, settings.no_repeat_ngrams, settings.length_penalties,
    )  # fmt: skip
    limits = Limits(0 if others else shortest, settings.max_length, 0 if more else ngram)
    return Choice(limits, 1.0 if penalties else penalty)


def search_of(run: Path) -> DecodeSettings:
    """Return the search settings of a run; the defaults if there are only weights."""
    path = run / "decode.json"
    settings: DecodeSettings = overridden(DecodeSettings(), read_json(path) if path.exists() else {}, str(path))
    return settings


def corrects(run: Path) -> bool:
    """Return whether a run corrects sentences, judging by its validation metric; False if there are only weights."""
    path = run / "run.json"
    return path.exists() and BY_METRIC.get(run_from_json(read_json(path)).settings.train.metric) is CORRECTION


def tokenized(lines: Sequence[str], vocabulary: Vocabulary, *, as_written: bool) -> list[str]:
    """Return sentences tokenized and, unless `as_written`, spell-checked, as correction models read them."""
    tokens = [tokenize(line) for line in lines]
    if isinstance(vocabulary, Words) and not as_written:
        from seqpre.corpora.spelling import Speller  # slow to import, and not needed for translation

        speller = Speller(vocabulary)
        tokens = [speller.correct(sentence) for sentence in tokens]
    return [" ".join(sentence) for sentence in tokens]


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Translate the given text."""
    parser = parser_of(__doc__)
    add = parser.add_argument
    add("text", nargs="*", help="sentences to translate; without them --input or standard input is read")
    add("--run", type=Path, action="append", required=True, help="folder of a trained run; once more for an ensemble")
    add("--input", type=Path, help="file with one sentence a line")
    add("--output", type=Path, help="where the translations go (default: standard output)")
    add("--subwords", type=Path, action="append",
        help="SentencePiece model or words.tsv; once more for the targets if theirs is another (default: what the run "
        "was trained with)")  # fmt: skip
    add("--selection",
        help=f"what chose the checkpoint: {', '.join(BY_METRIC)}, {PERPLEXITY} or {AVERAGE} (default: the score that "
        "training measured, or else perplexity)")  # fmt: skip
    add("--beam", type=int, help="hypotheses kept a sentence (default: that of the first run)")
    add("--n-best", type=int, default=1, help="show so many translations of each sentence, best first")
    add("--as-written", action="store_true", help="correct no spelling before a model of corrections")
    add_device_argument(parser)
    args = parser.parse_intermixed_args(argv)
    if args.text and args.input:
        raise ConfigError("give sentences or --input, not both")
    for text in args.text:
        if os.path.isdir(text):  # Path.is_dir() raises an error for a text too long for a path.
            raise ConfigError(f"{text!r} is a folder, not a sentence; an ensemble is --run RUN --run {text}")
    if args.input and not args.input.is_file():
        raise ConfigError(f"--input {args.input}: no such file")
    checkpoints = [checkpoint_of(run, args.selection) for run in args.run]
    beam = search_of(args.run[0]).beam if args.beam is None else args.beam
    if beam < 1:
        raise ConfigError(f"--beam is {beam}; it must be at least 1")
    if not 1 <= args.n_best <= beam:
        raise ConfigError(f"--n-best is {args.n_best}; it must be between 1 and --beam ({beam})")

    device = device_of(args.device)
    vocabulary = load_vocabularies(args.subwords or subwords_of(args.run[0]))
    models = [load_model(path, vocabulary).to(device) for path, _ in checkpoints]
    lines = args.text or list(read_lines(args.input) if args.input else decoded(sys.stdin.buffer, "standard input"))
    choice = choice_of(args.run[0], checkpoints[0][1])
    corrected = corrects(args.run[0])
    if corrected:
        lines = tokenized(lines, vocabulary, as_written=args.as_written)
    found = decode_lines(models, vocabulary, lines, beam, 64, device, "translate", choice.limits)
    outputs = []
    for options, line in zip(found, lines, strict=True):
        ranked = sorted(options, key=lambda one: -one.score(choice.length_penalty))
        texts = [vocabulary.decode(option.ids, line) for option in ranked[: args.n_best]]
        texts += [""] * (args.n_best - len(texts))  # an empty line has one output
        outputs += [detokenize(text.split()) for text in texts] if corrected else texts
    if args.output:
        with atomic_write(args.output) as file:
            file.writelines(f"{line}\n" for line in outputs)
    else:
        sys.stdout.buffer.writelines(f"{line}\n".encode() for line in outputs)  # UTF-8, as the input is


if __name__ == "__main__":
    main()
