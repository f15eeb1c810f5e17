"""The archive of a study's records: complete, stable, and enough for its tables; the committed tables are of theirs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from functools import cache
from pathlib import Path

import pytest
from study_tree import PAPER, PUBLISHED, Tree

from seqpre import compare, crate, restore, trace
from seqpre.common.errors import DataError
from seqpre.metrics.sentences import key, read_sentences
from seqpre.report import records, tables
from seqpre.report.declared import declared, lm_folders
from seqpre.report.pages import report
from seqpre.study.load import load_study
from seqpre.study.tasks import metric_called

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
    (study_dir / "runs/full/20pct/seed1/weights").mkdir()
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


STUDY = "results/small/mine"
RUN = {"dir": f"{STUDY}/runs/full/100pct/seed1", "system": "full", "fraction": "100pct", "seed": 1}
FILES = {
    f"{STUDY}/runs.json": json.dumps([RUN, {**RUN, "dir": f"{STUDY}/trivial/lead_3", "seed": None}]),
    f"{RUN['dir']}/scores.json": "[]",
    f"{RUN['dir']}/hypotheses/perplexity/test.json": "{}",
    f"{STUDY}/tuning/full/100pct.json": "{}",
    "results/small/lms/mine/lm_en/seed1/lm.json": "{}",
    "results/small/text/mine/pairs/train.en_de.stats.json": "{}",
}


def archive_of(path: Path, files: dict[str, str]) -> Path:
    """Write an archive; return its path."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, records.EPOCH), text, zipfile.ZIP_DEFLATED)
    return path


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.parent.name)
def test_of_the_committed_records_every_file_is_read(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        assert records.unpacked(path).files == {name: archive.read(name) for name in archive.namelist()}


def test_what_records_do_not_have_is_left_out(tmp_path: Path) -> None:
    run = RUN["dir"]
    others = [
        *("src/seqpre/__init__.py", "results/small/config.yaml", f"{STUDY}/", f"{STUDY}/Snakefile"),
        *(f"{STUDY}/{name}" for name in (
            "runs/full/100pct/scores.json", "runs/a/b/seedx/run.json", "runs/../../../src/seed1/scores.json",
            "trivial/../run.json", "tuning/../x.json", "tuning/a/b/c.json",
        )),
        *(f"{run}/{name}" for name in (
            "../scores.json", "/scores.json", "more/scores.json", "model.safetensors", "sitecustomize.py",
            "checkpoints/metrics.jsonl", "hypotheses/../../x.json", "hypotheses/perplexity/test.txt",
        )),
        *(f"results/small/{name}" for name in (
            "other/runs/full/100pct/seed1/scores.json", "lms/x/model.safetensors", "lms/../../x/lm.json",
        )),
        *(f"/{run}/scores.json", f"../{run}/scores.json"),
    ]  # fmt: skip
    packed = records.unpacked(archive_of(tmp_path / "records.zip", FILES | dict.fromkeys(others, "")))
    assert sorted(packed.files) == sorted(FILES)
    assert (packed.study_dir, len(packed.runs)) == (Path(STUDY), 2)


OUTSIDE = (
    "", "src/seqpre", "/etc", "results/small/other/trivial/lead_3", STUDY, f"{STUDY}x/trivial/lead_3",
    *(f"{STUDY}/{name}" for name in ("runs/..", "runs/../x/seed1", "runs/../../../src", "trivial/..", "trivial/a/b")),
)  # fmt: skip


@pytest.mark.parametrize("place", OUTSIDE)
def test_records_with_a_run_outside_their_study_are_refused(place: str, tmp_path: Path) -> None:
    path = archive_of(
        tmp_path / "records.zip", FILES | {f"{STUDY}/runs.json": json.dumps([RUN, {**RUN, "dir": place}])}
    )
    with pytest.raises(DataError, match=r"records\.zip: results/small/mine/runs\.json names .*; do not trust it"):
        records.unpacked(path)


@pytest.mark.parametrize(
    "study", ["results/small/..", "../small/mine", "/results/small/mine", "results/../mine", "mine", ""]
)
def test_records_of_a_study_that_has_no_folder_of_its_own_are_refused(study: str, tmp_path: Path) -> None:
    listed = json.dumps([{**RUN, "dir": f"{study}/trivial/lead_3"}])
    with pytest.raises(DataError, match=r"records\.zip: its study is "):
        records.unpacked(archive_of(tmp_path / "records.zip", {f"{study}/runs.json": listed}))


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        ("[", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", "is no list of runs"),
        ("{}", "is no list of runs"),
        ("[1]", "is no list of runs"),
        ("7", "is no list of runs"),
        (json.dumps([{"dir": f"{STUDY}/trivial/lead_3"}]), "is no list of runs with dir, system, fraction, seed"),
        (json.dumps([{**RUN, "dir": 7}]), "is no list of runs"),
        (json.dumps([{**RUN, "seed": [1]}]), "is no list of runs"),
        (None, "holds no runs.json"),
    ],
)
def test_records_without_a_list_of_runs_are_one_message(listed: str | None, says: str, tmp_path: Path) -> None:
    files = {**FILES, f"{STUDY}/runs.json": listed}
    path = archive_of(tmp_path / "records.zip", {name: text for name, text in files.items() if text is not None})
    with pytest.raises(DataError, match=r"records\.zip: ") as error:
        records.unpacked(path)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_two_lists_of_runs_are_refused(tmp_path: Path) -> None:
    more = {name.replace("mine", "yours"): text.replace("mine", "yours") for name, text in FILES.items()}
    with pytest.raises(DataError, match=r"holds 2 runs\.json"):
        records.unpacked(archive_of(tmp_path / "records.zip", FILES | more))


