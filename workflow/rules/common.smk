"""Shared by the other files: the checked configuration, the declared runs, and paths. No rules."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(os.path.relpath(Path(str(workflow.current_basedir)).parents[1]))  # relative: moving re-runs nothing

# Jobs use this checkout and, unless a conda environment takes over, the Python that runs Snakemake.
sys.path.insert(0, str(ROOT / "src"))
os.environ.update(
    PYTHONPATH=os.pathsep.join(filter(None, [str((ROOT / "src").absolute()), os.getenv("PYTHONPATH")])),
    PATH=os.pathsep.join([str(Path(sys.executable).parent), os.getenv("PATH", os.defpath)]),
)

from seqpre.common.arguments import check_device
from seqpre.study.configuration import checked, configured_studies, read_configuration, training_gpus
from seqpre.checks.checkout import check_folders
from seqpre.common.errors import ConfigError, DataError, error_alone
from seqpre.common.files import read_json
from seqpre.metrics.moses import rules_for
from seqpre.choose import with_choice
from seqpre.study.declarations import weights_of
from seqpre.study.typed import changed, differences
from seqpre.study.pretraining_settings import DenoiserSettings
from seqpre.study.settings import AVERAGE, DecodeSettings
from seqpre.study.tasks import TASKS, VALIDATION
from seqpre.corpora.download import check_mirror, is_address, mirror_of
from seqpre.study.load import names_of_studies
from seqpre.study.targets import files_by_name, no_such_target
from seqpre.training.board import check_board
from seqpre.study.fractions import ALL
from seqpre.study.restored import FILE as RESTORED
from seqpre.study.run import REVERSE, SCORES, folder_of
from seqpre.study.study import SIDES, all_runs, lm_and_seed, lm_of, lm_to_json, runs_here, tuning_runs

logger.addFilter(error_alone)

for _file in workflow.overwrite_configfiles or ["config.yaml"]:
    read_configuration(_file)  # names the file and line of an error, unlike Snakemake

if not workflow.overwrite_configfiles:  # `--configfile` replaces config.yaml; `--config key=value` amends it

    configfile: "config.yaml"


config = checked(config)
check_folders(ROOT, Path.cwd(), Path(config["results"]))
SCALE = config["scale"]
STUDIES = configured_studies(config, ROOT)
if workflow.is_main_process:
    for _remark in [remark for study in STUDIES.values() for remark in study.remarks()]:
        print(_remark, file=sys.stderr)
RUNS = {(run.study, run.system, run.fraction, run.seed): run for study in STUDIES.values() for run in all_runs(study)}
PRETRAININGS = {study.pretraining.name: study.pretraining for study in STUDIES.values() if study.pretraining}
# The owners of text, vocabularies and language models, and the vocabularies that their text is encoded with.
OWNERS = {**STUDIES, **PRETRAININGS}
VOCABULARIES = {one.key: one for owner in OWNERS.values() for one in owner.vocabularies.values()}
ENCODINGS = {one.encoding(name): (name, one) for name, owner in OWNERS.items() for one in owner.vocabularies.values()}


# Unlike a parameter, the environment re-runs nothing when it changes.
if _mirror := mirror_of(config):
    os.environ.update(SEQPRE_MIRROR=_mirror)
if config["tensorboard"]:
    if not workflow.deployment_settings.deployment_method:  # otherwise jobs bring their own packages
        check_board(config["tensorboard"])
    os.environ.setdefault("SEQPRE_TENSORBOARD", str(config["tensorboard"]))


def at_scale(otherwise, **scales):
    """Return a resource request (memory, threads, ...): this scale's own if there is one."""
    return scales.get(SCALE, otherwise)


os.environ.setdefault("SEQPRE_DEVICE", at_scale("auto", paper="cuda"))  # a job of days must not start on a CPU
check_device(os.getenv("SEQPRE_DEVICE"))

# ------------------------------------------------------------------------------------------ processes of a training job
# Their number is a resource: like threads and memory it does not change results and re-runs nothing.

