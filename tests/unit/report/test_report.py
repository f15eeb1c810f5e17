"""The report says what was found, what was not run and what was decided, in words."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from shared import section_of, words
from study_tree import PUBLISHED, Tree

from seqpre.common.errors import ConfigError, DataError
from seqpre.report import figures, tables
from seqpre.report.corpus_titles import corpus_title
from seqpre.report.departures import departures
from seqpre.report.pages import report
from seqpre.report.records import records
from seqpre.report.tables import study_tables
from seqpre.study.load import read_study_file

ROOT = PUBLISHED.parents[1]


def write_page(results: Path, scale: str = "small") -> str:
    """Write the report of a folder of results; return its markup."""
    output = results / "report.html"
    report.main(["--scale", scale, "--results", str(results), "--checkout", str(ROOT), "--output", str(output)])
    return output.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The page of results that are no more than the empty folder of a study, and what was said while it was written."""
    results = tmp_path_factory.mktemp("results")
    (results / "ramachandran-translation").mkdir()
    with contextlib.redirect_stdout(io.StringIO()) as said:
        return write_page(results), said.getvalue()


def test_a_study_without_results_is_listed_with_what_the_paper_has(empty: tuple[str, str]) -> None:
    said = words(section_of(empty[0], "ramachandran-translation"))
    assert said.startswith("Translation Not run at this scale. The paper has of it: Table 1: test BLEU")
    assert "Figure 4" in said


def test_the_report_says_which_study_it_reads_and_how_many_are_left(empty: tuple[str, str]) -> None:
    *reading, _ = empty[1].splitlines()
    count = len(reading)
    assert count > 10
    assert re.fullmatch(rf"Reading [\w-]+, study 1 of {count}, {count - 1} left", reading[0])
    assert [line.rpartition(", ")[2] for line in reading] == [f"{left} left" for left in reversed(range(count))]


def test_a_study_that_is_half_run_has_what_is_there(tree: Tree) -> None:
    tree.add("full", "100pct", 1, 33.3)
    tree.declare("no_pretraining", "100pct", 1)
    tree.described()
    page = write_page(tree.study_dir.parent)
    assert write_page(tree.study_dir.parent) == page
    assert page.count('<button type="button" data-cell=') > 5
    said = words(section_of(page, tree.study))
    assert "1 of 2 declared runs have scores" in said
    assert re.search(r"Pretrained seq2seq single 24\.0 27\.0 32\.5 \[[\d., ]+\] 32\.5 .* 1 other scale", said)
    assert "No pretraining (with LM objective) single 21.3 24.3 not run not run" in said


def test_a_study_without_tables_and_figures_has_its_findings(tree: Tree) -> None:
    tree.more = {"tables": [], "figures": []}
    tree.add("full", "100pct", 1, 33.3)
    tree.described()
    for command in (tables, figures):
        command.main([str(tree.study_dir), "--checkout", str(ROOT)])
    assert [file.name for folder in ("tables", "figures") for file in (tree.study_dir / folder).iterdir()] == [
        "provenance.csv"
    ]
    assert tree.study_dir / "study.json" in records(tree.study_dir)
    said = words(section_of(write_page(tree.study_dir.parent), tree.study))
    assert "1 of 1 declared runs have scores" in said
    assert "Not run" not in said


def test_a_training_that_diverged_has_the_curve_of_before(tree: Tree) -> None:
    metrics = tree.add("full", "100pct", 1, 33.3) / "metrics.jsonl"
    lines = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    last = [line for line in lines if line["event"] == "validation"][-1]
    last |= {"valid_loss": float("inf"), "valid_perplexity": float("inf")}
    metrics.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    tree.described()
    page = write_page(tree.study_dir.parent)
    (data,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, flags=re.DOTALL)
    assert "Infinity" not in data
    (curve,) = [run["curve"] for run in json.loads(data)["runs"] if run["folder"].endswith("full/100pct/seed1")]
    assert [step for step, _, _ in curve] == [line["step"] for line in lines if line["event"] == "validation"][:-1]


def test_claims_say_in_words_what_they_ask_and_what_was_found(full_tree: Tree) -> None:
    full_tree.described()
    said = words(section_of(write_page(full_tree.study_dir.parent), full_tree.study))
    (table,) = [one for one in study_tables(full_tree.load()) if one.name == "claims"]
    judged = [row for row in table.rows if "ours_finding" in row]
    assert {row["ours_finding"].text for row in judged} >= {"direction only", "undecided"}
    for row in judged:
        published = {"-": "no numbers"}.get(row["published_finding"].text, row["published_finding"].text)
        finding = f"paper: {published} ours: {row['ours_finding'].text}"
        assert f"“{row['statement'].text}” {row['claim'].text} {finding}" in said
    assert "is more than 0" in said


def test_every_bitext_of_a_study_has_a_title() -> None:
    scales = [scale for file in (ROOT / "workflow/studies").glob("*.yaml")
              for scale in read_study_file(file, file.parent)[0]["scales"].values() if scale]  # fmt: skip
    bitexts = {scale["corpora"]["bitext"] for scale in scales}
    assert len(bitexts) > 10
    assert {one for one in bitexts if corpus_title(one, ROOT / "workflow") == one} == set()
    assert corpus_title("mine", ROOT / "workflow") == "mine"


def test_a_line_that_is_no_title_is_named(tmp_path: Path) -> None:
    (tmp_path / "corpus_titles.tsv").write_text("mine\tMy text\n\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"corpus_titles\.tsv, line 2: '' is not a corpus, a tab and its title"):
        corpus_title("mine", tmp_path)


def test_a_study_without_a_paper_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "draft.yaml").write_text("scales: {small: {tests: [test]}}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"draft\.yaml lacks 'paper'; a study has it"):
        report.declared([tmp_path / "draft.yaml"], "small", tmp_path)


def test_every_decision_is_there_with_its_place() -> None:
    found = departures(ROOT)
    markup = report.body("small", [], ROOT, report.Numbers([]), [])
    said = words(markup)
    assert len(found) > 50
    for one in found:
        decision = report.inline(f"{one.text[0].upper()}{one.text[1:]}")
        assert words(f"{one.file}:{one.line} {decision}") in said
        line = (ROOT / one.file).read_text(encoding="utf-8").splitlines()[one.line - 1]
        assert f"# {one.kind}: {one.text[:20]}" in line
    assert "<code>multi-bleu.perl</code>" in markup


def test_a_decision_of_a_study_names_its_paper(empty: tuple[str, str]) -> None:
    said = words(empty[0])
    assert re.search(r"workflow/studies/edunov-turkish\.yaml:\d+ edunov2019 For how many updates a model", said)
    assert re.search(r"workflow/pretraining/poda\.yaml:\d+ poda2019 Which dump of Wikipedia", said)


def test_an_svg_is_its_own_address() -> None:
    picture = '<?xml version="1.0"?>\n<svg id="a#b">\n <text style="font-family: \'X\'">50 % &lt; "ü"</text>\n</svg>\n'
    address = report.address_of(picture)
    assert not set('"<>#&\n') & set(address)
    plain = unquote(address.removeprefix("data:image/svg+xml,"))
    assert plain == """<svg id='a#b'><text style="font-family: 'X'">50 % &lt; "ü"</text></svg>"""
