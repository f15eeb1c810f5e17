"""From a reverse model to more pairs, in the folder of the run that reads them: pairs/{source,target}."""


rule backtranslate:
    """Append target text and its back-translation to a run's pairs."""
    input:
        run=f"{RUN}/run.json",
        weights=lambda wildcards: f"{run_folder(translator_of(wildcards))}/weights",
        subwords=lambda wildcards: subwords_of(translator_of(wildcards)),
        source=lambda wildcards: side_store(study_of(wildcards), run_of(wildcards), "train", "source"),
        target=lambda wildcards: side_store(study_of(wildcards), run_of(wildcards), "train", "target"),
        text=translated_text,
    output:
        source=directory(f"{RUN}/pairs/source"),
        target=directory(f"{RUN}/pairs/target"),
    log:
        f"{RUN}/backtranslate.log",
    benchmark:
        f"{RUN}/backtranslate.benchmark.tsv"
    conda:
        "../../envs/torch.yaml"
    threads: at_scale(1, paper=4)
    resources:
        **gpu_resources(at_scale(0, paper=1)),
        mem_mb=growing(at_scale(2_000, paper=16_000)),
        runtime=growing(at_scale(4 * 60, paper=24 * 60)),
    params:
        folder=subpath(output.source, parent=True),
        selection=lambda wildcards: study_of(wildcards).selection,
        beam=lambda wildcards: run_of(wildcards).settings.decode.beam,
    message:
        "Translate text for {wildcards.system} {wildcards.fraction} seed {wildcards.seed}"
    shell:
        "python -m seqpre.backtranslate --run {input.run:q} --model {input.weights:q}/{params.selection}.safetensors"
        " --subwords {input.subwords:q}"
        " --source {input.source:q} --target {input.target:q} --text {input.text:q} --beam {params.beam}"
        " --output-dir {params.folder:q} > {log:q} 2>&1"
