"""From unlabelled text to language models.

Leaves lms/<study>/<lm>/: lm.json (settings), model.safetensors, metrics.jsonl; checkpoints/ is no declared output, so it
survives a failed or interrupted job and training goes on from it.
"""


localrules:
    resolve_lm,


rule resolve_lm:
    """Write what is particular about a language model; the file changes only when its settings do."""
    output:
        f"{LM}/lm.json",
    log:
        f"{LM}/resolve_lm.log",
    conda:
        "../../envs/text.yaml"
    params:
        content=lambda wildcards: json.dumps(lm_to_json(study_of(wildcards), wildcards.lm), indent=2),
    message:
        "Resolve LM {wildcards.lm}"
    shell:
        "printf '%s\\n' {params.content:q} > {output:q} 2> {log:q}"


rule pretrain_lm:
    """Train one language model."""
    input:
        settings=f"{LM}/lm.json",
        train=lambda wildcards: lm_text(study_of(wildcards), wildcards.lm),
    output:
        model=f"{LM}/model.safetensors",
        metrics=f"{LM}/metrics.jsonl",
        summary=f"{LM}/summary.json",
    log:
        f"{LM}/pretrain.log",
    benchmark:
        f"{LM}/pretrain.benchmark.tsv"
    priority: 2  # every run that is initialised from it waits
    conda:
        "../../envs/torch.yaml"
    threads: at_scale(1, paper=8) * PER_NODE
    resources:
        **train_resources(),
        mem_mb=growing(at_scale(2_000, paper=64_000)),
        runtime=at_scale(4 * 60, paper=24 * 60),  # of one job; the next one goes on
    params:
        folder=subpath(output.model, parent=True),
        vocab_size=lambda wildcards: study_of(wildcards).vocab_size,
    message:
        "Pretrain LM {wildcards.lm}"
    shell:
        f"{train_command('seqpre.pretrain')} "
        "--settings {input.settings:q} --train {input.train:q}"
        " --vocab-size {params.vocab_size} --output-dir {params.folder:q}"
        " ${{SLURM_JOB_ID:+--stop-after {resources.runtime}}} > {log:q} 2>&1"
        f"{REQUEUE}"
