"""Which file needs which: input functions and parameters of the other files, stage by stage. No rules."""

from seqpre.corpora.catalog import read_catalog, select
from seqpre.lead import LEADS

# --------------------------------------------------------------------------------------------------------------- corpora

# How each corpus is read: its languages together where they are parallel, one at a time otherwise. Documents and their
# summaries, in one language, are the two sides of a pair like two languages.
BITEXTS = {study.corpora["bitext"]: (study.source, study.target) for study in STUDIES.values()}
UNLABELLED = {
    (study.corpora[lm.corpus], (lm.language,))
    for study in STUDIES.values()
    for lm in study.lms.values()
    if study.corpora[lm.corpus] not in BITEXTS
}
TEXTS = {*BITEXTS.items(), *UNLABELLED}
READINGS = sorted({languages for _, languages in TEXTS})


def corpora_read_as(languages):
    """Return a pattern of the corpora whose `languages` are read together."""
    return one_of({corpus for corpus, read in TEXTS if read == languages})


def filters_of_corpora():
    """Return the filter settings of each training corpus; studies that share a corpus must filter it alike."""
    filters = {}
    for study in STUDIES.values():
        for corpus in study.corpora.values():
            if filters.setdefault(corpus, study.filter) != study.filter:
                raise ConfigError(f"{study.name} and another study filter {corpus} differently; run them one at a time")
    return filters


FILTERS = filters_of_corpora()
ROWS = read_catalog(CATALOG)


def splits_of(study):
    """Return the splits of a study's bitext."""
    return ["train", "valid", *study.tests]


for _study in STUDIES.values():  # a corpus that is not in the list is refused now
    for _language in (_study.source, _study.target):
        for _split in splits_of(_study):
            select(ROWS, _study.corpora["bitext"], _split, _language)
for _corpus, (_language,) in UNLABELLED:
    select(ROWS, _corpus, "train", _language)


def rows_of(wildcards, languages):
    """Return the rows of the list that make up a split, all its languages."""
    return [row for language in languages for row in select(ROWS, wildcards.corpus, wildcards.split, language)]


def downloaded(row):
    return f"{DOWNLOADS}/{row.relative_path}"


def raw_text(corpus, split, language):
    return f"{CORPUS}/raw/{split}.{language}".format(corpus=corpus)


def kept_out(wildcards, languages):
    """Return the files whose lines may not occur in a training text.

    For unlabelled text every split of the bitext; for documents with summaries the documents of validation and tests.
    """
    # Differs: the paper does not say that it keeps the bitext out of the language models' text; here it is, exactly.
    studies = [study for study in STUDIES.values() if wildcards.corpus in study.corpora.values()]
    labelled = wildcards.corpus in BITEXTS
    if labelled and studies[0].task == "translation":
        return []
    return sorted(
        {
            raw_text(study.corpora["bitext"], split, study.source if labelled else languages[0])
            for study in studies
            for split in splits_of(study)
            if not (labelled and split == "train")
        }
    )


def row_of_file(file):
    """Return the first row that a downloaded file belongs to."""
    return next(row for row in ROWS if str(row.relative_path) == file)


GENERATED = {  # {command that makes text of the demo: its files}
    generator: [downloaded(row) for row in ROWS if row.generator == generator]
    for generator in sorted({row.generator for row in ROWS if row.generated})
}


def filter_options(settings, exclude):
    """Return the options of seqpre.corpora.filter that stand for a study's filter settings."""
    options = f"--identifier {settings.identifier} --max-length {settings.max_length} --max-ratio {settings.max_ratio}"
    if settings.confusions:
        options += f" --confusions {' '.join(settings.confusions)}"
    return f"{options} --exclude {' '.join(map(shlex.quote, exclude))}" if exclude else options


def text_of(corpus, split, language):
    """Return a text as it is encoded: filtered for training, as published for validation and tests."""
    return (
        f"{CORPUS}/{split}.{language}".format(corpus=corpus) if split == "train" else raw_text(corpus, split, language)
    )


def bitext(study, split, side):
    """Return the text of one side (`source` or `target`) of a study's bitext."""
    return text_of(study.corpora["bitext"], split, getattr(study, side))


# ------------------------------------------------------------------------------------------------- language models, runs


def study_of(wildcards):
    return STUDIES[wildcards.study]


def run_of(wildcards):
    """Return the declared run that the wildcards name; a run nobody declared is a mistake of who asked for it."""
    key = (wildcards.study, wildcards.system, wildcards.fraction, int(wildcards.seed))
    if key not in RUNS:
        raise ConfigError(f"{' '.join(map(str, key))} is not in the grid of the study; add it there")
    return RUNS[key]


