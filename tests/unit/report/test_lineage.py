"""The lineage behind a number says how its run came about, and what of that is not there."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from study_tree import PUBLISHED, Tree, write

from seqpre import trace
from seqpre.corpora.catalog import read_catalog
from seqpre.report import tables
from seqpre.report.lineage import flattened, lineage, texts
from seqpre.report.outcome import Outcome

ROOT = PUBLISHED.parents[1]
COMMITTED = ROOT / "results/small/ramachandran-translation"
TRANSFER = "| tensor | shape | parameters | status | from |\n| --- | --- | ---: | --- | --- |\n"
TRANSFER += "| encoder.embed | 8 x 2 | 16 | loaded | english |\n| out | 4 | 4 | fresh |  |\n\n"
TRANSFER += "Parameters: fresh 4; loaded 16.\n"


@pytest.fixture
def run(tree: Tree) -> Path:
    """Return the folder of a run that has left everything."""
    folder = tree.add("full", "100pct", 1, 33.3)
    settings = {"seed": 1, "system": "full", "settings": {"optimizer": {"lr": 0.5}, "init": {"freeze": ["a"]}}}
    write(folder / "run.json", settings)
    summary = json.loads((folder / "summary.json").read_text())
    write(folder / "summary.json", summary | {"provenance": {"commit": "abc", "device": "a processor"}})
    (folder / "transfer.md").write_text(TRANSFER)
    scores = json.loads((folder / "scores.json").read_text())
    for score in scores:
        score |= {"hypotheses": str(folder / f"{score['split']}.txt"), "references": str(tree.root / "references.txt")}
    write(folder / "scores.json", scores)
    (folder / "test_2016_flickr.txt").write_text("".join(f"Satz {number}\n" for number in range(30)))
    (tree.root / "references.txt").write_text("".join(f"Vorlage {number}\n" for number in range(30)))
    return folder


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Return what the command prints."""
    trace.main([*map(str, arguments), "--checkout", str(ROOT)])
    return capsys.readouterr().out


def test_a_complete_run_lacks_nothing(run: Path) -> None:
    found = lineage(Outcome(run))
    assert found.missing == []
    assert found.settings == {"seed": 1, "optimizer.lr": 0.5, "init.freeze": ["a"]}
    assert ("Commit and machine", ["commit: abc", "device: a processor"]) in found.parts
    transfer = ["Parameters: fresh 4; loaded 16.", "encoder.embed, 8 x 2, 16, loaded, english", "out, 4, 4, fresh"]
    assert ("What became of the tensors", transfer) in found.parts
    (outputs,) = [lines for heading, lines in found.parts if "test_2016_flickr.txt" in heading]  # validation chose
    assert (len(outputs), outputs[-2:]) == (20, ["Satz 9", "(reference) Vorlage 9"])
    assert any(heading == "Validations" for heading, _ in found.parts)


@pytest.mark.parametrize(
    ("file", "missing"),
    [
        ("run.json", "settings"),
        ("metrics.jsonl", "validations"),
        ("summary.json", "summary of the training"),
        ("transfer.md", "transfer.md"),
        ("test_2016_flickr.txt", "outputs beside references"),
    ],
)
def test_what_is_not_there_is_named(run: Path, file: str, missing: str) -> None:
    (run / file).unlink()
    assert missing in "; ".join(lineage(Outcome(run)).missing)


def test_no_file_outside_the_folder_of_a_run_is_shown_as_its_outputs(run: Path, tree: Tree) -> None:
    scores = json.loads((run / "scores.json").read_text())
    (tree.root / "secret.txt").write_text("secret\n")
    for outside in (tree.root / "secret.txt", run / "../../../../../../secret.txt"):
        write(run / "scores.json", [score | {"hypotheses": str(outside)} for score in scores])
        assert "outputs beside references" in lineage(Outcome(run)).missing


def test_what_nobody_trains_lacks_no_training(summaries: Tree) -> None:
    lead = lineage(Outcome(summaries.study_dir / "trivial/lead_3"))
    assert lead.missing == ["outputs beside references"]
    assert [heading for heading, _ in lead.parts] == ["Scores", "How scores are computed"]


def test_nested_settings_get_dotted_names() -> None:
    assert flattened({"a": {"b": 1, "c": {"d": [1, 2]}}, "e": [{"f": 2}, {"f": 3}]}) == {
        "a.b": 1, "a.c.d": [1, 2], "e.1.f": 2, "e.2.f": 3}  # fmt: skip


def test_texts_have_the_files_of_their_languages_with_checksums(tmp_path: Path) -> None:
    for name in ("multi30k_captions/train.de.stats.json", "multi30k/train.en_de.stats.json"):
        write(tmp_path / name, {"kept": 7, "lines": 9})
    catalog = read_catalog(ROOT / "workflow/corpora.tsv")
    (_, captions), ((heading, _), bitext) = texts(sorted(tmp_path.glob("*/*"), reverse=True), catalog)
    assert {row.language for row in captions} == {"de"}
    assert {row.language for row in bitext} == {"en", "de"}
    assert {len(row.sha256) for row in bitext} == {64}
    assert heading == "Text of the study, multi30k (en, de): 7 of 9 lines of training kept"


