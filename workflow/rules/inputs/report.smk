"""Inputs and outputs of a study's report."""

import hashlib

from seqpre.common.files import read_lines
from seqpre.demo.example import example
from seqpre.study.displays import figures_of, tables_of
from seqpre.study.reported import FILE as STUDY_FILE
from seqpre.study.reported import pretrained, reported

PUBLISHED = ROOT / "workflow/published.tsv"
REPORT = f"{RESULTS}/{SCALE}/report.html"


def paper_file(study):
    """Return the file that declares the tables and figures of the study's paper; empty if there is none."""
    file = ROOT / f"workflow/papers/{study.paper}.yaml"
    return [file] if file.exists() else []


def displays_of(study):
    """Return the tables and figures of a study."""
    task = TASKS[study.task]
    return {"table": tables_of(study.in_paper, study.tables), "figure": figures_of(study.in_paper, task, study.figures)}


SUFFIXES = {"table": ("md", "csv", "tex"), "figure": ("png", "pdf")}


def in_folder_of(study, name):
    """Return a file or folder in a study's folder."""
    return f"{STUDY}/{name}".format(study=study.name)


def all_scores(study):
    scores = scores_of(study)
    return [*scores, *(str(Path(file).with_name("sentences.npz")) for file in scores)]


def pretrained_here(study):
    """Return the cost records of the pretrained models that local runs start from."""
    folders = pretrained(study, runs_here(study))
    return [f"{RESULTS}/{SCALE}/lms/{folder}/summary.json" for folder in folders]


def described_study(wildcards):
    """Return the content of study.json."""
    return reported(study_of(wildcards)).to_json()


def counts_of_texts(study):
    """Return the filter counts of each training text of the study and of its pretraining."""
    return [f"{RESULTS}/{SCALE}/text/{file}" for file in reported(study).texts]


def rating_tables(study):
    """Return the tables of the human study that a claim is tested on, if people have rated."""
    files = [in_folder_of(study, f"human_study/tables/table_{number}.csv") for number in (4, 5)]
    asked = any(claim.by_people for claim in study.in_paper.claims)
    return [file for file in files if asked and Path(file).exists()]


def results_there():
    """Return a hash that changes with any result at this scale, because the report shows all existing results."""
    names = (STUDY_FILE, SCORES, "summary.json", "metrics.jsonl", "records.zip", "table_*.csv")
    found = sorted(file for name in names for file in Path(RESULTS, SCALE).rglob(name))
    return hashlib.sha256(repr([(str(file), file.stat().st_mtime_ns) for file in found]).encode()).hexdigest()[:16]


def study_results(study):
    """Return the final files of a study: summary, tables, figures, and the scores, which are not in git.

    Each is requested separately: Snakemake does not make a missing file that only an up-to-date one depends on.
    """
    return [*(in_folder_of(study, name) for name in ("summary.md", "tables", "figures")), *all_scores(study)]


PAGES = {"samples": "samples", "pages for raters": "human_study"}
FIRST_LOOK = ["fractions.png", "ablations.png"]


def example_of(study):
    """Return a sentence translated by the study's reference with all pairs; empty if it was not decoded."""
    test, bitext = study.tests[0], study.corpora["bitext"]
    outputs = hypotheses_of(study, folder_of(study.reference, ALL, study.seeds[0]))[f"{study.selection}.{test}"]
    files = [raw_text(bitext, test, study.source), outputs, raw_text(bitext, test, study.target)]
    if study.task != "translation" or not all(map(os.path.isfile, files)):
        return []
    return ["", f"{study.name}: {example(test, *(list(read_lines(Path(file))) for file in files))}"]


def closing_words():
    """Return the results and where they are, for the end of a successful run."""
    lines = []
    for study in STUDIES.values():
        folder = Path(STUDY.format(study=study.name))
        summary = folder / "summary.md"
        if summary.exists():
            findings, _, _ = summary.read_text(encoding="utf-8").partition("\n## ")
            scored = [file.stat().st_mtime for file in folder.glob(f"runs/*/*/*/{SCORES}")]
            newer = sum(time > summary.stat().st_mtime for time in scored)
            old = f"{newer} of {len(scored)} runs have newer scores than {summary}; `snakemake {study.name}` renews it."
            lines += ["", old if newer else findings.strip()]
        pages = {kind: sorted((folder / name).glob("*.html")) for kind, name in PAGES.items()}
        figure = next((folder / "figures" / name for name in FIRST_LOOK if (folder / "figures" / name).exists()), None)
        places = {
            "summary": summary if summary.exists() else None,
            **{name: f"{folder / name}/" for name in ("tables", "figures") if (folder / name).is_dir()},
            "a figure": figure,
            **{kind: ", ".join(map(str, files)) for kind, files in pages.items()},
            "runs": f"{folder / 'runs'}/" if (folder / "runs").is_dir() else None,
        }
        lines += ["", *(f"  {kind:16}  {place}" for kind, place in places.items() if place)]
    if Path(REPORT).exists():
        lines += ["", f"  {'all studies':16}  {REPORT}"]
    demo = [study.name for study in STUDIES.values() if SCALE == "demo" and is_generated(study.corpora["bitext"])]
    if demo:
        which = "This" if len(demo) == len(STUDIES) else " and ".join(demo)
        lines += [
            "",
            f"{which} was the demo, of generated text and models that train for seconds, some studies' with sizes and budgets"
            " chosen so that pretraining helps: which system is ahead, and the signs of effects, mean nothing at this scale."
            " The first to read anything from is --config scale=small.",
            *(line for name in demo for line in example_of(STUDIES[name])),
        ]
    return "\n".join(lines)
