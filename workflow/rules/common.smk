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

from seqpre.configuration import checked, configured_studies
from seqpre.errors import ConfigError
from seqpre.settings import RANDOM
from seqpre.studies import declared_runs, lm_to_json

config = checked(config)
SCALE = config["scale"]
STUDIES = configured_studies(config, ROOT)
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
