"""What the other files share: the checked configuration, the declared runs, paths. No rules."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(os.path.relpath(workflow.basedir))  # relative, so that a moved checkout re-runs nothing
CATALOG = ROOT / "workflow/corpora.tsv"

# Jobs use this checkout and, unless a conda environment takes over, the Python that runs Snakemake.
sys.path.insert(0, str(ROOT / "src"))
os.environ.update(
    PYTHONPATH=os.pathsep.join(filter(None, [str((ROOT / "src").absolute()), os.getenv("PYTHONPATH")])),
    PATH=os.pathsep.join([str(Path(sys.executable).parent), os.getenv("PATH", os.defpath)]),
)

from seqpre.errors import ConfigError
from seqpre.overrides import nearest
from seqpre.settings import RANDOM
from seqpre.studies import declared_runs, lm_to_json, load_study

# ------------------------------------------------------------------------------------ configuration, checked while loading

CONFIG_KEYS = ("scale", "studies", "seeds", "mirror", "results", "tensorboard")


def checked(config):
    """Return the configuration, or raise ConfigError for a key that is unknown, missing or of the wrong kind."""
    for key in config:
        if key not in CONFIG_KEYS:
            raise ConfigError(f"the configuration has no key {key!r}{nearest(key, CONFIG_KEYS)}")
    for key in CONFIG_KEYS:
        if key not in config:
            raise ConfigError(f"the configuration lacks {key!r}; config.yaml shows what it may be")
    if not isinstance(config["studies"], list) or not config["studies"]:
        raise ConfigError(f"studies must be a list of names, got {config['studies']!r}; write `studies: [name]`")
    for key in ("scale", "results"):
        if not isinstance(config[key], str):
            raise ConfigError(f"{key} must be text, got {config[key]!r}")
    return config


def seeds_of(value):
    """Return the seeds, or None for those of the studies. On the command line, `seeds=[1,2]` arrives as text."""
    if value is None:
        return None
    seeds = value if isinstance(value, list) else [value]
    return [int(seed) if isinstance(seed, str) and seed.isdecimal() else seed for seed in seeds]


def study_file(name):
    """Return the file of a study: a name stands for workflow/studies/<name>.yaml, anything with a suffix is a path."""
    return Path(name) if str(name).endswith(".yaml") else ROOT / f"workflow/studies/{name}.yaml"


config = checked(config)
SCALE = config["scale"]
STUDIES = {}
for _name in config["studies"]:
    _study = load_study(study_file(_name), SCALE, seeds_of(config["seeds"]))
    STUDIES[_study.name] = _study
RUNS = {
    (run.study, run.system, run.fraction, run.seed): run for study in STUDIES.values() for run in declared_runs(study)
}


# The environment, unlike a parameter, re-runs nothing when it changes.
if config["mirror"]:
    os.environ.setdefault("SEQPRE_MIRROR", str(config["mirror"]))
if config["tensorboard"]:
    os.environ.setdefault("SEQPRE_TENSORBOARD", str(config["tensorboard"]))


def at_scale(otherwise, **scales):
    """Return a request to the machine (memory, threads, ...): this scale's own if there is one."""
    return scales.get(SCALE, otherwise)


# ----------------------------------------------------------------------------------------------------------------- paths

RESULTS = config["results"]
DOWNLOADS = f"{RESULTS}/downloads"
CORPUS = f"{RESULTS}/{SCALE}/corpora/{{corpus}}"
SUBWORDS = f"{RESULTS}/{SCALE}/subwords/{{study}}/bpe.model"
STORE = f"{RESULTS}/{SCALE}/tokens/{{study}}/{{corpus}}/{{split}}.{{language}}"
LM = f"{RESULTS}/{SCALE}/lms/{{study}}/{{lm}}"
STUDY = f"{RESULTS}/{SCALE}/{{study}}"
RUN = f"{STUDY}/runs/{{system}}/{{fraction}}/seed{{seed}}"
ENSEMBLE = f"{STUDY}/ensembles/{{ensemble}}"

FULL = "full"  # the system that every other one is tested against
SELECTIONS = {
    "perplexity": "model.safetensors",
    "bleu": "best_bleu.safetensors",
}  # what chose a checkpoint: its file


def one_of(names):
    return "|".join(sorted(map(re.escape, names))) or "(?!)"


wildcard_constraints:
    study=one_of(STUDIES),
    corpus=r"\w+",
    split=r"\w+",
    language=r"[a-z]+",
    lm=one_of({lm for study in STUDIES.values() for lm in study.lms}),
    system=one_of({system for study in STUDIES.values() for system in study.systems}),
    ensemble=one_of({name for study in STUDIES.values() for name in study.ensembles}),
    fraction=r"[\d.]+pct",
    seed=r"\d+",
    selection=one_of(SELECTIONS),
