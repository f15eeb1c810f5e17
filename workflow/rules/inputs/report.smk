"""Which tables and figures a study has, and what they read."""

import hashlib

from seqpre.common.files import read_lines
from seqpre.demo.example import example

PUBLISHED = ROOT / "workflow/published.tsv"
REPORT = f"{RESULTS}/{SCALE}/report.html"


def paper_file(study):
    """Return what says which tables and figures the study's paper has; nothing if there is none."""
    file = ROOT / f"workflow/papers/{study.paper}.yaml"
    return [file] if file.exists() else []


def usual(study):
    """Return the tables and figures of a study that names none: all that its paper has."""
    return {"tables": study.in_paper.tables, "figures": study.in_paper.figures(TASKS[study.task].metric)}


def table_files(study):
    return [
        *(f"{table}.{suffix}" for table in study.tables for suffix in ("csv", "md", "tex")),
        "provenance.csv",
    ]


def figure_files(study):
    return [f"{figure}.{suffix}" for figure in study.figures for suffix in ("pdf", "png")]


def shown(file, kind, suffixes):
    """Return an output of a rule of report.smk, marked for Snakemake's own report if it ends so."""
    path = Path(file)
    if path.suffix[1:] not in suffixes:
        return file
    labels = {kind: path.stem.replace("_", " "), "format": path.suffix[1:]}
    caption = f"../report/{kind}.rst"
    return report(file, caption=caption, category="{study}", subcategory=f"{kind.capitalize()}s", labels=labels)


def runs_to_json(study):
    """Return the list of runs that the report reads: who each is, how tables call it, where it lives."""
    runs = [(run.system, run.fraction, run.seed, run.path) for run in declared_runs(study)]
    others = [(name, one.fraction, None, f"ensembles/{name}") for name, one in study.ensembles.items()]
    others += [(name, "100pct", None, f"trivial/{name}") for name in study.trivial]
    more = {"task": study.task, "corpus": study.corpora["bitext"]}
    if study.seeds_draw == "all":
        more["seeds_draw"] = "all"
    if study.published_as != study.name:
        more["published_as"] = study.published_as
    if (languages := (study.source, study.target)) != study.in_paper.languages and study.in_paper.languages:
        more["languages"] = languages  # other ones than the published numbers are of
    if study.selection != "perplexity":
        more["selection"] = study.selection
    if study.average_last:
        more["average_last"] = study.average_last
    if study.more_validation or study.respelled:
        more["no_tests"] = [*study.more_validation, *study.respelled]
    if study.spellings:
        more["spellings"] = {
            test: {study.spelling: test, **{how: f"{test}_{how}" for how in ways}}
            for test, ways in study.spellings.items()
        }
    unless = {"reference": "full", **usual(study)}
    more |= {key: getattr(study, key) for key, value in unless.items() if getattr(study, key) != value}
    return [
        {
            "study": study.name,
            "scale": study.scale,
            "system": system,
            "label": study.labels.get(system, study.trivial_labels.get(system)),
            "fraction": fraction,
            "seed": seed,
            "dir": outputs_folder(study, outputs),
            **more,
        }
        for system, fraction, seed, outputs in (*runs, *others)
    ]


def all_scores(study):
    scores = scores_of(study)
    return [*scores, *(str(Path(file).with_name("sentences.npz")) for file in scores)]


def lm_folders(study, runs):
    """Return the folders of the language models that runs of the study start from."""
    used = [(name, run.seed) for run in runs for name in initial(run)]
    declared = [*study.lms, *(study.pretraining.lms if study.pretraining else ())]
    return list(
        dict.fromkeys(
            LM.format(owner=study.owner_of(name).name, lm=lm_of(study, name, seed))
            for lm in declared
            for name, seed in used
            if declared_as(name) == lm
        )
    )


def corpus_stats(study):
    """Return the statistics of what the filters dropped from each training text of the study, and of its pretraining."""
    bitext = study.corpora["bitext"]
    texts = {(study.name, bitext, BITEXTS[bitext])}
    for owner in study.owners:
        read = {(owner.corpora[lm.corpus], lm.language) for lm in owner.lms.values()}
        texts |= {(owner.name, corpus, BITEXTS.get(corpus, (language,))) for corpus, language in read}
    return sorted(
        f"{TEXT}/train.{'_'.join(languages)}.stats.json".format(owner=owner, corpus=corpus)
        for owner, corpus, languages in texts
    )


def rating_tables(study):
    """Return the tables of the human study that a claim is tested on, once people have rated."""
    files = [f"{STUDY}/human_study/tables/table_{number}.csv".format(study=study.name) for number in (4, 5)]
    asked = any(claim.by_people for claim in study.in_paper.claims)
    return [file for file in files if asked and Path(file).exists()]


def results_there():
    """Return what is another whenever there are other results at this scale: the report is of what is there."""
    names = ("runs.json", "scores.json", "summary.json", "metrics.jsonl", "records.zip", "table_*.csv")
    found = sorted(file for name in names for file in Path(RESULTS, SCALE).rglob(name))
    return hashlib.sha256(repr([(str(file), file.stat().st_mtime_ns) for file in found]).encode()).hexdigest()[:16]


def study_tables(study):
    return [f"{STUDY}/tables/{name}".format(study=study.name) for name in table_files(study)]


def study_figures(study):
    return [f"{STUDY}/figures/{name}".format(study=study.name) for name in figure_files(study)]


def study_results(study):
    """Return what a study is run for: summary, tables, figures, and the scores, which git does not keep.

    Each is asked for by itself: Snakemake does not make a missing file that only an up-to-date one was made from.
    """
    summary = f"{STUDY}/summary.md".format(study=study.name)
    return [summary, *study_tables(study), *study_figures(study), *all_scores(study)]


PAGES = {"samples": "samples", "pages for raters": "human_study"}
FIRST_LOOK = ["fractions.png", "ablations.png"]


def example_of(study):
    """Return a sentence that the study's reference translates, with all pairs; nothing where it was not decoded."""
    test, bitext = study.tests[0], study.corpora["bitext"]
    outputs = outputs_folder(study, f"runs/{study.reference}/100pct/seed{study.seeds[0]}")
    files = [
        raw_text(bitext, test, study.source),
        f"{outputs}/hypotheses/{study.selection}/{test}.txt",
        raw_text(bitext, test, study.target),
    ]
    if study.task != "translation" or not all(map(os.path.isfile, files)):
        return []
    return ["", f"{study.name}: {example(test, *(list(read_lines(Path(file))) for file in files))}"]


def closing_words():
    """Return what came out and where it lies, for the end of a successful run."""
    lines = []
    for study in STUDIES.values():
        folder = Path(STUDY.format(study=study.name))
        summary = folder / "summary.md"
        if summary.exists():
            findings, _, _ = summary.read_text(encoding="utf-8").partition("\n## ")
            scored = [file.stat().st_mtime for file in folder.glob("runs/*/*/*/scores.json")]
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
