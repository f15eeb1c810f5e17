"""Inputs of the pages of samples and the pages for raters."""


def runs_shown(study, fraction):
    """Return the runs with one data fraction and the study's first local seed, in the order of the grid."""
    seed = first_seed(study)
    return [run for run in runs_here(study) if (run.fraction, run.seed) == (fraction, seed)]


def shown_hypotheses(wildcards):
    """Return the outputs that a page of samples shows, {system's label: file}."""
    study = study_of(wildcards)
    runs = runs_shown(study, wildcards.fraction)
    return {
        study.labels[run.system]: hypotheses_of(study, run.path)[f"{study.selection}.{wildcards.split}"] for run in runs
    }


def study_samples(study):
    """Return the pages of samples: one for each test and data fraction with two or more trained systems."""
    fractions = dict.fromkeys(run.fraction for run in runs_here(study))
    return [
        f"{STUDY}/samples/{split}.{fraction}.html".format(study=study.name)
        for split in study.tests
        for fraction in fractions
        if len(runs_shown(study, fraction)) > 1
    ]


def rated_runs(study):
    """Return the runs that raters compare, on the first test: full and without pretraining; empty if one is missing."""
    systems, seed = (study.reference, study.in_paper.baselines[0]), first_seed(study)
    keys = [(study.name, system, ALL, seed) for system in systems]
    return [RUNS[key] for key in keys] if all(key in RUNS for key in keys) else []


def rated_hypotheses(wildcards):
    study = study_of(wildcards)
    return {
        run.system: hypotheses_of(study, run.path)[f"{study.selection}.{study.tests[0]}"] for run in rated_runs(study)
    }


def rated_systems(wildcards):
    """Return the options of seqpre.human_study.make that name the two systems."""
    system, baseline = (shlex.quote(f"{name}={file}") for name, file in rated_hypotheses(wildcards).items())
    return f"--system {system} --baseline {baseline}"


def human_study(study):
    """Return the page for raters, if the study has the two systems."""
    return [f"{STUDY}/human_study/page.html".format(study=study.name)] if rated_runs(study) else []
