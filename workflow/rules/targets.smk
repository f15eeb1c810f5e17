"""Names for what one may ask for.

<study>, <study>_<system>, <study>_<ensemble>, <study>_<lead>, <study>_table_<name>, <study>_figure_<name>, <study>_samples,
<study>_human_study
"""

for _study in STUDIES.values():

    rule:
        """Everything of one study: scores of all runs, tables, figures, summary."""
        name:
            _study.name
        input:
            study_results(_study),
        localrule: True
        message:
            "{rule} is there"

    for _system in dict.fromkeys(run.system for run in runs_here(_study)):

        rule:
            """One system: its runs over all fractions and seeds, decoded and scored."""
            name:
                f"{_study.name}_{_system}"
            input:
                run_scores(_study, _system),
            localrule: True
            message:
                "{rule} is there"

    for _ensemble in others_here(_study, _study.ensembles):

        rule:
            """One ensemble: its members, chosen, decoded and scored."""
            name:
                f"{_study.name}_{_ensemble}"
            input:
                ensemble_scores(_study, _ensemble),
            localrule: True
            message:
                "{rule} is there"

    for _lead in others_here(_study, _study.untrained):

        rule:
            """The first sentences of each document, scored as summaries."""
            name:
                f"{_study.name}_{_lead}"
            input:
                lead_scores(_study, _lead),
            localrule: True
            message:
                "{rule} is there"

    for _page, _files in (
        ("samples", study_samples(_study)),
        ("human_study", human_study(_study)),
    ):
        if _files:

            rule:
                """Pages for people: samples to look at, or outputs to rate."""
                name:
                    f"{_study.name}_{_page}"
                input:
                    _files,
                localrule: True
                message:
                    "{rule} is there"

    for _kind, _names, _files in (
        ("table", _study.tables, study_tables(_study)),
        ("figure", _study.figures, study_figures(_study)),
    ):
        for _title in _names:

            rule:
                """One table or figure, in all its formats."""
                name:
                    f"{_study.name}_{_kind}_{_title.removeprefix('table_')}"
                input:
                    [file for file in _files if Path(file).stem == _title],
                localrule: True
                message:
                    "{rule} is there"
