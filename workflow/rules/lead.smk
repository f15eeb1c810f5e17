"""What nobody trains and models are measured against: first sentences of documents, sources left as they are.

Leaves <study>/leads/<lead>/hypotheses/<split>.txt.
"""


localrules:
    lead,
    first_words,
    copy_source,


rule lead:
    """Take the first sentences of each document of a split for its summary."""
    input:
        lambda wildcards: bitext(study_of(wildcards), wildcards.split, "source"),
    output:
        f"{LEAD}/hypotheses/{{split}}.txt",
    log:
        f"{LEAD}/lead.{{split}}.log",
    benchmark:
        f"{LEAD}/lead.{{split}}.benchmark.tsv"
    wildcard_constraints:
        lead=r"lead_\d+",
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=1_000,
        runtime=30,
    params:
        sentences=lambda wildcards: wildcards.lead.removeprefix("lead_"),
    message:
        "Take {params.sentences} sentences of each document of {wildcards.split}"
    shell:
        "python -m seqpre.lead --documents {input:q} --sentences {params.sentences} --output {output:q} > {log:q} 2>&1"


rule first_words:
    """Take the first words of each document of a split for its summary."""
    input:
        lambda wildcards: bitext(study_of(wildcards), wildcards.split, "source"),
    output:
        f"{LEAD}/hypotheses/{{split}}.txt",
    log:
        f"{LEAD}/first_words.{{split}}.log",
    benchmark:
        f"{LEAD}/first_words.{{split}}.benchmark.tsv"
    wildcard_constraints:
        lead=r"words_\d+",
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=1_000,
        runtime=30,
    params:
        words=lambda wildcards: wildcards.lead.removeprefix("words_"),
    message:
        "Take {params.words} words of each document of {wildcards.split}"
    shell:
        "python -m seqpre.lead --documents {input:q} --words {params.words} --output {output:q} > {log:q} 2>&1"


rule copy_source:
    """Take what models read for its own correction."""
    input:
        lambda wildcards: bitext(study_of(wildcards), wildcards.split, "source"),
    output:
        f"{LEAD}/hypotheses/{{split}}.txt",
    log:
        f"{LEAD}/copy_source.{{split}}.log",
    benchmark:
        f"{LEAD}/copy_source.{{split}}.benchmark.tsv"
    wildcard_constraints:
        lead="copied_source",
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=1_000,
        runtime=30,
    message:
        "Copy the sources of {wildcards.split}"
    shell:
        "cp {input:q} {output:q} 2> {log:q}"
