"""From hypotheses to scores, with their signatures, bootstrap intervals and the paired test against the full system.

Leaves scores.json beside the hypotheses of each run and ensemble.
"""

SCORING = {  # options, processes and minutes of each task
    "translation": ("--language {params.target}", 1, 10),
    "summarization": ("--task summarization --workers {threads}", at_scale(1, paper=8), at_scale(10, paper=60)),
}

for task, (options, workers, minutes) in SCORING.items():

    rule:
        """Score all hypotheses of one run, and test them against the full system's."""
        name:
            named_for("score", task)
        input:
            hypotheses=lambda wildcards: folders_of(hypotheses_of(run_of(wildcards))),
            baseline=lambda wildcards: folders_of(hypotheses_of(full_beside(run_of(wildcards)))),
            references=lambda wildcards: references(study_of(wildcards)).values(),
        output:
            f"{RUN}/scores.json",
        log:
            f"{RUN}/score.log",
        benchmark:
            f"{RUN}/score.benchmark.tsv"
        wildcard_constraints:
            study=studies_of(task),
        group:
            "score"
        conda:
            "../../envs/text.yaml"
        threads: workers
        resources:
            mem_mb=growing(1_500),
            runtime=growing(minutes),
            lane=1,
        params:
            target=lambda wildcards: study_of(wildcards).target,
            hypotheses=lambda wildcards: named(hypotheses_of(run_of(wildcards))),
            references=lambda wildcards: named(references(study_of(wildcards))),
            baseline=lambda wildcards: against_full(hypotheses_of(full_beside(run_of(wildcards)))),
        message:
            "Score {wildcards.system} {wildcards.fraction} seed {wildcards.seed}"
        shell:
            f"python -m seqpre.score {options} --hypotheses {{params.hypotheses}}"
            " --references {params.references} {params.baseline} --output {output:q} > {log:q} 2>&1"

    rule:
        """Score an ensemble, and test it against a single model of the full system."""
        name:
            named_for("score_ensemble", task)
        input:
            hypotheses=lambda wildcards: folders_of(ensemble_hypotheses(wildcards)),
            baseline=lambda wildcards: folders_of(single_beside(wildcards)),
            references=lambda wildcards: references(study_of(wildcards)).values(),
        output:
            f"{ENSEMBLE}/scores.json",
        log:
            f"{ENSEMBLE}/score.log",
        benchmark:
            f"{ENSEMBLE}/score.benchmark.tsv"
        wildcard_constraints:
            study=studies_of(task),
        group:
            "score"
        conda:
            "../../envs/text.yaml"
        threads: workers
        resources:
            mem_mb=growing(1_500),
            runtime=growing(minutes),
            lane=1,
        params:
            target=lambda wildcards: study_of(wildcards).target,
            hypotheses=lambda wildcards: named(ensemble_hypotheses(wildcards)),
            references=lambda wildcards: named(references(study_of(wildcards))),
            baseline=lambda wildcards: against_full(single_beside(wildcards)),
        message:
            "Score {wildcards.ensemble}"
        shell:
            f"python -m seqpre.score {options} --hypotheses {{params.hypotheses}}"
            " --references {params.references} {params.baseline} --output {output:q} > {log:q} 2>&1"