def store(study, corpus, split, language):
    return STORE.format(study=study.name, corpus=corpus, split=split, language=language)


def lm_text(study, lm):
    """Return the token store that a language model is trained on."""
    declaration = study.lms[lm]
    return store(study, study.corpora[declaration.corpus], "train", declaration.language)


def run_to_json(wildcards):
    """Return what run.json holds. Beam and length penalties stay out: changing them must not train again."""
    content = run_of(wildcards).to_json()
    content["settings"].pop("decode", None)
    return content


def training_data(wildcards):
    """Return the bitext of a run: token stores, and the validation text its BLEU is computed on."""
    study = study_of(wildcards)
    corpus = study.corpora["bitext"]
    return {
        "source": store(study, corpus, "train", study.source),
        "target": store(study, corpus, "train", study.target),
        "valid_source": store(study, corpus, "valid", study.source),
        "valid_target": store(study, corpus, "valid", study.target),
        "valid_references": bitext(study, "valid", "target"),
    }


def initial_lms(wildcards):
    """Return the weights that a run starts from, {LM: file}."""
    init = run_of(wildcards).settings.init
    names = dict.fromkeys(name for name in (init.encoder, init.decoder) if name != RANDOM)
    return {name: f"{LM}/model.safetensors".format(study=wildcards.study, lm=name) for name in names}


def objective_texts(wildcards):
    """Return the token stores that a run's LM objectives read, {LM: store}."""
    objectives = run_of(wildcards).settings.objectives
    weights = {
        objectives.source_lm: objectives.source_lm_weight,
        objectives.target_lm: objectives.target_lm_weight,
    }
    return {name: lm_text(study_of(wildcards), name) for name, weight in weights.items() if weight}


def lm_options(wildcards):
    """Return the options of seqpre.finetune that name a run's LMs and their text."""
    words = [f"--lm {named(initial_lms(wildcards))}"] if initial_lms(wildcards) else []
    words += [f"--lm-text {named(objective_texts(wildcards))}"] if objective_texts(wildcards) else []
    return " ".join(words)


# ------------------------------------------------------------------------------------------------- hypotheses and scores


def run_folder(run):
    return RUN.format(study=run.study, system=run.system, fraction=run.fraction, seed=run.seed)


def decoded_splits(study):
    """Return the splits that are decoded: validation, which settles how to search, then the tests."""
    return ["valid", *study.tests]


def decode_settings(wildcards):
    return run_of(wildcards).settings.decode


def search_options(settings):
    """Return the length penalties and, after them, the options of whatever else is not left at its default.

    They are one parameter because another one would decode every finished study again.
    """

    def words(settings):
        return {
            "--min-lengths": settings.decode.min_lengths,
            "--no-repeat-ngrams": settings.decode.no_repeat_ngrams,
            "--max-length": (settings.decode.max_length,),
            "--metric": (settings.train.metric,),
        }

    default = words(RunSettings())
    more = [(option, *values) for option, values in words(settings).items() if values != default[option]]
    return sum(more, settings.decode.length_penalties)


def decoded_texts(study):
    """Return the source text of each decoded split, {split: file}."""
    return {split: bitext(study, split, "source") for split in decoded_splits(study)}


def decoded_before(wildcards):
    """Return the hypotheses of the selection before this one, if there is one."""
    selections = selections_of(study_of(wildcards))
    before = selections[: selections.index(wildcards.selection)][-1:]
    return [f"{RUN}/hypotheses/{selection}".format(**wildcards) for selection in before]


def hypotheses_of(run):
    """Return a run's hypotheses, {selection.split: file}; none for no run."""
    if run is None:
        return {}
    return {
        f"{selection}.{split}": f"{run_folder(run)}/hypotheses/{selection}/{split}.txt"
        for selection in selections_of(STUDIES[run.study])
        for split in decoded_splits(STUDIES[run.study])
    }


def folders_of(hypotheses):
    """Return the folders that hypotheses lie in: what the rules hand on."""
    return sorted({str(Path(file).parent) for file in hypotheses.values()})


def full_beside(run):
    """Return the run of the full system with the same data and seed, to test against; None if there is none."""
    return None if run.system == FULL else RUNS.get((run.study, FULL, run.fraction, run.seed))


def references(study):
    """Return the reference of each decoded split, {split: file}."""
    return {split: bitext(study, split, "target") for split in decoded_splits(study)}


def named(files):
    """Return `name=file` words for a command line."""
    return " ".join(shlex.quote(f"{name}={file}") for name, file in files.items())


