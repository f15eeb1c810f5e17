"""From language models and bitext to trained runs.

Leaves <study>/runs/<system>/<fraction>/seed<k>/: run.json, weights/ (the checkpoints chosen by validation perplexity
and, if it is measured, by validation score; the mean of the last ones, if a study asks for it), metrics.jsonl,
summary.json and transfer.md. checkpoints/ is no declared output, so it survives a failed or interrupted job, and
training resumes from it.
"""


localrules:
    resolve_run,
    choose_settings,


rule resolve_run:
    """Write a run's non-default settings, with the tuned ones; the file changes only when they do."""
    input:
        choice=tuned_settings,
        changed=if_unrecorded(f"{RUN}/run.json", resolved_run),
    output:
        f"{RUN}/run.json",
    log:
        f"{RUN}/resolve_run.log",
    conda:
        "../../envs/text.yaml"
    params:
        declared=run_to_json,
        content=lambda wildcards, input: json.dumps(run_to_json(wildcards, input.choice), indent=2),
    message:
        "Resolve {wildcards.system} {wildcards.fraction} seed {wildcards.seed}"
    shell:
        "printf '%s\\n' {params.content:q} > {output:q} 2> {log:q}"


rule choose_settings:
    """Tune a system's settings on validation text, for one fraction or for all."""
    input:
        lambda wildcards: [f"{folder}/summary.json" for folder in candidates_for(wildcards)],
    output:
        f"{STUDY}/tuning/{{choice}}.json",
    log:
        f"{STUDY}/tuning/{{choice}}.log",
    wildcard_constraints:
        study=f"(?!(?:{one_of(RESTORED_CHOICES)})$)(?:{one_of(STUDIES)})",  # restored choices are source files
    conda:
        "../../envs/text.yaml"
    params:
        folders=candidates_for,
        settings=lambda wildcards: list(study_of(wildcards).tuning.tried(wildcards.choice.partition("/")[0])),
        criterion=lambda wildcards: study_of(wildcards).selection,
    message:
        "Choose {params.settings} of {wildcards.choice}"
    shell:
        "python -m seqpre.choose --candidates {params.folders:q} --settings {params.settings:q}"
        " --criterion {params.criterion} --output {output:q} > {log:q} 2>&1"


rule finetune:
    """Train one run."""
    input:
        unpack(training_data),
        run=f"{RUN}/run.json",
        subwords=lambda wildcards: subwords_of(run_of(wildcards)),
        lms=lambda wildcards: folders_of(initial_lms(wildcards)),
        lm_texts=lambda wildcards: objective_texts(wildcards).values(),
    output:
        weights=directory(f"{RUN}/weights"),
        metrics=f"{RUN}/metrics.jsonl",
        transfer=f"{RUN}/transfer.md",
        summary=f"{RUN}/summary.json",
    log:
        f"{RUN}/finetune.log",
    benchmark:
        f"{RUN}/finetune.benchmark.tsv"
    priority: 1
    group:
        TRAINING_GROUP
    conda:
        "../../envs/torch.yaml"
    threads: at_scale(1, paper=8) * PER_NODE
    resources:
        **train_resources(),
        mem_mb=growing(at_scale(2_000, small=4_000, paper=48_000) * PER_NODE),  # of each node
        runtime=at_scale(4 * 60, paper=24 * 60),  # of one job; the next one resumes
    params:
        folder=subpath(output.weights, parent=True),
        lms=lambda wildcards: named(initial_lms(wildcards)),
        lm_texts=lambda wildcards: named(objective_texts(wildcards)),
    message:
        "Fine-tune {wildcards.system} {wildcards.fraction} seed {wildcards.seed}"
    shell:
        f"{train_command('seqpre.finetune')} "
        "--run {input.run:q} --source {input.source:q} --target {input.target:q}"
        " --valid-source {input.valid_source:q} --valid-target {input.valid_target:q} --subwords {input.subwords:q}"
        " --valid-references {input.valid_references:q} --valid-sources {input.valid_sources:q}"
        " --lm {params.lms} --lm-text {params.lm_texts} --output-dir {params.folder:q}"
        f"{STOP_IN_TIME} > {{log:q}} 2>&1{REQUEUE}"
