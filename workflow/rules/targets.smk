"""Names for what one may ask for: <study>, <study>_<system>, <study>_<ensemble>."""

for _study in STUDIES.values():

    rule:
        name:
            _study.name
        """Everything of one study: scores of all runs, tables, figures, summary."""
        input:
            study_results(_study),
        localrule: True
        message:
            "{rule} is there"

    for _system in dict.fromkeys(run.system for run in declared_runs(_study)):

        rule:
            name:
                f"{_study.name}_{_system}"
            """One system: its runs over all fractions and seeds, decoded and scored."""
            input:
                run_scores(_study, _system),
            localrule: True
            message:
                "{rule} is there"

    for _ensemble in _study.ensembles:

        rule:
            name:
                f"{_study.name}_{_ensemble}"
            """One ensemble: its members, chosen, decoded and scored."""
            input:
                ensemble_scores(_study, _ensemble),
            localrule: True
            message:
                "{rule} is there"
