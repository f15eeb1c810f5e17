"""Which corpora are read how, which rows of the list make them up, and what filters each."""

from seqpre.study.configuration import configured_rows
from seqpre.corpora.catalog import select
from seqpre.study.study import AS_WRITTEN
from seqpre.corpora.download import check_mirror, is_address
from seqpre.planning.texts import check_counts, read_sizes

# How each corpus is read: its languages together where they are parallel, one at a time otherwise. Documents and their
# summaries, in one language, are the two sides of a pair like two languages.
BITEXTS = {user.bitext: user.sides for pretraining in PRETRAININGS.values() for user in pretraining.users}
BITEXTS |= {study.corpora["bitext"]: (study.source, study.target) for study in STUDIES.values()}
UNLABELLED = {
    (owner.corpora[lm.corpus], (lm.language,))
    for owner in OWNERS.values()
    for lm in owner.lms.values()
    if owner.corpora[lm.corpus] not in BITEXTS
}
TEXTS = {*BITEXTS.items(), *UNLABELLED}
READINGS = sorted({languages for _, languages in TEXTS})


def corpora_read_as(languages):
    """Return a pattern of the corpora whose `languages` are read together."""
    return one_of({corpus for corpus, read in TEXTS if read == languages})


ROWS = configured_rows(config, ROOT, STUDIES)  # a corpus that is not in the list is refused now
check_counts(STUDIES.values(), read_sizes(ROOT / "workflow/sizes.tsv"))  # and more of one than there is


SEGMENTS = "segments"
"""What a training text is called once it is cut into sequences for a denoiser."""


def splits_of(study):
    """Return the splits of a study's bitext."""
    return ["train", *study.published]


def rows_of(wildcards, languages):
    """Return the rows of the list that make up a split, all its languages."""
    return [row for language in languages for row in select(ROWS, wildcards.corpus, wildcards.split, language)]


def rows_behind(row):
    """Return the rows that pairs with synthetic errors are made of: correct sentences, then lists of misspellings."""
    if row.generator != "make_errors":
        return []
    corpus = row.relative_path.parts[1]
    return [*select(ROWS, corpus, "train", "target"), *(one for one in ROWS if one.name == "misspellings")]


def errors_of(corpus):
    """Return the rows that synthetic errors in a corpus are made of."""
    return next(
        rows_behind(row) for row in ROWS if row.generator == "make_errors" and row.relative_path.parts[1] == corpus
    )


def downloaded(row):
    """Return where a row's file will be; one's own is used where it is."""
    return f"{DOWNLOADS}/{row.relative_path}" if row.own is None else str(row.own)


def is_generated(corpus):
    """Return whether all text of a corpus is made by the project, not out of other text."""
    rows = [row for row in ROWS if row.name == corpus]
    return all(row.generated and not rows_behind(row) for row in rows)


def absent_downloads():
    """Return the rows of the studies' texts whose files are still to be fetched."""
    rows = [row for study in STUDIES.values() for text in study.texts() for row in select(ROWS, *text)]
    rows = [file for row in rows for file in (rows_behind(row) or [row])]
    return [row for row in rows if not row.generated and row.own is None and not Path(downloaded(row)).exists()]


if workflow.is_main_process and absent_downloads():  # a compute node need not see it
    check_mirror(os.getenv("SEQPRE_MIRROR"))


def catalog_of(wildcards):
    """Return the list of corpora that has a corpus."""
    return next(row.catalog for row in ROWS if row.name == wildcards.corpus)


def gold_of(study, split):
    """Return the file of all references of a split, lines or M2, where its corpus has one beside the target side."""
    split = f"{study.respelled.get(split, split)}_references"
    corpus = study.corpora["bitext"]
    known = any(row.name == corpus and split in row.splits for row in ROWS)
    return [raw_text(corpus, split, study.target)] if known else []


def raw_text(corpus, split, language):
    return f"{CORPUS}/raw/{split}.{language}".format(corpus=corpus)


