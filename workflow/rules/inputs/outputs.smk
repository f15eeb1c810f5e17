"""A study's hypotheses and scores: their inputs, and what they are tested against.

`outputs` is the folder that they lie in, below that of the study: runs/<system>/<fraction>/seed<k>, ensembles/<ensemble>
or trivial/<baseline>.
"""


def run_folder(run):
    return OUTPUTS.format(study=run.study, outputs=run.path)


def outputs_folder(study, outputs):
    return OUTPUTS.format(study=study.name, outputs=outputs)


def ensemble_of(wildcards):
    """Return the ensemble whose outputs the wildcards name; None for a run or a trivial baseline."""
    kind, _, name = wildcards.outputs.partition("/")
    return study_of(wildcards).ensembles[name] if kind == "ensembles" else None


def decoding_of(wildcards):
    """Return the decoding settings of a run or an ensemble."""
    run = run_of(wildcards)
    return (run.settings if run else study_of(wildcards).base).decode


def decoded_texts(study):
    """Return the source text of each decoded split, {split: file}."""
    return {split: bitext(study, split, "source") for split in study.decoded}


def more_references(study):
    """Return the references of the splits besides valid that tune decoding, {split: file}."""
    return {split: bitext(study, split, "target") for split in study.more_validation}


def settled_on(study):
    """Return the split that tunes the decoding of each text, {text: split}; empty if valid tunes all."""
    if not study.more_validation:
        return {}
    settled = {test: study.tuned_on.get(test, VALIDATION) for test in study.tests}
    return settled | {split: settled[test] for split, test in study.respelled.items()}


def ensemble_candidates(wildcards):
    """Return the runs from which an ensemble is chosen."""
    study = study_of(wildcards)
    ensemble = study.ensembles[wildcards.get("ensemble") or wildcards.outputs.partition("/")[2]]
    among = ensemble.candidates(study.seeds)
    return [run for run in runs_here(study) if run.fraction == ensemble.fraction and (run.system, run.seed) in among]


def models_of(wildcards):
    """Return the run to decode, or those from which an ensemble is chosen."""
    run = run_of(wildcards)
    return [run] if run else ensemble_candidates(wildcards)


def members_of(wildcards):
    """Return the file that lists an ensemble's members."""
    return [] if run_of(wildcards) else [f"{OUTPUTS}/ensemble.json"]


def selections_with(study, outputs):
    """Return the selections of outputs' checkpoints; `none` for outputs without a model."""
    kind = outputs.partition("/")[0]
    return {"runs": selections_of(study), "ensembles": [study.selection], "trivial": ["none"]}[kind]


def decoded_before(wildcards):
    """Return the hypotheses of the selection before this one, if there is one."""
    selections = selections_with(study_of(wildcards), wildcards.outputs)
    before = selections[: selections.index(wildcards.selection)][-1:]
    return [f"{OUTPUTS}/hypotheses/{selection}".format(**wildcards) for selection in before]


def hypotheses_of(study, outputs):
    """Return the hypotheses of a run, an ensemble or a trivial baseline, {selection.split: file}."""
    return {
        f"{selection}.{split}": f"{outputs_folder(study, outputs)}/hypotheses/{selection}/{split}.txt"
        for selection in selections_with(study, outputs)
        for split in study.decoded
    }


def folders_of(hypotheses):
    """Return the folders of hypotheses, which are the outputs of rules."""
    return sorted({str(Path(file).parent) for file in hypotheses.values()})


def reference_beside(wildcards):
    """Return the reference's hypotheses to test others against, by the names of the latter; empty for the reference.

    The reference has the same data and seed, for an ensemble the first seed; for a trivial baseline, all data.
    """
    study, run, ensemble = study_of(wildcards), run_of(wildcards), ensemble_of(wildcards)
    if run:
        cell = run.fraction, run.seed
    elif ensemble:
        cell = ensemble.fraction, ensemble.candidates(study.seeds)[0][1]
    else:
        cell = ALL, first_seed(study)
    reference = RUNS.get((study.name, study.reference, *cell))
    if reference is None or reference == run:
        return {}
    files = hypotheses_of(study, reference.path)
    names = {name: name.replace("none.", f"{study.selection}.") for name in hypotheses_of(study, wildcards.outputs)}
    return {name: files[theirs] for name, theirs in names.items()}


def references(study):
    """Return the reference of each decoded split, {split: file}."""
    return {split: bitext(study, split, "target") for split in study.decoded}


def scored_with(study):
    """Return the files that outputs are scored with: references and, for corrections, sources and gold edits."""
    files = list(references(study).values())
    if TASKS[study.task].corrects:
        files += [file for split in study.decoded for file in (scored_source(study, split), *gold_of(study, split))]
    return list(dict.fromkeys(files))


def scored_source(study, split):
    """Return the sources that corrections of a split are compared with, in whatever spelling models read them."""
    return original_sources(study, study.respelled.get(split, split))


def named(files):
    """Return `name=file` words for a command line."""
    return " ".join(shlex.quote(f"{name}={file}") for name, file in files.items())


def against_reference(study, hypotheses):
    """Return the options of seqpre.score that name the reference's hypotheses."""
    return f"--baseline-hypotheses {named(hypotheses)} --against {study.reference}" if hypotheses else ""


def what_counts(study, outputs):
    """Return the outputs that verdicts are based on, [selection.split]: of the tests, or of validation without any."""
    selection = "none" if outputs.startswith("trivial/") else study.selection
    return [f"{selection}.{split}" for split in study.tests or [VALIDATION]]


def scored_sources(study):
    """Return the sources of each split of corrections, {split: file}; empty for other tasks."""
    return {split: scored_source(study, split) for split in study.decoded} if TASKS[study.task].corrects else {}


def gold(study):
    """Return the annotations of each split of corrections that has some, {split: file}; empty for other tasks."""
    if not TASKS[study.task].corrects:
        return {}
    return {split: file for split in study.decoded for file in gold_of(study, split)}


def scoring_threads(study):
    """Return the number of processes that score: ROUGE of long summaries takes minutes."""
    return at_scale(1, paper=8) if study.task == "summarization" else 1


def first_seed(study):
    """Return the first of the study's seeds with a local run; None if all were restored."""
    here = {run.seed for run in runs_here(study)}
    return next(filter(here.__contains__, study.seeds), None)


def outputs_here(study, system=None):
    """Return the output folders of a study, or of one system, ensemble or baseline, without restored ones."""
    others = [f"ensembles/{name}" for name in study.ensembles] + [f"trivial/{name}" for name in study.trivial]
    here = [name for name in others if name.partition("/")[2] not in study.restored.others]
    return [name for name in (*(run.path for run in runs_here(study)), *here) if system in (None, name.split("/")[1])]


def scores_of(study, system=None):
    """Return the scores of a study, or of one of its systems, ensembles and trivial baselines."""
    return [f"{outputs_folder(study, outputs)}/{SCORES}" for outputs in outputs_here(study, system)]
