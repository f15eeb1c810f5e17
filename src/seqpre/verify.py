"""Train some runs of committed records again, and check whether their scores are reproduced.

    python -m seqpre.verify results/small --runs 3 --list
    python -m seqpre.verify results/small --runs 3 --seed 7 --cores 2
    python -m seqpre.verify results/small/ramachandran-translation-tatoeba --runs 2 --fresh --config mirror=/data/mirror

FOLDER is that of a study, or of a scale, with records.zip. Runs are drawn at random; the same --seed draws the same.
Each is trained from its text on, with the settings and the seed of the records. Tuned settings are taken from the
records. Scores are tested against the reference system, so its run is trained, too. --fresh trains drawn systems with a
seed that no run of the records has. --list shows the drawn runs and what they cost, and trains nothing. Texts, language
models and runs go to the folder of --work; the same command resumes there.

A run is *equal* if every score is, in every digit. Expect this on the same kind of processor. Otherwise its test score,
the mean over the tests, is *within* or *outside* an interval that contains one more seed with probability 95 %:
Student's t, the variance over seeds pooled over systems where alike. So one in twenty sound runs is outside.

The result is a Markdown file to commit, --output. Start this in the folder of the Snakefile.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import reduce
from pathlib import Path
from typing import Any

import pandas as pd

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, read_json
from seqpre.common.workflow import snakemake
from seqpre.compare import studies_in
from seqpre.metrics.inference import Estimate
from seqpre.metrics.texts import way_of_scoring
from seqpre.report.contrasts import over_seeds
from seqpre.report.outcome import Outcome
from seqpre.report.records import ARCHIVE, unpacked
from seqpre.report.results import Results, load_results
from seqpre.report.table import EMPTY, Table, number_cell, to_markdown
from seqpre.study.declarations import declared_as
from seqpre.study.reported import GridRun
from seqpre.study.restored import FILE as RESTORED
from seqpre.study.run import SCORES, run_from_json
from seqpre.study.settings import RunSettings
from seqpre.study.typed import changed, differences

EQUAL, WITHIN, OUTSIDE, ONE_SEED = "equal", "within", "outside", "other; one seed has no interval"
NOT_SAID = "not said"
Score = tuple[str, str, str, str]
"""A split, the selection of the checkpoint, a metric, and the way of scoring."""
COLUMNS = {"study": "study", "run": "run", "before": "records", "after": "here", "interval": "interval",
           "equal": "equal scores", "losses": "validation losses", "machine": "machine of the records",
           "found": "found"}  # fmt: skip


@dataclass(frozen=True)
class Recorded:
    """A run in the records."""

    study: str
    run: GridRun
    """With --fresh, its seed is not in the records."""
    settings: Mapping[str, Any]
    """Content of `run.json`."""
    scores: Mapping[Score, float]
    losses: Sequence[float]
    tests: Sequence[tuple[str, str]]
    """(Split, metric) of the scores whose mean is compared."""
    selection: str
    expected: Estimate
    """Prediction for one more seed: the mean over seeds, with the error of a single run."""
    machine: str
    cpu_hours: float
    """CPU hours of its training, of the run it is tested against, and of the models that they start from."""
    kept: Mapping[str, int]
    """Lines of training text after filters, by file."""
    choices: Mapping[str, str]
    """Files of tuned settings, relative to the study's folder."""

    @property
    def name(self) -> str:
        """System, fraction and seed."""
        return self.run.folder.removeprefix("runs/")

    def score(self, scores: Mapping[Score, float]) -> float:
        """Return the mean over the tests. Raises DataError if one was scored in another way."""
        found = [
            value
            for test in self.tests
            for (split, selection, metric, _), value in scores.items()
            if (split, metric) == test and selection == self.selection
        ]
        if len(found) != len(self.tests):
            raise DataError(
                f"{self.study}/{self.run.folder} has no score of each of {', '.join(s for s, _ in self.tests)}"
            )
        return sum(found) / len(found)


def recorded(study_dir: Path, *, fresh: bool) -> list[Recorded]:
    """Return the runs in a study's records that have scores; with `fresh` one for each system, with a new seed.

    Raises DataError for a study without records.
    """
    archive = study_dir.absolute() / ARCHIVE
    if not archive.is_file():
        raise DataError(f"{study_dir} has no {ARCHIVE}; name the folder of a study or of a scale that has records")
    with unpacked(archive) as here:
        results = load_results(here)
        tests = [(split, results.metric_of(split)) for split in results.judged]
        means = reduce(pd.DataFrame.add, (results.by_seed(*one) for one in tests)) / len(tests)
        files = sorted(here.glob("tuning/**/*.json"))
        choices = {str(path.relative_to(here)): path.read_text("utf-8") for path in files}
        kept = {str(path.relative_to(here.parent)): read_json(path)["kept"] for path in results.texts}
        found, seeds = [], {run.seed for run in results.study.runs}
        for run, one in zip(results.study.runs, results.runs, strict=True):
            mean = over_seeds(means, {(run.system, run.fraction): 1.0}) if one.scores and one.settings else None
            if mean is None or (fresh and {seed.seed for seed in results.of(run.system, run.fraction)} != seeds):
                continue
            found.append(
                Recorded(
                    results.study.name, run, one.said, _scores(one.scores),
                    [each.perplexity for each in one.validations], tests, results.study.selection,
                    of_one_more(*mean), _machine([one]), _cpu_hours(results, one), kept, choices,
                )
            )  # fmt: skip
    if fresh:
        of_systems = {(one.run.system, one.run.fraction): one for one in found}
        new = max(seeds) + 1
        found = [dataclasses.replace(one, run=dataclasses.replace(one.run, seed=new)) for one in of_systems.values()]
    return found


