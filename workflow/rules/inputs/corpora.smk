"""Which rows of the list make up which text, what filters each, and where it is."""

from seqpre.study.configuration import configured_rows
from seqpre.corpora.catalog import GENERATORS, REFERENCES, SEGMENTS, select
from seqpre.study.study import AS_WRITTEN
from seqpre.planning.texts import check_counts, read_sizes

BITEXTS = {user.bitext: user.sides for pretraining in PRETRAININGS.values() for user in pretraining.users}
BITEXTS |= {study.corpora["bitext"]: study.sides for study in STUDIES.values()}
"""The two languages, or sides, of corpora of pairs."""
ROWS = configured_rows(config, ROOT, STUDIES)  # a corpus that is not in the list is refused now
check_counts(STUDIES.values(), read_sizes(ROOT / "workflow/sizes.tsv"))  # and more of one than there is


def read_together(corpus, language, split="train"):
    """Return a language of a corpus and the other one where they are parallel; references are read alone."""
    sides = BITEXTS.get(corpus, ())
    return sides if language in sides and not split.endswith(REFERENCES) else (language,)


def rows_of(wildcards):
    """Return the rows of the list that make up a split, in one language and those that it is parallel to."""
    corpus, split = wildcards.corpus, wildcards.split
    languages = read_together(corpus, wildcards.language, split)
    return [row for language in languages for row in select(ROWS, corpus, split, language)]


def rows_behind(row):
    """Return the rows that pairs with synthetic errors are made of: correct sentences, then lists of misspellings."""
    if not row.has_errors:
        return []
    corpus = row.relative_path.parts[1]
    return [*select(ROWS, corpus, "train", "target"), *(one for one in ROWS if one.name == "misspellings")]


def errors_of(corpus):
    """Return the rows that synthetic errors in a corpus are made of."""
    return next(rows_behind(row) for row in ROWS if row.has_errors and row.relative_path.parts[1] == corpus)


def downloaded(row):
    """Return where a row's file will be, of generated ones their folder; one's own is used where it is."""
    if row.own is not None:
        return str(row.own)
    generated = row.generated and not row.has_errors
    return f"{DOWNLOADS}/{row.relative_path.parts[0] if generated else row.relative_path}"


def is_generated(corpus):
    """Return whether all text of a corpus is made by the project, not out of other text."""
    return all(row.generated and not row.has_errors for row in ROWS if row.name == corpus)


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
    split = f"{study.respelled.get(split, split)}{REFERENCES}"
    corpus = study.corpora["bitext"]
    known = any(row.name == corpus and split in row.splits for row in ROWS)
    return [raw_text(corpus, split, study.target)] if known else []


def raw_text(corpus, split, language):
    """Return a text as it is extracted."""
    return f"{CORPUS}/raw/{split}.{language}".format(corpus=corpus)


def clean_text(owner, corpus, language):
    """Return a training text as its owner's filter leaves it, in a folder with those that it belongs together with."""
    languages = "_".join(read_together(corpus, language))
    return f"{TEXT}/train.{languages}/train.{language}".format(owner=owner, corpus=corpus)


def made_as(texts):
    """Return what rules make of these texts: of clean ones their folders, others as they are."""
    parents = {text: Path(text).parent for text in texts}
    return sorted({str(folder) if folder.name.startswith("train.") else text for text, folder in parents.items()})


def kept_out(wildcards):
    """Return the files whose lines may not occur in a training text.

    For a study's unlabelled text every split of the bitext, or all but that of training if the study says so; for its
    documents with summaries the documents of validation and tests. For the text of a pretraining both sides of
    validation and tests of every study that names it.
    """
    # Differs: the paper does not say that it keeps the bitext out of the language models' text. Here every line that is
    # also in the bitext is left out. The small summarization and headlines studies are exceptions, whose LMs may read
    # sources of training pairs; text of shared pretrainings leaves out validation and tests alone.
    if wildcards.owner in PRETRAININGS:
        return [raw_text(*text) for text in PRETRAININGS[wildcards.owner].left_out()]
    study = STUDIES[wildcards.owner]
    labelled = study.corpora["bitext"]
    if wildcards.corpus != labelled:
        first = wildcards.languages.partition("_")[0]
        return [raw_text(labelled, split, first) for split in sorted(study.kept_out)]
    if study.task == "translation":
        return []
    return [raw_text(labelled, split, study.source) for split in sorted(study.published)]


CORPORA = {corpus for owner in OWNERS.values() for corpus, _, _ in owner.texts()}
FILES = [file for row in ROWS if row.name in CORPORA for file in (rows_behind(row) or [row])]
ROW_OF_FILE = {str(row.relative_path): row for row in reversed(FILES) if not row.generated and row.own is None}
"""The first row that each file to be downloaded belongs to, of the studies' corpora."""


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


def model_text(owner, corpus, split, language):
    """Return a text as models of its owner read it: clean for training, as published for validation and tests."""
    if split == "train":
        return clean_text(owner, corpus, language)
    if split == SEGMENTS:
        return f"{TEXT}/{SEGMENTS}.{language}".format(owner=owner, corpus=corpus)
    study = STUDIES.get(owner)
    if study and (corpus, language) == (study.corpora["bitext"], study.source):
        return model_sources(study, split)
    return raw_text(corpus, split, language)


def model_sources(study, split):
    """Return the sources of a split of validation or tests as models read them, in which spelling may be corrected."""
    corpus = study.corpora["bitext"]
    if split in spelled_by_rule(study):
        return f"{TEXT}/{split}.{study.source}".format(owner=study.name, corpus=corpus)
    return original_sources(study, split)


def original_sources(study, split):
    """Return the sources of a split before their spelling is corrected here."""
    as_written = {ways.get(AS_WRITTEN): test for test, ways in study.spelled.items()}
    return raw_text(study.corpora["bitext"], as_written.get(split, split), study.source)


def spelled_by_rule(study):
    """Return the splits whose spelling is corrected before a model reads them."""
    return study.published if study.spelling != "none" else ()


def texts_of_vocabulary(wildcards):
    """Return what a vocabulary is learned from: sides of a study's bitext, or all text of a pretraining."""
    vocabulary = VOCABULARIES[wildcards.vocabulary]
    owner, learned_from = vocabulary.owner, vocabulary.declaration.learned_from
    if owner in PRETRAININGS:
        return [model_text(owner, *text) for text in PRETRAININGS[owner].read()]
    sides = [side for side in SIDES if learned_from in ("both", side)]
    study = STUDIES[owner]
    if vocabulary.sha256:  # finished: looked at with the text that some system reads or writes with it
        systems = study.systems.values()
        sides = [side for side in SIDES if any(study.vocabulary(one, side) == vocabulary for one in systems)]
    return [bitext(study, "train", side) for side in sides]


def bitext(study, split, side):
    """Return the text of one side (`source` or `target`) of a study's bitext."""
    if side == "target":
        split = study.respelled.get(split, split)
    return model_text(study.name, study.corpora["bitext"], split, getattr(study, side))
