"""From scores to tables, figures and a summary, with the published numbers.

Leaves <study>/tables, <study>/figures and <study>/summary.md; and report.html, one page of all studies at the scale.
"""


localrules:
    describe_study,
    summarise,
    write_report,


rule describe_study:
    """Write the study in the form that its report reads; the file changes only when its content does."""
    input:
        changed=if_unrecorded(f"{STUDY}/{STUDY_FILE}", described_study),
    output:
        f"{STUDY}/{STUDY_FILE}",
    log:
        f"{STUDY}/describe_study.log",
    conda:
        "../../envs/text.yaml"
    params:
        content=lambda wildcards: json.dumps(described_study(wildcards), indent=1),
    message:
        "Describe {wildcards.study}"
    shell:
        "printf '%s\\n' {params.content:q} > {output:q} 2> {log:q}"


rule write_tables:
    """Write all tables of a study, with the source of every number."""
    input:
        scores=lambda wildcards: all_scores(study_of(wildcards)),
        pretrained=lambda wildcards: pretrained_here(study_of(wildcards)),
        texts=lambda wildcards: counts_of_texts(study_of(wildcards)),
        ratings=lambda wildcards: rating_tables(study_of(wildcards)),
        study=f"{STUDY}/{STUDY_FILE}",
        published=PUBLISHED,
        paper=lambda wildcards: paper_file(study_of(wildcards)),
    output:
        report(
            directory(f"{STUDY}/tables"),
            patterns=["{name}.{format,md|csv}"],
            caption="../report/table.rst",
            category="{study}",
            subcategory="Tables",
            labels={"table": "{name}", "format": "{format}"},
        ),
    log:
        f"{STUDY}/tables.log",
    benchmark:
        f"{STUDY}/tables.benchmark.tsv"
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1_500,
        runtime=30,
    params:
        folder=subpath(output[0], parent=True),
        root=ROOT,
    message:
        "Write the tables of {wildcards.study}"
    shell:
        "python -m seqpre.report.tables {params.folder:q} --checkout {params.root:q} > {log:q} 2>&1"


rule draw_figures:
    """Draw all figures of a study."""
    input:
        scores=lambda wildcards: all_scores(study_of(wildcards)),
        study=f"{STUDY}/{STUDY_FILE}",
        published=PUBLISHED,
        paper=lambda wildcards: paper_file(study_of(wildcards)),
    output:
        report(
            directory(f"{STUDY}/figures"),
            patterns=["{name}.png"],
            caption="../report/figure.rst",
            category="{study}",
            subcategory="Figures",
            labels={"figure": "{name}"},
        ),
    log:
        f"{STUDY}/figures.log",
    benchmark:
        f"{STUDY}/figures.benchmark.tsv"
    localrule: True
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1_500,
        runtime=30,
    params:
        folder=subpath(output[0], parent=True),
        root=ROOT,
    message:
        "Draw the figures of {wildcards.study}"
    shell:
        "python -m seqpre.report.figures {params.folder:q} --checkout {params.root:q} > {log:q} 2>&1"


rule summarise:
    """Write a one-page summary of the results, with links to tables and figures."""
    input:
        scores=lambda wildcards: all_scores(study_of(wildcards)),
        tables=f"{STUDY}/tables",
        figures=f"{STUDY}/figures",
        study=f"{STUDY}/{STUDY_FILE}",
        published=PUBLISHED,
        paper=lambda wildcards: paper_file(study_of(wildcards)),
    output:
        report(
            f"{STUDY}/summary.md",
            caption="../report/summary.rst",
            category="{study}",
            labels={"summary": "summary"},
        ),
    log:
        f"{STUDY}/summary.log",
    benchmark:
        f"{STUDY}/summary.benchmark.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1_500,
        runtime=30,
    params:
        folder=subpath(output[0], parent=True),
        root=ROOT,
    message:
        "Summarise {wildcards.study}"
    shell:
        "python -m seqpre.report.summary {params.folder:q} --checkout {params.root:q} > {log:q} 2>&1"


rule write_report:
    """Put all existing results on one page; nothing is run for it, and studies without runs are listed as such."""
    input:
        published=PUBLISHED,
        declared=sorted((*ROOT.glob("workflow/studies/*.yaml"), *ROOT.glob("workflow/papers/*.yaml"))),
        titles=ROOT / "workflow/corpus_titles.tsv",
        corpora=ROOT / "workflow/corpora.tsv",
        own=[file for file in config["studies"] if str(file).endswith(".yaml")],
    output:
        report(REPORT, caption="../report/page.rst", category="All studies", labels={"page": "report"}),
    log:
        f"{RESULTS}/{SCALE}/report.log",
    benchmark:
        f"{RESULTS}/{SCALE}/report.benchmark.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1_500,
        runtime=30,
    params:
        scale=SCALE,
        folder=subpath(output[0], parent=True),
        root=ROOT,
        results=lambda wildcards: results_there(),
    message:
        "Write the report of what is there"
    shell:
        "python -m seqpre.report.pages.report --scale {params.scale} --results {params.folder:q} --checkout {params.root:q}"
        " --studies {input.own:q} --output {output:q} > {log:q} 2>&1"