def against_full(hypotheses):
    """Return the options of seqpre.score that name the full system's hypotheses."""
    return f"--baseline-hypotheses {named(hypotheses)} --against {FULL}" if hypotheses else ""


def scoring(study):
    """Return the language of outputs and, after it, the task where they are no translations.

    They are one parameter because another one would score every finished study again.
    """
    return study.target if study.task == "translation" else f"{study.target} --task {study.task}"


def scoring_threads(study):
    """Return the processes that score: ROUGE of long summaries takes minutes."""
    return 1 if study.task == "translation" else at_scale(1, paper=8)


def run_scores(study, system=None):
    """Return the scores of a study's runs, or of one system's."""
    return [f"{run_folder(run)}/scores.json" for run in declared_runs(study) if system in (None, run.system)]


def ensemble_folder(study, ensemble):
    return ENSEMBLE.format(study=study.name, ensemble=ensemble)


def ensemble_scores(study, ensemble):
    return f"{ensemble_folder(study, ensemble)}/scores.json"


def candidates(wildcards):
    """Return the runs an ensemble may choose from."""
    study = study_of(wildcards)
    ensemble = study.ensembles[wildcards.ensemble]
    return [run for run in declared_runs(study) if run.system in ensemble.members and run.fraction == ensemble.fraction]


def ensemble_hypotheses(wildcards):
    """Return an ensemble's hypotheses, {selection.split: file}; its members are those of lowest perplexity."""
    study = study_of(wildcards)
    folder = ensemble_folder(study, wildcards.ensemble)
    return {f"perplexity.{split}": f"{folder}/hypotheses/{split}.txt" for split in decoded_splits(study)}


def single_beside(wildcards):
    """Return the hypotheses of the single full model that an ensemble is tested against; none if there is none."""
    study = study_of(wildcards)
    run = RUNS.get((study.name, FULL, study.ensembles[wildcards.ensemble].fraction, study.seeds[0]))
    return {name: file for name, file in hypotheses_of(run).items() if name in ensemble_hypotheses(wildcards)}


def leads_of(study):
    """Return the leads that a study's systems are compared with."""
    return LEADS if study.task == "summarization" else {}


def lead_folder(study, lead):
    return LEAD.format(study=study.name, lead=lead)


def lead_scores(study, lead):
    return f"{lead_folder(study, lead)}/scores.json"


def lead_hypotheses(wildcards):
    """Return a lead's outputs, {selection.split: file}; there is no checkpoint to select."""
    study = study_of(wildcards)
    folder = lead_folder(study, wildcards.lead)
    return {f"none.{split}": f"{folder}/hypotheses/{split}.txt" for split in decoded_splits(study)}


def full_beside_lead(wildcards):
    """Return the full system's outputs with all labelled data and the first seed, under the names of a lead's."""
    study = study_of(wildcards)
    run = RUNS.get((study.name, FULL, "100pct", study.seeds[0]))
    files = hypotheses_of(run)
    return {f"none.{split}": files[f"perplexity.{split}"] for split in decoded_splits(study)} if run else {}


# ---------------------------------------------------------------------------------------------------------------- pages


def both_languages(study):
    return f"{study.source} {study.target}"


def first_seed(study, fraction):
    """Return the runs with one data fraction and the study's first seed, in the order of the grid."""
    return [run for run in declared_runs(study) if (run.fraction, run.seed) == (fraction, study.seeds[0])]


def shown_hypotheses(wildcards):
    """Return what a page of samples shows, {system as tables call it: file}."""
    study = study_of(wildcards)
    runs = first_seed(study, wildcards.fraction)
    return {study.labels[run.system]: hypotheses_of(run)[f"perplexity.{wildcards.split}"] for run in runs}


def study_samples(study):
    """Return the pages of samples: one a test and data fraction with which two systems or more were trained."""
    fractions = dict.fromkeys(run.fraction for run in declared_runs(study))
    return [
        f"{STUDY}/samples/{split}.{fraction}.html".format(study=study.name)
        for split in study.tests
        for fraction in fractions
        if len(first_seed(study, fraction)) > 1
    ]


def rated_runs(study):
    """Return the runs that people compare, on the first test: full and without pretraining; none if one is missing."""
    keys = [(study.name, system, "100pct", study.seeds[0]) for system in (FULL, NO_PRETRAINING)]
    return [RUNS[key] for key in keys] if all(key in RUNS for key in keys) else []


