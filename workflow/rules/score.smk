"""From hypotheses to scores, with signatures, bootstrap intervals and the paired test against the reference.

Leaves scores.json and sentences.npz, the statistics of every sentence, beside the hypotheses of each run, ensemble and
trivial baseline.
"""


rule score:
    """Score all hypotheses of a run, an ensemble or a trivial baseline, and test them against the reference's."""
    input:
        hypotheses=lambda wildcards: folders_of(hypotheses_of(study_of(wildcards), wildcards.outputs)),
        baseline=lambda wildcards: folders_of(reference_beside(wildcards)),
        references=lambda wildcards: scored_with(study_of(wildcards)),
        # not read; triggers an interrupted training, whose old hypotheses still exist
        trained=lambda wildcards: f"{OUTPUTS}/summary.json" if run_of(wildcards) else [],
    output:
        scores=f"{OUTPUTS}/{SCORES}",
        sentences=f"{OUTPUTS}/sentences.npz",
    log:
        f"{OUTPUTS}/score.log",
    benchmark:
        f"{OUTPUTS}/score.benchmark.tsv"
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
        hypotheses=lambda wildcards: named(hypotheses_of(study_of(wildcards), wildcards.outputs)),
        references=lambda wildcards: named(references(study_of(wildcards))),
        baseline=lambda wildcards: against_reference(study_of(wildcards), reference_beside(wildcards)),
        # a parameter computed from `input` never triggers a rerun; this one only affects what is printed
        counts=lambda wildcards, input: what_counts(study_of(wildcards), wildcards.outputs),
    message:
        "Score {wildcards.outputs}"
    shell:
        "python -m seqpre.score --task {params.task} --language {params.language} --workers {threads}"
        " --hypotheses {params.hypotheses} --references {params.references} --sources {params.sources}"
        " --gold {params.gold} {params.baseline} --counts {params.counts:q} --output {output.scores:q} --sentences {output.sentences:q}"
        " > {log:q} 2>&1"
