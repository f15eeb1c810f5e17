"""From hypotheses to scores, with signatures, bootstrap intervals and the paired test against the full system.

Leaves scores.json and sentences.npz, the statistics of every sentence, beside the hypotheses of each run, ensemble and lead.
"""


rule score:
    """Score all hypotheses of one run, and test them against the full system's."""
    input:
        hypotheses=lambda wildcards: folders_of(hypotheses_of(run_of(wildcards))),
        baseline=lambda wildcards: folders_of(hypotheses_of(reference_beside(run_of(wildcards)))),
        references=lambda wildcards: scored_with(study_of(wildcards)),
        # not read: asks for a training that was broken off, whose former hypotheses are still there
        trained=f"{RUN}/summary.json",
    output:
        scores=f"{RUN}/scores.json",
        sentences=f"{RUN}/sentences.npz",
    log:
        f"{RUN}/score.log",
    benchmark:
        f"{RUN}/score.benchmark.tsv"
    group:
        "score"
    conda:
        "../../envs/text.yaml"
    threads: lambda wildcards: scoring_threads(study_of(wildcards))
    resources:
        mem_mb=growing(1_500),
        runtime=growing(at_scale(10, paper=60)),
        lane=1,
    params:
        task=lambda wildcards: study_of(wildcards).task,
        language=lambda wildcards: rules_for(study_of(wildcards).target),
        sources=lambda wildcards: named(scored_sources(study_of(wildcards))),
        gold=lambda wildcards: named(gold(study_of(wildcards))),
        hypotheses=lambda wildcards: named(hypotheses_of(run_of(wildcards))),
        references=lambda wildcards: named(references(study_of(wildcards))),
        baseline=lambda wildcards: against_reference(
            study_of(wildcards), hypotheses_of(reference_beside(run_of(wildcards)))
        ),
        # `input`: a parameter made from it never scores again, and what this one changes is printed only
        counts=lambda wildcards, input: what_counts(study_of(wildcards), study_of(wildcards).selection),
    message:
        "Score {wildcards.system} {wildcards.fraction} seed {wildcards.seed}"
    shell:
        "python -m seqpre.score --task {params.task} --language {params.language} --workers {threads}"
        " --hypotheses {params.hypotheses} --references {params.references} --sources {params.sources}"
        " --gold {params.gold} {params.baseline} --counts {params.counts:q} --output {output.scores:q} --sentences {output.sentences:q}"
        " > {log:q} 2>&1"


use rule score as score_ensemble with:
    """Score an ensemble, and test it against a single model of the full system."""
    input:
        hypotheses=lambda wildcards: folders_of(ensemble_hypotheses(wildcards)),
        baseline=lambda wildcards: folders_of(single_beside(wildcards)),
        references=lambda wildcards: scored_with(study_of(wildcards)),
    output:
        scores=f"{ENSEMBLE}/scores.json",
        sentences=f"{ENSEMBLE}/sentences.npz",
    log:
        f"{ENSEMBLE}/score.log",
    benchmark:
        f"{ENSEMBLE}/score.benchmark.tsv"
    params:
        hypotheses=lambda wildcards: named(ensemble_hypotheses(wildcards)),
        baseline=lambda wildcards: against_reference(study_of(wildcards), single_beside(wildcards)),
    message:
        "Score {wildcards.ensemble}"


use rule score as score_lead with:
    """Score a lead, and test it against a single model of the full system."""
    input:
        hypotheses=lambda wildcards: lead_hypotheses(wildcards).values(),
        baseline=lambda wildcards: folders_of(reference_beside_lead(wildcards)),
        references=lambda wildcards: scored_with(study_of(wildcards)),
    output:
        scores=f"{LEAD}/scores.json",
        sentences=f"{LEAD}/sentences.npz",
    log:
        f"{LEAD}/score.log",
    benchmark:
        f"{LEAD}/score.benchmark.tsv"
    params:
        hypotheses=lambda wildcards: named(lead_hypotheses(wildcards)),
        baseline=lambda wildcards: against_reference(study_of(wildcards), reference_beside_lead(wildcards)),
        counts=lambda wildcards, input: what_counts(study_of(wildcards), "none"),
    message:
        "Score {wildcards.lead}"
