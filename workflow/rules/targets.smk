"""Names of targets, besides rules and files. No rules.

<study>, <study>_<system>, <study>_<ensemble>, <study>_<baseline>, <study>_table_<name>, <study>_figure_<name>,
<study>_samples, <study>_human_study; tables, figures, samples, human_study: those of all studies; report
"""


def targets_of(study):
    """Return the named targets of a study, {name: files}."""
    of = {
        name: scores_of(study, name) for name in dict.fromkeys(outputs.split("/")[1] for outputs in outputs_here(study))
    }
    of |= {"samples": study_samples(study), "human_study": human_study(study)}
    for kind, displays in displays_of(study).items():
        of |= {f"{kind}_{one.name.removeprefix('table_')}": [in_folder_of(study, f"{kind}s")] for one in displays}
    return {study.name: study_results(study)} | {f"{study.name}_{name}": files for name, files in of.items() if files}


TARGETS = {
    **{name: files for study in STUDIES.values() for name, files in targets_of(study).items()},
    "tables": [in_folder_of(study, "tables") for study in STUDIES.values()],
    "figures": [in_folder_of(study, "figures") for study in STUDIES.values()],
    "samples": [file for study in STUDIES.values() for file in study_samples(study)],
    "human_study": [file for study in STUDIES.values() for file in human_study(study)],
    "report": [REPORT],
}


def files_in_folders(study):
    """Yield a study's files in folders that rules make as a whole: tables, figures, hypotheses, clean text."""
    for kind, displays in displays_of(study).items():
        for display in displays:
            yield from (f"{in_folder_of(study, kind)}s/{display.name}.{suffix}" for suffix in SUFFIXES[kind])
    for outputs in outputs_here(study):
        yield from hypotheses_of(study, outputs).values()
    for owner in study.owners:
        texts = owner.texts()
        yield from (clean_text(owner.name, corpus, language) for corpus, split, language in texts if split == "train")


IN_FOLDERS = {file: str(Path(file).parent) for study in STUDIES.values() for file in files_in_folders(study)}
IN_FOLDERS |= {f"{DOWNLOADS}/{row.relative_path}": downloaded(row) for row in ROWS if row.generated}
"""Files that are made together with others, {file: the folder that is made as a whole}."""


class WithTargets(type(workflow)):
    """A workflow in which named targets can be requested; rules for all names would hide the rules that compute."""

    @property
    def dag_settings(self):
        return vars(self)["dag_settings"]

    @dag_settings.setter
    def dag_settings(self, settings):
        named = [TARGETS.get(name) or [IN_FOLDERS.get(name, name)] for name in settings.targets]
        settings.targets = list(dict.fromkeys(file for files in named for file in files))
        vars(self)["dag_settings"] = settings


workflow.__class__ = WithTargets
