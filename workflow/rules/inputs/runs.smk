"""What a language model and a run are trained on, and what a run starts from."""


def study_of(wildcards):
    return STUDIES[wildcards.study]


def run_of(wildcards):
    """Return the declared run that the wildcards name, None of other outputs; one nobody declared is a mistake."""
    kind, *run = wildcards.get("outputs", "runs/{system}/{fraction}/seed{seed}").format(**wildcards).split("/")
    if kind != "runs":
        return None
    key = (wildcards.study, *run[:2], int(run[2].removeprefix("seed")))
    if key not in RUNS:
        raise ConfigError(f"{' '.join(map(str, key))} is not in the grid of the study; add it there")
    return RUNS[key]


def subwords(vocabulary):
    """Return the file of a vocabulary, of words perhaps."""
    return (WORDS if vocabulary.words else SUBWORDS).format(vocabulary=vocabulary.key)


def subwords_of(run):
    """Return the file of the vocabulary that a run reads and writes, or those of sources and targets."""
    return list(dict.fromkeys(subwords(STUDIES[run.study].vocabulary(run.settings, side)) for side in SIDES))


def encoded_text(wildcards):
    """Return the text of a token store."""
    owner, _ = ENCODINGS[wildcards.encoding]
    return model_text(owner, wildcards.corpus, wildcards.split, wildcards.language)


def copied_from(wildcards):
    """Return the text whose words a token store of words may copy: the sources of targets."""
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
    """Return the token store that a model is pretrained on, a denoiser's of segments; it may be one of several seeds."""
    declaration = owner.lms[lm.partition("/")[0]]
    split = SEGMENTS if denoises(owner) else "train"
    return store(owner, owner.vocabularies[""], owner.corpora[declaration.corpus], split, declaration.language)


def denoises(owner):
    """Return whether the models of an owner are denoisers, else they are language models."""
    return isinstance(owner.lm_settings, DenoiserSettings)


def vocabulary_of_owner(wildcards):
    """Return the vocabulary that the models of an owner read and write."""
    return subwords(OWNERS[wildcards.owner].vocabularies[""])


def pretraining_threads(owner):
    """Return the threads of a pretraining: at the small scale everything waits for a denoiser."""
    return at_scale(1, small=2 if denoises(owner) else 1, paper=8) * PER_NODE


def run_to_json(wildcards, choice=()):
    """Return what run.json holds, with a choice of settings where there is one.

    Beam and length penalties stay out: changing them must not train again.
    """
    content = run_of(wildcards).to_json()
    content["settings"].pop("decode", None)
    return with_choice(content, Path(choice[0])) if choice else content


def training_data(wildcards):
    """Return the bitext of a run: token stores, and the validation text that its scores and copied words come from."""
    study = study_of(wildcards)
    corpus = study.corpora["bitext"]
    reads, writes = (study.vocabulary(run_of(wildcards).settings, side) for side in SIDES)
    return {
        "source": store(study, reads, corpus, "train", study.source),
        "target": store(study, writes, corpus, "train", study.target),
        "valid_source": store(study, reads, corpus, "valid", study.source),
        "valid_target": store(study, writes, corpus, "valid", study.target),
        "valid_references": bitext(study, "valid", "target"),
        "valid_sources": (
            [bitext(study, "valid", "source")] if reads.words or (study.metric and TASKS[study.task].corrects) else []
        ),
    }


def initial(run):
    """Return the names of the LMs that a run starts from."""
    init = run.settings.init
    return list(dict.fromkeys(name for name in (init.encoder, init.decoder) if name != RANDOM))


def tuned_settings(wildcards):
    """Return the file of the settings that a run takes from a choice on validation text, if it takes any."""
    study = study_of(wildcards)
    whose = study.tuned.get(wildcards.system)
    folder = STUDY.format(study=wildcards.study)
    return [f"{folder}/{study.tuning.choice_file(whose, wildcards.fraction)}"] if whose else []


def candidates_for(wildcards):
    """Return the folders of the runs that settings are chosen from; none for a choice that was put back.

    A choice is of a system, or of a system with one fraction: `system/fraction`.
    """
    study = study_of(wildcards)
    if f"tuning/{wildcards.choice}.json" in study.restored.choices:
        return []
    system, _, fraction = wildcards.choice.partition("/")
    return [run_folder(run) for run in tuning_runs(study, system, fraction or None)]


def initial_lms(wildcards):
    """Return the weights that a run starts from, {LM: file}; the rules hand on the folders that these lie in."""
    run, study = run_of(wildcards), study_of(wildcards)
    return {
        name: f"{LM}/{weights_of(name)}".format(owner=study.owner_of(name).name, lm=lm_of(study, name, run.seed))
        for name in initial(run)
    }


def objective_texts(wildcards):
    """Return the token stores that a run's LM objectives read, {LM: store}."""
    names = run_of(wildcards).settings.objectives.lms
    return {name: lm_text(study_of(wildcards).owner_of(name), name) for name in names}
