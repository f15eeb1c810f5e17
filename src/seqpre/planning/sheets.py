"""The tables of a plan: an overview, by rule, by system, and planned beside actual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seqpre.planning.costs import Record, Resource
from seqpre.planning.planner import Plan, grouped
from seqpre.planning.sheet import Sheet, duration, number, size
from seqpre.planning.work import PricedJob


def overview(plan: Plan, title: str) -> Sheet:
    """Return the overview of a plan."""
    machine, trainings = plan.machine, [job for job in plan.jobs if job.updates]
    longest = max(plan.jobs, key=machine.seconds)
    on = f"{machine.cores} core{'s' * (machine.cores > 1)}"
    if machine.gpus:
        on = f"{machine.gpus} GPU{'s' if machine.gpus > 1 else ''} and {on}"
    notes = [
        f"{len(plan.jobs):,} jobs, {len(trainings):,} of them trainings",
        f"{cost(plan, plan.jobs)} {plan.unit(plan.resource)} expected, at most {cost(plan, plan.jobs, most=True)}",
    ]
    if machine.gpus and not machine.rates:
        fastest = plan.fastest()
        notes.append(
            f"{cost(fastest, fastest.jobs)} {plan.unit(plan.resource)} with `precision: bf16` of all "
            f"trainings and `runs_per_gpu: {fastest.machine.sharing}` (planned, not measured)"
        )
    left = [job for job in plan.jobs if job.left]
    if len(left) < len(plan.jobs):
        notes.append(f"{len(left):,} jobs are left to do, {cost(plan, left) or 0} {plan.unit(plan.resource)} expected")
    if machine.gpus:
        notes.append(f"{cost(plan, plan.jobs, 'cores')} core-hours for text, scores and tables")
    notes += [
        f"{duration(plan.wall_hours())} on {on}; {duration(plan.least_wall_hours())} at least, on any number of them",
        f"longest job: {longest.name}, {duration(machine.seconds(longest) / 3600)}",
        f"{size(plan.kept())} on disk in the end, {size(plan.disk())} with the states of what is training",
    ]
    return Sheet(title, notes=notes)


def by_rule(plan: Plan) -> Sheet:
    """Return the jobs of each rule."""
    rows = [
        [rule, f"{len(jobs):,}", *_costs(plan, jobs), size(sum(job.kept for job in jobs))]
        for rule, jobs in grouped(plan.jobs, "rule").items()
    ]
    return Sheet("Jobs by rule", ("rule", "jobs", *_cost_columns(plan), "disk"), rows)


def by_system(plan: Plan) -> list[Sheet]:
    """Return, for each study, the cost of its text, language models, systems and ensembles."""
    sheets = []
    for study, jobs in grouped(plan.jobs, "study").items():
        estimated = any(job.batch for job in jobs)
        columns = ("for", "trainings", "updates of each", *_cost_columns(plan), "disk", *["memory"][:estimated])
        rows = [
            [
                owner,
                *_trainings(its),
                *_costs(plan, its),
                size(sum(job.kept for job in its)),
                *[size(max(plan.memory(job) for job in its))][:estimated],
            ]
            for owner, its in sorted(grouped(jobs, "owner").items(), key=_order)
        ]
        sheets.append(Sheet(f"{study}, by system", columns, rows))
    return sheets


def _order(owned: tuple[str, list[PricedJob]]) -> tuple[bool, bool, bool]:
    """Sort text first, then language models; the report last."""
    owner, _ = owned
    return owner != "text", not owner.startswith("LM "), owner == "report"


def planned_and_actual(plan: Plan, done: Mapping[str, Record], field: str) -> Sheet:
    """Return planned and actual cost of finished jobs, by rule or owner."""
    resources = list(dict.fromkeys((plan.resource, "cores")))
    groups = {name: [job for job in jobs if job.record] for name, jobs in grouped(plan.jobs, field).items()}
    groups["together"] = [job for job in plan.jobs if job.record]
    rows = []
    for name, jobs in groups.items():
        ended = [job for job in jobs if job.name in done]
        if jobs:
            cells = [cell for resource in resources for cell in _comparison(plan, ended, done, resource)]
            rows.append([name, f"{len(jobs):,}", f"{len(ended):,}", *cells])
    heads = [head for resource in resources for head in (f"{plan.unit(resource)} planned for these", "actual", "ratio")]
    by = "system" if field == "owner" else field
    return Sheet(f"Planned and actual, by {by}", (by, "jobs", "done", *heads), rows)


def _comparison(plan: Plan, jobs: Sequence[PricedJob], done: Mapping[str, Record], resource: Resource) -> list[str]:
    its = [job for job in jobs if plan.machine.resource(job) == resource]
    planned, actual = plan.hours(its, resource), sum(done[job.name].hours(resource) for job in its)
    factor = 60 if plan.minutes else 1
    return [number(factor * planned), number(factor * actual), f"{actual / planned:.2f}" if planned else ""]


def _trainings(jobs: Sequence[PricedJob]) -> list[str]:
    """Return how many of the jobs train, and the updates that each is expected to take."""
    updates = [job.updates for job in jobs if job.updates]
    if not updates:
        return ["", ""]
    return [f"{len(updates):,}", " to ".join(f"{count:,}" for count in dict.fromkeys((min(updates), max(updates))))]


def _cost_columns(plan: Plan) -> list[str]:
    columns = [plan.unit(plan.resource), "at most"]
    return [*columns, plan.unit("cores")] if plan.machine.gpus else columns


def _costs(plan: Plan, jobs: Sequence[PricedJob]) -> list[str]:
    cells = [cost(plan, jobs), cost(plan, jobs, most=True)]
    return [*cells, cost(plan, jobs, "cores")] if plan.machine.gpus else cells


def cost(plan: Plan, jobs: Sequence[PricedJob], resource: Resource | None = None, *, most: bool = False) -> str:
    """Return the cost of jobs in the plan's unit, for a resource; default: the one that is reported."""
    hours = plan.hours(jobs, resource or plan.resource, most=most)
    return number(60 * hours if plan.minutes else hours)
