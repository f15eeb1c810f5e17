"""The jobs of a configuration, as Snakemake itself resolves them.

    python -m seqpre.planning.dag CONFIGURATION OUTPUT

Loading a Snakefile changes the folder, the environment and the logging of the process. So this runs in a process of its
own, which writes the jobs as JSON.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import seqpre
from seqpre.common.errors import ConfigError
from seqpre.study.strict_yaml import read_yaml

if TYPE_CHECKING:
    from snakemake.dag import DAG

COMPUTING = ("pretrain", "finetune", "decode")
"""Rules whose jobs run a model."""


@dataclass(frozen=True)
class Node:
    """One job of the workflow."""

    rule: str
    wildcards: dict[str, str]
    """In the order in which they appear in the rule's paths."""
    outputs: list[str]
    benchmark: str
    """Snakemake's benchmark file of the job; empty without one."""
    threads: int
    after: list[str]
    """Names of the jobs that it depends on."""
    left: bool
    """Whether Snakemake would run it now."""
    inputs: list[str] = field(default_factory=list)
    command: str = ""
    """Shell command of a training or decoding job; empty for other jobs."""

    @property
    def name(self) -> str:
        """Rule and wildcards, which are unique to the job."""
        return " ".join(filter(None, (self.rule, "/".join(self.wildcards.values()))))


def resolved(config: Mapping[str, Any], root: Path) -> list[Node]:
    """Return every job of a configuration, each after its dependencies; `root` is the folder of the Snakefile.

    Raises ConfigError, with Snakemake's message, if the jobs cannot be resolved.
    """
    with TemporaryDirectory() as folder:
        configuration, output = Path(folder) / "config.yaml", Path(folder) / "jobs.json"
        configuration.write_text(json.dumps(dict(config) | {"mirror": None}), encoding="utf-8")
        environment = {name: value for name, value in os.environ.items() if name != "SEQPRE_MIRROR"}
        package = str(Path(seqpre.__file__).parents[1])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package, environment.get("PYTHONPATH"))))
        command = [sys.executable, "-m", "seqpre.planning.dag", str(configuration), str(output)]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ConfigError(f"Snakemake cannot resolve the jobs: {' '.join(done.stderr.split())}")
        return [Node(**node) for node in json.loads(output.read_text(encoding="utf-8"))]


def nodes(dag: DAG) -> Iterator[Node]:
    """Yield the jobs of a DAG that make files, each after the jobs it depends on, in the order of its inputs."""
    names: dict[Any, str | None] = {}

    def visited(job: Any) -> Iterator[Node]:
        names[job] = None
        makers = {file: maker for maker, files in dag.dependencies[job].items() for file in files}
        before = list(dict.fromkeys(makers[file] for file in job.input if file in makers))
        for maker in before:
            if maker not in names:
                yield from visited(maker)
        if job.output:
            node = Node(
                job.rule.name,
                {name: job.wildcards_dict[name] for name in re.findall(r"{(\w+)", str(job.rule.output[0]))},
                [str(file) for file in job.output],
                str(job.benchmark or ""),
                job.threads,
                [name for maker in before if (name := names[maker])],
                dag.needrun(job),
                [str(file) for file in job.input],
                job.shellcmd if job.rule.name in COMPUTING else "",
            )
            names[job] = node.name
            yield node

    for job in dag.targetjobs:
        if job not in names:
            yield from visited(job)


def main(configuration: Path, output: Path) -> None:
    """Resolve a configuration's jobs in this process and write them."""
    from snakemake.api import SnakemakeApi
    from snakemake.settings.enums import Quietness
    from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, RerunTrigger, ResourceSettings

    with SnakemakeApi(OutputSettings(dryrun=True, quiet={Quietness.ALL})) as api:
        workflow = api.workflow(ResourceSettings(), ConfigSettings(configfiles=[configuration]))
        profile = read_yaml(Path("profiles/default/config.yaml"))  # every run loads it
        dag_api = workflow.dag(DAGSettings(rerun_triggers=RerunTrigger.parse_choices_set(profile["rerun-triggers"])))
        with contextlib.redirect_stdout(io.StringIO()):
            dag_api.printrulegraph()  # the API call that resolves the jobs and does least besides
        assert workflow._workflow_store
        jobs = [dataclasses.asdict(node) for node in nodes(workflow._workflow_store.dag)]
    output.write_text(json.dumps(jobs), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(*map(Path, sys.argv[1:]))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
