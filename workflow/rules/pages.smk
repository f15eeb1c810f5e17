"""From hypotheses to pages for people: samples to look at, and a blind page on which two systems are rated.

Leaves <study>/samples/<split>.<fraction>.html and <study>/human_study/ with page.html, key.json. Both only when asked for.
"""


localrules:
    write_samples,
    make_human_study,


rule write_samples:
    """Show the outputs of all systems with one data fraction side by side."""
    input:
        hypotheses=lambda wildcards: folders_of(shown_hypotheses(wildcards)),
        sources=lambda wildcards: scored_source(study_of(wildcards), wildcards.split),
        references=lambda wildcards: bitext(study_of(wildcards), wildcards.split, "target"),
    output:
        report(
            f"{STUDY}/samples/{{split}}.{{fraction}}.html",
            caption="../report/samples.rst",
            category="{study}",
            subcategory="Samples",
            labels={"test": "{split}", "labelled data": "{fraction}"},
        ),
    log:
        f"{STUDY}/samples/{{split}}.{{fraction}}.log",
    benchmark:
        f"{STUDY}/samples/{{split}}.{{fraction}}.benchmark.tsv"
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=1_500,
        runtime=30,
    params:
        task=lambda wildcards: study_of(wildcards).task,
        languages=lambda wildcards: " ".join(study_of(wildcards).sides),
        outputs=lambda wildcards: named(shown_hypotheses(wildcards)),
        title=lambda wildcards: f"{wildcards.study}, {SCALE}: {wildcards.split}, {wildcards.fraction} of the labelled data",
    message:
        "Show samples of {wildcards.split}, {wildcards.fraction}"
    shell:
        "python -m seqpre.samples --task {params.task} --languages {params.languages} --title {params.title:q}"
        " --sources {input.sources:q} --references {input.references:q} --outputs {params.outputs} --output {output:q}"
        " > {log:q} 2>&1"


rule make_human_study:
    """Make the page on which people rate the full system and the one without pretraining, blind.

    Protected: ratings are worthless without the page's key. Remove both files to make another page.
    """
    input:
        hypotheses=lambda wildcards: folders_of(rated_hypotheses(wildcards)),
        documents=lambda wildcards: bitext(study_of(wildcards), study_of(wildcards).tests[0], "source"),
        references=lambda wildcards: bitext(study_of(wildcards), study_of(wildcards).tests[0], "target"),
    output:
        page=protected(f"{STUDY}/human_study/page.html"),
        key=protected(f"{STUDY}/human_study/key.json"),
    log:
        f"{STUDY}/human_study/make.log",
    benchmark:
        f"{STUDY}/human_study/make.benchmark.tsv"
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=1_500,
        runtime=30,
    params:
        languages=lambda wildcards: " ".join(study_of(wildcards).sides),
        systems=rated_systems,
        documents=lambda wildcards: study_of(wildcards).rated_documents or at_scale(200, demo=20),
    message:
        "Make the page for raters of {wildcards.study}"
    shell:
        "python -m seqpre.human_study.make --languages {params.languages} --documents {input.documents:q}"
        " --references {input.references:q} {params.systems}"
        " --sample {params.documents} --page {output.page:q} --key {output.key:q} > {log:q} 2>&1"