def test_records_that_are_damaged_are_refused_or_read_as_they_were(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "records.zip", FILES)
    whole, written, refused = path.read_bytes(), records.unpacked(path), 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8  # of a date, say
        path.write_bytes(damaged)
        try:
            found = records.unpacked(path)
        except DataError:
            refused += 1
        else:
            assert found == written
    assert refused > len(whole) / 2


def test_records_that_are_cut_off_are_refused(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "records.zip", FILES)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(DataError, match=r"records\.zip: cut off or damaged"):
            records.unpacked(path)


@pytest.mark.parametrize("how", ["cut off", "without runs"])
@pytest.mark.parametrize("reader", ["restore", "compare", "trace", "crate", "report"])
def test_every_reader_of_unreadable_records_says_so_in_a_line(
    reader: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    committed, root = REFERENCE[0].parent, PUBLISHED.parents[1]
    study_dir = tmp_path / "results/small" / committed.name
    shutil.copytree(committed, study_dir)
    path = study_dir / "records.zip"
    if how == "cut off":
        path.write_bytes(path.read_bytes()[:-1000])
    else:
        archive_of(path, {"results/small/readme.txt": ""})
    monkeypatch.chdir(tmp_path)
    read, arguments = {
        "restore": (restore.main, [study_dir.relative_to(tmp_path)]),
        "compare": (compare.main, [study_dir, committed, "--checkout", root]),
        "trace": (trace.main, [study_dir / "runs/full/100pct/seed1", "--checkout", root]),
        "crate": (crate.main, [study_dir, "--checkout", root, "--output", tmp_path / "crate.zip"]),
        "report": (report.main, ["--scale", "small", "--results", study_dir.parent, "--checkout", root,
                                 "--output", tmp_path / "report.html"]),
    }[reader]  # fmt: skip
    with pytest.raises(SystemExit) as exit_:
        read(list(map(str, arguments)))
    assert exit_.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert re.match(rf"DataError: \S*{committed.name}/records\.zip: (cut off or damaged|holds no runs\.json)", said[0])


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.parent.name)
def test_the_committed_tables_are_of_the_committed_records(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, scale = path.parent.name, path.parents[1].name
    tables_dir = path.parent / "tables"
    kept = [one for one in tables_dir.iterdir() if one.suffix in (".csv", ".md") and one.stem != "provenance"]
    committed = {one.name: one.read_text(encoding="utf-8") for one in kept}
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    file, study_dir = STUDIES / f"{study}.yaml", Path("results", scale, study)
    (one,) = declared([file], scale, STUDIES)
    declaration = load_study(file, scale)
    names = [*declaration.lms, *(declaration.pretraining.lms if declaration.pretraining else ())]
    folders = lm_folders(study_dir.parent, one.owners)
    of_lm = {folder: folder.relative_to(study_dir.parent / "lms").parts[1].partition("@")[0] for folder in folders}
    lms = sorted(folders, key=lambda folder: names.index(of_lm[folder]))
    about = (study, scale, study_dir, study_dir / "runs.json")
    found = write_tables(Path("tables"), *about, "--lms", *lms, paper=one.paper)
    assert set(found) == {"provenance.csv", *(f"{name[: -len('.md')]}{suffix}" for name in committed
                          for suffix in (".csv", ".md", ".tex") if name.endswith(".md"))}  # fmt: skip
    assert {name: found[name] for name in committed} == committed


def test_git_keeps_what_a_reader_opens_there() -> None:
    root = PUBLISHED.parents[1]
    listed = subprocess.run(["git", "ls-files", "results"], cwd=root, text=True, capture_output=True)
    if not listed.stdout:
        pytest.skip("this is no checkout of git")
    names = list(map(Path, listed.stdout.splitlines()))
    assert {one.suffix for one in names} == {".csv", ".md", ".png", ".zip"}
    assert not [one for one in names if one.name == "provenance.csv"]


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
                metric_called(entry["metric"]).scorer(one.sum(axis=0, keepdims=True, dtype=float)).item()  # type: ignore[union-attr]
                for one in kept
            )
            assert entry["delta"] == pytest.approx(ours - theirs, abs=1e-6), (str(file), entry["split"])
            checked += 1
    if not checked:
        pytest.skip("its differences are older than statistics of sentences, or there are none")
