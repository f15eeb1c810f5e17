"""What nobody trains and models are measured against: first sentences of documents, sources left as they are.

Leaves <study>/leads/<lead>/hypotheses/<split>.txt and, beside them, scores.json.
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


rule score_lead:
    """Score a lead, and test it against a single model of the full system."""
    input:
        hypotheses=lambda wildcards: lead_hypotheses(wildcards).values(),
        baseline=lambda wildcards: folders_of(reference_beside_lead(wildcards)),
        references=lambda wildcards: scored_with(study_of(wildcards)),
    output:
        scores=f"{LEAD}/scores.json",
        sentences=f"{LEAD}/sentences.npz",
    log:
        f"{LEAD}/score.log",
    benchmark:
        f"{LEAD}/score.benchmark.tsv"
    group:
        "score"
    conda:
        "../../envs/text.yaml"
    threads: lambda wildcards: scoring_threads(study_of(wildcards))
    resources:
        mem_mb=growing(1_500),
        runtime=growing(at_scale(10, paper=60)),
        lane=1,
    params:
        task=lambda wildcards: study_of(wildcards).task,
        language=lambda wildcards: rules_for(study_of(wildcards).target),
        sources=lambda wildcards: named(written_sources(study_of(wildcards))),
        gold=lambda wildcards: named(gold(study_of(wildcards))),
        hypotheses=lambda wildcards: named(lead_hypotheses(wildcards)),
        references=lambda wildcards: named(references(study_of(wildcards))),
        baseline=lambda wildcards: against_reference(study_of(wildcards), reference_beside_lead(wildcards)),
    message:
        "Score {wildcards.lead}"
    shell:
        "python -m seqpre.score --task {params.task} --language {params.language} --workers {threads}"
        " --hypotheses {params.hypotheses} --references {params.references} --sources {params.sources}"
        " --gold {params.gold} {params.baseline} --output {output.scores:q} --sentences {output.sentences:q}"
        " > {log:q} 2>&1"
