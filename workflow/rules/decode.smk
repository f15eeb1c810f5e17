"""From trained models to text, by beam search.

Validation comes first and settles the length penalty and the limits of outputs; the tests are decoded with those, by
the same job. Leaves decode.json (how to search) beside run.json, and hypotheses/<selection>/ (what chose the checkpoint)
with <split>.txt and a <split>.json of how each was made; for ensembles ensemble.json, who was chosen and why,
decode.json and hypotheses/.
"""


localrules:
    resolve_decoding,


rule resolve_decoding:
    """Write how a run or ensemble is decoded; the file changes only when its settings do."""
    output:
        f"{STUDY}/{{decoded}}/decode.json",
    log:
        f"{STUDY}/{{decoded}}/resolve_decoding.log",
    conda:
        "../../envs/text.yaml"
    params:
        content=lambda wildcards: json.dumps(differences(decoding_of(wildcards), DecodeSettings()), indent=2),
    message:
        "Write {output}"
    shell:
        "printf '%s\\n' {params.content:q} > {output:q} 2> {log:q}"


rule decode:
    """Decode validation and tests with one run's model."""
    input:
        weights=f"{RUN}/weights",
        settings=f"{RUN}/decode.json",
        subwords=lambda wildcards: subwords_of(run_of(wildcards)),
        texts=lambda wildcards: decoded_texts(study_of(wildcards)).values(),
        references=lambda wildcards: bitext(study_of(wildcards), "valid", "target"),
        more_references=lambda wildcards: more_references(study_of(wildcards)).values(),
        before=decoded_before,  # one after the other, on the GPU that the submission has; of the same weights perhaps
    output:
        directory(f"{RUN}/hypotheses/{{selection}}"),
    log:
        f"{RUN}/decode.{{selection}}.log",
    benchmark:
        f"{RUN}/decode.{{selection}}.benchmark.tsv"
    group:
        RUN_GROUP
    conda:
        "../../envs/torch.yaml"
    threads: at_scale(1, paper=4)
    resources:
        mem_mb=growing(at_scale(2_000, paper=16_000)),
        runtime=growing(at_scale(20, paper=180)),
        gpu=at_scale(0, paper=1),
    params:
        texts=lambda wildcards: named(decoded_texts(study_of(wildcards))),
        more_references=lambda wildcards: named(more_references(study_of(wildcards))),
        settled_on=lambda wildcards: named(settled_on(study_of(wildcards))),
        metric=lambda wildcards: TASKS[study_of(wildcards).task].metric,
    message:
        "Decode {wildcards.system} {wildcards.fraction} seed {wildcards.seed}, by {wildcards.selection}"
    shell:
        "python -m seqpre.decode --model {input.weights:q}/{wildcards.selection}.safetensors --subwords {input.subwords:q} --input {params.texts}"
        " --settings {input.settings:q} --tune valid={input.references:q} {params.more_references}"
        " --tuned-on {params.settled_on} --metric {params.metric} --same-as {input.before:q} --output-dir {output:q} > {log:q} 2>&1"


rule select_ensemble:
    """Choose the runs that are best on validation text."""
    input:
        summaries=lambda wildcards: [f"{run_folder(run)}/summary.json" for run in candidates(wildcards)],
    output:
        about=f"{ENSEMBLE}/ensemble.json",
        models=f"{ENSEMBLE}/members.txt",
    log:
        f"{ENSEMBLE}/select_ensemble.log",
    benchmark:
        f"{ENSEMBLE}/select_ensemble.benchmark.tsv"
    localrule: True
    conda:
        "../../envs/text.yaml"
    params:
        folders=lambda wildcards: [run_folder(run) for run in candidates(wildcards)],
        keep=lambda wildcards: study_of(wildcards).ensembles[wildcards.ensemble].keep,
        criterion=lambda wildcards: study_of(wildcards).selection,
    message:
        "Choose the members of {wildcards.ensemble}"
    shell:
        "python -m seqpre.select_ensemble --candidates {params.folders:q} --keep {params.keep}"
        " --criterion {params.criterion} --output {output.about:q} --models {output.models:q} > {log:q} 2>&1"


rule decode_ensemble:
    """Decode validation and tests with an ensemble."""
    input:
        models=f"{ENSEMBLE}/members.txt",
        settings=f"{ENSEMBLE}/decode.json",
        weights=lambda wildcards: [f"{run_folder(run)}/weights" for run in candidates(wildcards)],
        subwords=lambda wildcards: subwords_of(candidates(wildcards)[0]),
        texts=lambda wildcards: decoded_texts(study_of(wildcards)).values(),
        references=lambda wildcards: bitext(study_of(wildcards), "valid", "target"),
        more_references=lambda wildcards: more_references(study_of(wildcards)).values(),
    output:
        directory(f"{ENSEMBLE}/hypotheses"),
    log:
        f"{ENSEMBLE}/decode.log",
    benchmark:
        f"{ENSEMBLE}/decode.benchmark.tsv"
    conda:
        "../../envs/torch.yaml"
    threads: at_scale(1, paper=4)
    resources:
        mem_mb=growing(at_scale(3_000, paper=32_000)),
        runtime=growing(at_scale(60, paper=480)),
        gpu=at_scale(0, paper=1),
    params:
        texts=lambda wildcards: named(decoded_texts(study_of(wildcards))),
        more_references=lambda wildcards: named(more_references(study_of(wildcards))),
        settled_on=lambda wildcards: named(settled_on(study_of(wildcards))),
        metric=lambda wildcards: TASKS[study_of(wildcards).task].metric,
    message:
        "Decode {wildcards.ensemble}"
    shell:
        "mapfile -t models < {input.models:q};"
        ' python -m seqpre.decode --model "${{models[@]}}" --subwords {input.subwords:q} --input {params.texts}'
        " --settings {input.settings:q} --tune valid={input.references:q} {params.more_references}"
        " --tuned-on {params.settled_on} --metric {params.metric} --output-dir {output:q} > {log:q} 2>&1"
