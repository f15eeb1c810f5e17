"""From raw to clean training text: normalised, in the right language, without duplicates, in random order.

Needs corpora/<corpus>/raw/train.<language>; leaves text/<owner>/<corpus>/train.<languages>/train.<language> for all
languages that belong together, counts of dropped lines by reason, and the dropped lines. Every study has its own clean
text, without the lines of its validation and test texts. So has every pretraining, without those of all studies that
name it. Validation and test texts are never filtered.
"""


rule filter:
    """Clean and shuffle the training split of a corpus, with all its parallel languages."""
    input:
        text=lambda wildcards: [raw_text(wildcards.corpus, "train", one) for one in wildcards.languages.split("_")],
        exclude=kept_out,
    output:
        text=directory(f"{TEXT}/train.{{languages}}"),
        stats=f"{TEXT}/train.{{languages}}.stats.json",
        dropped=f"{TEXT}/train.{{languages}}.dropped.tsv.gz",
    log:
        f"{TEXT}/filter.{{languages}}.log",
    benchmark:
        f"{TEXT}/filter.{{languages}}.benchmark.tsv"
    group:
        text_group
    conda:
        "../../envs/text.yaml"
    threads: at_scale(2, paper=32)
    resources:
        mem_mb=growing(at_scale(2_000, paper=32_000)),
        runtime=growing(at_scale(30, paper=12 * 60)),
    params:
        languages=lambda wildcards: wildcards.languages.split("_"),
        texts=lambda wildcards, output: [f"{output.text}/train.{one}" for one in wildcards.languages.split("_")],
        options=filter_options,
        exclude=lambda wildcards, input: ["--exclude", *input.exclude] if input.get("exclude") else [],
    message:
        "Filter {wildcards.corpus} ({params.languages})"
    shell:
        "python -m seqpre.corpora.filter --input {input.text:q} --languages {params.languages} {params.options}"
        " {params.exclude:q} --seed 1 --workers {threads} --output {params.texts:q} --stats {output.stats:q}"
        " --dropped {output.dropped:q} > {log:q} 2>&1"


rule correct_spelling:
    """Correct the spelling of a validation or test split's sources before models read them."""
    input:
        text=lambda wildcards: original_sources(STUDIES[wildcards.owner], wildcards.split),
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
    group:
        spelling_group
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
