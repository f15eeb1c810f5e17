"""From trained models to text, by beam search.

A job decodes validation text first, which chooses the length penalty and the limits of outputs, and then the tests with
those. A run's folder gets decode.json (search settings) and, for each selection of its checkpoint,
hypotheses/<selection>/<split>.txt with <split>.json (how it was made). An ensemble's folder gets the same, and
ensemble.json (its members and their validation scores). That of a trivial baseline, trivial/<baseline>/, gets
hypotheses/none/<split>.txt.
"""


localrules:
    resolve_decoding,
    select_ensemble,
    write_baseline,


rule resolve_decoding:
    """Write the decoding settings of a run or ensemble; the file changes only when they do."""
    input:
        changed=if_unrecorded(f"{OUTPUTS}/decode.json", resolved_decoding),
    output:
        f"{OUTPUTS}/decode.json",
    log:
        f"{OUTPUTS}/resolve_decoding.log",
    conda:
        "../../envs/text.yaml"
    params:
        content=lambda wildcards: json.dumps(resolved_decoding(wildcards), indent=2),
    message:
        "Write {output}"
    shell:
        "printf '%s\\n' {params.content:q} > {output:q} 2> {log:q}"


rule select_ensemble:
    """Choose the runs that are best on validation text."""
    input:
        summaries=lambda wildcards: [f"{run_folder(run)}/summary.json" for run in ensemble_candidates(wildcards)],
    output:
        f"{ENSEMBLE}/ensemble.json",
    log:
        f"{ENSEMBLE}/select_ensemble.log",
    benchmark:
        f"{ENSEMBLE}/select_ensemble.benchmark.tsv"
    conda:
        "../../envs/text.yaml"
    params:
        folders=lambda wildcards: [run_folder(run) for run in ensemble_candidates(wildcards)],
        keep=lambda wildcards: study_of(wildcards).ensembles[wildcards.ensemble].keep,
        criterion=lambda wildcards: study_of(wildcards).selection,
    message:
        "Choose the members of {wildcards.ensemble}"
    shell:
        "python -m seqpre.choose --candidates {params.folders:q} --keep {params.keep}"
        " --criterion {params.criterion} --output {output:q} > {log:q} 2>&1"


rule decode:
    """Decode validation and tests with a run's model, or with an ensemble's."""
    input:
        weights=lambda wildcards: [f"{run_folder(run)}/weights" for run in models_of(wildcards)],
        members=members_of,
        settings=f"{OUTPUTS}/decode.json",
        subwords=lambda wildcards: subwords_of(models_of(wildcards)[0]),
        texts=lambda wildcards: decoded_texts(study_of(wildcards)).values(),
        references=lambda wildcards: bitext(study_of(wildcards), VALIDATION, "target"),
        more_references=lambda wildcards: more_references(study_of(wildcards)).values(),
        before=decoded_before,  # in sequence, on the GPU of the submission; perhaps with the same weights
    output:
        directory(f"{OUTPUTS}/hypotheses/{{selection}}"),
    log:
        f"{OUTPUTS}/decode.{{selection}}.log",
    benchmark:
        f"{OUTPUTS}/decode.{{selection}}.benchmark.tsv"
    group:
        run_group
    conda:
        "../../envs/torch.yaml"
    threads: at_scale(1, paper=4)
    resources:
        **gpu_resources(at_scale(0, paper=1)),
        mem_mb=growing(at_scale(2_000, paper=16_000), ensemble=2),
        runtime=growing(at_scale(20, paper=180), ensemble=3),
    params:
        models=lambda wildcards, input: input.members or f"{input.weights[0]}/{wildcards.selection}.safetensors",
        texts=lambda wildcards: named(decoded_texts(study_of(wildcards))),
        more_references=lambda wildcards: named(more_references(study_of(wildcards))),
        settled_on=lambda wildcards: named(settled_on(study_of(wildcards))),
        metric=lambda wildcards: TASKS[study_of(wildcards).task].metric,
    message:
        "Decode {wildcards.outputs}, by {wildcards.selection}"
    shell:
        "python -m seqpre.decode --model {params.models:q} --subwords {input.subwords:q} --input {params.texts}"
        " --settings {input.settings:q} --tune valid={input.references:q} {params.more_references}"
        " --tuned-on {params.settled_on} --metric {params.metric} --same-as {input.before:q} --output-dir {output:q} > {log:q} 2>&1"


rule write_baseline:
    """Output the first sentences or words of each source, or all of it."""
    input:
        lambda wildcards: decoded_texts(study_of(wildcards)).values(),
    output:
        directory(f"{TRIVIAL}/hypotheses/none"),
    log:
        f"{TRIVIAL}/write_baseline.log",
    benchmark:
        f"{TRIVIAL}/write_baseline.benchmark.tsv"
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=1_000,
        runtime=30,
    params:
        texts=lambda wildcards: named(decoded_texts(study_of(wildcards))),
    message:
        "Take {wildcards.baseline} of each source"
    shell:
        "python -m seqpre.baseline --sources {params.texts} --take {wildcards.baseline} --output-dir {output:q} > {log:q} 2>&1"
