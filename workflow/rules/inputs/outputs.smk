"""Which hypotheses and scores a study has, and what each is made of and tested against."""


def run_folder(run):
    return RUN.format(study=run.study, system=run.system, fraction=run.fraction, seed=run.seed)


def decoding_of(wildcards):
    """Return how a run or an ensemble is decoded, by its folder in the study: `runs/<system>/<fraction>/seed<k>`."""
    kind, *names = wildcards.decoded.split("/")
    if kind == "ensembles":
        return study_of(wildcards).base.decode
    system, fraction, seed = names
    return RUNS[wildcards.study, system, fraction, int(seed.removeprefix("seed"))].settings.decode


def decoded_texts(study):
    """Return the source text of each decoded split, {split: file}."""
    return {split: bitext(study, split, "source") for split in study.decoded}


def more_references(study):
    """Return the references of the splits that settle searches beside valid, {split: file}."""
    return {split: bitext(study, split, "target") for split in study.more_validation}


def settled_on(study):
    """Return the split that settles the search of each text, {text: split}; none where valid settles all."""
    if not study.more_validation:
        return {}
    settled = {test: study.tuned_on.get(test, "valid") for test in study.tests}
    return settled | {split: settled[test] for split, test in study.respelled.items()}


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
        for split in STUDIES[run.study].decoded
    }


def folders_of(hypotheses):
    """Return the folders that hypotheses lie in: what the rules hand on."""
    return sorted({str(Path(file).parent) for file in hypotheses.values()})


def reference_beside(run):
    """Return the reference with the same data and seed, to test against; None if there is none."""
    reference = STUDIES[run.study].reference
    return None if run.system == reference else RUNS.get((run.study, reference, run.fraction, run.seed))


def references(study):
    """Return the reference of each decoded split, {split: file}."""
    return {split: bitext(study, split, "target") for split in study.decoded}


def scored_with(study):
    """Return the files that outputs are scored with: references and, of corrections, sources and all there is else."""
    files = list(references(study).values())
    if study.task == "correction":
        files += [file for split in study.decoded for file in (scored_source(study, split), *gold_of(study, split))]
    return list(dict.fromkeys(files))


def scored_source(study, split):
    """Return the sources that corrections of a split are compared with, whatever spelling models read."""
    return written_source(study, study.respelled.get(split, split))


def named(files):
    """Return `name=file` words for a command line."""
    return " ".join(shlex.quote(f"{name}={file}") for name, file in files.items())


def against_reference(study, hypotheses):
    """Return the options of seqpre.score that name the reference's hypotheses."""
    return f"--baseline-hypotheses {named(hypotheses)} --against {study.reference}" if hypotheses else ""


def what_counts(study, selection):
    """Return the hypotheses that verdicts are reached on, [selection.split]: of the tests, of validation without any."""
    return [f"{selection}.{split}" for split in study.tests or ["valid"]]


def scored_sources(study):
    """Return what corrections of each split are compared with, {split: file}; none for other tasks."""
    return {split: scored_source(study, split) for split in study.decoded} if study.task == "correction" else {}


def gold(study):
    """Return the annotations of each split that has them, {split: file}; none but for corrections."""
    if study.task != "correction":
        return {}
    return {split: gold_of(study, split)[0] for split in study.decoded if gold_of(study, split)}


def scoring_threads(study):
    """Return the processes that score: ROUGE of long summaries takes minutes."""
    return 1 if study.task == "translation" else at_scale(1, paper=8)


def first_seed(study):
    """Return the first of the study's seeds that has a run here; None: all were put back."""
    here = {run.seed for run in runs_here(study)}
    return next(filter(here.__contains__, study.seeds), None)


def run_scores(study, system=None):
    """Return the scores of a study's runs, or of one system's."""
    return [f"{run_folder(run)}/scores.json" for run in runs_here(study) if system in (None, run.system)]


def ensemble_folder(study, ensemble):
    return ENSEMBLE.format(study=study.name, ensemble=ensemble)


def ensemble_scores(study, ensemble):
    return f"{ensemble_folder(study, ensemble)}/scores.json"


def candidates(wildcards):
    """Return the runs an ensemble may choose from."""
    study = study_of(wildcards)
    ensemble = study.ensembles[wildcards.ensemble]
    among = ensemble.candidates(study.seeds)
    return [run for run in runs_here(study) if run.fraction == ensemble.fraction and (run.system, run.seed) in among]


def ensemble_hypotheses(wildcards):
    """Return an ensemble's hypotheses, {selection.split: file}."""
    study = study_of(wildcards)
    folder = ensemble_folder(study, wildcards.ensemble)
    return {f"{study.selection}.{split}": f"{folder}/hypotheses/{split}.txt" for split in study.decoded}


def single_beside(wildcards):
    """Return the hypotheses of the single model that an ensemble is tested against; none if there is none."""
    study = study_of(wildcards)
    ensemble = study.ensembles[wildcards.ensemble]
    seed = ensemble.candidates(study.seeds)[0][1]
    run = RUNS.get((study.name, study.reference, ensemble.fraction, seed))
    return {name: file for name, file in hypotheses_of(run).items() if name in ensemble_hypotheses(wildcards)}


def lead_folder(study, lead):
    return LEAD.format(study=study.name, lead=lead)


def lead_scores(study, lead):
    return f"{lead_folder(study, lead)}/scores.json"


def lead_hypotheses(wildcards):
    """Return a lead's outputs, {selection.split: file}; there is no checkpoint to select."""
    study = study_of(wildcards)
    folder = lead_folder(study, wildcards.lead)
    return {f"none.{split}": f"{folder}/hypotheses/{split}.txt" for split in study.decoded}


def reference_beside_lead(wildcards):
    """Return the reference's outputs with all labelled data and its first seed here, under the names of a lead's."""
    study = study_of(wildcards)
    run = RUNS.get((study.name, study.reference, "100pct", first_seed(study)))
    files = hypotheses_of(run)
    return {f"none.{split}": files[f"{study.selection}.{split}"] for split in study.decoded} if run else {}