def rated_hypotheses(wildcards):
    study = study_of(wildcards)
    return {run.system: hypotheses_of(run)[f"perplexity.{study.tests[0]}"] for run in rated_runs(study)}


def rated_systems(wildcards):
    """Return the options of seqpre.human_study.make that name the two systems."""
    system, baseline = (shlex.quote(f"{name}={file}") for name, file in rated_hypotheses(wildcards).items())
    return f"--system {system} --baseline {baseline}"


def human_study(study):
    """Return the page for raters, where the study has the two systems."""
    return [f"{STUDY}/human_study/page.html".format(study=study.name)] if rated_runs(study) else []


# --------------------------------------------------------------------------------------------------------------- report

PUBLISHED = ROOT / "workflow/published.tsv"
TABLES = {
    "translation": ["table_1", "table_2", "ablations", "fractions", "learning", "claims", "cost"],
    "summarization": ["table_3", "ablations", "learning", "claims", "cost"],
}
FIGURES = {
    "translation": ["ablations", "fractions", "selection"],
    "summarization": ["ablations", "selection"],
}
for _task, _metric in TASKS.items():
    FIGURES[_task] += [
        f"learning_{_quantity}_{_axis}" for _quantity in (_metric, "perplexity") for _axis in ("updates", "cpu_seconds")
    ]


def table_files(task):
    return [
        *(f"{table}.{suffix}" for table in TABLES[task] for suffix in ("csv", "md", "tex")),
        "provenance.csv",
    ]


def figure_files(task):
    return [f"{figure}.{suffix}" for figure in FIGURES[task] for suffix in ("pdf", "png")]


def runs_to_json(study):
    """Return the list of runs that the report reads: who each is, how tables call it, where it lives."""
    runs = [(run.system, run.fraction, run.seed, run_folder(run)) for run in declared_runs(study)]
    ensembles = [
        (name, ensemble.fraction, None, ensemble_folder(study, name)) for name, ensemble in study.ensembles.items()
    ]
    leads = [(lead, "100pct", None, lead_folder(study, lead)) for lead in leads_of(study)]
    more = {"task": study.task, "corpus": study.corpora["bitext"]} if study.task != "translation" else {}
    if study.published_as != study.name:
        more["published_as"] = study.published_as
    return [
        {
            "study": study.name,
            "scale": study.scale,
            "system": system,
            "label": study.labels.get(system, LEADS.get(system)),
            "fraction": fraction,
            "seed": seed,
            "dir": folder,
            **more,
        }
        for system, fraction, seed, folder in (*runs, *ensembles, *leads)
    ]


def all_scores(study):
    return [
        *run_scores(study),
        *(ensemble_scores(study, ensemble) for ensemble in study.ensembles),
        *(lead_scores(study, lead) for lead in leads_of(study)),
    ]


def lm_folders(study):
    """Return the folders of the language models that the study's runs start from."""
    names = {lm for run in declared_runs(study) for lm in (run.settings.init.encoder, run.settings.init.decoder)}
    return [LM.format(study=study.name, lm=lm) for lm in study.lms if lm in names]


def corpus_stats(study):
    """Return the statistics of what the filters dropped from each training text of the study."""
    return sorted(
        f"{CORPUS}/train.{'_'.join(languages)}.stats.json".format(corpus=corpus)
        for corpus, languages in TEXTS
        if corpus in study.corpora.values() and set(languages) <= {study.source, study.target}
    )


def rating_tables(study):
    """Return the tables of the human study that a claim on summaries is tested on, once people have rated."""
    files = [f"{STUDY}/human_study/tables/table_{number}.csv".format(study=study.name) for number in (4, 5)]
    return [file for file in files if study.task == "summarization" and Path(file).exists()]


def study_tables(study):
    return [f"{STUDY}/tables/{name}".format(study=study.name) for name in table_files(study.task)]


def study_figures(study):
    return [f"{STUDY}/figures/{name}".format(study=study.name) for name in figure_files(study.task)]


def study_results(study):
    """Return what a study is run for; the summary needs all the rest."""
    return f"{STUDY}/summary.md".format(study=study.name)


def closing_words():
    """Return what came out and where it lies, for the end of a successful run."""
    lines = []
    for study in STUDIES.values():
        folder = Path(STUDY.format(study=study.name))
        summary = folder / "summary.md"
        if summary.exists():
            findings, _, _ = summary.read_text(encoding="utf-8").partition("\n## ")
            lines += ["", findings.strip(), "", f"  summary  {summary}"]
        lines += [f"  {name:8} {folder / name}/" for name in ("tables", "figures", "runs") if (folder / name).is_dir()]
    return "\n".join(lines)
