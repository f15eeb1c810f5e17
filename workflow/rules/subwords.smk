"""From clean text to subword ids.

Leaves subwords/<owner>/bpe.model, joint over both languages of a study's bitext or all texts of a pretraining, and one
token store for each text, tokens/<owner>/<corpus>/<split>.<language>/, memory-mapped by training. Another vocabulary of
a study is in subwords/<study>@<name>/ (words: words/<study>@<name>/words.tsv). A study's text that is encoded with it,
or with the vocabulary of the pretraining <name>, is in tokens/<study>@<name>/.
"""


rule learn_bpe:
    """Learn one vocabulary for both sides from the clean bitext, or for all models of a pretraining."""
    input:
        texts=lambda wildcards: made_as(texts_of_vocabulary(wildcards)),
        changed=if_unrecorded(
            SUBWORDS.replace("bpe.model", "bpe.vocab"),
            lambda wildcards: VOCABULARIES[wildcards.vocabulary].size,
            read=lambda path: Path(path).read_bytes().count(b"\n"),
        ),
    output:
        model=SUBWORDS,
        vocabulary=SUBWORDS.replace("bpe.model", "bpe.vocab"),
    log:
        SUBWORDS.replace("bpe.model", "learn_bpe.log"),
    benchmark:
        SUBWORDS.replace("bpe.model", "learn_bpe.benchmark.tsv")
    wildcard_constraints:
        vocabulary=one_of(key for key, one in VOCABULARIES.items() if not one.sha256),
    group:
        text_group
    conda:
        "../../envs/text.yaml"
    threads: at_scale(1, paper=16)
    resources:
        mem_mb=growing(at_scale(2_000, paper=64_000)),
        runtime=growing(at_scale(10, paper=8 * 60)),
    params:
        # a parameter computed from `input` never triggers a rerun; other texts are other inputs, or other sides of one
        texts=lambda wildcards, input: texts_of_vocabulary(wildcards),
        sides=lambda wildcards: VOCABULARIES[wildcards.vocabulary].declaration.learned_from,
        vocab_size=lambda wildcards: VOCABULARIES[wildcards.vocabulary].size,
    message:
        "Learn {params.vocab_size} subwords"
    shell:
        "python -m seqpre.corpora.learn_bpe --input {params.texts:q} --vocab-size {params.vocab_size} --seed 1"
        " --output {output.model:q} > {log:q} 2>&1"


rule take_subwords:
    """Copy a finished vocabulary, if the clean text has almost no unknown subwords."""
    input:
        texts=lambda wildcards: made_as(texts_of_vocabulary(wildcards)),
        model=lambda wildcards: VOCABULARIES[wildcards.vocabulary].declaration.model,
    output:
        model=SUBWORDS,
        vocabulary=SUBWORDS.replace("bpe.model", "bpe.vocab"),
    log:
        SUBWORDS.replace("bpe.model", "take_subwords.log"),
    benchmark:
        SUBWORDS.replace("bpe.model", "take_subwords.benchmark.tsv")
    wildcard_constraints:
        vocabulary=one_of(key for key, one in VOCABULARIES.items() if one.sha256),
    group:
        text_group
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(1_000),
        runtime=growing(at_scale(10, paper=8 * 60)),
    params:
        texts=lambda wildcards, input: texts_of_vocabulary(wildcards),
        sha256=lambda wildcards: VOCABULARIES[wildcards.vocabulary].sha256,  # its content counts, not its date
    message:
        "Take the subwords of {input.model}"
    shell:
        "python -m seqpre.corpora.take_subwords --model {input.model:q} --input {params.texts:q}"
        " --output {output.model:q} > {log:q} 2>&1"


rule learn_words:
    """Count the words of the clean bitext, or of all texts of a pretraining."""
    input:
        lambda wildcards: made_as(texts_of_vocabulary(wildcards)),
    output:
        WORDS,
    log:
        WORDS.replace("words.tsv", "learn_words.log"),
    benchmark:
        WORDS.replace("words.tsv", "learn_words.benchmark.tsv")
    group:
        text_group
    conda:
        "../../envs/text.yaml"
    threads: 1
    resources:
        mem_mb=growing(at_scale(1_000, paper=16_000)),
        runtime=growing(at_scale(10, paper=8 * 60)),
    params:
        # a parameter computed from `input` never triggers a rerun; other texts are other inputs, or other sides of one
        texts=lambda wildcards, input: texts_of_vocabulary(wildcards),
        sides=lambda wildcards: VOCABULARIES[wildcards.vocabulary].declaration.learned_from,
        vocab_size=lambda wildcards: VOCABULARIES[wildcards.vocabulary].size,
    message:
        "Learn {params.vocab_size} words"
    shell:
        "python -m seqpre.corpora.learn_words --input {params.texts:q} --vocab-size {params.vocab_size}"
        " --output {output:q} > {log:q} 2>&1"


rule encode:
    """Encode a text into a token store; a target's unknown words may be copied from its source."""
    input:
        texts=lambda wildcards: made_as([encoded_text(wildcards), *copied_from(wildcards)]),
        subwords=lambda wildcards: subwords(ENCODINGS[wildcards.encoding][1]),
    output:
        directory(STORE),
    log:
        f"{STORE}.log",
    benchmark:
        f"{STORE}.benchmark.tsv"
    group:
        text_group
    conda:
        "../../envs/text.yaml"
    threads: at_scale(1, paper=16)
    resources:
        mem_mb=growing(at_scale(1_000, paper=16_000)),
        runtime=growing(at_scale(10, paper=8 * 60)),
    params:
        text=encoded_text,
        copied=lambda wildcards: " ".join(f"--source {shlex.quote(file)}" for file in copied_from(wildcards)),
    message:
        "Encode {wildcards.corpus} {wildcards.split}.{wildcards.language}"
    shell:
        "python -m seqpre.corpora.encode --input {params.text:q} --subwords {input.subwords:q} --workers {threads}"
        " {params.copied} --output {output:q} > {log:q} 2>&1"
