"""The archive of a study's records: complete, stable, and enough for its tables; the committed tables are of theirs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from study_tree import PUBLISHED, Tree, fill, write

from seqpre import compare, crate, restore, trace
from seqpre.common.errors import DataError
from seqpre.metrics.sentences import key, read_sentences
from seqpre.report import records, tables
from seqpre.report.pages import report
from seqpre.study.load import load_study
from seqpre.study.reported import reported
from seqpre.study.tasks import metric_called

REFERENCE = sorted((PUBLISHED.parents[1] / "results" / "small").glob("*/records.zip"))


@pytest.fixture(scope="module", params=REFERENCE, ids=lambda path: path.parent.name)
def unpacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A committed archive, and a folder with what is in it; read it only."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(request.param) as archive:
        archive.extractall(folder)
    return request.param, folder


def write_tables(folder: Path, study_dir: Path) -> dict[str, str]:
    """Write a study's tables to `folder`; return their text by name."""
    tables.main([str(study_dir), "--checkout", str(PUBLISHED.parents[1]), "--output-dir", str(folder)])
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def test_tables_can_be_written_again_from_the_archive(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tree.root = Path("results")
    full_tree, study_dir = fill(tree), tree.study_dir
    write(study_dir / "runs/full/20pct/seed1/weights/perplexity.safetensors", "weights")
    (study_dir / "runs/full/20pct/seed1/transfer.md").write_text("Parameters: fresh 20.\n")
    lm = study_dir.parent / "lms" / tree.study / "monolingual_en"
    for name in ("lm.json", "summary.json"):
        write(lm / name, {"steps": 100})
    full_tree.more["pretrained"] = [f"{tree.study}/monolingual_en"]
    full_tree.described()
    before = write_tables(study_dir / "tables", study_dir)
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
    assert write_tables(Path("tables"), study_dir) == before


def test_no_sentence_of_a_corpus_is_packed(tmp_path: Path) -> None:
    stats = {"kept": 7, "reasons": {"duplicate": {"count": 2, "examples": [{"line": 3, "text": ["Ein Satz."]}]}}}
    (tmp_path / "train.de.stats.json").write_text(json.dumps(stats))
    packed = json.loads(records.content(tmp_path / "train.de.stats.json"))
    assert packed == {"kept": 7, "reasons": {"duplicate": {"count": 2}}}


def test_records_of_results_that_lie_elsewhere_are_read_as_any(full_tree: Tree) -> None:
    study_dir = full_tree.study_dir
    full_tree.described()
    write_tables(study_dir / "tables", study_dir)
    records.main([str(study_dir)])
    assert study_dir.is_absolute()
    packed = records.read_records(study_dir / "records.zip")
    assert packed.study_dir == Path("results", *study_dir.parts[-2:])
    assert f"{packed.study_dir}/runs/full/20pct/seed1/scores.json" in packed.files


def test_a_record_that_is_gone_is_named(full_tree: Tree, refused: Callable[..., str]) -> None:
    study_dir = full_tree.study_dir
    full_tree.described()
    write_tables(study_dir / "tables", study_dir)
    gone = study_dir / "runs" / "full" / "20pct" / "seed1" / "scores.json"
    gone.unlink()
    assert str(gone) in refused(records.main, [str(study_dir)])
    assert not (study_dir / "records.zip").exists()


def test_records_that_are_not_here_are_not_lost(full_tree: Tree, refused: Callable[..., str]) -> None:
    study_dir = full_tree.study_dir
    lm = study_dir.parent / "lms" / full_tree.study / "monolingual_en"
    write(lm / "summary.json", {"steps": 100})
    full_tree.more["pretrained"] = [f"{full_tree.study}/monolingual_en"]
    full_tree.described()
    write_tables(study_dir / "tables", study_dir)
    records.main([str(study_dir)])
    packed = (study_dir / "records.zip").read_bytes()
    (lm / "summary.json").unlink()
    write_tables(study_dir / "tables", study_dir)
    says = refused(records.main, [str(study_dir)])
    assert "monolingual_en/summary.json (1 such), which is not here and would be lost; restore it" in says
    assert (study_dir / "records.zip").read_bytes() == packed


STUDY = "results/small/mine"
RUN = f"{STUDY}/runs/full/100pct/seed1"
DESCRIBED = {
    "name": "mine", "scale": "small", "paper": "none", "published_as": "mine", "task": "summarization", "labels": {},
    "languages": ["document", "summary"], "corpus": "pairs", "tests": ["test"], "trivial": ["lead_3"],
    "runs": [{"system": "full", "fraction": "100pct", "seed": 1}],
}  # fmt: skip
FILES = {
    f"{STUDY}/study.json": json.dumps(DESCRIBED),
    f"{RUN}/scores.json": "[]",
    f"{RUN}/hypotheses/perplexity/test.json": "{}",
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
        assert records.read_records(path).files == {name: archive.read(name) for name in archive.namelist()}


def test_what_records_do_not_have_is_left_out(tmp_path: Path) -> None:
    run = RUN
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
    packed = records.read_records(archive_of(tmp_path / "records.zip", FILES | dict.fromkeys(others, "")))
    assert sorted(packed.files) == sorted(FILES)
    assert (packed.study_dir, packed.study.folders) == (Path(STUDY), ["runs/full/100pct/seed1", "trivial/lead_3"])


@pytest.mark.parametrize("name", ["", "..", "../x", "/etc", "a/b", "a\\b", "full:1"])
def test_records_with_a_run_outside_their_study_are_refused(name: str, tmp_path: Path) -> None:
    for what, value in (("runs", [{"system": name, "fraction": "100pct", "seed": 1}]), ("trivial", [name])):
        files = FILES | {f"{STUDY}/study.json": json.dumps(DESCRIBED | {what: value})}
        with pytest.raises(DataError, match=rf"records\.zip: results/small/mine/study\.json.*{what}.* is "):
            records.read_records(archive_of(tmp_path / "records.zip", files))


@pytest.mark.parametrize(
    "study", ["results/small/..", "../small/mine", "/results/small/mine", "results/../mine", "mine", ""]
)
def test_records_of_a_study_that_has_no_folder_of_its_own_are_refused(study: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"records\.zip: its study is "):
        records.read_records(archive_of(tmp_path / "records.zip", {f"{study}/study.json": json.dumps(DESCRIBED)}))


@pytest.mark.parametrize(
    ("described", "says"),
    [
        ("[", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", "must be a mapping, got []"),
        ("{}", "lacks 'name'"),
        (json.dumps(DESCRIBED | {"runs": []}), "no run"),
        (json.dumps(DESCRIBED | {"runs": [7]}), "runs must be a mapping, got 7"),
        (json.dumps(DESCRIBED | {"runs": [{"system": "full", "fraction": "100pct", "seed": [1]}]}), "seed must be a"),
        (None, "holds no study.json"),
    ],
)
def test_records_without_their_study_are_one_message(described: str | None, says: str, tmp_path: Path) -> None:
    files = {**FILES, f"{STUDY}/study.json": described}
    path = archive_of(tmp_path / "records.zip", {name: text for name, text in files.items() if text is not None})
    with pytest.raises(DataError, match=r"records\.zip: ") as error:
        records.read_records(path)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_two_studies_are_refused(tmp_path: Path) -> None:
    more = {name.replace("mine", "yours"): text.replace("mine", "yours") for name, text in FILES.items()}
    with pytest.raises(DataError, match=r"holds 2 study\.json"):
        records.read_records(archive_of(tmp_path / "records.zip", FILES | more))


def test_records_that_are_damaged_are_refused_or_read_as_they_were(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "records.zip", FILES)
    whole, written, refused = path.read_bytes(), records.read_records(path), 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8  # of a date, say
        path.write_bytes(damaged)
        try:
            found = records.read_records(path)
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
            records.read_records(path)


@pytest.mark.parametrize("how", ["cut off", "without runs"])
@pytest.mark.parametrize("reader", ["restore", "compare", "trace", "crate", "report"])
def test_every_reader_of_unreadable_records_says_so_in_a_line(
    reader: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
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
        "compare": (compare.main, [study_dir, committed]),
        "trace": (trace.main, [study_dir / "runs/full/100pct/seed1", "--checkout", root]),
        "crate": (crate.main, [study_dir, "--checkout", root, "--output", tmp_path / "crate.zip"]),
        "report": (report.main, ["--scale", "small", "--results", study_dir.parent, "--checkout", root,
                                 "--output", tmp_path / "report.html"]),
    }[reader]  # fmt: skip
    said = refused(read, list(map(str, arguments))).splitlines()
    assert len(said) == 1
    assert re.match(rf"DataError: \S*{committed.name}/records\.zip: (cut off or damaged|holds no study\.json)", said[0])


def test_the_committed_tables_are_of_the_committed_records(
    unpacked: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = unpacked
    kept = [one for one in (path.parent / "tables").iterdir() if one.suffix in (".csv", ".md")]
    committed = {one.name: one.read_text(encoding="utf-8") for one in kept if one.stem != "provenance"}
    monkeypatch.chdir(folder)
    found = write_tables(tmp_path, Path("results", path.parents[1].name, path.parent.name))
    assert set(found) == {"provenance.csv", *(f"{name[: -len('.md')]}{suffix}" for name in committed
                          for suffix in (".csv", ".md", ".tex") if name.endswith(".md"))}  # fmt: skip
    assert {name: found[name] for name in committed} == committed


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.parent.name)
def test_the_committed_records_are_of_studies_as_they_are_declared(path: Path) -> None:
    file = PUBLISHED.parent / f"studies/{path.parent.name}.yaml"
    declared, packed = load_study(file, path.parents[1].name), records.read_records(path).study
    today = reported(declared)
    assert {*packed.runs} <= {*today.runs}
    assert {*packed.pretrained} <= {*today.pretrained}
    assert {*packed.texts} <= {*today.texts}
    assert packed.variant_of.items() <= today.variant_of.items()
    changed = {key for key, value in vars(today).items() if value != getattr(packed, key)}
    assert changed <= {"runs", "pretrained", "labels", "texts", "variant_of"}


def test_git_keeps_what_a_reader_opens_there() -> None:
    root = PUBLISHED.parents[1]
    listed = subprocess.run(["git", "ls-files", "results"], cwd=root, text=True, capture_output=True)
    if not listed.stdout:
        pytest.skip("this is no checkout of git")
    names = list(map(Path, listed.stdout.splitlines()))
    assert {one.suffix for one in names} == {".csv", ".md", ".png", ".zip"}
    assert not [one for one in names if one.name == "provenance.csv"]


def test_every_difference_is_to_the_run_that_it_names(
    unpacked: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One to a former training of that run would stay when the run is trained again elsewhere."""
    monkeypatch.chdir(unpacked[1])
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