def of_one_more(mean: Estimate, seeds: Sequence[int]) -> Estimate:
    """Return the prediction for one more seed: the mean's variance s²/n becomes s²(1 + 1/n)."""
    n = len(seeds)
    return dataclasses.replace(mean, components=tuple((variance * (n + 1), df) for variance, df in mean.components))


def _scores(entries: Iterable[Mapping[str, Any]]) -> dict[Score, float]:
    return {(one["split"], one["selection"], one["metric"], way_of_scoring(one)): one["score"] for one in entries}


def _machine(outcomes: Iterable[Outcome]) -> str:
    """Return the devices and PyTorch versions of trainings."""
    made_by = (one.made_by for one in outcomes)
    return "; ".join(dict.fromkeys(f"{one['device']}, PyTorch {one['torch']}" for one in made_by if one)) or NOT_SAID


def _cpu_hours(results: Results, run: Outcome) -> float:
    against = (one for one in results.of(results.study.reference, run.fraction) if one.seed == run.seed)
    runs = {one.folder: one for one in (run, *against)}.values()
    starts = {declared_as(str(start)) for one in runs for start in one.settings.get("init", {}).values()}
    models = [one for one in results.pretrained if Path(one.system).name in starts and one.seed in (None, run.seed)]
    return sum(float(one.summary.get("cpu_seconds", 0.0)) for one in (*runs, *models)) / 3600


def draw(runs: Sequence[Recorded], count: int, seed: int) -> list[Recorded]:
    """Return `count` of the runs, drawn at random, in their order. Raises ConfigError if there are fewer."""
    if not 1 <= count <= len(runs):
        raise ConfigError(f"--runs is {count}; the records have {len(runs)} runs to draw from")
    return [runs[place] for place in sorted(random.Random(seed).sample(range(len(runs)), count))]


def put_choices(study_dir: Path, choices: Mapping[str, str]) -> None:
    """Write the tuned settings of the records to a study's folder."""
    restored = {"runs": [], "others": [], "choices": list(choices), "lms": {}}
    for name, content in {**choices, RESTORED: json.dumps(restored)}.items():
        file = study_dir / name
        if not file.is_file() or file.read_text("utf-8") != content:  # a newer file would cause a new training
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")


def make(targets: Sequence[Path], cores: int, config: Sequence[str]) -> None:
    """Make files with Snakemake. Raises TrainingError if it fails."""
    words = ["--cores", str(cores), *map(str, targets), "--config", *config]
    snakemake(words, "Snakemake has failed, see above; with the same --seed this command goes on")


def check_settings(one: Recorded, file: Path) -> None:
    """Raise ConfigError unless a run is declared as in the records."""
    there, here = (run_from_json(said).settings.trained() for said in (one.settings, read_json(file)))
    if here != there:
        what = "; ".join(changed(differences(there, RunSettings()), differences(here, RunSettings())))
        raise ConfigError(
            f"{one.study}/{one.run.folder} is declared otherwise than in the records: {what}; verify this study at the "
            "commit of its records"
        )


def verdict(one: Recorded, scores: Mapping[Score, float]) -> str:
    """Return how a re-trained run compares with the records."""
    if one.scores.items() <= scores.items():  # today's code may have more metrics than the records
        return EQUAL
    low, high = one.expected.interval()
    if not math.isfinite(low):
        return ONE_SEED
    return WITHIN if low <= one.score(scores) <= high else OUTSIDE


def table(drawn: Sequence[Recorded], work: Path, *, fresh: bool) -> Table:
    """Return one row for each run: its test score in the records and here, and the verdict."""
    rows, notes = [], list[str]()
    for one in drawn:
        again = Outcome(work / one.study / one.run.folder)
        scores = _scores(again.scores)
        low, high = one.expected.interval()
        equal = sum(scores.get(key) == value for key, value in one.scores.items())
        losses = [each.perplexity for each in again.validations]
        rows.append({
            "study": one.study, "run": one.name,
            "before": number_cell(one.expected.value if fresh else one.score(one.scores), ".2f"),
            "after": number_cell(one.score(scores), ".2f"),
            "interval": f"{low:.2f} to {high:.2f}" if math.isfinite(low) else EMPTY,
            "equal": EMPTY if fresh else f"{equal} of {len(one.scores)}",
            "losses": EMPTY if fresh else "equal" if losses == one.losses else "other",
            "machine": one.machine, "found": verdict(one, scores),
        })  # fmt: skip
        kept = {name: read_json(file)["kept"] for name in one.kept if (file := work / name).is_file()}
        notes += [
            f"{one.study}: {name} has {kept[name]:,} lines here, {before:,} in the records: the text is another."
            for name, before in one.kept.items()
            if name in kept and kept[name] != before
        ]
    return Table(COLUMNS, rows, list(dict.fromkeys(notes)), title="Runs")