def test_a_run_in_records_is_traced_with_its_texts(capsys: pytest.CaptureFixture[str]) -> None:
    said = printed(capsys, COMMITTED / "runs/full/100pct/seed1")
    assert "    init.encoder: monolingual_en" in said
    assert "    seed: 1\n" in said
    assert re.search(r"    commit: [0-9a-f]{12}(-dirty)?\n", said)
    assert re.search(r"Text of the study, multi30k \(en, de\): 28,\d+ of 29,000 lines of training kept", said)
    assert re.search(r"train\.en: https://\S+/train\.en\.gz, SHA-256 [0-9a-f]{64}", said)
    assert "Not there: what became of every tensor (transfer.md), which the first records lack; outputs" in said
    assert "outputs beside references, since records hold no text of corpora" in said
    assert re.search(r"  How scores are computed\n    bleu_tok_multibleu of valid: nrefs:1", said)
    assert re.search(r"    after [0-9,]+ updates: perplexity \d+\.\d\d, greedy score \d+\.\d\d\n", said)
    file = COMMITTED / "runs/full/100pct/seed1/hypotheses/bleu/valid.json"
    assert printed(capsys, file) == said


@pytest.mark.parametrize(
    "file", ["weights", "weights/bleu.safetensors", "hypotheses/bleu", "checkpoints/metrics.jsonl"]
)
def test_a_file_or_folder_in_a_run_is_of_that_run(run: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    (run / file).parent.mkdir(exist_ok=True)
    (run / file).touch() if "." in file else (run / file).mkdir()
    assert printed(capsys, run / file) == printed(capsys, run)


@pytest.mark.parametrize(("folder", "result"), [(".", "run.json"), (".", "."), ("..", "seed1"), ("weights", "..")])
def test_a_run_is_traced_from_inside_its_folder(
    run: Path, folder: str, result: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = printed(capsys, run.absolute())
    (run / "weights").mkdir()
    monkeypatch.chdir(run / folder)
    assert printed(capsys, result) == said


def test_a_language_model_in_records_is_traced(capsys: pytest.CaptureFixture[str]) -> None:
    said = printed(capsys, ROOT / "results/small/lms/ramachandran-summarization-first/unlabelled")
    assert "stopped_by: " in said
    assert "greedy score" not in said
    assert "Text of the study, reuters21578_unlabelled (document)" in said


def test_a_language_model_is_shown_as_each_study_s_records_have_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for study in ("poda-correction", "poda-headlines", "poda-summarization"):
        folder = tmp_path / "results/small" / study
        folder.mkdir(parents=True)
        with (
            zipfile.ZipFile(ROOT / f"results/small/{study}/records.zip") as committed,
            zipfile.ZipFile(folder / "records.zip", "w") as archive,
        ):
            for name in committed.namelist():
                content = committed.read(name)
                if study == "poda-headlines" and name.endswith("denoiser/summary.json"):
                    content = json.dumps(json.loads(content) | {"commit": "0123456789ab"}).encode()
                archive.writestr(name, content)
    said = printed(capsys, tmp_path / "results/small/lms/poda/denoiser")
    assert "As the records of poda-correction and poda-summarization have it:" in said
    first, second = said.split("As the records of poda-headlines have it:")
    assert ("commit: 0123456789ab" in first, "commit: 0123456789ab" in second) == (False, True)


def test_a_cell_of_a_table_is_traced_in_the_records_of_its_own_study(capsys: pytest.CaptureFixture[str]) -> None:
    table = ROOT / "results/small/poda-headlines/tables/cost.csv"
    said = printed(capsys, table, "--row", "LM denoiser, -", "--column", "cpu_seconds")
    assert said.startswith("LM denoiser, -: cpu_seconds = 2938.")
    assert "    cpu_seconds: 2938.1\n" in said
    assert "As the records of" not in said


def test_a_table_without_records_or_provenance_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study/tables").mkdir(parents=True)
    with pytest.raises(SystemExit):
        trace.main([str(tmp_path / "study/tables/cost.csv")])
    (said,) = capsys.readouterr().err.splitlines()
    assert f"{tmp_path}/study/tables/provenance.csv is not there, nor {tmp_path}/study/records.zip;" in said


def test_a_cell_of_a_table_is_traced_to_its_runs(run: Path, tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    tree.add("no_pretraining", "100pct", 1, 30.0)
    tree.described()
    tables.main([str(tree.study_dir), "--checkout", str(ROOT)])
    capsys.readouterr()
    table = tree.study_dir / "tables/table_1.md"
    said = printed(capsys, table, "--row", "Pretrained seq2seq", "--column", "ours_test_2016_flickr")
    assert said.startswith("Pretrained seq2seq: ours_test_2016_flickr = 32.5 (seed 1), from ")
    assert f"\n{run}\n" in said
    assert "optimizer.lr: 0.5" in said
    assert "no_pretraining" not in said
    assert printed(capsys, table, "--row", "pretrained seq", "--column", "ours_test_2016") == said
    assert str(tree.study_dir / "runs/no_pretraining/100pct/seed1") in printed(capsys, table)


@pytest.mark.parametrize(
    ("result", "options", "message"),
    [
        ("tables/table_1.md", ["--row", "Full"], "--row is 'Full'; no number has it: name one of No pretraining (with"),
        (
            "tables/table_1.md",
            ["--row", "pretrain"],
            "--row is 'pretrain'; several contain it: name one of No pretraining (with LM objective); Pretr",
        ),
        ("tables/tabel_1.md", [], "no such table has numbers; there are table_1"),
        ("tables/table_1.md", ["--column", "x"], "--column is 'x'; no number has it: name one of ours_"),
        ("tables_/table_1.md", ["--row", "x"], "is no table, which --row and --column are for"),
        (
            "runs/full/100pct/seed9",
            [],
            "no such folder, here or in the records (records.zip) of a study beside it",
        ),
        ("summary.md", [], "is of no run: "),
        ("figures/ablations.png", [], "has neither settings nor validations nor scores; name the folder of a run"),
    ],
)
def test_what_cannot_be_traced_is_one_line(
    result: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        trace.main([str(COMMITTED / result), *options, "--checkout", str(ROOT)])
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
