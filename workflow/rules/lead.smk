"""What nobody trains and models are measured against: first sentences or words of documents, sources left as they are.

Leaves <study>/leads/<lead>/hypotheses/<split>.txt.
"""


localrules:
    take_lead,


rule take_lead:
    """Take the first sentences or words of each source of a split, or all of it, for its output."""
    input:
        lambda wildcards: bitext(study_of(wildcards), wildcards.split, "source"),
    output:
        f"{LEAD}/hypotheses/{{split}}.txt",
    log:
        f"{LEAD}/take_lead.{{split}}.log",
    benchmark:
        f"{LEAD}/take_lead.{{split}}.benchmark.tsv"
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=1_000,
        runtime=30,
    message:
        "Take {wildcards.lead} of each source of {wildcards.split}"
    shell:
        "python -m seqpre.lead --sources {input:q} --take {wildcards.lead} --output {output:q} > {log:q} 2>&1"
