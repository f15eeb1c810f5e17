"""The text that a language model or a run is trained on, and the models that a run starts from."""

from snakemake.io import IOFile


def study_of(wildcards):
    return STUDIES[wildcards.study]


def run_of(wildcards):
    """Return the declared run that the wildcards name, None for other outputs; an undeclared run is an error."""
    kind, *run = wildcards.get("outputs", OF_RUN).format(**wildcards).split("/")
    if kind != "runs":
        return None
    key = (wildcards.study, *run[:2], int(run[2].removeprefix("seed")))
    if key[1:] in study_of(wildcards).restored.runs:
        raise ConfigError(put_back(" ".join(map(str, key)), f"{STUDY}/{folder_of(*key[1:])}".format(**wildcards)))
    if key not in RUNS:
        study, system, fraction, seed = key
        raise ConfigError(
            f"{study} declares no run of {system} with {fraction} and seed {seed}; its grid has systems and fractions, "
            "`seeds` its seeds"
        )
    return RUNS[key]


RESTORED_CHOICES = [f"{study.name}/{file}" for study in STUDIES.values() for file in study.restored.choices]
"""Files of tuned settings that were restored from records, relative to the scale's folder; no rule makes them."""


def put_back(what, remove):
    """Return the message for a request to make a restored file; it is made here once `remove` is removed."""
    return f"{what} was restored from records; remove {remove} to make it here"


def restored_targets():
    """Return the restored targets, {target: what to remove to have it made here}."""
    found = {}
    for study in STUDIES.values():
        folder = STUDY.format(study=study.name)
        found |= {f"{folder}/{file}": f"{folder}/{RESTORED}" for file in study.restored.choices}
        found |= {f"{study.name}_{system}": f"{folder}/runs/{system}" for system, _, _ in study.restored.runs}
    return found


RESTORED_TARGETS = restored_targets()


def subwords(vocabulary):
    """Return the file of a vocabulary, of subwords or words."""
    return (WORDS if vocabulary.words else SUBWORDS).format(vocabulary=vocabulary.key)


def subwords_of(run):
    """Return the vocabulary file of a run, or those of its source and target."""
    return list(dict.fromkeys(subwords(STUDIES[run.study].vocabulary(run.settings, side)) for side in sides_of(run)))


def sides_of(run):
    """Return the sides of the bitext that a run reads and writes."""
    return SIDES[::-1] if run.system.endswith(REVERSE) else SIDES


def encoded_text(wildcards):
    """Return the text of a token store."""
    owner, _ = ENCODINGS[wildcards.encoding]
    return model_text(owner, wildcards.corpus, wildcards.split, wildcards.language)


def copied_from(wildcards):
    """Return the text whose words a word-level token store may copy: the sources of targets."""
    owner, vocabulary = ENCODINGS[wildcards.encoding]
    if owner in PRETRAININGS or not vocabulary.words:
        return []
    study = STUDIES[owner]
    if (wildcards.corpus, wildcards.language) != (study.corpora["bitext"], study.target):
        return []
    return [model_text(owner, wildcards.corpus, wildcards.split, study.source)]


def store(owner, vocabulary, corpus, split, language):
    """Return the token store of a text of a study or a pretraining."""
    return STORE.format(encoding=vocabulary.encoding(owner.name), corpus=corpus, split=split, language=language)


def lm_text(owner, lm):
    """Return the token store of a pretraining, for a denoiser of segments; `lm` may be one of several seeds."""
    declaration = owner.lms[lm_and_seed(lm)[0]]
    split = SEGMENTS if denoises(owner) else "train"
    return store(owner, owner.vocabularies[""], owner.corpora[declaration.corpus], split, declaration.language)


def denoises(owner):
    """Return whether an owner's models are denoisers; otherwise they are language models."""
    return isinstance(owner.lm_settings, DenoiserSettings)


def vocabulary_of_owner(wildcards):
    """Return the vocabulary of an owner's models."""
    return subwords(OWNERS[wildcards.owner].vocabularies[""])


def pretraining_threads(owner):
    """Return the threads of a pretraining; at the small scale all runs wait for a denoiser."""
    return at_scale(1, small=2 if denoises(owner) else 1, paper=8) * PER_NODE


