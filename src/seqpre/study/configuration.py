"""config.yaml, checked: what is run, and where. The workflow and the commands both read it here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError
from seqpre.common.files import refuse_braces
from seqpre.corpora.catalog import Row, read_catalog, select
from seqpre.study.load import load_study
from seqpre.study.pretraining import Pretraining
from seqpre.study.restored import with_restored
from seqpre.study.strict_yaml import read_yaml
from seqpre.study.study import Study
from seqpre.study.tasks import VALIDATION
from seqpre.study.typed import Seeds, among, check_keys, typed

GPU_KEYS = ("gpus", "gpus_per_node", "runs_per_gpu", "gpu_memory_gb")
KEYS = ("scale", "studies", "seeds", "corpora", "mirror", "results", *GPU_KEYS, "tensorboard")


def read_configuration(path: Path | str, **changes: Any) -> dict[str, Any]:
    """Return the checked content of a configuration file, with the `changes` that are not empty."""
    path = Path(path)
    if not path.is_file():
        raise ConfigError(f"{path} does not exist; start this in the folder of the Snakefile, or name it with --config")
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise ConfigError(f"{path} must hold `key: value` lines")
    return checked(checked(content) | {key: value for key, value in changes.items() if value})


def checked(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration, or raise ConfigError for a key that is unknown, missing or of the wrong kind."""
    check_keys(config, KEYS, "the configuration")
    for key in KEYS:
        if key not in config:
            raise ConfigError(f"the configuration lacks {key!r}; config.yaml shows what it may be")
        if config[key] == "null":  # as it arrives from the command line
            config[key] = None
    if not isinstance(config["studies"], list) or not config["studies"]:
        raise ConfigError(f"studies must be a list of names, got {config['studies']!r}; write `studies: [name]`")
    for key in ("scale", "results"):
        if not isinstance(config[key], str):
            raise ConfigError(f"{key} must be text, got {config[key]!r}; config.yaml shows what it may be")
    if not config["results"]:
        raise ConfigError("results is empty; write a folder, as in `results: results`")
    config["results"] = os.path.normpath(os.path.expanduser(config["results"]))
    if config["results"] == ".":
        raise ConfigError("results is the working directory; write another folder, as in `results: results`")
    for key in ("corpora", "mirror", "tensorboard"):
        if not isinstance(config[key], str | None):
            raise ConfigError(f"{key} must be text or null, got {config[key]!r}")
    for key in ("corpora", "results"):
        refuse_braces(config[key] or "", key)
    gpus, per_node = config["gpus"], config["gpus_per_node"]
    for key in GPU_KEYS:
        value = config[key]
        if (key, value) != ("gpus", None) and (type(value) is not int or value < 1):
            raise ConfigError(f"{key} must be a whole number from 1 on, got {value!r}")
    if gpus is not None and gpus > per_node and gpus % per_node:
        raise ConfigError(f"gpus is {gpus}, more than gpus_per_node ({per_node}), so it must be a multiple of it")
    if gpus is not None and gpus > 1 < config["runs_per_gpu"]:
        raise ConfigError(
            f"runs_per_gpu is {config['runs_per_gpu']} and gpus is {gpus}, but only trainings of one GPU can share it; "
            "set one of both to 1"
        )
    return config


def training_gpus(config: Mapping[str, Any]) -> int:
    """Return the GPUs of each training job: `gpus`; if that is null, one at paper scale and none at others."""
    return int(config["scale"] == "paper") if config["gpus"] is None else int(config["gpus"])


def configured_studies(config: Mapping[str, Any], root: Path | str) -> dict[str, Study]:
    """Return the studies of a configuration, checked, by name; `root` is the folder of the Snakefile."""
    studies = {}
    for name in config["studies"]:
        # A bare name stands for a file of the project; anything with a suffix is a path.
        is_path = str(name).endswith(".yaml")
        file = Path(os.path.expanduser(name)) if is_path else Path(root) / f"workflow/studies/{name}.yaml"
        study = load_study(file, config["scale"], _seeds(config["seeds"]), Path(root) / "workflow/studies")
        study = with_restored(study, Path(config["results"], config["scale"], study.name))
        if study.name in studies:
            raise ConfigError(
                f"studies: {study.name!r} is there twice ({file}); give one another name, or leave it out"
            )
        studies[study.name] = study
    _check_sides(studies.values())
    for study in studies.values():
        if study.pretraining:
            _check_text(study.pretraining, studies)
    return studies


