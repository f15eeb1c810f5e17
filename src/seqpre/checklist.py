"""Fill in conference checklists from a study's records: Responsible NLP (ARR) and reproducibility (NAACL 2021).

    python -m seqpre.checklist results/small/ramachandran-translation
    python -m seqpre.checklist results/small/ramachandran-translation --output checklist.tex

It fills in infrastructure, runtime, parameters, validation scores, numbers of runs, tried and chosen settings, splits,
licences, and signatures of metrics. Local runs and those in records.zip are read together. Questions that only a person
can answer are left open and begin with TO ANSWER. Without --output the answers are printed as Markdown. The suffix of
the file, .md or .tex, determines its format. Start this in the folder of the Snakefile, or name that with --checkout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, read_json
from seqpre.corpora.catalog import Row, read_catalog
from seqpre.report.cost import spent
from seqpre.report.estimates import seed_mean
from seqpre.report.licences import OPEN, corpora
from seqpre.report.records import opened
from seqpre.report.results import Results, load_results
from seqpre.report.table import EMPTY, Table, latex, number_cell, seed_mean_cell, to_latex, to_markdown
from seqpre.study.fractions import in_words
from seqpre.study.load import load_study
from seqpre.study.paper import cited
from seqpre.study.reported import languages_of
from seqpre.study.study import Study


@dataclass(frozen=True)
class Item:
    """A question of a checklist, and its answer: sentences and tables."""

    question: str
    answers: Sequence[str | Table]


def open_item(question: str, what: str = "") -> Item:
    """Return a question that only a person can answer."""
    return Item(question, [f"{OPEN} {what}".strip()])


def responsible_nlp(results: Results, study: Study | None, rows: Sequence[Row], own: Sequence[str]) -> Iterator[Item]:
    """Yield the questions of the Responsible NLP checklist."""
    yield open_item("A1. Limitations", "which scale and texts, how many seeds, and what no run of this study can show")
    yield open_item("A2. Potential risks")
    yield open_item("B1. Creators of artifacts", "cite the corpora of B2 and the packages of C4")
    yield Item("B2. Licences and terms", [corpora(rows, own), "The code is under the MIT licence."])
    yield open_item("B3. Intended use", "compare the terms in B2 with your use")
    yield open_item("B4. Personal data and offensive content", "no step of this project looks for either")
    languages = ", ".join(results.study.languages)
    yield Item("B5. Documentation of artifacts", [f"Sides of a pair: {languages}.", f"{OPEN} domains and demographics"])
    yield Item("B6. Statistics and splits", [splits(results), texts(results)])
    yield Item("C1. Parameters, budget, infrastructure", [*infrastructure(results), systems(results)])
    yield Item("C2. Setup, search and best settings", [*search(results, study), decoding(results)])
    yield Item("C3. Descriptive statistics", statistics(results))
    yield Item("C4. Packages and their parameters", [*packages(results), metrics(results)])
    people = "instructions, recruitment and pay, consent, ethics review, demographics"
    rated = results.human_study is not None
    yield open_item("D. Human annotators", people) if rated else Item("D. Human annotators", ["No outputs were rated."])
    yield open_item("E1. AI assistants")


def reproducibility(results: Results, own: Sequence[str], paper: str) -> Iterator[Item]:
    """Yield the questions of the reproducibility checklist of NAACL 2021."""
    described = [f"The study reproduces {paper}"] if paper else []
    yield Item("Mathematical setting, algorithm, model", [*described, f"{OPEN} the section of your paper"])
    commits = sorted({f"{made['seqpre']}, commit {made['commit']}" for made in made_by(results)})
    yield Item("Source code and dependencies", [f"seqpre {one}." for one in commits] + [
        "pyproject.toml pins every dependency.", f"{OPEN} the address of the code"])  # fmt: skip
    yield Item("Computing infrastructure", ["See C1."])
    yield Item("Average runtime", ["See the table of C1."])
    yield Item("Number of parameters", ["See the table of C1."])
    yield Item("Validation performance of each test result", ["See the table of C1."])
    yield Item("Evaluation metrics and their code", ["See C4. The code is in src/seqpre/metrics."])
    yield Item("Bounds of each hyperparameter", ["See C2."])
    yield Item("Configurations of the best models", ["See C2; run.json of each run has all of them."])
    trials = sum(len(choice["candidates"]) for _, choice in choices(results))
    counted = [f"{trials} candidates are in the records."] if trials else []
    yield Item("Number of search trials", [*counted, "C2 has the trials of each system."])
    how = "Every combination is tried (grid search). C2 has the criterion." if choices(results) else "See C2."
    yield Item("Method and criterion of choosing", [how])
    yield open_item("Expected validation performance", "mean and variance over the number of trials")
    yield Item("Number of examples, splits", ["See B6."])
    yield Item(
        "Excluded data, pre-processing", ["See the counts of B6. docs/cleaning.md has the rules of the filters."]
    )
    yield Item("Downloadable data", ["See B2."])
    yield open_item("New data", f"describe {', '.join(own)}") if own else Item("New data", ["None."])


def made_by(results: Results) -> list[dict[str, Any]]:
    """Return commit, versions and machine of every finished training."""
    return [one.made_by for one in (*results.pretrained, *results.runs) if one.made_by]


def statistics(results: Results) -> list[str]:
    """Return the explanation of what scores are averaged over."""
    seeds = ", ".join(map(str, sorted({run.seed for run in results.study.runs})))
    scored = sum(bool(run.scores) for run in results.runs)
    return [
        f"Scores are means ± sample standard deviations over seeds ({seeds}). The table of C1 has the number of runs.",
        f"{scored} of {len(results.runs)} declared runs have scores. Intervals and tests are in docs/statistics.md.",
    ]


def infrastructure(results: Results) -> list[str]:
    """Return machines and versions, and the total cost of all trainings."""
    told = {f"{made['device']}, {made['processors']} processors, threads of a training: {made['threads']}; "
            f"Python {made['python']}, PyTorch {made['torch']}." for made in made_by(results)}  # fmt: skip
    took = [
        f"{row.trainings} trainings ({row.what}) on {row.device}: {row.cpu_hours:.2f} CPU-hours, {row.hours:.2f} hours."
        for row in spent(results).itertuples()
    ]
    searches = (one for run in results.runs for one in run.searches.values())
    decoding = sum(one.get("cpu_seconds", 0.0) for one in searches if "taken_from" not in one) / 3600
    missing = f"{OPEN} add runs that are not in the records, such as candidates of a search and failed attempts"
    return [*sorted(told), *took, f"Decoding: {decoding:.2f} CPU-hours.", missing]


def systems(results: Results) -> Table:
    """Return one row for each system and fraction: seeds, parameters, runtime, validation and test scores."""
    heads = {split: f"{split}, {results.name_of(split)}" for split in results.splits}
    columns = {"system": "system", "fraction": "labelled data", "runs": "runs", "parameters": "parameters, M",
               "minutes": "CPU minutes a run", **heads}  # fmt: skip
    rows = []
    for system, fraction in results.cells:
        ended = [run for run in results.of(system, fraction) if run.summary]
        row: dict[str, Any] = {"system": results.label(system), "fraction": in_words(fraction)}
        row["runs"] = number_cell(len(ended), "d")
        for key, measure, unit in (("parameters", "parameters", 1e6), ("minutes", "cpu_seconds", 60)):
            mean = seed_mean(run.measured(run.summary[measure] / unit, "summary.json") for run in ended)
            row[key] = number_cell(mean.mean if mean else None, ".2f")
        row |= {split: seed_mean_cell(results.score(system, fraction, split), ".2f", missing=EMPTY)
                for split in results.splits}  # fmt: skip
        rows.append(row)
    return Table(columns, rows, name="checklist_systems", title="Systems")


def choices(results: Results) -> list[tuple[str, dict[str, Any]]]:
    """Return the choices made on validation text: (name, content) of the files in `tuning/`."""
    folder = results.folder / "tuning"
    return [(str(file.relative_to(folder).with_suffix("")), read_json(file)) for file in sorted(folder.rglob("*.json"))]


def search(results: Results, study: Study | None) -> list[str | Table]:
    """Return the hyperparameter search: bounds, trials, choice and criterion of each system."""
    columns = {"system": "system", "setting": "setting", "tried": "tried", "trials": "trials", "chosen": "chosen",
               "criterion": "criterion"}  # fmt: skip
    rows = []
    for name, choice in choices(results):
        system, candidates = name.partition("/")[0], choice["candidates"]
        declared = study.tuning.tried(system) if study and study.tuning else {}
        trials = len(candidates) or len(study.tuning.candidates(system) if study and study.tuning else ())
        for place, (setting, value) in enumerate(choice["settings"].items()):
            # By order, because the first records name the candidates differently.
            recorded = {list(one["settings"].values())[place] for one in candidates}
            tried = sorted(recorded or declared.get(setting, ()))
            rows.append({
                "system": name, "setting": setting, "tried": ", ".join(map(str, tried)) or OPEN,
                "trials": str(trials or OPEN), "chosen": str(value),
                "criterion": choice["criterion"].removeprefix("best_valid_") + " on validation",
            })  # fmt: skip
    if not rows:
        return [f"{OPEN} no search is in the records; say where the settings of the study file come from"]
    rest = "run.json of each run has every setting that differs from the defaults (`python -m seqpre.settings`)."
    return [Table(columns, rows, name="checklist_search", title="Settings chosen on validation"), rest]


def decoding(results: Results) -> Table:
    """Return the search settings tried on validation, and the values used for tests."""
    tried: dict[str, dict[Any, None]] = {}
    chosen: dict[str, dict[Any, None]] = {}
    for said in (one for run in results.runs for file, one in run.searches.items() if file.endswith("/valid.json")):
        combinations = said.get("tuned") or [said]
        for key in ("beam", "min_length", "max_length", "no_repeat_ngram", "length_penalty"):
            if key in said:
                chosen.setdefault(key, {})[said[key]] = None
                tried.setdefault(key, {}).update(dict.fromkeys(one.get(key, said[key]) for one in combinations))
    columns = {"setting": "setting", "tried": "tried on validation", "chosen": "chosen in some run"}
    rows = [{"setting": key, "tried": _listed(tried[key]), "chosen": _listed(chosen[key])} for key in tried]
    return Table(columns, rows, name="checklist_decoding", title="Decoding")


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, sorted(values)))


def splits(results: Results) -> Table:
    """Return the number of items in training, validation and tests."""
    items = results.task.items
    rows = [{"split": f"train, {in_words(fraction)}", "items": number_cell(results.pairs(fraction), ",d")}
            for fraction in dict.fromkeys(fraction for _, fraction in results.cells)]  # fmt: skip
    for split in results.splits:
        counted = (one[items] for run in results.outcomes for one in run.scores if one["split"] == split)
        rows.append({"split": split, "items": number_cell(next(counted, None), ",d")})
    return Table({"split": f"split of {results.study.corpus}", "items": items}, rows,
                 name="checklist_splits", title="Splits of the labelled data")  # fmt: skip


def texts(results: Results) -> Table:
    """Return the number of lines of each training text, and of those that the filters removed."""
    rows = []
    for file in results.texts:
        said = read_json(file)
        out = ", ".join(f"{reason} {one['count']:,}" for reason, one in said["reasons"].items())
        rows.append({
            "text": f"{file.parent.name} ({', '.join(languages_of(file))})", "lines": number_cell(said["lines"], ",d"),
            "kept": number_cell(said["kept"], ",d"), "out": out or EMPTY,
        })  # fmt: skip
    columns = {"text": "training text", "lines": "lines", "kept": "kept", "out": "left out"}
    return Table(columns, rows, name="checklist_texts", title="Training texts")


def packages(results: Results) -> list[str]:
    """Return the packages that clean and tokenize text."""
    identifiers = {f"{rules['identifier']} {rules['identifier_version']}" for file in results.texts
                   if (rules := read_json(file).get("rules", {})).get("identifier_version")}  # fmt: skip
    subwords = "Subwords: SentencePiece. pyproject.toml has the version of every package."
    return [*(f"Language identification: {one}." for one in sorted(identifiers)), subwords]


def metrics(results: Results) -> Table:
    """Return the signature of every metric."""
    found = results.scores[["metric", "split", "signature"]].drop_duplicates()
    rows = [
        {"metric": metric, "splits": ", ".join(of["split"].unique()), "signature": signature}
        for (metric, signature), of in found.groupby(["metric", "signature"], sort=False)
    ]
    columns = {"metric": "metric", "splits": "splits", "signature": "signature"}
    return Table(columns, rows, name="checklist_metrics", title="Metrics")


def markdown(title: str, lists: dict[str, list[Item]]) -> str:
    """Return the checklists as Markdown."""
    lines = [f"# {title}"]
    for name, items in lists.items():
        lines += ["", f"## {name}"]
        for item in items:
            lines += ["", f"### {item.question}", ""]
            for one in item.answers:
                if isinstance(one, Table):  # without its title, which is a heading of another level
                    lines += ["", *to_markdown(one).splitlines()[2:], ""]
                else:
                    lines.append(f"- {one}".replace(OPEN, f"**{OPEN}**"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def tex(title: str, lists: dict[str, list[Item]]) -> str:
    """Return the checklists as sections for LaTeX."""
    lines = [rf"\section*{{{latex(title)}}}"]
    for name, items in lists.items():
        lines.append(rf"\subsection*{{{latex(name)}}}")
        for item in items:
            lines.append(rf"\paragraph{{{latex(item.question)}}}")
            for one in item.answers:
                said = to_latex(one) if isinstance(one, Table) else latex(one)
                lines.append(said.replace(OPEN, rf"\textbf{{{OPEN}}}"))
    return "\n".join(lines) + "\n"


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read the records, fill in the checklists, print or write them."""
    parser = parser_of(__doc__)
    parser.add_argument("study_dir", type=Path, metavar="STUDY", help="folder of the study, with records.zip or runs/")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the checkout (default: the working directory)")
    parser.add_argument("--output", type=Path, help="file to write, .md or .tex (default: print Markdown)")
    args = parser.parse_args(argv)
    if args.output and args.output.suffix not in (".md", ".tex"):
        raise ConfigError(f"--output is {args.output}; name a file that ends in .md or .tex")
    workflow = args.checkout.absolute() / "workflow"
    catalog = read_catalog(workflow / "corpora.tsv")
    with opened(args.study_dir) as here:
        if here is None:
            raise DataError(f"{args.study_dir} has neither records.zip nor study.json; name the folder of a study")
        results = load_results(here, workflow)
        name, scale = results.study.name, results.study.scale
        file, paper = workflow / f"studies/{name}.yaml", workflow / f"papers/{results.study.paper}.yaml"
        study = load_study(file, scale, project=file.parent) if file.is_file() else None
        used = {results.study.corpus, *(text.parent.name for text in results.texts)}
        rows = [row for row in catalog if row.name in used]
        own = sorted(used - {row.name for row in rows})
        lists = {
            "Responsible NLP checklist (ARR)": list(responsible_nlp(results, study, rows, own)),
            "Reproducibility checklist (NAACL 2021)": list(
                reproducibility(results, own, cited(paper) if paper.is_file() else "")
            ),
        }
        title = f"Checklists of {name}, scale {scale}"
        form = tex if args.output and args.output.suffix == ".tex" else markdown
        text = form(title, lists)
    if args.output:
        with atomic_write(args.output) as written:
            written.write(text)
        print(f"{args.output}: {text.count(OPEN)} answers are open")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
