"""What a paper prints of a study is read strictly, and claims mean what their bounds say."""

from __future__ import annotations

import re
import shutil
import textwrap
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.report.published import load_published
from seqpre.study.claims import Contrast
from seqpre.study.displays import Display, tables_of
from seqpre.study.load import load_study
from seqpre.study.paper import NOTHING, InPaper, cited, in_paper
from seqpre.study.tasks import TASKS

WORKFLOW = Path(__file__).parents[3] / "workflow"
PAPERS = sorted((WORKFLOW / "papers").glob("*.yaml"))


def read(tmp_path: Path, text: str) -> InPaper:
    file = tmp_path / "paper.yaml"
    file.write_text(text)
    return in_paper(file, "mine")


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("[mine]", "paper.yaml must be a mapping, got ['mine']"),
        ("mine: {tabels: []}", "paper.yaml: mine has no key 'tabels'"),
        ("mine: {printed: [{name: a, title: b}]}", "lacks 'printed_in'"),
        ("mine: {printed: [{name: a/b, title: c, printed_in: [d]}]}", "of letters, digits and _"),
        ("mine: {printed: [{name: a, title: b, printed_in: []}]}", "one table or more"),
        ("mine: {printed: [{name: a, title: b, printed_in: [c], notes: ['{d}']}]}", "nothing but {chosen_by}"),
        ("mine: {baselines: []}", "one system or more"),
        ("mine: {claims: [{name: C1, says: x, parts: [{weights: {a: 1}, bounds: more}]}]}", "like > 0, ≥ 2"),
        ("mine: {claims: [{name: C1, says: x, parts: [{weights: {a: 1}, bounds: within ±-0.3}]}]}", "like > 0, ≥ 2"),
        (
            "mine: {claims: [{name: C1, says: x, parts: [{weights: {}, bounds: > 0}]}]}".replace("> 0", "'> 0'"),
            "one system",
        ),
        (
            "mine: {claims: [{name: C1, says: x, parts: [{weights: {a: 1}, bounds: ≥ 1, of: all}]}]}",
            "of is 'all'; known are",
        ),
        (
            "mine: {claims: [{name: C1, says: x, parts: [{weights: {a: 1}, bounds: ≥ 1, fraction: least}]}]}",
            "like 2500 or 160k; or smallest or largest",
        ),
        ("mine: {claims: [{name: C1, says: x, parts: [{weights: {a: 1}, bounds: ≥ 1, against: [b]}]}]}", "label and"),
        ("mine: {claims: [{name: C1, says: x}]}", "mine.claims, C1: parts is []; it must be one or more, or none with"),
        (
            "mine: {claims: [{name: C1, says: x, by_people: true}, {name: C1, says: y, by_people: true}]}",
            "mine.claims: a name is 'C1'; it must be given once",
        ),
        ("mine: {fractions: {figure: Figure 1}}", "has no key 'figure'"),
    ],
)
def test_a_mistake_in_a_paper_is_refused_with_its_key(tmp_path: Path, text: str, refused: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, text)
    assert refused in str(error.value)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ("> 0", "is more than 0"),
        ("≥ 2", "is at least 2"),
        ("< -1", "is less than -1"),
        ("≤ 0.5", "is at most 0.5"),
        ("within ±0.3", "is within 0.3 of 0"),
    ],
)
def test_bounds_have_words(bounds: str, words: str) -> None:
    assert Contrast({}, bounds).predicate == words


def test_every_paper_says_how_it_is_cited(tmp_path: Path) -> None:
    assert len({cited(file) for file in PAPERS}) == len(PAPERS)
    assert all(re.search(r"\(\d{4}\): .{20}", cited(file)) for file in PAPERS)
    (tmp_path / "paper.yaml").write_text("mine: {}\n")
    assert cited(tmp_path / "paper.yaml") == cited(tmp_path / "none" / "paper.yaml") == "paper"
    (tmp_path / "paper.yaml").write_text("")
    assert (cited(tmp_path / "paper.yaml"), read(tmp_path, "")) == ("paper", NOTHING)
    (tmp_path / "paper.yaml").write_text("cite: [a]\n")
    with pytest.raises(ConfigError, match=re.escape("paper.yaml: cite must be text, got ['a']")):
        cited(tmp_path / "paper.yaml")