def _check_sides(studies: Iterable[Study]) -> None:
    """Check that studies of the same pairs have the same sides: pairs are filtered and shuffled together, once."""
    first: dict[str, Study] = {}
    for study in studies:
        other = first.setdefault(corpus := study.corpora["bitext"], study)
        if other.sides != study.sides:
            raise ConfigError(
                f"studies: {other.name} reads {corpus!r} as {other.source} and {other.target}, {study.name} as "
                f"{study.source} and {study.target}; select one at a time, or list the corpus once more by another name"
            )


def _check_text(pretraining: Pretraining, studies: Mapping[str, Study]) -> None:
    """Check that a pretraining reads no text that a study reads as pairs: those are filtered differently."""
    pairs = {user.bitext: user.study for user in pretraining.users}
    pairs |= {study.corpora["bitext"]: study.name for study in studies.values()}
    for corpus, _, _ in pretraining.read():
        if corpus in pairs:
            raise ConfigError(
                f"{pretraining.name}.yaml: corpora has {corpus!r}, the pairs of {pairs[corpus]}; "
                "name a corpus of texts alone"
            )


def configured_rows(config: Mapping[str, Any], root: Path | str, studies: Mapping[str, Study]) -> list[Row]:
    """Return the rows of the corpus lists, the project's and the configuration's; check that they cover the studies."""
    rows = read_catalog(Path(root) / "workflow/corpora.tsv")
    if config["corpora"]:
        own = read_catalog(Path(os.path.expanduser(config["corpora"])))
        for row in own:
            if any(row.name == other.name for other in rows):
                raise ConfigError(f"{row.where}: {row.name!r} is in workflow/corpora.tsv too; give it another name")
            if row.generated:
                raise ConfigError(f"{row.where}: the text of {row.url} is made for the demo, and has its row already")
        rows += own
    for study in studies.values():
        _check_splits(study, rows)
        for text in study.texts():
            for row in select(rows, *text):
                row.check()
    return rows


def _check_splits(study: Study, rows: Sequence[Row]) -> None:
    """Check that the corpus lists have a study's labelled pairs, with the splits that it is evaluated on."""
    where, corpus = f"{study.name}.yaml: scales.{study.scale}", study.corpora["bitext"]
    names = dict.fromkeys(row.name for row in rows)
    among(names, corpus, f"{where}.corpora.bitext is")
    sources = [row for row in rows if row.name == corpus and study.source in row.languages]
    languages = dict.fromkeys(language for row in rows if row.name == corpus for language in row.languages)
    among(languages, study.source, f"{where}.corpora.bitext is {corpus!r}, which has no text in")
    splits = dict.fromkeys(split for row in sources for split in row.splits)
    for key, said in (("tests", study.tests), ("tuned_on", study.more_validation)):
        for split in said:
            if split not in splits:
                raise ConfigError(f"{where}.{key} has {split!r}; {corpus} has the splits {', '.join(splits)}")
    chooses = {row.own for row in sources if row.own and row.splits == (VALIDATION,)}
    for row in sources:
        if row.own in chooses and row.split in study.tests:
            raise ConfigError(
                f"{row.where}: {row.split} is the file {row.url!r} of the validation text, which chooses checkpoints; "
                "test on another text"
            )


def _seeds(value: Any) -> list[int] | None:
    """Return the seeds, or None to use those of the studies. On the command line, `seeds=[1,2]` arrives as text."""
    if value is None:
        return None
    seeds = value if isinstance(value, list) else [value]
    read = [int(seed) if isinstance(seed, str) and seed.isdecimal() else seed for seed in seeds]
    try:
        return list(typed(Seeds, read, "seeds"))
    except ConfigError as error:
        raise ConfigError(f"{error}; write a list, as in `seeds=[1,2]`, or null for the study's own") from None
