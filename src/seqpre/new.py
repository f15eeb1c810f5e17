"""Write a study of your own language pair: does pretraining on text alone help to translate with your pairs?

    python -m seqpre.new mine --source en --target tr --train train.en train.tr --valid valid.en valid.tr \\
        --test test.en test.tr --unlabelled en=news.en tr=news.tr

Writes files to a folder of that name. corpora.tsv is the list of your texts, which stay where they are. mine.yaml is
the study. config.yaml names both. Edit them as you like; docs/own-text.md and docs/studies.md say how.

The study compares the pretrained model of Ramachandran et al. (2017) with one without pretraining, and with ones in
which one side is pretrained. Sizes, vocabulary and passes depend on the number of pairs. There are no published numbers
to compare with. For a language without unlabelled text, the language model is trained on its side of the pairs.

With 2,500 to 60,000 pairs there is one more study, mine-low-resource.yaml: a Transformer without pretraining, with the
settings of Araabi and Monz (2020) for the nearest number of pairs, and with the usual settings for comparison.

Texts are plain or .gz, one sentence a line; line n of one language translates line n of the other. Training pairs may
be an OPUS corpus, by name: `--train opus:Tatoeba/v2023-04-12` is downloaded, counted and noted with its licence. Start
this in the folder of the Snakefile. It ends with the commands that check, plan and run the study.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, command
from seqpre.common.files import atomic_write, named_paths, read_lines, read_together, require_files
from seqpre.corpora.catalog import COLUMNS, Row, read_catalog
from seqpre.study.configuration import read_configuration
from seqpre.study.load import load_study, names_of_studies

UPDATES = 10_000
"""Maximum number of updates of a run, approximately, with batches of 64."""
BATCH = 64
LEAST = 20
"""Smallest number of training pairs: pretraining holds one in twenty sentences out."""


class Sizes(NamedTuple):
    """Sizes for a number of pairs; the smallest are those of a small study on a CPU (docs/results.md)."""

    vocabulary: int
    dim: int
    passes: int
    dropouts: tuple[float, ...]


def sizes(pairs: int) -> Sizes:
    """Return sizes for a number of pairs: with more, more subwords and wider layers, fewer passes and less dropout."""
    passes = max(3, min(20, UPDATES * BATCH // max(pairs, 1)))
    if pairs < 5_000:
        return Sizes(1_000, 128, passes, (0.3, 0.5))
    if pairs < 50_000:
        return Sizes(3_000, 128, passes, (0.2, 0.4))
    return Sizes(8_000 if pairs < 500_000 else 16_000, 256, passes, (0.1, 0.2))


def study(scale: str, languages: Sequence[str], corpora: Mapping[str, str], tests: Sequence[str], pairs: int) -> str:
    """Return the study file; `corpora` has `bitext`, and `unlabelled_<language>` for languages with such text."""
    source, target = languages
    of = sizes(pairs)
    roles = {one: f"unlabelled_{one}" if f"unlabelled_{one}" in corpora else "bitext" for one in languages}
    lms = {one: f"lm_{one}" for one in languages}
    held_out = min(1_000, pairs // 10)
    return f"""# {source}-{target}: what language models gain with {pairs:,} pairs. Written by seqpre.new; edit it.
paper: none                             # no published number is of this text
task: translation
source: "{source}"
target: "{target}"
tables: [ablations, fractions, learning, cost]
figures: [ablations, fractions, selection, learning_bleu_updates]

lms:
  {lms[source]}: {{language: "{source}", corpus: {roles[source]}}}
  {lms[target]}: {{language: "{target}", corpus: {roles[target]}}}

base:                                   # the full system
  init: {{encoder: {lms[source]}, decoder: {lms[target]}}}
  objectives: {{source_lm_weight: 1.0, target_lm_weight: 1.0, source_lm: {lms[source]}, target_lm: {lms[target]}}}

systems:                                # a system is one line: its difference from `full`
  full: {{}}
  no_pretraining: {{init.encoder: random, init.decoder: random, objectives.source_lm_weight: 0.0, \
objectives.target_lm_weight: 0.0}}
  encoder_only: {{init.decoder: random}}
  decoder_only: {{init.encoder: random}}

labels:
  full: "Pretrained ({source}, {target})"
  no_pretraining: "No pretraining"
  encoder_only: "Only pretrain encoder ({source})"
  decoder_only: "Only pretrain decoder ({target})"

grid:
  ablations: {{systems: [full, no_pretraining, encoder_only, decoder_only], fractions: [100pct]}}
  data_fractions: {{systems: [full, no_pretraining], fractions: [20pct, 100pct]}}

