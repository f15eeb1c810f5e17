"""Records and what was run here are read together, and of every number it is known which it is from."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from study_tree import PUBLISHED, Tree, write

from seqpre import crate, trace
from seqpre.common.errors import DataError
from seqpre.report import records, tables
from seqpre.report.pages import report
from seqpre.report.records import ARCHIVE, opened
from seqpre.report.results import Results, load_results
from seqpre.report.summary import sentences

ROOT = PUBLISHED.parents[1]
SEEDS = (1, 2)
FULL = Path("runs/full/100pct")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """Return a study of two systems and two seeds that was run, and packed, in the working directory."""
    monkeypatch.chdir(tmp_path)
    tree = Tree(Path("results"))
    for seed in SEEDS:
        tree.add("full", "100pct", seed, 30.0 + seed)
        tree.add("no_pretraining", "100pct", seed, 20.0 + seed)
    lm = tree.root / tree.scale / "lms" / tree.study / "monolingual_en"
    write(lm / "lm.json", {"name": "monolingual_en", "settings": {"dim": 8}})
    write(lm / "summary.json", {"steps": 7})
    tree.more["pretrained"] = [f"{tree.study}/monolingual_en"]
    tree.described()
    tables.main([str(tree.study_dir), "--checkout", str(ROOT)])
    records.main([str(tree.study_dir)])
    return tree


def cleared(tree: Tree) -> Path:
    """Leave nothing but the tables and records of a study, as git does; return its folder."""
    shutil.rmtree(tree.study_dir / "runs")
    (tree.study_dir / "study.json").unlink()
    shutil.rmtree(tree.study_dir.parent / "lms")
    return tree.study_dir


def run_here(tree: Tree, system: str, seed: int, score: float) -> Path:
    """Run one system and seed here, which is all that is declared; return its folder."""
    tree.runs.clear()
    folder = tree.add(system, "100pct", seed, score)
    tree.described()
    return folder


def read(study_dir: Path) -> Results:
    """Return a study's results, all of them read."""
    with opened(study_dir) as here:
        assert here is not None
        results = load_results(here)
        assert len(results.scores) > 0
        assert all(run.summary is not None and run.validations is not None for run in results.outcomes)
    return results


def scores(results: Results) -> dict[str, tuple[float, bool]]:
    """Return every validation score, and whether it is of records."""
    found = results.scores.query("split == 'valid' and selection == 'perplexity' and metric == 'bleu_tok_multibleu'")
    packed = {run.name: run.packed for run in results.outcomes}
    return {name: (score, packed[name]) for name, score in zip(found["run"], found["score"], strict=True)}


def test_records_are_read_where_no_run_is(tree: Tree) -> None:
    study_dir, before = cleared(tree), Path.cwd()
    found = scores(read(study_dir))
    assert found == {
        "full/100pct/seed1": (31.0, True), "full/100pct/seed2": (32.0, True),
        "no_pretraining/100pct/seed1": (21.0, True), "no_pretraining/100pct/seed2": (22.0, True),
    }  # fmt: skip
    assert Path.cwd() == before
    assert not (study_dir / "runs").exists()


def test_a_run_here_stands_beside_the_records_and_in_the_place_of_its_like(tree: Tree) -> None:
    cleared(tree)
    run_here(tree, "full", 2, 40.0)
    results = read(tree.study_dir)
    assert scores(results) == {
        "full/100pct/seed2": (40.0, False), "full/100pct/seed1": (31.0, True),
        "no_pretraining/100pct/seed1": (21.0, True), "no_pretraining/100pct/seed2": (22.0, True),
    }  # fmt: skip
    said = sentences(results)
    assert said[0] == "4 of 4 declared runs have scores."
    assert said[1] == "From records.zip: 3 of 4 runs with scores. Run here: full/100pct/seed2."