def names(displays: list[Display]) -> list[str]:
    return [display.name for display in displays]


def shown(file: Path) -> list[str]:
    """Return the tables that a study has."""
    study = load_study(file, "demo")
    return names(tables_of(study.in_paper, study.tables))


def test_a_study_that_is_in_no_paper_has_the_tables_of_any(tmp_path: Path) -> None:
    assert read(tmp_path, "another: {}") == in_paper(tmp_path / "none.yaml", "mine") == NOTHING
    assert names(tables_of(NOTHING)) == ["ablations", "learning", "cost"]


def test_a_study_has_what_its_paper_declares_and_names_what_it_leaves_out(tmp_path: Path) -> None:
    study = (WORKFLOW / "studies" / "transformer-translation.yaml").read_text()
    (tmp_path / "studies").mkdir()
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "own.yaml").write_text(
        'mine: {printed: [{name: table_9, title: "Table 9", printed_in: [Table 9]}], baselines: [transformer]}\n'
    )
    file = tmp_path / "studies" / "mine.yaml"
    file.write_text(study.replace("paper: vaswani2017", "paper: own").replace("tables: [learning", "tables: [table_9"))
    assert shown(file) == ["table_9", "cost"]
    file.write_text("\n".join(line for line in file.read_text().splitlines() if not line.startswith("tables:")))
    assert shown(file) == ["table_9", "ablations", "learning", "cost"]
    file.write_text(file.read_text() + "\ntables: [table_8]\n")
    with pytest.raises(ConfigError, match="tables has 'table_8'; did you mean 'table_9'"):
        load_study(file, "demo")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("baselines", "baselines: [fll]"),
        ("printed.also", "printed: [{name: a, title: b, printed_in: [c], also: [fll]}]"),
        ("printed.gains", "printed: [{name: a, title: b, printed_in: [c], gains: [{label: d, of: full, over: fll}]}]"),
        ("fractions.curves", "fractions: {curves: {fll: all}}"),
        ("claims.C1", "claims: [{name: C1, says: x, parts: [{weights: {decoder_only: 1, fll: -1}, bounds: '> 0'}]}]"),
    ],
)
def test_a_system_that_a_paper_names_and_its_study_lacks_is_refused(tmp_path: Path, key: str, said: str) -> None:
    (tmp_path / "studies").mkdir()
    (tmp_path / "papers").mkdir()
    file = shutil.copy(WORKFLOW / "studies/ramachandran-translation.yaml", tmp_path / "studies")
    paper = tmp_path / "papers/ramachandran2017.yaml"
    paper.write_text(f"ramachandran-translation: {{{said.replace('fll', 'full')}}}\n")
    assert load_study(file, "demo").in_paper != NOTHING
    paper.write_text(f"ramachandran-translation: {{{said}}}\n")
    where = f"ramachandran2017.yaml: ramachandran-translation.{key} has 'fll'; did you mean 'full'?"
    with pytest.raises(ConfigError, match=re.escape(where)):
        load_study(file, "demo")


def test_a_paper_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    study = (WORKFLOW / "studies" / "transformer-translation.yaml").read_text()
    file, project = tmp_path / "mine.yaml", WORKFLOW / "studies"
    file.write_text(study.replace("paper: vaswani2017", "paper: vaswani2071"))
    with pytest.raises(ConfigError, match=r"mine.yaml: paper is 'vaswani2071', .* did you mean 'vaswani2017'\?"):
        load_study(file, "demo", project=project)
    file.write_text(study.replace("paper: vaswani2017", "paper: somebody"))
    known = "araabi2020, edunov2019, poda2019, ramachandran2017, vaswani2017, wu2021, none"
    with pytest.raises(ConfigError, match=f"mine.yaml: paper is 'somebody', .* known are {known}"):
        load_study(file, "demo", project=project)
    file.write_text(study.replace("paper: vaswani2017", "paper: none"))
    assert load_study(file, "demo", project=project).in_paper == NOTHING


