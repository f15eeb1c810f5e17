"""From scores to tables, figures and a summary, ours beside the published numbers.

Leaves <study>/tables, <study>/figures and <study>/summary.md; and report.html, one page of all studies at the scale.
"""


localrules:
    list_runs,
    summarise,
    write_report,


rule list_runs:
    """Write which runs the study declares; the file changes only when they do."""
    output:
        f"{STUDY}/runs.json",
    log:
        f"{STUDY}/list_runs.log",
    conda:
        "../../envs/text.yaml"
    params:
        content=lambda wildcards: json.dumps(runs_to_json(study_of(wildcards)), indent=1),
    message:
        "List the runs of {wildcards.study}"
    shell:
        "printf '%s\\n' {params.content:q} > {output:q} 2> {log:q}"


for _study in STUDIES.values():

    rule:
        """Write all tables of a study, with the source of every number."""
        name:
            f"write_tables_{_study.name}"
        input:
            scores=lambda wildcards: all_scores(study_of(wildcards)),
            lms=lambda wildcards: [
                f"{folder}/summary.json" for folder in lm_folders(study_of(wildcards), runs_here(study_of(wildcards)))
            ],
            stats=lambda wildcards: corpus_stats(study_of(wildcards)),
            ratings=lambda wildcards: rating_tables(study_of(wildcards)),
            runs=f"{STUDY}/runs.json",
            published=PUBLISHED,
            paper=lambda wildcards: paper_file(study_of(wildcards)),
        output:
            [shown(f"{STUDY}/tables/{name}", "table", ("md", "csv")) for name in table_files(_study)],
        log:
            f"{STUDY}/tables.log",
        benchmark:
            f"{STUDY}/tables.benchmark.tsv"
        wildcard_constraints:
            study=one_of([_study.name]),
        localrule: True
        conda:
            "../../envs/report.yaml"
        threads: 1
        resources:
            mem_mb=1_500,
            runtime=30,
        params:
            scale=SCALE,
            study_folder=subpath(output[0], ancestor=2),
            folder=subpath(output[0], parent=True),
            lms=lambda wildcards: lm_folders(study_of(wildcards), declared_runs(study_of(wildcards))),
        message:
            "Write the tables of {wildcards.study}"
        shell:
            "python -m seqpre.report.tables --study {wildcards.study} --scale {params.scale} --study-dir {params.study_folder:q}"
            " --runs {input.runs:q} --published {input.published:q} --paper {input.paper:q} --lms {params.lms:q} --corpus-stats {input.stats:q}"
            " --output-dir {params.folder:q} > {log:q} 2>&1"

    rule:
        """Draw all figures of a study."""
        name:
            f"draw_figures_{_study.name}"
        input:
            scores=lambda wildcards: all_scores(study_of(wildcards)),
            runs=f"{STUDY}/runs.json",
            published=PUBLISHED,
            paper=lambda wildcards: paper_file(study_of(wildcards)),
        output:
            [shown(f"{STUDY}/figures/{name}", "figure", ("png",)) for name in figure_files(_study)],
        log:
            f"{STUDY}/figures.log",
        benchmark:
            f"{STUDY}/figures.benchmark.tsv"
        wildcard_constraints:
            study=one_of([_study.name]),
        localrule: True
        conda:
            "../../envs/report.yaml"
        threads: 1
        resources:
            mem_mb=1_500,
            runtime=30,
        params:
            scale=SCALE,
            study_folder=subpath(output[0], ancestor=2),
            folder=subpath(output[0], parent=True),
        message:
            "Draw the figures of {wildcards.study}"
        shell:
            "python -m seqpre.report.figures --study {wildcards.study} --scale {params.scale} --study-dir {params.study_folder:q}"
            " --runs {input.runs:q} --published {input.published:q} --paper {input.paper:q} --output-dir {params.folder:q} > {log:q} 2>&1"


rule summarise:
    """Say in one page what came out, and where the tables and figures are."""
    input:
        scores=lambda wildcards: all_scores(study_of(wildcards)),
        tables=lambda wildcards: study_tables(study_of(wildcards)),
        figures=lambda wildcards: study_figures(study_of(wildcards)),
        runs=f"{STUDY}/runs.json",
        published=PUBLISHED,
        paper=lambda wildcards: paper_file(study_of(wildcards)),
    output:
        shown(f"{STUDY}/summary.md", "summary", ("md",)),
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
        scale=SCALE,
        study_folder=subpath(output[0], parent=True),
    message:
        "Summarise {wildcards.study}"
    shell:
        "python -m seqpre.report.summary --study {wildcards.study} --scale {params.scale} --study-dir {params.study_folder:q}"
        " --runs {input.runs:q} --published {input.published:q} --paper {input.paper:q} --output {output:q} > {log:q} 2>&1"


rule write_report:
    """Put what is there of all studies on one page. It asks for no result: what has not been run is listed as such."""
    input:
        published=PUBLISHED,
        papers=[file for study in STUDIES.values() for file in paper_file(study)],
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
        studies=[file for file in config["studies"] if Path(file).suffix],
        results=lambda wildcards: results_there(),
    message:
        "Write the report of what is there"
    shell:
        "python -m seqpre.report.pages.report --scale {params.scale} --results {params.folder:q} --checkout {params.root:q}"
        " --studies {params.studies:q} --output {output:q} > {log:q} 2>&1"