def run_to_json(wildcards, choice=()):
    """Return the content of run.json, with tuned settings if there are any.

    Beam and length penalties are left out: changing them must not train again.
    """
    content = run_of(wildcards).to_json()
    content["settings"].pop("decode", None)
    return with_choice(content, Path(choice[0])) if choice else content


def resolved_run(wildcards):
    """Return the content of run.json; None while the settings that it takes are not tuned."""
    choice = tuned_settings(wildcards)
    return run_to_json(wildcards, choice) if all(Path(file).exists() for file in choice) else None


def resolved_lm(wildcards):
    """Return the content of lm.json."""
    return lm_to_json(OWNERS[wildcards.owner], wildcards.lm)


def resolved_decoding(wildcards):
    """Return the content of decode.json."""
    return differences(decoding_of(wildcards), DecodeSettings())


def if_unrecorded(file, content, read=read_json):
    """Return an input function, of no files, that plans a job if its file differs and has no record of parameters.

    Snakemake compares parameters with its records. They are in `.snakemake`, and stay there when results are moved.
    """

    def plan(wildcards):
        path = file.format(**wildcards)
        if Path(path).exists() and workflow.persistence.metadata(IOFile(path)) is None and holds_other(path, wildcards):
            workflow.dag.forcefiles.add(path)
        return []

    def holds_other(path, wildcards):
        try:
            declared = content(wildcards)
            return declared is not None and read(path) != json.loads(json.dumps(declared))
        except (ConfigError, DataError):  # damaged, or tuned settings of another study file: nothing to compare
            return False

    return plan


def training_data(wildcards):
    """Return a run's bitext: token stores, and the validation text for its scores and copied words."""
    study, run = study_of(wildcards), run_of(wildcards)
    source, target = sides_of(run)
    reads = study.vocabulary(run.settings, source)
    copied = reads.words or (study.metric and TASKS[study.task].corrects)
    added = run.settings.backtranslation.system
    return {
        "source": f"{RUN}/pairs/source" if added else side_store(study, run, "train", source),
        "target": f"{RUN}/pairs/target" if added else side_store(study, run, "train", target),
        "valid_source": side_store(study, run, VALIDATION, source),
        "valid_target": side_store(study, run, VALIDATION, target),
        "valid_references": bitext(study, VALIDATION, target),
        "valid_sources": [bitext(study, VALIDATION, source)] if copied else [],
    }


def side_store(study, run, split, side):
    """Return the token store of one side of a bitext split, in the run's vocabulary for it."""
    vocabulary = study.vocabulary(run.settings, side)
    return store(study, vocabulary, study.corpora["bitext"], split, getattr(study, side))


def translator_of(wildcards):
    """Return the run, with source and target exchanged, that back-translates for a run."""
    run = run_of(wildcards)
    return RUNS[run.study, f"{run.settings.backtranslation.system}{REVERSE}", run.fraction, run.seed]


def translated_text(wildcards):
    """Return the token store of the text that is back-translated for a run."""
    study, run = study_of(wildcards), run_of(wildcards)
    corpus = study.corpora[run.settings.backtranslation.corpus]
    return store(study, study.vocabulary(run.settings, "target"), corpus, "train", study.target)


def tuned_settings(wildcards):
    """Return the file of a run's tuned settings, if it takes any."""
    study = study_of(wildcards)
    whose = study.tuned.get(wildcards.system.removesuffix(REVERSE))
    folder = STUDY.format(study=wildcards.study)
    return [f"{folder}/{study.tuning.choice_file(whose, wildcards.fraction)}"] if whose else []


def candidates_for(wildcards):
    """Return the folders of the runs from which settings are chosen.

    A choice is for a system, or for a system at one fraction: `system/fraction`.
    """
    study = study_of(wildcards)
    system, _, fraction = wildcards.choice.partition("/")
    return [run_folder(run) for run in tuning_runs(study, system, fraction or None)]


def initial_lms(wildcards):
    """Return the weights that a run starts from, {LM: file}; the outputs of rules are their folders."""
    run, study = run_of(wildcards), study_of(wildcards)
    return {
        name: f"{LM}/{weights_of(name)}".format(owner=study.owner_of(name).name, lm=lm_of(study, name, run.seed))
        for name in run.settings.init.lms
    }


def objective_texts(wildcards):
    """Return the token stores that a run's LM losses read, {LM: store}."""
    names = run_of(wildcards).settings.objectives.lms
    return {name: lm_text(study_of(wildcards).owner_of(name), name) for name in names}
