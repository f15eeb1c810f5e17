"""Check a machine before the first job: one line for each check, with advice where something is missing.

    python -m seqpre.doctor                                            this machine, what config.yaml asks for
    python -m seqpre.doctor --scale paper --profile profiles/slurm     a cluster, on the node that will run Snakemake
    srun --gpus=1 python -m seqpre.doctor --scale paper                the GPU of a compute node

Start it in the folder of the Snakefile. ✓ is fine, ! works but should be read, ✗ would stop a job and makes the exit
status 1. Below `downloads` is a list of all corpus files: those you have, those to be downloaded, and those you must
supply because of a licence, with their substitutes. It writes to the results folder and cleans up, reads text of your
own (eight million lines a minute), and asks the mirror and the studies' addresses whether they answer. It downloads
nothing and submits nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from seqpre.checks import data, leftovers, machine, slurm
from seqpre.checks.finding import FAILED, Finding, Site, failed, fine, site_of
from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command

ANYWHERE = (
    machine.python_version,
    machine.packages,
    machine.software_of_jobs,
    machine.gpu,
    machine.checkout,
    machine.results_folder,
    machine.disk_space,
    data.own_text,
    leftovers.undeclared,
    data.mirror,
    data.downloads,
)
ON_SLURM = (slurm.executor_plugin, slurm.partitions, slurm.account_and_qos, slurm.finished_jobs)


def diagnose(
    config_file: Path, scale: str | None, profile: Path | None, names: Sequence[str] | None = None
) -> Iterator[tuple[str, Finding]]:
    """Yield the name and finding of each check; checks whose requirements are missing are skipped."""
    try:
        site = site_of(config_file, scale, profile, names)
        studies = ", ".join(site.studies)
        if shared := ", ".join(dict.fromkeys(s.pretraining.name for s in site.studies.values() if s.pretraining)):
            studies += f" from the pretraining {shared}"
        words = "".join(f"; {remark}" for study in site.studies.values() for remark in study.remarks())
        _ = site.rows  # all texts of the studies are in the corpus lists
    except Exception as error:
        yield "configuration", _broken(error)
        return
    yield "configuration", fine(f"{studies} at the {site.config['scale']} scale{words}")
    for check in ANYWHERE:
        yield _examined(check, site)
    if site.on_slurm:
        name, finding = _examined(slurm.slurm, site)
        yield name, finding
        for check in ON_SLURM if finding.mark != FAILED else ():
            yield _examined(check, site)


def _examined(check: Callable[[Site], Finding], site: Site) -> tuple[str, Finding]:
    """Return a check's name and finding; an exception becomes a failed finding."""
    name = check.__name__.replace("_", " ")
    try:
        return name, check(site)
    except Exception as error:
        return name, _broken(error)


def _broken(error: Exception) -> Finding:
    known = isinstance(error, ConfigError | DataError | OSError)
    return failed(str(error) if known else f"{type(error).__name__}: {error}", "mend this first")


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, print a line for each check, exit with 1 if one failed."""
    parser = parser_of(__doc__)
    parser.add_argument("--config", type=Path, default=Path("config.yaml"), help="default: config.yaml")
    parser.add_argument("--scale", help="demo, small or paper, instead of the configuration's own")
    parser.add_argument("--studies", nargs="+", metavar="STUDY", help="names or files, likewise")
    parser.add_argument("--profile", type=Path, help="folder of the Snakemake profile that jobs will run with")
    args = parser.parse_args(argv)
    failures = 0
    for name, finding in diagnose(args.config, args.scale, args.profile, args.studies):
        failures += finding.mark == FAILED
        print(f"{finding.mark} {name}: {finding.found}{f' -> {finding.advice}' if finding.advice else ''}", flush=True)
        for line in finding.table:
            print(f"    {line}", flush=True)
    if failures:
        print(f"{failures} would stop a job")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