scales:
  {scale}:
    corpora: {{{", ".join(f"{role}: {name}" for role, name in corpora.items())}}}
    tests: [{", ".join(tests)}]
    vocab_size: {of.vocabulary}
    seeds: [1, 2, 3]
    seeds_draw: all                     # a seed draws the language models and the 20 %, too
    selection: bleu
    tuning:                             # every system takes its best on validation text, with each number of pairs
      grid: {{optimizer.lr: [4.0e-3, 8.0e-3], model.dropout: [{", ".join(map(str, of.dropouts))}]}}
      fraction: each
      seed: 11                          # of the candidates alone
    lm_settings:
      optimizer: {{name: adam, lr: 5.0e-3, decay: 0.7, decay_after: 1_500, decay_every: 250, clip_norm: 1.0}}
      train: {{streams: 64, max_tokens: 4_600_000, validate_every: 200, patience: 3, held_out: {held_out}}}
    base:
      model.first_layer: {{embedding_dim: {of.dim}, hidden_dim: {of.dim}, projection_dim: 0}}
      model: {{upper_layers: 1, upper_dim: {of.dim}}}
      optimizer: {{lr: 4.0e-3, hold: 0.4, anneal_to: 0.05}}
      objectives: {{lm_streams: 28}}
      train: {{batch_sentences: {BATCH}, passes: {of.passes}, validate_passes: {of.passes / 8:g}, patience: 0}}
      decode: {{beam: 5, length_penalties: [0.6, 1.0, 1.4, 1.8, 2.2]}}
"""


PRESETS = {"five": (2_500, 7_000), "ten": (7_000, 14_000), "twenty": (14_000, 28_000), "forty": (28_000, 60_000)}
"""Sections of the study `transformer-low-resource`, each with the range of pairs for which its preset is nearest."""


def low_resource(languages: Sequence[str], bitext: str, tests: Sequence[str], pairs: int) -> str:
    """Return the study of a tuned Transformer without pretraining; empty if no preset fits the number of pairs."""
    fractions = {name: ["100pct"] if least <= pairs < most else [] for name, (least, most) in PRESETS.items()}
    if not any(fractions.values()):
        return ""
    grid = "".join(f"      {name}: {{fractions: [{', '.join(chosen)}]}}\n" for name, chosen in fractions.items())
    source, target = languages
    return f"""# {source}-{target} without pretraining: settings for few pairs, and usual ones. Written by seqpre.new.
extends: transformer-low-resource
source: "{source}"
target: "{target}"

scales:
  demo:
  small:
    corpora: {{bitext: {bitext}}}
    tests: [{", ".join(tests)}]
    filter: {{identifier: fasttext+py3langid}}
    seeds: [1, 2, 3]
    grid:
{grid}"""


def corpus_list(
    folder: Path, texts: Mapping[tuple[str, str, str], Path], licence: str, downloaded: Sequence[Row]
) -> str:
    """Return the corpus list; `texts` has the files by name, split and language. Paths are relative to `folder`."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    rows += [(*(str(getattr(row, column) or "") for column in COLUMNS),) for row in downloaded]
    for (name, split, language), file in texts.items():
        if re.search(r"[\t\r\n]", str(file)):
            raise ConfigError(f"the file {str(file)!r} has a tab or a line break in its name; rename it")
        url = str(file) if file.is_absolute() else os.path.relpath(file, folder)
        rows.append((name, split, language, "lines", "", url, "", "", licence, ""))
    return "".join("\t".join(row) + "\n" for row in rows)


def unlabelled(pairs: Sequence[str], languages: Sequence[str]) -> dict[str, Path]:
    """Return the texts of `--unlabelled` by language. Raises ConfigError for wrong ones."""
    found = named_paths(pairs, "--unlabelled")
    if others := found.keys() - set(languages):
        raise ConfigError(f"--unlabelled has {', '.join(sorted(others))}; this study reads {' and '.join(languages)}")
    return found