def test_what_has_no_scores_here_is_read_from_the_records(tree: Tree) -> None:
    cleared(tree)
    (run_here(tree, "full", 2, 40.0) / "scores.json").unlink()
    results = read(tree.study_dir)
    assert scores(results)["full/100pct/seed2"] == (32.0, True)
    assert sentences(results)[1] == "All scores are from records.zip."


def test_a_run_that_only_is_here_and_has_no_scores_is_still_read(tree: Tree) -> None:
    cleared(tree)
    (run_here(tree, "encoder_only", 1, 40.0) / "scores.json").unlink()
    results = read(tree.study_dir)
    assert len(scores(results)) == 4
    (begun,) = results.of("encoder_only", "100pct")
    assert (begun.packed, len(begun.scores)) == (False, 0)
    assert sentences(results)[0] == "4 of 5 declared runs have scores. Not run: encoder_only/100pct/seed1."


def test_runs_that_were_put_back_are_of_the_records(tree: Tree) -> None:
    cleared(tree)
    with zipfile.ZipFile(tree.study_dir / ARCHIVE) as archive:
        archive.extractall(members=[name for name in archive.namelist() if "/runs/" in name])
    back = [("full", "100pct", 1), ("full", "100pct", 2), ("no_pretraining", "100pct", 1)]
    write(tree.study_dir / "restored.json", {"runs": back, "others": [], "choices": [], "lms": {}})
    shutil.rmtree(tree.study_dir / "runs/no_pretraining/100pct/seed2")
    tree.runs.clear()
    tree.add("no_pretraining", "100pct", 2, 25.0)
    found = scores(read(tree.study_dir))  # there is no study.json yet: the workflow writes it
    assert found["no_pretraining/100pct/seed2"] == (25.0, False)
    assert [packed for _, packed in found.values()] == [True, True, True, False]


def test_a_run_that_was_put_back_and_then_trained_here_is_of_here(tree: Tree) -> None:
    write(tree.study_dir / "restored.json", {"runs": [("full", "100pct", 1)], "others": [], "choices": []})
    write(tree.study_dir / "runs/full/100pct/seed1/weights/perplexity.safetensors", "weights")
    assert not any(run.packed for run in load_results(tree.study_dir).runs)


def test_what_was_put_back_is_known_without_the_archive(tree: Tree) -> None:
    write(tree.study_dir / "restored.json", {"runs": [("full", "100pct", 1)], "others": [], "choices": []})
    results = load_results(tree.study_dir)
    assert [run.name for run in results.runs if run.packed] == ["full/100pct/seed1"]


def test_records_of_a_system_that_ran_here_with_other_settings_are_left_out(tree: Tree) -> None:
    cleared(tree)
    write(run_here(tree, "full", 2, 40.0) / "run.json", {"settings": {"model": {"dropout": 0.4}}})
    results = read(tree.study_dir)
    assert set(scores(results)) == {"full/100pct/seed2", "no_pretraining/100pct/seed1", "no_pretraining/100pct/seed2"}
    said = "Left out of records.zip: runs/full/100pct/seed1 (the system ran here with other settings)."
    assert said in sentences(results)


def test_records_that_were_scored_in_another_way_are_left_out(tree: Tree) -> None:
    cleared(tree)
    file = run_here(tree, "full", 2, 40.0) / "scores.json"
    file.write_text(file.read_text().replace("signature-of-bleu_sacre_13a", "another"))
    results = read(tree.study_dir)
    assert set(scores(results)) == {"full/100pct/seed2"}
    assert results.signatures("bleu_sacre_13a") == ["another"]
    assert "computed in another way than here" in results.left_out["runs/full/100pct/seed1"]


def test_a_model_is_that_of_the_records_until_one_has_been_trained_here(tree: Tree) -> None:
    study_dir = cleared(tree)
    lm = study_dir.parent / "lms" / tree.study / "monolingual_en"
    write(lm / "lm.json", {"settings": {"dim": 16}})
    for trained, dim in ((False, 8), (True, 16)):
        if trained:
            (lm / "weights").mkdir()
        with opened(study_dir) as here:
            assert here is not None
            read_from = here.parent / "lms" / tree.study / "monolingual_en/lm.json"
            assert json.loads(read_from.read_text())["settings"] == {"dim": dim}


