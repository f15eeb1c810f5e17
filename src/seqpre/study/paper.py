"""What a paper prints for a study of ours: tables, figures and claims, declared in `workflow/papers/<paper>.yaml`.

The numbers themselves are rows of `workflow/published.tsv`, whose column `table` says where the paper prints them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from seqpre.common.errors import ConfigError
from seqpre.study.claims import Claim
from seqpre.study.strict_yaml import read_yaml
from seqpre.study.typed import Name, Side, Word, among, at_least, mapping, nearest, only, require, typed


def _fillable(note: str) -> bool:
    try:
        return bool(note.format(chosen_by="", data="", penalty=""))
    except (LookupError, ValueError, AttributeError):
        return False


Note = Annotated[str, only(_fillable, "a sentence with nothing but {chosen_by}, {data} and {penalty} in braces")]


@dataclass(frozen=True)
class Gain:
    """A row of a printed table: the gain of one system over another."""

    label: str
    of: Name
    over: Name


@dataclass(frozen=True)
class PrintedTable:
    """A table of scores that the paper prints. Its rows, test sets, metrics and decimals follow from the numbers."""

    name: Word
    """Name of its files, like `table_1`."""
    title: str
    printed_in: Annotated[tuple[str, ...], only(len, "one table or more, as published.tsv calls them")]
    also: tuple[Name, ...] = ()
    """Systems of ours that the paper does not print."""
    gains: tuple[Gain, ...] = ()
    """Gains in a table of one metric; a table of several shows the reference's gain over every other system."""
    conditions: dict[Word, str] = field(default_factory=dict)
    """For each corpus, the condition of the rows that its runs are compared with; other corpora use the first. Default:
    all rows."""
    notes: tuple[Note, ...] = ()
    """`{chosen_by}` stands for what selected the checkpoints, `{data}` for how much labelled data "all" is, `{penalty}`
    for our length penalty, or what chose it."""


@dataclass(frozen=True)
class DataSizes:
    """A figure of scores over fractions of the labelled data."""

    printed_in: str = ""
    curves: dict[Name, str] = field(default_factory=dict)
    """Systems and the names of their curves; gains are over the last one."""
    on_tests: bool = False
    """Whether scores are means over tests instead of validation scores."""
    means_over: tuple[Word, ...] = ()
    """The printed texts that the means are over; default: all."""
    all_pairs: Annotated[int, at_least(0)] = 0
    """How many labelled pairs the paper has in all; 0: its sizes are all counts."""
    gain: str = "Gain"
    """Title above the curves of gains."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class InPaper:
    """What a paper prints of one study."""

    corpus: str = ""
    """The corpus that its numbers are for."""
    languages: Annotated[tuple[Side, ...], only(lambda sides: len(sides) in (0, 2), "two: source and target")] = ()
    """Source and target language of its numbers; a study of ours may have others."""
    baselines: Annotated[tuple[Name, ...], only(len, "one system or more")] = ("no_pretraining",)
    """Systems that the reference is compared with; pretraining gains are over the first one."""
    printed: tuple[PrintedTable, ...] = ()
    ablations: str = ""
    """The figure or table of differences to the reference."""
    fractions: DataSizes = DataSizes()
    checkpoints: str = ""
    """The figure or table of scores by how far models were pretrained."""
    speed: str = ""
    """The table of training and search speeds; they are relative to the system in its first row."""
    corrections: bool = False
    """Whether the task is grammatical error correction, which has tables of its own."""
    claims: tuple[Claim, ...] = ()

    @property
    def named(self) -> list[tuple[str, str]]:
        """The systems that it names, each after its key."""
        gains = [system for table in self.printed for gain in table.gains for system in (gain.of, gain.over)]
        return [
            *(("baselines", system) for system in self.baselines if system not in NOTHING.baselines),
            *(("printed.also", system) for table in self.printed for system in table.also),
            *(("printed.gains", system) for system in gains),
            *(("fractions.curves", system) for system in self.fractions.curves),
            *((f"claims.{one.name}", system) for one in self.claims for part in one.parts for system in part.weights),
        ]

    def said_of(self, ours: Mapping[str, str]) -> InPaper:
        """Return what is printed, said of systems of ours: `ours` has their names, where these are not the paper's."""

        def named(*systems: str) -> tuple[str, ...]:
            return tuple(ours.get(system, system) for system in systems)

        def keyed(systems: Mapping[str, Any]) -> dict[str, Any]:
            return {ours.get(system, system): value for system, value in systems.items()}

        def table(one: PrintedTable) -> PrintedTable:
            gains = tuple(Gain(gain.label, *named(gain.of, gain.over)) for gain in one.gains)
            return replace(one, also=named(*one.also), gains=gains)

        def claim(one: Claim) -> Claim:
            return replace(one, parts=tuple(replace(part, weights=keyed(part.weights)) for part in one.parts))

        return replace(
            self,
            baselines=named(*self.baselines),
            printed=tuple(map(table, self.printed)),
            fractions=replace(self.fractions, curves=keyed(self.fractions.curves)),
            claims=tuple(map(claim, self.claims)),
        )


NOTHING = InPaper()
NO_PAPER = "none"
"""Value of `paper` in a study without a paper."""


def in_paper(file: Path | None, study: str, known: Sequence[str] = ()) -> InPaper:
    """Return what a paper's file declares for a study; nothing without a file.

    Raises ConfigError for bad content, and, if `known` studies are given, for a section that is named for none of them.
    """
    if file is None or not file.is_file():
        return NOTHING
    said = {key: value for key, value in mapping(read_yaml(file), file.name).items() if key != "cite"}
    studies: dict[str, InPaper] = typed(dict[Name, InPaper], said, file.name)
    for name in studies if known else ():
        among(known, name, f"{file.name}: sections are named for studies, and there is no study")
    for name, one in studies.items():
        _check_claims(one.claims, f"{file.name}: {name}.claims")
    return studies.get(study, NOTHING)


def _check_claims(claims: Sequence[Claim], where: str) -> None:
    """Check that claims have names of their own, by which verdicts are found, and something to judge."""
    names = [claim.name for claim in claims]
    for claim in claims:
        require(names.count(claim.name) == 1, where, "a name", claim.name, "given once")
        judged = claim.parts or claim.by_people
        require(judged, f"{where}, {claim.name}", "parts", [], "one or more, or none with `by_people: true`")


def paper_file(papers: Path, paper: str, where: str) -> Path:
    """Return the file of a study's paper; a project without a folder `papers` need not have it.

    Raises ConfigError for a paper that is not in the folder.
    """
    known = [*sorted(file.stem for file in papers.glob("*.yaml")), NO_PAPER]
    if papers.is_dir() and paper not in known:
        raise ConfigError(f"{where}: paper is {paper!r}, which {papers} lacks{nearest(paper, known)}")
    return papers / f"{paper}.yaml"


def cited(file: Path) -> str:
    """Return the citation in a paper's file; the file's name if there is no citation or no file."""
    said = mapping(read_yaml(file), file.name).get("cite") if file.is_file() else None
    return typed(str, said, f"{file.name}: cite") if said else file.stem
