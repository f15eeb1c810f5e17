"""From unlabelled text to language models and denoisers.

Leaves lms/<owner>/<lm>/: lm.json (settings), model.safetensors, model@<update>.safetensors of every update that is kept,
metrics.jsonl; checkpoints/ is no declared output, so it survives a failed or interrupted job and training goes on from it.
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
        content=lambda wildcards: json.dumps(lm_to_json(OWNERS[wildcards.owner], wildcards.lm), indent=2),
    message:
        "Resolve LM {wildcards.lm}"
    shell:
        "printf '%s\\n' {params.content:q} > {output:q} 2> {log:q}"


for training, (module, kept, owners) in PRETRAINING_RULES.items():

    rule:
        """Train one language model."""
        name:
            training
        input:
            settings=f"{LM}/lm.json",
            train=lambda wildcards: lm_text(OWNERS[wildcards.owner], wildcards.lm),
        output:
            *[f"{LM}/{weights_of(f'@{update}')}" for update in kept],
            model=f"{LM}/model.safetensors",
            metrics=f"{LM}/metrics.jsonl",
            summary=f"{LM}/summary.json",
        log:
            f"{LM}/pretrain.log",
        benchmark:
            f"{LM}/pretrain.benchmark.tsv"
        wildcard_constraints:
            owner=one_of(owners),
        priority: 2  # every run that is initialised from it waits
        conda:
            "../../envs/torch.yaml"
        threads: at_scale(1, paper=8) * PER_NODE
        resources:
            **train_resources(),
            mem_mb=growing(at_scale(2_000, paper=64_000)),
            runtime=at_scale(4 * 60, paper=24 * 60),  # of one job; the next one goes on
        params:
            module=module,  # a job reads the shell command when the loop is over
            folder=subpath(output.model, parent=True),
            vocab_size=lambda wildcards: OWNERS[wildcards.owner].vocabularies[""].size,
        message:
            "Pretrain LM {wildcards.lm}"
        shell:
            f"{train_command('{params.module}')} "
            "--settings {input.settings:q} --train {input.train:q}"
            " --vocab-size {params.vocab_size} --output-dir {params.folder:q}"
            " ${{SLURM_JOB_ID:+--stop-after {resources.runtime}}} > {log:q} 2>&1"
            f"{REQUEUE}"


rule cut_segments:
    """Cut clean text into the sequences that a denoiser is trained on."""
    input:
        text=f"{TEXT}/train.{{language}}",
        words=words_of_owner,
    output:
        f"{TEXT}/{SEGMENTS}.{{language}}",
    log:
        f"{TEXT}/{SEGMENTS}.{{language}}.log",
    benchmark:
        f"{TEXT}/{SEGMENTS}.{{language}}.benchmark.tsv"
    wildcard_constraints:
        owner=one_of(name for name, owner in PRETRAININGS.items() if denoises(owner)),
    group:
        text_group
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(at_scale(1_000, paper=4_000)),
        runtime=growing(at_scale(10, paper=8 * 60)),
    params:
        split=lambda wildcards: OWNERS[wildcards.owner].lm_settings.segment,
    message:
        "Cut {wildcards.corpus} into segments of {params.split} words"
    shell:
        "python -m seqpre.corpora.segments --input {input.text:q} --vocabulary {input.words:q} --split {params.split}"
        " --output {output:q} > {log:q} 2>&1"


for training, (module, kept, owners) in DENOISING_RULES.items():

    rule:
        """Train one denoiser."""
        name:
            training
        input:
            settings=f"{LM}/lm.json",
            train=lambda wildcards: lm_text(OWNERS[wildcards.owner], wildcards.lm),
            words=words_of_owner,
        output:
            *[f"{LM}/{weights_of(f'@{update}')}" for update in kept],
            model=f"{LM}/model.safetensors",
            metrics=f"{LM}/metrics.jsonl",
            summary=f"{LM}/summary.json",
        log:
            f"{LM}/denoise.log",
        benchmark:
            f"{LM}/denoise.benchmark.tsv"
        wildcard_constraints:
            owner=one_of(owners),
        priority: 2  # every run that is initialised from it waits
        conda:
            "../../envs/torch.yaml"
        threads: at_scale(1, small=2, paper=8) * PER_NODE  # at the small scale everything waits for it
        resources:
            **train_resources(),
            mem_mb=growing(at_scale(4_000, paper=64_000)),
            runtime=at_scale(4 * 60, paper=24 * 60),  # of one job; the next one goes on
        params:
            module=module,  # a job reads the shell command when the loop is over
            folder=subpath(output.model, parent=True),
        message:
            "Pretrain {wildcards.lm}"
        shell:
            f"{train_command('{params.module}')} "
            "--settings {input.settings:q} --train {input.train:q} --vocabulary {input.words:q}"
            " --output-dir {params.folder:q}"
            " ${{SLURM_JOB_ID:+--stop-after {resources.runtime}}} > {log:q} 2>&1"
            f"{REQUEUE}"