def test_the_report_has_both_and_says_which_a_number_is_from(tree: Tree) -> None:
    cleared(tree)
    run_here(tree, "full", 2, 40.0)
    output = tree.root / "report.html"
    report.main(["--scale", tree.scale, "--results", str(tree.study_dir.parent), "--checkout", str(ROOT), "--output",
                 str(output)])  # fmt: skip
    page = output.read_text(encoding="utf-8")
    section = page.partition(f'<h3 id="{tree.study}">')[2].partition('<section class="study')[0]
    assert "4 of 4 declared runs have scores." in section
    assert "Not run at this scale" not in section
    assert ">records and runs here</td>" in page
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    packed = {Path(run["folder"]).relative_to(tree.study_dir.parent): run["packed"] for run in data["runs"]}
    runs = {str(folder.relative_to(tree.study)): of for folder, of in packed.items() if folder.parts[0] == tree.study}
    assert runs == {
        f"{FULL}/seed1": True, f"{FULL}/seed2": False,
        "runs/no_pretraining/100pct/seed1": True, "runs/no_pretraining/100pct/seed2": True,
    }  # fmt: skip
    assert packed[Path("lms", tree.study, "monolingual_en")]


def test_a_trace_says_whether_it_is_of_records(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    cleared(tree)
    here = run_here(tree, "full", 2, 40.0)
    (run_here(tree, "no_pretraining", 1, 40.0) / "scores.json").unlink()
    for folder, origin in ((FULL / "seed1", "From records.zip"), (here.relative_to(tree.study_dir), "Run here."),
                           ("runs/no_pretraining/100pct/seed1", "From records.zip")):  # fmt: skip
        trace.main([str(tree.study_dir / folder), "--checkout", str(ROOT)])
        assert f"{folder}\n  {origin}" in capsys.readouterr().out


def test_a_table_of_another_checkout_is_traced_there(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree("results", "elsewhere/results")
    write(tree.study_dir / FULL / "seed1/run.json", {"settings": {"optimizer": {"lr": 0.5}}})
    table = "small/ramachandran-translation/tables/table_1.csv"
    for root, known in (("results", True), ("elsewhere/results", False)):
        trace.main([f"{root}/{table}", "--row", "Pretrained seq2seq", "--checkout", str(ROOT)])
        said = capsys.readouterr().out
        assert f"\n{Path(root).absolute()}/small/{tree.study}/{FULL}/seed1\n" in said
        assert ("optimizer.lr: 0.5" in said) == known


def test_another_checkout_is_not_packed_from_here(tree: Tree, refused: Callable[..., str]) -> None:
    shutil.copytree("results", "elsewhere/results")
    said = refused(records.main, [f"elsewhere/{tree.study_dir}"])
    assert "which is not in elsewhere/results/small/ramachandran-translation" in said


def test_a_crate_is_of_the_records_and_says_what_they_lack(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    cleared(tree)
    (tree.study_dir / "summary.md").write_text("- found\n")
    run_here(tree, "full", 2, 40.0)
    crate.main([str(tree.study_dir), "--checkout", str(ROOT), "--output", "crate.zip"])
    said = capsys.readouterr().out
    assert (
        f"records.zip lacks these, or has other scores of them: {Path.cwd() / tree.study_dir / FULL}/seed2; `python -m"
        in said
    )
    with zipfile.ZipFile("crate.zip") as archive:
        assert "at the scale small: 4 runs" in archive.read("ro-crate-metadata.json").decode()


def test_records_of_another_text_are_in_no_table_with_runs_of_this_one(tree: Tree) -> None:
    study_dir = cleared(tree)
    tree.corpus = "captions"
    run_here(tree, "full", 1, 50.0)
    with pytest.raises(
        DataError, match=r"is of captions \(en, de\) here, and of multi30k \(en, de\) in its records.zip"
    ):
        read(study_dir)
