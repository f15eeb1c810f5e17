"""From the rows of workflow/corpora.tsv to plain text.

Leaves downloads/<host>/<path>, shared by all scales, and corpora/<corpus>/raw/<split>.<language>.
"""


localrules:
    download,


rule download:
    """Download one file of the corpus list: mirror first, resumed, verified."""
    output:
        f"{DOWNLOADS}/{{file}}",
    log:
        f"{DOWNLOADS}/logs/{{file}}.log",
    benchmark:
        f"{DOWNLOADS}/logs/{{file}}.benchmark.tsv"
    wildcard_constraints:
        file=one_of(ROW_OF_FILE),
    conda:
        "../../envs/text.yaml"
    params:
        catalog=lambda wildcards: ROW_OF_FILE[wildcards.file].catalog,
        downloads=lambda wildcards: DOWNLOADS,
        url=lambda wildcards: ROW_OF_FILE[wildcards.file].url,
        sha256=lambda wildcards: ROW_OF_FILE[wildcards.file].sha256,
    message:
        "Download {wildcards.file}"
    shell:
        "python -m seqpre.corpora.download --corpora {params.catalog:q} --url {params.url:q}"
        " --downloads {params.downloads:q} > {log:q} 2>&1"


rule generate:
    """Generate the demo's text: all corpora of one generator at once."""
    output:
        directory(f"{DOWNLOADS}/{{generator}}"),
    log:
        f"{DOWNLOADS}/logs/{{generator}}.log",
    benchmark:
        f"{DOWNLOADS}/logs/{{generator}}.benchmark.tsv"
    wildcard_constraints:
        generator=one_of(GENERATORS),
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(1_000),
        runtime=growing(10),
    params:
        what=lambda wildcards: GENERATORS[wildcards.generator],
    message:
        "Generate the demo's {wildcards.generator}"
    shell:
        "python -m seqpre.demo.generate {params.what} --output-dir {output:q} --seed 1 > {log:q} 2>&1"


rule make_errors:
    """Make pairs by adding synthetic errors, of known kinds at stated rates, to correct sentences."""
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
        corpus=one_of({row.relative_path.parts[1] for row in ROWS if row.has_errors}),
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(2_000),
        runtime=growing(60),
    params:
        catalog=catalog_of,
        downloads=subpath(output[0], ancestor=3),
        readings=lambda wildcards: list(map(reading, errors_of(wildcards.corpus))),
        folder=subpath(output[0], parent=True),
    message:
        "Make errors in {wildcards.corpus}"
    shell:
        "python -m seqpre.corpora.errors --corpora {params.catalog:q} --name {wildcards.corpus}"
        " --downloads {params.downloads:q} --tokenize --seed 1 --output-dir {params.folder:q} > {log:q} 2>&1"


rule extract:
    """Extract one language of a split from its downloads, unchanged; parallel languages are read, too."""
    input:
        lambda wildcards: sorted({downloaded(row) for row in rows_of(wildcards)}),
    output:
        f"{CORPUS}/raw/{{split}}.{{language}}",
    log:
        f"{CORPUS}/raw/extract.{{split}}.{{language}}.log",
    benchmark:
        f"{CORPUS}/raw/extract.{{split}}.{{language}}.benchmark.tsv"
    wildcard_constraints:
        corpus=one_of({row.name for row in ROWS}),
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
        languages=read_together,
        # extracts again a row whose reader has changed, or the user's own file, even to an older one
        readings=lambda wildcards: list(map(reading, rows_of(wildcards))),
    message:
        "Extract {wildcards.corpus} {wildcards.split}.{wildcards.language}"
    shell:
        "python -m seqpre.corpora.extract --corpora {params.catalog:q} --name {wildcards.corpus}"
        " --split {wildcards.split} --languages {params.languages} --write {wildcards.language}"
        " --downloads {params.downloads:q} --output-dir {params.folder:q} > {log:q} 2>&1"
