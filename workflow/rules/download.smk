"""From the rows of workflow/corpora.tsv to plain text.

Leaves downloads/<host>/<path>, shared by all scales, and corpora/<corpus>/raw/<split>.<language>.
"""


localrules:
    download,


rule download:
    """Fetch one file of the list: mirror first, resumed, verified."""
    output:
        f"{DOWNLOADS}/{{file}}",
    log:
        f"{DOWNLOADS}/logs/{{file}}.log",
    benchmark:
        f"{DOWNLOADS}/logs/{{file}}.benchmark.tsv"
    wildcard_constraints:
        file=one_of({str(row.relative_path) for row in ROWS if not row.generated and row.own is None}),
    conda:
        "../../envs/text.yaml"
    params:
        catalog=lambda wildcards: row_of_file(wildcards.file).catalog,
        downloads=lambda wildcards: DOWNLOADS,
        url=lambda wildcards: row_of_file(wildcards.file).url,
        sha256=lambda wildcards: row_of_file(wildcards.file).sha256,
    message:
        "Download {wildcards.file}"
    shell:
        "python -m seqpre.corpora.download --corpora {params.catalog:q} --url {params.url:q}"
        " --downloads {params.downloads:q} > {log:q} 2>&1"


rule generate:
    """Write the translation demo's text from its grammars, all splits at once."""
    output:
        GENERATED["generate"],
    log:
        f"{DOWNLOADS}/logs/grammar.log",
    benchmark:
        f"{DOWNLOADS}/logs/grammar.benchmark.tsv"
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(1_000),
        runtime=growing(10),
    params:
        folder=subpath(output[0], ancestor=2),
    message:
        "Generate the demo's text"
    shell:
        "python -m seqpre.demo.generate translation --output-dir {params.folder:q} --seed 1 > {log:q} 2>&1"


rule generate_news:
    """Write the summarization demo's text, all splits at once."""
    output:
        GENERATED["generate_news"],
    log:
        f"{DOWNLOADS}/logs/news.log",
    benchmark:
        f"{DOWNLOADS}/logs/news.benchmark.tsv"
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(1_000),
        runtime=growing(10),
    params:
        folder=subpath(output[0], ancestor=2),
    message:
        "Generate the demo's news"
    shell:
        "python -m seqpre.demo.generate news --output-dir {params.folder:q} --seed 1 > {log:q} 2>&1"


rule generate_corrections:
    """Write the demo's sentences with errors, and their corrections, all splits at once."""
    output:
        GENERATED["generate_corrections"],
    log:
        f"{DOWNLOADS}/logs/corrections.log",
    benchmark:
        f"{DOWNLOADS}/logs/corrections.benchmark.tsv"
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(1_000),
        runtime=growing(10),
    params:
        folder=subpath(output[0], ancestor=2),
    message:
        "Generate the demo's sentences with errors"
    shell:
        "python -m seqpre.demo.generate corrections --output-dir {params.folder:q} --seed 1 > {log:q} 2>&1"


rule make_errors:
    """Make pairs of correct sentences: each gets synthetic errors, of known kinds at stated rates."""
    input:
        lambda wildcards: sorted({downloaded(row) for row in errors_of(wildcards.corpus)}),
    output:
        f"{DOWNLOADS}/errors/{{corpus}}/train.source",
        f"{DOWNLOADS}/errors/{{corpus}}/train.target",
        f"{DOWNLOADS}/errors/{{corpus}}/train.m2",
        f"{DOWNLOADS}/errors/{{corpus}}/train.errors.json",
    log:
        f"{DOWNLOADS}/logs/errors.{{corpus}}.log",
    benchmark:
        f"{DOWNLOADS}/logs/errors.{{corpus}}.benchmark.tsv"
    wildcard_constraints:
        corpus=one_of({row.relative_path.parts[1] for row in ROWS if row.generator == "make_errors"}),
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(2_000),
        runtime=growing(60),
    params:
        catalog=lambda wildcards: catalog_of(wildcards),
        downloads=subpath(output[0], ancestor=3),
        folder=subpath(output[0], parent=True),
    message:
        "Make errors in {wildcards.corpus}"
    shell:
        "python -m seqpre.corpora.errors --corpora {params.catalog:q} --name {wildcards.corpus}"
        " --downloads {params.downloads:q} --tokenize --seed 1 --output-dir {params.folder:q} > {log:q} 2>&1"


rule extract_references:
    """Take all references of a split out of its downloads: texts one after the other, or M2."""
    input:
        lambda wildcards: sorted({downloaded(row) for row in rows_of(wildcards, ["target"])}),
    output:
        f"{CORPUS}/raw/{{split}}.target",
    log:
        f"{CORPUS}/raw/extract.{{split}}.target.log",
    benchmark:
        f"{CORPUS}/raw/extract.{{split}}.target.benchmark.tsv"
    wildcard_constraints:
        split=r"\w+_references",
    group:
        text_group
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(1_000),
        runtime=growing(10),
    params:
        catalog=catalog_of,
        downloads=DOWNLOADS,
        folder=subpath(output[0], parent=True),
        readings=lambda wildcards: [(row.url, row.reader, row.member) for row in rows_of(wildcards, ["target"])],
    message:
        "Extract {wildcards.corpus} {wildcards.split}"
    shell:
        "python -m seqpre.corpora.extract --corpora {params.catalog:q} --name {wildcards.corpus}"
        " --split {wildcards.split} --languages target --downloads {params.downloads:q}"
        " --output-dir {params.folder:q} > {log:q} 2>&1"


for languages in READINGS:

    rule:
        """Take one split of a corpus out of its downloads, untouched."""
        name:
            f"extract_{'_'.join(languages)}"
        input:
            lambda wildcards, languages=languages: sorted({downloaded(row) for row in rows_of(wildcards, languages)}),
        output:
            [f"{CORPUS}/raw/{{split}}.{language}" for language in languages],
        log:
            f"{CORPUS}/raw/extract.{{split}}.{'_'.join(languages)}.log",
        benchmark:
            f"{CORPUS}/raw/extract.{{split}}.{'_'.join(languages)}.benchmark.tsv"
        wildcard_constraints:
            corpus=corpora_read_as(languages),
            split=r"(?!\w*_references\b)\w+",
        group:
            text_group
        conda:
            "../../envs/text.yaml"
        threads: 1
        resources:
            mem_mb=growing(at_scale(1_000, paper=2_000)),
            runtime=growing(at_scale(10, paper=8 * 60)),
        params:
            catalog=catalog_of,
            downloads=DOWNLOADS,
            folder=subpath(output[0], parent=True),
            languages=languages,
            # a row that is read differently is extracted again
            readings=lambda wildcards, languages=languages: [
                (row.url, row.reader, row.member) for row in rows_of(wildcards, languages)
            ],
        message:
            f"Extract {{wildcards.corpus}} {{wildcards.split}} ({' '.join(languages)})"
        shell:
            "python -m seqpre.corpora.extract --corpora {params.catalog:q} --name {wildcards.corpus}"
            " --split {wildcards.split} --languages {params.languages} --downloads {params.downloads:q}"
            " --output-dir {params.folder:q} > {log:q} 2>&1"
