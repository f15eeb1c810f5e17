"""The page shows each sampled document with both outputs, and does not say whose they are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from shared import write_lines
from study_files import DOCUMENTS, OURS, REFERENCES, THEIRS, make_study

from seqpre.human_study.make import sample_lines, show_orders


def shown(page: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    assert found
    return json.loads(found[1])


def test_the_key_says_which_output_of_the_page_is_whose(tmp_path: Path) -> None:
    make_study(tmp_path)
    key = json.loads((tmp_path / "key.json").read_text())
    page = shown(tmp_path / "page.html")
    assert page["page"] == key["page"]
    assert len(page["items"]) == len(key["items"]) == 12
    texts = {"full": OURS, "none": THEIRS}
    for item, about in zip(page["items"], key["items"], strict=True):
        line = about["line"] - 1
        assert (item["document"], item["reference"]) == (DOCUMENTS[line], REFERENCES[line])
        assert item["outputs"] == [texts[system][line] for system in about["shown"]]
        assert about["repeats"] == [system == "none" for system in about["shown"]]
    assert {tuple(about["shown"]) for about in key["items"]} == {("full", "none"), ("none", "full")}


def test_the_page_names_no_system_no_file_and_no_address(tmp_path: Path) -> None:
    make_study(tmp_path)
    page = (tmp_path / "page.html").read_text()
    assert not re.search(r"full|none\.txt|baseline|\"line\"|seed", page.split('id="data"')[1].split("</script>")[0])
    assert str(tmp_path) not in page
    assert not re.search(r"https?:|src=|href=|@import|url\(", page)
    assert "default-src 'none'" in page


def test_the_same_seed_makes_the_same_page_and_another_text_another_id(tmp_path: Path) -> None:
    first = make_study(tmp_path)
    page = (tmp_path / "page.html").read_bytes()
    assert make_study(tmp_path) == first
    assert (tmp_path / "page.html").read_bytes() == page
    (tmp_path / "key.json").unlink()
    assert make_study(tmp_path, "--seed", "4").page != first.page
    (tmp_path / "key.json").unlink()
    write_lines(tmp_path / "other.txt", [line.upper() for line in OURS])
    assert make_study(tmp_path, "--system", f"full={tmp_path / 'other.txt'}").page != first.page


def test_the_key_of_a_page_that_raters_may_have_is_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = make_study(tmp_path)
    kept = [(tmp_path / name).read_bytes() for name in ("page.html", "key.json")]
    with pytest.raises(SystemExit):
        make_study(tmp_path, "--seed", "4")
    assert f"key.json is the key of page {first.page}, and ratings of it need that key" in capsys.readouterr().err
    assert [(tmp_path / name).read_bytes() for name in ("page.html", "key.json")] == kept


def test_text_that_looks_like_markup_stays_text(tmp_path: Path) -> None:
    tricky = "</script><script>alert(1)</script> & $title \u2028 <b>"
    write_lines(tmp_path / "tricky.txt", [tricky] * 30)
    make_study(tmp_path, "--references", str(tmp_path / "tricky.txt"))
    assert {item["reference"] for item in shown(tmp_path / "page.html")["items"]} == {tricky}


def test_documents_without_text_or_reference_are_not_drawn() -> None:
    documents, references = ["", "a", "b", "c"], ["x", "y", "", "z"]
    assert sorted(sample_lines(documents, references, 2, seed=1)) == [1, 3]


def test_of_fewer_documents_than_are_wanted_all_are_shown(tmp_path: Path) -> None:
    make_study(tmp_path, "--sample", "200")
    assert sorted(item["document"] for item in shown(tmp_path / "page.html")["items"]) == sorted(DOCUMENTS)


def test_either_output_comes_first_about_as_often() -> None:
    orders = show_orders(1000, seed=1)
    assert 440 < sum(order[0] for order in orders) < 560
    assert all(sorted(order) == [0, 1] for order in orders)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sample", "0"], "--sample is 0; it must be at least 1"),
        (["--references", "empty.txt"], "of 30 documents none can be rated"),
        (["--baseline", "full=full.txt"], "both called 'full'"),
        (["--key", "page.html", "--page", "page.html"], "--page and --key are both page.html"),
        (["--baseline", "none.txt"], "--baseline wants name=path"),
        (["--baseline", "none=missing.txt"], "missing.txt: no such file"),
        (["--baseline", "none=short.txt"], "short.txt has 29 lines"),
    ],
)
def test_what_cannot_be_rated_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "short.txt", THEIRS[1:])
    write_lines(tmp_path / "empty.txt", [""] * 30)
    with pytest.raises(SystemExit) as stopped:
        make_study(tmp_path, *arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()
