"""From trained models to text, by beam search.

Validation comes first and settles the length penalty and the limits of outputs; the tests are decoded with those, by
the same job. Leaves hypotheses/<selection>/ (what chose the checkpoint) with <split>.txt and a <split>.json of how each
was made; for ensembles ensemble.json, who was chosen and why, and hypotheses/.
"""


rule decode:
    """Decode validation and tests with one run's model."""
    input:
        model=lambda wildcards: f"{RUN}/{SELECTIONS[wildcards.selection]}",
        subwords=SUBWORDS,
        texts=lambda wildcards: decoded_texts(study_of(wildcards)).values(),
        references=lambda wildcards: bitext(study_of(wildcards), "valid", "target"),
        before=decoded_before,  # one after the other, on the GPU that the submission has
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
        beam=lambda wildcards: decode_settings(wildcards).beam,
        batch_sentences=lambda wildcards: decode_settings(wildcards).batch_sentences,
        search=lambda wildcards: search_options(study_of(wildcards), run_of(wildcards).settings),
    message:
        "Decode {wildcards.system} {wildcards.fraction} seed {wildcards.seed}, by {wildcards.selection}"
    shell:
        "python -m seqpre.decode --model {input.model:q} --subwords {input.subwords:q} --input {params.texts}"
        " --tune valid={input.references:q} --length-penalties {params.search}"
        " --beam {params.beam} --batch-sentences {params.batch_sentences}"
        " --output-dir {output:q} > {log:q} 2>&1"


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
        keep=ensemble_choice,
    message:
        "Choose the members of {wildcards.ensemble}"
    shell:
        "python -m seqpre.select_ensemble --candidates {params.folders:q} --keep {params.keep}"
        " --output {output.about:q} --models {output.models:q} > {log:q} 2>&1"


rule decode_ensemble:
    """Decode validation and tests with an ensemble."""
    input:
        models=f"{ENSEMBLE}/members.txt",
        weights=lambda wildcards: [
            f"{run_folder(run)}/{SELECTIONS[study_of(wildcards).selection]}" for run in candidates(wildcards)
        ],
        subwords=SUBWORDS,
        texts=lambda wildcards: decoded_texts(study_of(wildcards)).values(),
        references=lambda wildcards: bitext(study_of(wildcards), "valid", "target"),
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
        beam=lambda wildcards: study_of(wildcards).base.decode.beam,
        batch_sentences=lambda wildcards: study_of(wildcards).base.decode.batch_sentences,
        search=lambda wildcards: search_options(study_of(wildcards), study_of(wildcards).base),
    message:
        "Decode {wildcards.ensemble}"
    shell:
        "mapfile -t models < {input.models:q};"
        ' python -m seqpre.decode --model "${{models[@]}}" --subwords {input.subwords:q} --input {params.texts}'
        " --tune valid={input.references:q} --length-penalties {params.search}"
        " --beam {params.beam} --batch-sentences {params.batch_sentences}"
        " --output-dir {output:q} > {log:q} 2>&1"
