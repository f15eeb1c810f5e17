"""Find results that no configured study declares any more."""

from __future__ import annotations

from seqpre.checks.finding import Finding, Site, doubtful, fine
from seqpre.study.study import all_runs, declared_runs

SHOWN = 5  # folders that are named; others are counted


def undeclared(site: Site) -> Finding:
    """Check that every system, fraction, ensemble and language model with a folder is declared.

    Seeds are not compared: a configuration may use only some of them for a while.
    """
    scale = site.results / site.config["scale"]
    left = []
    for study in site.studies.values():
        declared = {(run.system, run.fraction) for run in (*declared_runs(study), *all_runs(study))}
        declared |= {(system, e.fraction) for e in study.left_out.values() for system in e.systems}
        runs, ensembles = scale / study.name / "runs", scale / study.name / "ensembles"
        left += [path for path in runs.glob("*/*") if (path.parent.name, path.name) not in declared]
        left += [path for path in ensembles.glob("*") if path.name not in {*study.ensembles, *study.left_out}]
        for owner in study.owners:
            left += [path for path in (scale / "lms" / owner.name).glob("*") if path.name not in owner.lms]
    folders = sorted({str(path) for path in left if path.is_dir()})
    if not folders:
        return fine("no folder of a run, an ensemble or a language model that is not declared")
    more = f" and {len(folders) - SHOWN} more" if len(folders) > SHOWN else ""
    return doubtful(
        f"nothing reads {', '.join(folders[:SHOWN])}{more}", "declare them again, or delete them when they have served"
    )
