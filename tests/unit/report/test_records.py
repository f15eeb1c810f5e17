"""The archive of a study's records: complete, stable, and enough for its tables; the committed tables are of theirs."""

from __future__ import annotations

import csv
import json
import zipfile
from functools import cache
from pathlib import Path

import pytest
from study_tree import PAPER, PUBLISHED, Tree

from seqpre.metrics.sentences import key, read_sentences, scorer_of
from seqpre.report import records, tables
from seqpre.study.study_file import read_study_file

STUDIES = PUBLISHED.parent / "studies"
REFERENCE = sorted((PUBLISHED.parents[1] / "results" / "small").glob("*/records.zip"))


def write_tables(
    folder: Path, study: str, scale: str, study_dir: Path, runs: Path, *more: object, paper: Path = PAPER
) -> dict[str, str]:
    """Write a study's tables to `folder`; return their text by name."""
    where = ["--study", study, "--scale", scale, "--study-dir", study_dir, "--runs", runs, "--published", PUBLISHED]
    where += ["--paper", paper]
    tables.main([str(word) for word in (*where, "--output-dir", folder, *more)])
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def test_tables_can_be_written_again_from_the_archive(
    full_tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study_dir = full_tree.study_dir.relative_to(tmp_path)
    for run in full_tree.runs:
        run["dir"] = str(Path(run["dir"]).relative_to(tmp_path))
    (study_dir / "runs.json").write_text(json.dumps(full_tree.runs))
    (study_dir / "runs/full/20pct/seed1/weights/perplexity.safetensors").write_bytes(b"weights")
    (study_dir / "runs/full/20pct/seed1/transfer.md").write_text("Parameters: fresh 20.\n")
    lm = study_dir.parent / "lms" / full_tree.study / "monolingual_en"
    lm.mkdir(parents=True)
    for name in ("lm.json", "summary.json"):
        (lm / name).write_text('{"steps": 100}')
    about = (full_tree.study, full_tree.scale, study_dir, study_dir / "runs.json")
    before = write_tables(study_dir / "tables", *about, "--lms", lm)
    records.main([str(study_dir)])
    first = (study_dir / "records.zip").read_bytes()
    records.main([str(study_dir)])
    assert (study_dir / "records.zip").read_bytes() == first

    (tmp_path / "elsewhere").mkdir()
    with zipfile.ZipFile(study_dir / "records.zip") as archive:
        archive.extractall(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert not list(Path().rglob("*.safetensors"))
    assert (study_dir / "runs/full/20pct/seed1/transfer.md").is_file()
    assert (lm / "lm.json").is_file()
    assert write_tables(Path("tables"), *about, "--lms", lm) == before


def test_no_sentence_of_a_corpus_is_packed(tmp_path: Path) -> None:
    stats = {"kept": 7, "reasons": {"duplicate": {"count": 2, "examples": [{"line": 3, "text": ["Ein Satz."]}]}}}
    (tmp_path / "train.de.stats.json").write_text(json.dumps(stats))
    packed = json.loads(records.content(tmp_path / "train.de.stats.json"))
    assert packed == {"kept": 7, "reasons": {"duplicate": {"count": 2}}}


def test_a_record_that_is_gone_is_named(full_tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    study_dir = full_tree.study_dir
    (study_dir / "runs.json").write_text(json.dumps(full_tree.runs))
    write_tables(study_dir / "tables", full_tree.study, full_tree.scale, study_dir, study_dir / "runs.json")
    gone = study_dir / "runs" / "full" / "20pct" / "seed1" / "scores.json"
    gone.unlink()
    with pytest.raises(SystemExit):
        records.main([str(study_dir)])
    assert str(gone) in capsys.readouterr().err
    assert not (study_dir / "records.zip").exists()


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.parent.name)
def test_the_committed_tables_are_of_the_committed_records(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, scale = path.parent.name, path.parents[1].name
    committed = {one.name: one.read_text(encoding="utf-8") for one in (path.parent / "tables").iterdir()}
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    first = next(csv.DictReader(committed["provenance.csv"].splitlines()))
    rows = csv.DictReader(committed["provenance.csv"].splitlines())
    lms = dict.fromkeys(str(Path(row["file"]).parent) for row in rows if row["run"].startswith("lms/"))
    study_dir = Path("results", scale, study)
    more = ["--lms", *lms, "--corpus-stats", *first["corpora"].split()]
    text, _ = read_study_file(STUDIES / f"{study}.yaml", STUDIES)
    paper = PAPER.with_name(f"{text['paper']}.yaml")
    found = write_tables(Path("tables"), study, scale, study_dir, study_dir / "runs.json", *more, paper=paper)
    assert found == committed


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.parent.name)
def test_every_difference_is_to_the_run_that_it_names(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One to a former training of that run would stay when the run is trained again elsewhere."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    read, checked = cache(read_sentences), 0
    for file in Path().rglob("scores.json"):
        for entry in json.loads(file.read_text(encoding="utf-8")):
            if "against" not in entry:
                continue
            baseline, _, hypotheses = entry["baseline_hypotheses"].partition("/hypotheses/")
            named = (file.parent, entry["selection"]), (Path(baseline), hypotheses.split("/")[0])
            kept = [
                read(folder / "sentences.npz").get(key(selection, entry["split"], entry["metric"]))
                for folder, selection in named
            ]
            if any(one is None for one in kept):
                continue
            ours, theirs = (
                scorer_of(entry["metric"])(one.sum(axis=0, keepdims=True, dtype=float)).item()  # type: ignore[union-attr]
                for one in kept
            )
            assert entry["delta"] == pytest.approx(ours - theirs, abs=1e-6), (str(file), entry["split"])
            checked += 1
    if not checked:
        pytest.skip("its differences are older than statistics of sentences, or there are none")
