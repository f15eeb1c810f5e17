"""From clean text to subword ids.

Leaves subwords/<study>/bpe.model, joint over both languages of the bitext, and a token store a text:
tokens/<study>/<corpus>/<split>.<language>/, memory-mapped by training.
"""


rule learn_bpe:
    """Learn one vocabulary for both sides, from the clean bitext."""
    input:
        lambda wildcards: [bitext(study_of(wildcards), "train", side) for side in ("source", "target")],
    output:
        model=SUBWORDS,
        vocabulary=SUBWORDS.replace("bpe.model", "bpe.vocab"),
    log:
        SUBWORDS.replace("bpe.model", "learn_bpe.log"),
    benchmark:
        SUBWORDS.replace("bpe.model", "learn_bpe.benchmark.tsv")
    group:
        text_group
    conda:
        "../../envs/text.yaml"
    threads: at_scale(1, paper=16)
    resources:
        mem_mb=growing(at_scale(2_000, paper=64_000)),
        runtime=growing(at_scale(10, paper=8 * 60)),
    params:
        vocab_size=lambda wildcards: study_of(wildcards).vocab_size,
    message:
        "Learn {params.vocab_size} subwords"
    shell:
        "python -m seqpre.corpora.learn_bpe --input {input:q} --vocab-size {params.vocab_size} --seed 1"
        " --output {output.model:q} > {log:q} 2>&1"


rule encode:
    """Turn a text into a token store."""
    input:
        text=lambda wildcards: text_of(**wildcards),
        subwords=SUBWORDS,
    output:
        directory(STORE),
    log:
        f"{STORE}.log",
    benchmark:
        f"{STORE}.benchmark.tsv"
    group:
        text_group
    conda:
        "../../envs/text.yaml"
    threads: at_scale(1, paper=16)
    resources:
        mem_mb=growing(at_scale(1_000, paper=16_000)),
        runtime=growing(at_scale(10, paper=8 * 60)),
    message:
        "Encode {wildcards.corpus} {wildcards.split}.{wildcards.language}"
    shell:
        "python -m seqpre.corpora.encode --input {input.text:q} --subwords {input.subwords:q} --workers {threads}"
        " --output {output:q} > {log:q} 2>&1"