GPUS = training_gpus(config)
NODES = max(1, GPUS // config["gpus_per_node"])
PER_NODE = max(1, GPUS // NODES)


def train_command(module):
    """Return the start of a training job's shell command."""
    if GPUS <= 1:
        return f"python -m {module}"
    if NODES == 1:
        return f"torchrun --standalone --nproc-per-node={PER_NODE} -m -- {module}"
    return (
        'head=$(scontrol show hostnames "$(squeue --noheader --jobs $SLURM_JOB_ID --format %N)" | head -n 1);'
        f" srun --nodes={NODES} --ntasks={NODES} --ntasks-per-node=1 --cpus-per-task={{threads}}"
        f" --gpus-per-node={PER_NODE} torchrun --nnodes={NODES} --nproc-per-node={PER_NODE} --rdzv-backend=c10d"
        f" --rdzv-endpoint=$head:$((20000 + SLURM_JOB_ID % 20000)) --rdzv-id=$SLURM_JOB_ID -m -- {module}"
    )


def gpu_resources(gpus):
    """Return the request for GPUs, or for a share of one: a gres for Slurm, a number elsewhere."""
    return {"gres": "shard:1", "shard": 1} if gpus and config["runs_per_gpu"] > 1 else {"gpu": gpus}


def train_resources():
    """Return what a training job requests besides memory, time and threads."""
    if NODES == 1:
        return {**gpu_resources(GPUS), "nodes": 1}
    extra = f"--open-mode=append --gpus-per-node={PER_NODE} --ntasks-per-node=1"
    return {"mpi": "srun", "nodes": NODES, "tasks": NODES, "slurm_extra": extra}


def explain_target(record):
    """Replace Snakemake's message about an unknown target, or an undeclared run, by a helpful one; a logging filter."""
    exception = vars(record).get("exception")
    if exception == "InputFunctionException" and (ours := re.search("ConfigError: .*", record.getMessage())):
        record.msg = ours.group()
    if exception == "MissingRuleException":
        target = record.getMessage().partition("to produce ")[2].partition(" (if you use")[0]
        known = ["all", *TARGETS, *IN_FOLDERS, *(file for files in TARGETS.values() for file in files)]
        unselected = set(names_of_studies(ROOT / "workflow/studies")) - set(STUDIES)
        remove = RESTORED_TARGETS.get(target)
        why = put_back(target, remove) if remove else ""
        record.msg = f"ConfigError: {why or no_such_target(target, known, EMPTY, unselected, f'{RESULTS}/{SCALE}')}"
    return True


logger.addFilter(explain_target)

# ----------------------------------------------------------------------------------------------------------------- paths

RESULTS = config["results"]
DOWNLOADS = f"{RESULTS}/downloads"
CORPUS = f"{RESULTS}/{SCALE}/corpora/{{corpus}}"
TEXT = f"{RESULTS}/{SCALE}/text/{{owner}}/{{corpus}}"
SUBWORDS = f"{RESULTS}/{SCALE}/subwords/{{vocabulary}}/bpe.model"
WORDS = f"{RESULTS}/{SCALE}/words/{{vocabulary}}/words.tsv"
STORE = f"{RESULTS}/{SCALE}/tokens/{{encoding}}/{{corpus}}/{{split}}.{{language}}"
LM = f"{RESULTS}/{SCALE}/lms/{{owner}}/{{lm}}"
STUDY = f"{RESULTS}/{SCALE}/{{study}}"
OF_RUN = folder_of("{system}", "{fraction}", "{seed}")
RUN = f"{STUDY}/{OF_RUN}"
ENSEMBLE = f"{STUDY}/ensembles/{{ensemble}}"
TRIVIAL = f"{STUDY}/trivial/{{baseline}}"
OUTPUTS = f"{STUDY}/{{outputs}}"  # the folder of a run, an ensemble or a trivial baseline


def one_of(names):
    return "|".join(sorted(map(re.escape, names))) or "(?!)"


def selections_of(study):
    """Return the selections of a study's checkpoints in `weights/`, with the average, which no validation chose."""
    return ["perplexity", *filter(None, [study.metric, AVERAGE if study.average_last else None])]


TRAINING_RULES = {"pretrain", "finetune"}
"""The rules whose jobs train."""


SYSTEM = one_of({run.system for run in RUNS.values()} | {s for study in STUDIES.values() for s in study.systems})
FRACTION = r"[\d.]+(?:pct|k)?"
BASELINE = one_of({baseline for task in TASKS.values() for baseline in task.all_trivial})


wildcard_constraints:
    study=one_of(STUDIES),
    owner=one_of(OWNERS),
    vocabulary=one_of(VOCABULARIES),
    encoding=one_of(ENCODINGS),
    corpus=r"\w+",
    split=r"\w+",
    language=r"[a-z]+",
    languages=r"[a-z]+(?:_[a-z]+)*",
    lm=f"(?:{one_of({lm for owner in OWNERS.values() for lm in owner.lms})})(?:/seed[0-9]+)?",
    system=SYSTEM,
    ensemble=(ENSEMBLES := one_of({name for study in STUDIES.values() for name in study.ensembles})),
    baseline=BASELINE,
    fraction=FRACTION,
    seed=r"\d+",
    selection=one_of({selection for study in STUDIES.values() for selection in selections_of(study)}),
    outputs=rf"runs/(?:{SYSTEM})/{FRACTION}/seed\d+|ensembles/(?:{ENSEMBLES})|trivial/(?:{BASELINE})",