def kept_out(wildcards, languages):
    """Return the files whose lines may not occur in a training text.

    For a study's unlabelled text every split of the bitext, or all but that of training if the study says so; for its
    documents with summaries the documents of validation and tests. For the text of a pretraining both sides of
    validation and tests of every study that names it.
    """
    # Differs: the paper does not say that it keeps the bitext out of the language models' text. Here every line that is
    # also in the bitext is left out. The small summarization study is an exception: its LMs read the bodies of its
    # training pairs.
    if wildcards.owner in PRETRAININGS:
        return [raw_text(*text) for text in PRETRAININGS[wildcards.owner].left_out()]
    study = STUDIES[wildcards.owner]
    labelled = study.corpora["bitext"]
    if wildcards.corpus != labelled:
        splits = [split for split in splits_of(study) if split != "train" or not study.filter.with_pairs]
        return [raw_text(labelled, split, languages[0]) for split in sorted(splits)]
    if study.task == "translation":
        return []
    return [raw_text(labelled, split, study.source) for split in sorted(splits_of(study)) if split != "train"]


def row_of_file(file):
    """Return the first row that a downloaded file belongs to."""
    return next(row for row in ROWS if str(row.relative_path) == file)


GENERATED = {  # {command that makes text of the demo: its files}
    generator: list(dict.fromkeys(downloaded(row) for row in ROWS if row.generator == generator))
    for generator in sorted({row.generator for row in ROWS if row.generated})
}


def filter_options(wildcards, exclude):
    """Return the options of seqpre.corpora.filter that stand for the filter settings of a text's owner."""
    settings = OWNERS[wildcards.owner].filter
    options = f"--identifier {settings.identifier} --max-length {settings.max_length} --max-ratio {settings.max_ratio}"
    if wildcards.owner in PRETRAININGS:
        options = f"{options} --near-copies"
    elif is_correction(wildcards):
        options = f"{options} --keep-copies"
    if settings.hash_digits:
        options = f"{options} --hash-digits"
    return f"{options} --exclude {' '.join(map(shlex.quote, exclude))}" if exclude else options


def is_correction(wildcards):
    """Return whether a text is the pairs of corrections of its owner; a sentence that has no error is one, too."""
    study = STUDIES.get(wildcards.owner)
    return bool(study) and TASKS[study.task].corrects and wildcards.corpus == study.corpora["bitext"]


def text_of(owner, corpus, split, language):
    """Return a text as its owner encodes it: filtered for training, as published for validation and tests."""
    if split in ("train", SEGMENTS):
        return f"{TEXT}/{split}.{language}".format(owner=owner, corpus=corpus)
    study = STUDIES.get(owner)
    if study and (corpus, language) == (study.corpora["bitext"], study.source):
        return source_of(study, split)
    return raw_text(corpus, split, language)


def source_of(study, split):
    """Return the sources of a split of validation or tests as models read them, in which spelling may be corrected."""
    corpus = study.corpora["bitext"]
    if split in spelled_by_rule(study):
        return f"{TEXT}/{split}.{study.source}".format(owner=study.name, corpus=corpus)
    return written_source(study, split)


def written_source(study, split):
    """Return the sources of a split as they are written: what scores compare corrections with."""
    as_written = f"_{AS_WRITTEN}"
    test = study.respelled.get(split, split) if split.endswith(as_written) else split
    return raw_text(study.corpora["bitext"], test, study.source)


def spelled_by_rule(study):
    """Return the splits whose spelling is corrected before a model reads them."""
    return study.published if study.spelling != "none" else ()


def text_of_vocabulary(wildcards):
    """Return what a vocabulary is learned from: sides of a study's bitext, or all text of a pretraining."""
    vocabulary = VOCABULARIES[wildcards.vocabulary]
    owner, learned_from = vocabulary.owner, vocabulary.declaration.learned_from
    if owner in PRETRAININGS:
        return [text_of(owner, *text) for text in PRETRAININGS[owner].read()]
    return [bitext(STUDIES[owner], "train", side) for side in SIDES if learned_from in ("both", side)]


def bitext(study, split, side):
    """Return the text of one side (`source` or `target`) of a study's bitext."""
    if side == "target":
        split = study.respelled.get(split, split)
    return text_of(study.name, study.corpora["bitext"], split, getattr(study, side))