def check_name(name: str) -> None:
    """Raise ConfigError for a name that is taken, or invalid for a study, a corpus or a folder."""
    if not re.fullmatch(r"[a-z]\w*", name):
        raise ConfigError(f"the name is {name!r}; write lower-case letters, digits and _, a letter first")
    if (read := yaml.safe_load(name)) != name:
        raise ConfigError(f"the name is {name!r}, which YAML reads as {read!r}; give the study another name")
    there = [*names_of_studies(Path("workflow/studies")), *([name] if Path(name).exists() else [])]
    for one in (name, f"{name}-low-resource"):
        if one in there:
            raise ConfigError(f"{one!r} is there already; give the study another name, or move the other one away")
    taken = {row.name for row in read_catalog(Path("workflow/corpora.tsv"))}
    if taken & {name, f"{name}_unlabelled"}:
        raise ConfigError(f"{name!r} is a corpus of workflow/corpora.tsv; give the study another name")


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed arguments."""
    parser = parser_of(__doc__)
    parser.add_argument("name", help="of the study, its corpus and its folder")
    parser.add_argument("--source", required=True, metavar="CODE", help="language to translate from, such as en")
    parser.add_argument("--target", required=True, metavar="CODE", help="language to translate into")
    sides: dict[str, Any] = {"nargs": 2, "required": True, "type": Path, "metavar": ("SOURCE", "TARGET")}
    train = "pairs to train on: two files, or opus:<corpus>/<version>"
    parser.add_argument("--train", nargs="+", required=True, metavar="FILE", help=train)
    parser.add_argument("--valid", help="pairs that choose checkpoints", **sides)
    parser.add_argument("--test", help="pairs to test on; once more for another test", action="append", **sides)
    parser.add_argument("--unlabelled", nargs="+", default=[], metavar="CODE=FILE", help="text alone, by language")
    parser.add_argument("--licence", default="my own", help="of the texts, for tables and checklists (default: my own)")
    parser.add_argument("--scale", default="small", choices=("small", "paper"), help="small: for a processor (default)")
    return parser.parse_args(argv)


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Check the texts, write the files, and print the next steps."""
    args = arguments(argv)
    if not Path("Snakefile").is_file():
        raise ConfigError("Snakefile is not here; start this in the folder of the Snakefile")
    check_name(args.name)
    licence = " ".join(args.licence.split())
    if not licence:
        raise ConfigError("--licence is empty; name the licence of the texts, or leave the option out")
    languages, folder = (args.source, args.target), Path(args.name)
    for language in languages:
        if not re.fullmatch(r"[a-z]+", language):
            raise ConfigError(f"a language is {language!r}; write its code in lower-case letters, such as en")
    if args.source == args.target:
        raise ConfigError(f"--source and --target are both {args.source!r}; name two languages")
    tests = {f"test{number if number > 1 else ''}": files for number, files in enumerate(args.test, start=1)}
    texts, counts, downloaded = dict[tuple[str, str, str], Path](), {"train": 0}, list[Row]()
    if len(args.train) > 2:
        raise ConfigError(f"--train has {len(args.train)} names; write a file a language, or opus:<corpus>/<version>")
    own = {"train": [Path(file) for file in args.train]} if len(args.train) == 2 else {}
    taken = set[Path]()
    for split, files in {**own, "valid": args.valid, **tests}.items():
        require_files(files)
        counts[split] = sum(1 for _ in read_together(files))
        if not counts[split]:
            raise ConfigError(f"--{split.rstrip('0123456789')} has no pairs: {' and '.join(map(str, files))}")
        for file in files:
            if file.resolve() in taken:
                raise ConfigError(f"{file} is given twice; --train, --valid and --test need a file a language each")
            taken.add(file.resolve())
        texts |= {(args.name, split, language): file for language, file in zip(languages, files, strict=True)}
    corpora = {"bitext": args.name}
    for language, file in unlabelled(args.unlabelled, languages).items():
        corpora[f"unlabelled_{language}"] = f"{args.name}_unlabelled"
        counts[f"unlabelled {language}"] = sum(1 for _ in read_lines(file))
        if not counts[f"unlabelled {language}"]:
            raise ConfigError(f"--unlabelled has no line of {language}: {file}; leave out a language without text")
        texts[f"{args.name}_unlabelled", "train", language] = file
    config = read_configuration(Path("config.yaml")) | {"scale": args.scale, "seeds": None}
    if not own:
        from seqpre.corpora import download, opus  # only needed for downloads

        downloads = Path(config["results"], "downloads")
        downloaded = opus.rows_of(args.train[0], languages, args.name, downloads, download.mirror_of(config))
        counts["train"] = opus.count_pairs(downloaded, downloads)
    if counts["train"] < LEAST:
        raise ConfigError(f"--train has {counts['train']} pairs; give at least {LEAST}, better some thousands")
    written = {
        folder / "corpora.tsv": corpus_list(folder, texts, licence, downloaded),
        folder / f"{args.name}.yaml": study(args.scale, languages, corpora, [*tests], counts["train"]),
    }
    list_file, *studies = written
    if args.scale == "small" and (text := low_resource(languages, args.name, [*tests], counts["train"])):
        studies.append(folder / f"{args.name}-low-resource.yaml")
        written[studies[-1]] = text
    config |= {"studies": [str(file) for file in studies], "corpora": str(list_file)}
    written[folder / "config.yaml"] = yaml.safe_dump(config, sort_keys=False)
    with TemporaryDirectory(prefix=f".{args.name}-", dir=Path()) as scratch:
        for path, content in written.items():
            with atomic_write(scratch / path) as stream:
                stream.write(content)
        read_catalog(scratch / list_file)
        for file in studies:
            load_study(scratch / file, args.scale, project=Path("workflow/studies"))
        (scratch / folder).rename(folder)
    print(", ".join(f"{split}: {count:,}" for split, count in counts.items()))
    print(f"""Written: {", ".join(map(str, written))}. Next:
  python -m seqpre.doctor --config {folder}/config.yaml
  python -m seqpre.plan --config {folder}/config.yaml
  snakemake --cores 2 --configfile {folder}/config.yaml""")


if __name__ == "__main__":
    main()
