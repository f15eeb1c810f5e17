"""Every job of the configured studies with its work, as the rules of `workflow/` make them.

A test holds the number of jobs of each rule, and where each leaves its record, against Snakemake's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from seqpre.corpora.catalog import Row, select
from seqpre.planning.texts import Sizes
from seqpre.study.study import Study

Kind = Literal["pretraining", "fine-tuning", "decoding", "other"]
"""What a job's time goes into: the matrix products of a model, or (other) whatever else a processor does."""

# Core seconds of the jobs that train nothing, measured on one core of an AMD EPYC and right within a factor of two:
# lines whose language is identified in a second, and MB of text that the other steps read or write in a second.
IDENTIFIED = {"langdetect": 25_000.0, "py3langid": 13_000.0, "none": float("inf")}
EXTRACTED, CLEANED, ENCODED, LEARNED = 30.0, 10.0, 5.0, 1.0
EXTRACTED_WIKI = 1.0
START, GENERATED = 0.2, 3.0


@dataclass(frozen=True, kw_only=True)
class Job:
    """One job. Operations are those of matrix products, as `seqpre.planning.operations` counts them."""

    rule: str
    name: str
    """Unique; what `after` refers to."""
    owner: str
    """What it is done for: `text`, an LM, a system, an ensemble or `report`."""
    study: str
    after: tuple[str, ...] = ()
    kind: Kind = "other"
    operations: float = 0.0
    """Expected."""
    most_operations: float = 0.0
    """If early stopping never came."""
    core_seconds: float = START
    """Beside the operations."""
    updates: int = 0
    """Expected, where it trains."""
    kept: float = 0.0
    """Bytes that it leaves on disk."""
    scratch: float = 0.0
    """Bytes beside them while it runs."""
    record: str = ""
    """The file below the results folder that says what it took: a training's summary, else Snakemake's benchmark."""


def text_jobs(study: Study, bitexts: Collection[str], rows: list[Row], sizes: Sizes) -> Iterator[Job]:
    """Yield the jobs from downloads to clean text; `bitexts` are the corpora that some study reads as pairs."""
    pair = (study.source, study.target)
    for corpus in dict.fromkeys(study.corpora.values()):
        read = {lm.language for lm in study.lms.values() if study.corpora[lm.corpus] == corpus}
        readings = [pair] if corpus in bitexts else [(language,) for language in pair if language in read]
        splits = ["train", "valid", *study.tests] if corpus == study.corpora["bitext"] else ["train"]
        for languages in readings:
            for split in splits:
                yield from _extraction(study, corpus, split, languages, rows, sizes)
            yield _filtering(study, corpus, languages, sizes)


def _extraction(
    study: Study, corpus: str, split: str, languages: tuple[str, ...], rows: list[Row], sizes: Sizes
) -> Iterator[Job]:
    files = [row for language in languages for row in select(rows, corpus, split, language)]
    fetched = [row for row in files if row.own is None]
    for row in fetched:
        written = [other for other in rows if other.generator == row.generator] if row.generated else [row]
        yield Job(
            rule=row.generator or "download",
            name=_file_job(row),
            owner="text",
            study=study.name,
            core_seconds=GENERATED if row.generated else START,
            kept=sum(map(sizes.download, written)),
            record=f"downloads/logs/{row.relative_path.parts[0] if row.generated else row.relative_path}.benchmark.tsv",
        )
    raw = sum(sizes.of(study.name, corpus, split, language).raw_bytes for language in languages)
    speed = EXTRACTED_WIKI if any(row.reader == "wiki" for row in files) else EXTRACTED
    yield Job(
        rule=f"extract_{'_'.join(languages)}",
        name=extracted(corpus, split, languages),
        owner="text",
        study=study.name,
        after=tuple(dict.fromkeys(map(_file_job, fetched))),
        core_seconds=START + raw / 1e6 / speed,
        kept=raw,
        record=f"{study.scale}/corpora/{corpus}/raw/extract.{split}.{'_'.join(languages)}.benchmark.tsv",
    )


def _filtering(study: Study, corpus: str, languages: tuple[str, ...], sizes: Sizes) -> Job:
    texts = [sizes.of(study.name, corpus, "train", language) for language in languages]
    raw, lines = sum(text.raw_bytes for text in texts), sum(text.raw_lines for text in texts)
    return Job(
        rule=f"filter_{'_'.join(languages)}",
        name=filtered(study.name, corpus, languages),
        owner="text",
        study=study.name,
        after=(extracted(corpus, "train", languages),),
        core_seconds=START + lines / IDENTIFIED[study.filter.identifier] + raw / 1e6 / CLEANED,
        kept=sum(text.bytes for text in texts),
        scratch=raw,
        record=f"{study.scale}/text/{study.name}/{corpus}/filter.{'_'.join(languages)}.benchmark.tsv",
    )


def _file_job(row: Row) -> str:
    return row.generator or f"download {row.relative_path}"


def extracted(corpus: str, split: str, languages: tuple[str, ...]) -> str:
    """Return the name of the job that extracts a split."""
    return f"extract {corpus}/{split}.{'_'.join(languages)}"


def filtered(study: str, corpus: str, languages: tuple[str, ...]) -> str:
    """Return the name of the job that filters a study's training text."""
    return f"filter {study}/{corpus}/train.{'_'.join(languages)}"
