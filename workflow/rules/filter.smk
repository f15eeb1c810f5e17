"""From raw to clean training text: normalised, in the right language, without duplicates, in random order.

Needs corpora/<corpus>/raw/train.<language>; leaves text/<owner>/<corpus>/train.<language>, the statistics of what was
dropped and why, and every line that was. Each study has its own, because each keeps its own validation and test texts
out, and each pretraining, which keeps out those of all studies that name it. Those are never filtered.
"""

for languages in READINGS:

    rule:
        """Clean and shuffle the training split of a corpus."""
        name:
            f"filter_{'_'.join(languages)}"
        input:
            text=[f"{CORPUS}/raw/train.{language}" for language in languages],
            exclude=lambda wildcards, languages=languages: kept_out(wildcards, languages),
        output:
            text=[f"{TEXT}/train.{language}" for language in languages],
            stats=f"{TEXT}/train.{'_'.join(languages)}.stats.json",
            dropped=f"{TEXT}/train.{'_'.join(languages)}.dropped.tsv.gz",
        log:
            f"{TEXT}/filter.{'_'.join(languages)}.log",
        benchmark:
            f"{TEXT}/filter.{'_'.join(languages)}.benchmark.tsv"
        wildcard_constraints:
            corpus=corpora_read_as(languages),
        group:
            text_group
        conda:
            "../../envs/text.yaml"
        threads: at_scale(2, paper=32)
        resources:
            mem_mb=growing(at_scale(2_000, paper=32_000)),
            runtime=growing(at_scale(30, paper=12 * 60)),
        params:
            languages=languages,
            options=lambda wildcards, input: filter_options(wildcards, input.get("exclude")),
        message:
            f"Filter {{wildcards.corpus}} ({' '.join(languages)})"
        shell:
            "python -m seqpre.corpora.filter --input {input.text:q} --languages {params.languages} {params.options}"
            " --seed 1 --workers {threads} --output {output.text:q} --stats {output.stats:q}"
            " --dropped {output.dropped:q} > {log:q} 2>&1"


rule correct_spelling:
    """Correct the spelling of the sources of a validation or test split, before models read them."""
    input:
        text=lambda wildcards: written_source(STUDIES[wildcards.owner], wildcards.split),
        words=lambda wildcards: subwords(STUDIES[wildcards.owner].vocabulary(STUDIES[wildcards.owner].base)),
    output:
        text=f"{TEXT}/{{split}}.source",
        report=f"{TEXT}/{{split}}.source.json",
    log:
        f"{TEXT}/{{split}}.source.log",
    benchmark:
        f"{TEXT}/{{split}}.source.benchmark.tsv"
    wildcard_constraints:
        owner=one_of(study.name for study in STUDIES.values() if study.spelling != "none"),
        split=one_of({split for study in STUDIES.values() for split in spelled_by_rule(study)}),
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(2_000),
        runtime=growing(10),
    message:
        "Correct the spelling of {wildcards.corpus} {wildcards.split}"
    shell:
        "python -m seqpre.corpora.spelling --input {input.text:q} --vocabulary {input.words:q} --output {output.text:q}"
        " > {log:q} 2>&1"
