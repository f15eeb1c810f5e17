"""From unlabelled text to language models and denoisers.

Leaves lms/<owner>/<lm>/: lm.json (settings), weights/ (the best by validation perplexity, and those after every update
that is kept), metrics.jsonl and summary.json. checkpoints/ is no declared output, so it survives a failed or
interrupted job, and training resumes from it.
"""


localrules:
    resolve_lm,


rule resolve_lm:
    """Write a pretrained model's non-default settings; the file changes only when they do."""
    input:
        changed=if_unrecorded(f"{LM}/lm.json", resolved_lm),
    output:
        f"{LM}/lm.json",
    log:
        f"{LM}/resolve_lm.log",
    conda:
        "../../envs/text.yaml"
    params:
        content=lambda wildcards: json.dumps(resolved_lm(wildcards), indent=2),
    message:
        "Resolve LM {wildcards.lm}"
    shell:
        "printf '%s\\n' {params.content:q} > {output:q} 2> {log:q}"


rule cut_segments:
    """Cut clean text into the sequences that a denoiser is trained on."""
    input:
        text=f"{TEXT}/train.{{language}}",  # a folder
        words=vocabulary_of_owner,
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
        "python -m seqpre.corpora.segments --input {input.text:q}/train.{wildcards.language} --vocabulary {input.words:q} --split {params.split}"
        " --output {output:q} > {log:q} 2>&1"


rule pretrain:
    """Train one language model or denoiser."""
    input:
        settings=f"{LM}/lm.json",
        train=lambda wildcards: lm_text(OWNERS[wildcards.owner], wildcards.lm),
        vocabulary=vocabulary_of_owner,
    output:
        weights=directory(f"{LM}/weights"),
        metrics=f"{LM}/metrics.jsonl",
        summary=f"{LM}/summary.json",
    log:
        f"{LM}/pretrain.log",
    benchmark:
        f"{LM}/pretrain.benchmark.tsv"
    priority: 2  # every run initialised from it waits
    conda:
        "../../envs/torch.yaml"
    threads: lambda wildcards: pretraining_threads(OWNERS[wildcards.owner])
    resources:
        **train_resources(),
        mem_mb=growing(at_scale(4_000, paper=64_000) * PER_NODE),  # of each node
        runtime=at_scale(4 * 60, paper=24 * 60),  # of one job; the next one resumes
    params:
        folder=subpath(output.weights, parent=True),
    message:
        "Pretrain {wildcards.lm}"
    shell:
        f"{train_command('seqpre.pretrain')} "
        "--settings {input.settings:q} --train {input.train:q} --vocabulary {input.vocabulary:q}"
        " --output-dir {params.folder:q}"
        f"{STOP_IN_TIME} > {{log:q}} 2>&1{REQUEUE}"
