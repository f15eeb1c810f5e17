"""What a paper prints of a study of ours: tables, figures, and claims; as `workflow/papers/<paper>.yaml` declares it.

The numbers themselves are rows of `workflow/published.tsv`, whose column `table` says where the paper has them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from seqpre.common.errors import ConfigError
from seqpre.study.claims import Claim
from seqpre.study.strict_yaml import read_yaml
from seqpre.study.typed import Name, Side, Word, at_least, nearest, only, typed


def _fillable(note: str) -> bool:
    try:
        return bool(note.format(chosen_by="", data=""))
    except (LookupError, ValueError, AttributeError):
        return False


Note = Annotated[str, only(_fillable, "a sentence with nothing but {chosen_by} and {data} in braces")]


@dataclass(frozen=True)
class Gain:
    """A row of a printed table: what one system is better than another."""

    label: str
    of: Name
    over: Name


@dataclass(frozen=True)
class PrintedTable:
    """A table of scores that the paper prints. Its rows, test sets, metrics and decimals are those of its numbers."""

    name: Word
    """Of its files: `table_1`."""
    title: str
    printed_in: Annotated[tuple[str, ...], only(len, "one table or more, as published.tsv calls them")]
    also: tuple[Name, ...] = ()
    """Systems of ours that have no printed row."""
    gains: tuple[Gain, ...] = ()
    """Of a table of one metric; a table of several has the gain of the reference over every other system."""
    conditions: dict[Word, str] = field(default_factory=dict)
    """Which condition's rows the runs on a corpus are compared with; those on any other, with the first. All, if none
    is named."""
    notes: tuple[Note, ...] = ()
    """`{chosen_by}` stands for what chose the checkpoints, `{data}` for how much of the labelled data is all."""


@dataclass(frozen=True)
class DataSizes:
    """A figure of scores over fractions of the labelled data."""

    printed_in: str = ""
    curves: dict[Name, str] = field(default_factory=dict)
    """Systems and the names of their curves; the last one is what the others gain over."""
    on_tests: bool = False
    """Whether scores are means over tests, not of validation text."""
    means_over: tuple[Word, ...] = ()
    """Of which printed texts the means are; none named: of all."""
    all_pairs: Annotated[int, at_least(0)] = 0
    """How many pairs all of the paper's labelled data are; 0: it has none beside counts."""
    gain: str = "Gain"
    """What stands over the curves of gains."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class InPaper:
    """What a paper prints of one study."""

    corpus: str = ""
    """What its numbers are of."""
    languages: Annotated[tuple[Side, ...], only(lambda sides: len(sides) in (0, 2), "two: source and target")] = ()
    """The languages that they are of, source and target, where a study of ours may have others."""
    baselines: Annotated[tuple[Name, ...], only(len, "one system or more")] = ("no_pretraining",)
    """What the reference is compared with wherever scores are; the first one is what pretraining gains over."""
    printed: tuple[PrintedTable, ...] = ()
    ablations: str = ""
    """The figure or table of differences to the reference."""
    fractions: DataSizes = DataSizes()
    checkpoints: str = ""
    """The figure or table of scores over how far models were pretrained."""
    speed: str = ""
    """The table of speeds in training and search; it compares them with the system of its first row."""
    corrections: bool = False
    """Whether it is of grammatical error correction, which has tables of its own."""
    claims: tuple[Claim, ...] = ()


NOTHING = InPaper()
NO_PAPER = "none"
"""What the study of no paper says."""


def in_paper(file: Path | None, study: str) -> InPaper:
    """Return what a paper's file says of a study: nothing if there is none. Raises ConfigError for what it may not."""
    if file is None or not file.is_file():
        return NOTHING
    said = {key: value for key, value in read_yaml(file).items() if key != "cite"}
    studies: dict[str, InPaper] = typed(dict[Name, InPaper], said, file.name)
    return studies.get(study, NOTHING)


def paper_file(papers: Path, paper: str, where: str) -> Path:
    """Return the file of the paper that a study is of, which a project without a folder of `papers` need not have.

    Raises ConfigError for a paper that is not among these.
    """
    known = [*sorted(file.stem for file in papers.glob("*.yaml")), NO_PAPER]
    if papers.is_dir() and paper not in known:
        raise ConfigError(f"{where}: paper is {paper!r}, which {papers} lacks{nearest(paper, known)}")
    return papers / f"{paper}.yaml"


def cited(file: Path) -> str:
    """Return how a paper's file says that it is cited; its name where it does not, or is not there."""
    said = read_yaml(file).get("cite") if file.is_file() else None
    return typed(str, said, f"{file.name}: cite") if said else file.stem