def test_a_section_that_is_named_for_no_study_is_refused_with_the_nearest_study(tmp_path: Path) -> None:
    (tmp_path / "studies").mkdir()
    (tmp_path / "papers").mkdir()
    for name in ("transformer-translation", "transformer-tiny"):
        shutil.copy(WORKFLOW / f"studies/{name}.yaml", tmp_path / "studies")
    (tmp_path / "papers/wu2021.yaml").touch()
    paper = tmp_path / "papers/vaswani2017.yaml"
    paper.write_text("transformer-tiny: {}\ntransformer-translation: {corpus: WMT14}\n")
    assert load_study(tmp_path / "studies/transformer-translation.yaml", "demo").in_paper.corpus == "WMT14"
    paper.write_text("transformer-translatoin: {corpus: WMT14}\n")
    refused = "vaswani2017.yaml: .* no study 'transformer-translatoin'; did you mean 'transformer-translation'"
    with pytest.raises(ConfigError, match=refused):
        load_study(tmp_path / "studies/transformer-translation.yaml", "demo")


@pytest.mark.parametrize("file", PAPERS, ids=lambda file: file.stem)
def test_what_a_paper_declares_is_of_a_study_and_has_its_numbers(file: Path) -> None:
    published = load_published(WORKFLOW / "published.tsv")
    printed = {(number.study, number.table) for number in published if number.paper == file.stem}
    for study in {study for study, _ in printed if in_paper(file, study) != NOTHING}:
        paper = in_paper(file, study)
        declared = [table for one in paper.printed for table in one.printed_in]
        declared += filter(None, [paper.ablations, paper.fractions.printed_in])
        assert {(study, table) for table in declared} <= printed
        known = load_study(WORKFLOW / f"studies/{study}.yaml", "demo")
        systems = {*known.systems, *known.ensembles, *TASKS[known.task].all_trivial}
        assert {system for one in paper.printed for system in one.also} | {*paper.baselines} <= systems
        assert {system for claim in paper.claims for part in claim.parts for system in part.weights} <= systems


@pytest.mark.parametrize(
    ("bounds", "met", "missed"),
    [("> 0", 0.001, 0.0), ("≥ 2", 2.0, 1.99), ("< 0", -0.001, 0.0), ("≤ -1", -1.0, -0.99), ("within ±0.3", -0.3, 0.31)],
)
def test_a_bound_is_met_at_its_edge_and_not_beyond(bounds: str, met: float, missed: float) -> None:
    part = Contrast({"a": 1.0}, bounds)
    assert part.met(met)
    assert not part.met(missed)


def test_a_difference_is_called_by_its_systems_unless_it_has_a_name() -> None:
    weights = {"decoder_only": 1.0, "parallel_lm": 1.0, "full": -1.0}
    assert Contrast(weights, "> 0").title == "decoder only + parallel LM \N{MINUS SIGN} full"
    assert Contrast(weights, "> 0", name="what they gain").title == "what they gain"


def test_the_documented_paper_can_be_read(tmp_path: Path) -> None:
    text = (WORKFLOW.parent / "docs" / "extending.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^ +```yaml\n(.*?)^ +```$", text, flags=re.MULTILINE | re.DOTALL)
    file = tmp_path / "smith2020.yaml"
    file.write_text(textwrap.dedent(block))
    paper = in_paper(file, "smith-translation")
    assert names(tables_of(paper)) == ["table_2", "ablations", "fractions", "learning", "claims", "cost"]
    assert paper.claims[0].parts[0].met(0.1)
