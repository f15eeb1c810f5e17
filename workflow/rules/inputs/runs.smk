"""What a language model and a run are trained on, and what a run starts from."""


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
    """Return the token store that a language model is trained on; it may be one of several, one a seed."""
    declaration = study.lms[lm.partition("/")[0]]
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


def initial(run):
    """Return the names of the LMs that a run starts from."""
    init = run.settings.init
    return list(dict.fromkeys(name for name in (init.encoder, init.decoder) if name != RANDOM))


def tuned_settings(wildcards):
    """Return the file of the settings that a run takes from a choice on validation text, if it takes any."""
    whose = study_of(wildcards).tuned.get(wildcards.system)
    return [TUNED.format(study=wildcards.study, system=whose)] if whose else []


def candidates_for(wildcards):
    """Return the folders of the runs that a system's settings are chosen from."""
    return [run_folder(run) for run in tuning_runs(study_of(wildcards), wildcards.system)]


def initial_lms(wildcards):
    """Return the weights that a run starts from, {LM: file}."""
    run = run_of(wildcards)
    lms = {name: lm_of(study_of(wildcards), name, run.seed) for name in initial(run)}
    return {name: f"{LM}/model.safetensors".format(study=wildcards.study, lm=lm) for name, lm in lms.items()}


def objective_texts(wildcards):
    """Return the token stores that a run's LM objectives read, {LM: store}."""
    names = objective_lms(run_of(wildcards).settings.objectives)
    return {name: lm_text(study_of(wildcards), name) for name in names}


def lm_options(wildcards):
    """Return the options of seqpre.finetune that name a run's LMs and their text."""
    words = [f"--lm {named(initial_lms(wildcards))}"] if initial_lms(wildcards) else []
    words += [f"--lm-text {named(objective_texts(wildcards))}"] if objective_texts(wildcards) else []
    return " ".join(words)
