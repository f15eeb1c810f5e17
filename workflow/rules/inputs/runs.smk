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
    names = objective_lms(run_of(wildcards).settings.objectives)
    return {name: lm_text(study_of(wildcards), name) for name in names}


def lm_options(wildcards):
    """Return the options of seqpre.finetune that name a run's LMs and their text."""
    words = [f"--lm {named(initial_lms(wildcards))}"] if initial_lms(wildcards) else []
    words += [f"--lm-text {named(objective_texts(wildcards))}"] if objective_texts(wildcards) else []
    return " ".join(words)
