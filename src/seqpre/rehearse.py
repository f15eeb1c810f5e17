"""Rehearse a study's trainings: a few updates of each kind, stopped and resumed, some outputs, and their cost.

    python -m seqpre.rehearse --scale small                                          the configured studies
    srun --gpus=1 python -m seqpre.rehearse --scale paper --studies poda-headlines   on a node that has the GPUs

Start it in the folder of the Snakefile. The largest training of each kind (task or pretraining, model, precision) is
rehearsed. Snakemake first makes the texts and vocabularies, which the study needs anyway. Settings and commands are the
study's, with few updates and almost no validation. After a quarter of them a training is told to stop (SIGTERM), and
the same command resumes it. If a model to start from does not exist yet, a rehearsed one is used. Finally, some hundred
outputs are decoded, as long as the references.

Measurements cover the updates after the first quarter, and the search without its start. Speed and, on a GPU, memory
are shown next to the plan of `seqpre.plan`; hours are for the whole training at either speed. Everything is in a folder
of its own below <results>/rehearsal. It is deleted at the end; after a failure it stays, with its logs.

Exit status 2, with a one-line reason: a training fails or does not resume, or a measurement is more than a quarter off
the plan. Then plan with the measured speed (`python -m seqpre.plan --tflops`), or find out what is slow.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, TrainingError, command
from seqpre.common.files import read_json, read_lines, write_json
from seqpre.common.workflow import snakemake
from seqpre.planning.dag import Node, resolved
from seqpre.planning.planner import CORES, Plan, at_hand, make_plan, settings_of
from seqpre.planning.prices import Setting
from seqpre.planning.sheet import Sheet, number, size
from seqpre.planning.work import PricedJob
from seqpre.study.configuration import configured_studies, read_configuration, training_gpus
from seqpre.study.pretraining_settings import AnyPretraining, LMSettings
from seqpre.study.study import lm_and_seed
from seqpre.study.typed import differences, overridden, typed

OFF = 0.25  # largest share by which a measurement may differ from the plan
VALIDATED, SENTENCES = 8, 300  # pairs or held-out sequences of a validation, and sentences to decode


class Part(NamedTuple):
    """A training in a plan, with its job in the workflow."""

    kind: str
    job: PricedJob
    node: Node
    at: Setting


class Measured(NamedTuple):
    """A planned number (0 if there is none) and its measurement."""

    planned: float
    found: float


class Rehearsal:
    """Trains and decodes with the study's own commands, in a folder next to its results."""

    def __init__(self, config: Mapping[str, Any], updates: int) -> None:
        self.config, self.updates = config, updates
        if (gpus := training_gpus(config)) > config["gpus_per_node"]:
            raise ConfigError(f"gpus is {gpus}, which takes several nodes; rehearse with at most gpus_per_node")
        self.settings = settings_of(config, Path(), configured_studies(config, Path()))
        nodes = resolved(config, Path())
        self.nodes = {node.name: node for node in nodes}
        self.plan: Plan = make_plan({**config, "runs_per_gpu": 1}, Path(), at_hand(config)[0], CORES, nodes=nodes)
        self.results = Path(config["results"]) / config["scale"]
        below = Path(config["results"], "rehearsal")
        below.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix=f"{config['scale']}-", dir=below))  # others may rehearse this scale
        self.seconds = "seconds" if gpus else "cpu_seconds"
        self.device = {"SEQPRE_DEVICE": os.environ.get("SEQPRE_DEVICE", "cuda" if gpus else "cpu")}

    def parts(self) -> list[Part]:
        """Return the largest training of each kind, pretrainings first, without those that read back-translations."""
        found = [self.part(job) for job in self.plan.jobs if job.updates and not self.translates(job)]
        found.sort(key=lambda part: (part.node.rule != "pretrain", -part.job.flops))
        return list({part.kind: part for part in reversed(found)}.values())[::-1]

    def translates(self, job: PricedJob) -> bool:
        """Return whether a training reads back-translated text."""
        node = self.nodes[job.name]
        if node.rule == "pretrain":
            return False
        return bool(self.settings[node.wildcards["study"]].run(node).settings.backtranslation.system)

    def part(self, job: PricedJob) -> Part:
        """Return a training with its kind."""
        node = self.nodes[job.name]
        at = self.settings[node.wildcards["owner" if node.rule == "pretrain" else "study"]]
        if node.rule == "pretrain":
            lm, settings = at.owner.lms[lm_and_seed(node.wildcards["lm"])[0]], at.owner.lm_settings
            kinds: tuple[str, ...] = (settings.kind, lm.objective, settings.train.precision)
        else:
            run = at.run(node).settings
            kinds = (at.study.task, run.model.kind, run.train.precision)
        return Part(", ".join(filter(None, kinds)), job, node, at)

    def make_texts(self, parts: Sequence[Part]) -> None:
        """Let Snakemake make the texts that these trainings and their outputs need, but no models."""
        nodes = [part.node for part in parts] + [model for part in parts for model in self.models_of(part.node)]
        taken = {node.name for node in nodes}
        nodes += [one for one in self.nodes.values() if one.rule == "decode" and taken & {*one.after}]
        makers = {output: node for node in self.nodes.values() for output in node.outputs}

        def takes_a_model(node: Node) -> bool:
            return bool(node.command) or any(takes_a_model(self.nodes[name]) for name in node.after)

        read = (file for node in nodes for file in node.inputs if file in makers)
        targets = [file for file in dict.fromkeys(read) if not takes_a_model(makers[file])]
        write_json(self.folder / "config.json", dict(self.config))
        words = ["--cores", str(os.cpu_count() or 1), "--configfile", f"{self.folder}/config.json", "--", *targets]
        snakemake(words, "Snakemake has failed to make the texts, see above; the same command goes on")

    def models_of(self, node: Node) -> list[Node]:
        """Return the pretrainings of the models that a run starts from, if the models do not exist yet."""
        words = arguments_of(node).get("--lm", [])
        absent = {str(path) for word in words if not (path := Path(word.partition("=")[2]).parent).exists()}
        return [one for one in self.nodes.values() if one.rule == "pretrain" and one.outputs[0] in absent]

    def place(self, node: Node) -> Path:
        """Return the folder in which a training is rehearsed."""
        return self.folder / Path(node.outputs[0]).parent.relative_to(self.results)

    def words(self, node: Node, settings: Path) -> list[str]:
        """Return the study's own command, with other settings, models and folder."""
        words = started_with(node)
        for name, value in (("--settings", settings), ("--run", settings), ("--output-dir", self.place(node))):
            if name in words:
                words[words.index(name) + 1] = str(value)
        for model in self.models_of(node):
            here = self.place(model) / "weights/perplexity.safetensors"  # also used for a checkpoint of an update
            there = f"={model.outputs[0]}/"
            words = [f"{word.partition('=')[0]}={here}" if there in word else word for word in words]
        return words

    def write_settings(self, part: Part, updates: int) -> Path:
        """Write the settings of a training, with `updates` updates and almost no validation."""
        path, every = self.place(part.node) / "settings.json", max(1, updates // 4)
        path.parent.mkdir(parents=True)
        few: dict[str, Any] = {"train.validate_every": every, "train.patience": 0, "train.max_updates": updates}
        if part.node.rule == "pretrain":
            content = read_json(Path(arguments_of(part.node)["--settings"][0]))
            settings = typed(AnyPretraining, content["settings"], str(path))
            if isinstance(settings, LMSettings):
                few["train.max_tokens"] = few.pop("train.max_updates") * settings.train.streams * settings.train.bptt
            few |= {"train.held_out": VALIDATED, "train.keep": []}
            content["settings"] = differences(overridden(settings, few, str(path)), LMSettings())
        else:
            few |= {f"train.{key}": 0 for key in ("passes", "validate_passes", "average_last")}
            few |= {"train.validate_pairs": VALIDATED, "train.metric": "none"}
            run = part.at.run(part.node)
            content = replace(run, settings=overridden(run.settings, few, str(path))).to_json()
        write_json(path, content)
        return path

    def run(self, node: Node, words: Sequence[str], stop: Path | None = None) -> None:
        """Run a command as Snakemake would; with `stop`, terminate it once that file has a line."""
        environment = {**os.environ, **self.device, "OMP_NUM_THREADS": str(node.threads)}
        with self.log(node).open("a", encoding="utf-8") as file:
            process, told = subprocess.Popen(words, stdout=file, stderr=subprocess.STDOUT, env=environment), False
            try:
                while stop and not told and process.poll() is None:
                    if told := stop.is_file() and stop.stat().st_size > 0:
                        process.send_signal(signal.SIGTERM)
                        break
                    time.sleep(0.02)
                status = process.wait()
            finally:
                process.kill()
        if stop and status == 0:
            raise TrainingError(f"{node.name} ended before it could be stopped; give more --updates")
        if status and not told:
            said = self.log(node).read_text(encoding="utf-8").splitlines()
            raise TrainingError(f"{node.name} ended with status {status}: {''.join(said[-1:])}")

    def train(self, part: Part) -> list[dict[str, Any]]:
        """Train, stop and resume; return the lines of metrics.jsonl. Raises TrainingError if that fails."""
        for model in self.models_of(part.node):
            if not self.place(model).exists():  # not rehearsed separately
                once = next(self.part(job) for job in self.plan.jobs if job.name == model.name)
                self.run(model, self.words(model, self.write_settings(once, 1)))
        node, metrics = part.node, self.place(part.node) / "checkpoints/metrics.jsonl"
        words = self.words(node, self.write_settings(part, self.updates))
        self.run(node, words, stop=metrics)
        before = metrics.read_text(encoding="utf-8")
        self.run(node, words)
        after = metrics.read_text(encoding="utf-8")
        if not after.startswith(before):
            raise TrainingError(f"{node.name} did not go on where it was stopped: see {self.log(node)}")
        return [json.loads(line) for line in after.splitlines()]

    def log(self, node: Node) -> Path:
        """Return the log file of a training."""
        return self.place(node) / "rehearsal.log"

    def speed(self, part: Part, lines: Sequence[Mapping[str, Any]]) -> tuple[Measured, Measured]:
        """Return tokens a second, and hours of the whole training."""
        first, *_, last = (line for line in lines if line["event"] == "train")
        updates, tokens, seconds = (last[key] - first[key] for key in ("step", "tokens", self.seconds))
        seconds *= self.plan.machine.processes if self.plan.machine.gpus else 1
        planned = updates * part.job.update / self.plan.machine.rate(part.job)
        hours = self.plan.machine.hours(part.job) * (60 if self.plan.minutes else 1)
        return Measured(tokens / planned, tokens / seconds), Measured(hours, hours * seconds / planned)

    def memory(self, part: Part) -> Measured:
        """Return the memory of a process in bytes: on a GPU, that of its tensors; otherwise nothing is planned."""
        summary = read_json(self.place(part.node) / "summary.json")
        on_gpu = "peak_gpu_memory_mb" in summary
        found = summary["peak_gpu_memory_mb" if on_gpu else "peak_memory_mb"] * 2**20
        return Measured(self.plan.memory(part.job) if on_gpu else 0.0, found)

    def decoding(self, part: Part) -> Measured:
        """Decode with a run, with outputs as long as the references; return sentences a second."""
        node = next(one for one in self.nodes.values() if one.rule == "decode" and part.node.name in one.after)
        place, given, settings = self.place(part.node), arguments_of(node), part.at.run(part.node).settings
        source = next(word.partition("=")[2] for word in given["--input"] if word.startswith("valid="))
        lines = list(islice(read_lines(Path(source)), SENTENCES))
        (place / "sources.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        lengths, search = part.at.lengths(settings, "valid"), settings.decode
        long = str(max(1, round(lengths[1])))
        words = [*started_with(node)[:3], "--model", f"{place}/weights/perplexity.safetensors"]
        words += ["--subwords", *given["--subwords"], "--min-lengths", long, "--max-length", long]
        words += ["--beam", str(search.beam), "--batch-sentences", str(search.batch_sentences)]
        self.run(part.node, [*words, "--input", f"valid={place}/sources.txt", "--output-dir", f"{place}/outputs"])
        about = read_json(place / "outputs/valid.json")
        work = settings.model.sentence(part.at.vocabulary_size(settings), *lengths, search.beam)
        job = next(job for job in self.plan.jobs if job.name == node.name)
        return Measured(self.plan.machine.rate(job) / work, len(lines) / about[self.seconds])


def started_with(node: Node) -> list[str]:
    """Return the words of a job's command, with this Python."""
    words = shlex.split(node.command.partition(" > ")[0])
    return [sys.executable, *words[1:]] if words[0] == "python" else words


def arguments_of(node: Node) -> dict[str, list[str]]:
    """Return the values of each option in a job's command."""
    given: dict[str, list[str]] = {}
    for word in started_with(node):
        if word.startswith("--"):
            values = given[word] = []
        elif given:
            values.append(word)
    return given


def rehearsed(rehearsal: Rehearsal) -> tuple[Sheet, list[str]]:
    """Rehearse every kind; return the table, and the measurements that are off the plan."""
    rows, off, plan = [], list[str](), rehearsal.plan
    parts = rehearsal.parts()
    rehearsal.make_texts(parts)
    for part in parts:
        print(f"{part.kind}: {part.node.name}", file=sys.stderr, flush=True)
        tokens, hours = rehearsal.speed(part, rehearsal.train(part))
        found = {"tokens/s": tokens, plan.unit(plan.resource): hours, "memory": rehearsal.memory(part)}
        if part.node.rule == "finetune":
            found["sentences/s decoded"] = rehearsal.decoding(part)
        for what, one in found.items():
            show = size if what == "memory" else number
            ratio = f"{one.found / one.planned:.2f}" if one.planned else ""
            rows.append([f"{part.kind}: {what}", show(one.planned), show(one.found), ratio])
            if one.planned and abs(one.found / one.planned - 1) > OFF:
                off.append(f"{part.kind}: {ratio} times the {what}")
    shutil.rmtree(rehearsal.folder)
    notes = [f"{part.kind}: {part.node.name}, {rehearsal.updates} updates, stopped and resumed" for part in parts]
    return Sheet("Rehearsal", ("training", "planned", "here", "here / planned"), rows, notes), off


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Rehearse and print; fail if a measurement is off the plan."""
    parser = parser_of(__doc__)
    parser.add_argument("--config", type=Path, default=Path("config.yaml"), help="default: config.yaml")
    parser.add_argument("--scale", help="demo, small or paper, instead of the configuration's own")
    parser.add_argument("--studies", nargs="+", metavar="STUDY", help="names or files, likewise")
    parser.add_argument("--updates", type=int, default=200, help="of each training (default: 200)")
    args = parser.parse_args(argv)
    if args.updates < 8:
        raise ConfigError(f"--updates is {args.updates}; it must be at least 8")
    config = read_configuration(args.config, scale=args.scale, studies=args.studies)
    sheet, off = rehearsed(Rehearsal(config, args.updates))
    sheet.show(Console(width=None if sys.stdout.isatty() else 120))
    if off:
        raise ConfigError(f"more than a quarter off the plan: {'; '.join(off)}")


if __name__ == "__main__":
    main()
