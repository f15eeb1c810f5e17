"""Names of targets, besides rules and files. No rules.

<study>, <study>_<system>, <study>_<ensemble>, <study>_<baseline>, <study>_table_<name>, <study>_figure_<name>,
<study>_samples, <study>_human_study; tables, figures, samples, human_study: those of all studies; report
"""

OUTPUTS_OF = {"runs": "system", "ensembles": "ensemble", "trivial": "trivial baseline"}
PAGES_OF = {"samples": study_samples, "human_study": human_study}


def targets_of(study):
    """Yield the named targets of a study: (name, what it stands for, files)."""
    yield study.name, f"the study {study.name}", study_results(study)
    for kind, name in dict.fromkeys(tuple(outputs.split("/")[:2]) for outputs in outputs_here(study)):
        yield f"{study.name}_{name}", f"the {OUTPUTS_OF[kind]} {name} of {study.name}", scores_of(study, name)
    for name, pages in PAGES_OF.items():
        yield f"{study.name}_{name}", f"the page {name} of {study.name}", pages(study)
    for kind, displays in displays_of(study).items():
        for name in (one.name.removeprefix("table_") for one in displays):
            what = f"the {kind} {name} of {study.name}"
            yield f"{study.name}_{kind}_{name}", what, [in_folder_of(study, f"{kind}s")]


def targets_of_all():
    """Yield the named targets of all studies: (name, what it stands for, files)."""
    studies = STUDIES.values()
    for study in studies:
        yield from targets_of(study)
    for name in ("tables", "figures"):
        yield name, f"the {name} of all studies", [in_folder_of(study, name) for study in studies]
    for name, pages in PAGES_OF.items():
        yield name, f"the page {name} of all studies", [file for study in studies for file in pages(study)]
    yield "report", "the report of all studies", [REPORT]


TARGETS = files_by_name(targets_of_all())
EMPTY = [name for name, files in TARGETS.items() if not files]
"""Pages that no selected study has."""
TARGETS = {name: files for name, files in TARGETS.items() if files}


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