def page(folder: Path, by: str, how: str, drawn: Sequence[Recorded], total: int, work: Path, *, fresh: bool) -> str:
    """Return the result as Markdown."""
    runs = table(drawn, work, fresh=fresh)
    outcomes = [Outcome(work / one.study / one.run.folder) for one in drawn]
    made_by = outcomes[0].made_by
    found = [row["found"].text for row in runs.rows]
    counts = ", ".join(f"{found.count(what)} {what}" for what in dict.fromkeys(found))
    before = "their mean over seeds" if fresh else "the run's own"
    return "\n".join([
        f"# Verification of {folder}", "",
        f"{len(drawn)} of {total} {'systems, with a fresh seed' if fresh else 'runs'}: {counts}.", "",
        f"- By: {by}", f"- Date: {date.today().isoformat()}", f"- Commit: {made_by['commit']}",
        f"- Machine: {_machine(outcomes)}, {made_by['processors']} processors, Python {made_by['python']}",
        f"- Drawn by: `{how}`", "",
        to_markdown(runs),
        f"Scores are means over the tests; of the records, {before}. *Equal scores*: in every digit, "
        "of all scores of the run. One more seed falls into the interval with a chance of 95 %, so one sound run of "
        "twenty is *outside*.", "",
    ])  # fmt: skip


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed arguments."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="of a study or a scale, with records")
    parser.add_argument("--runs", type=int, default=1, help="how many to train again (default: 1)")
    parser.add_argument("--seed", type=int, help="of the draw (default: a new one, which is printed)")
    parser.add_argument("--fresh", action="store_true", help="train with a seed that the records do not have")
    parser.add_argument("--list", action="store_true", help="say which runs are drawn, and train nothing")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="for Snakemake (default: all)")
    parser.add_argument("--config", nargs="+", default=[], metavar="KEY=VALUE", help="for Snakemake, as mirror=...")
    parser.add_argument("--work", type=Path, default=Path("results/verify"), help="folder to train in")
    parser.add_argument("--by", default=NOT_SAID, help="who verifies: name, place")
    parser.add_argument("--output", type=Path, help="Markdown file (default: verification.md in FOLDER)")
    return parser.parse_args(argv)


def train(drawn: Sequence[Recorded], work: Path, cores: int, config: Sequence[str]) -> None:
    """Train, decode and score runs in the scale's folder `work`, one study after the other."""
    for study in dict.fromkeys(one.study for one in drawn):
        runs = [one for one in drawn if one.study == study]
        seeds = ",".join(map(str, sorted({one.run.seed for one in runs})))
        named = [f"scale={work.name}", f"studies=[{study}]", f"seeds=[{seeds}]", f"results={work.parent}"]
        put_choices(work / study, runs[0].choices)
        folders = [work / study / one.run.folder for one in runs]
        make([folder / "run.json" for folder in folders], cores, [*config, *named])
        for one, folder in zip(runs, folders, strict=True):
            check_settings(one, folder / "run.json")
        make([folder / SCORES for folder in folders], cores, [*config, *named])


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Draw runs, train them, compare, write the result."""
    args = arguments(argv)
    seed = random.randrange(10_000) if args.seed is None else args.seed
    studies = (args.folder / study for study in studies_in(args.folder))
    folders = [study for study in studies if (study / ARCHIVE).is_file()] or [args.folder]
    if args.work.resolve() == folders[0].parent.parent.resolve():
        raise ConfigError(f"--work is {args.work}, where the results are: runs there would be compared with themselves")
    runs = [one for folder in folders for one in recorded(folder, fresh=args.fresh)]
    drawn, work = draw(runs, args.runs, seed), args.work / folders[0].parent.name
    how = f"python -m seqpre.verify {args.folder} --runs {args.runs} --seed {seed}{' --fresh' if args.fresh else ''}"
    print(how)
    for one in drawn:
        print(f"  {one.study} {one.name}: {one.cpu_hours:.2f} CPU-hours in the records", flush=True)
    if args.list:
        return
    train(drawn, work, args.cores, args.config)
    output = args.output or args.folder / "verification.md"
    with atomic_write(output) as file:
        file.write(page(args.folder, args.by, how, drawn, len(runs), work, fresh=args.fresh))
    print(output.read_text("utf-8"), end="")


if __name__ == "__main__":
    main()
