"""The whole line from text to figures is rehearsed, runs, and says where its results are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checkout import Project, copy_of_repository
from seqpre.planning.planner import Plan, make_plan
from seqpre.study.configuration import read_configuration

TINY = ("--configfile", "tests/config.tiny.yaml")
Ran = tuple[Project, subprocess.CompletedProcess[str]]
"""A checkout, and how a command in it ended."""
LM, RUN = "lm, float32", "translation, lstm, float32"


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A checkout in which the tiny scale was rehearsed, and how that ended."""
    project = copy_of_repository(tmp_path_factory.mktemp("tiny") / "project")
    (project.folder / "results/rehearsal/tiny").mkdir(parents=True)  # of another rehearsal, at work or failed
    words = [sys.executable, "-m", "seqpre.rehearse", "--config", "tests/config.tiny.yaml", "--updates", "40"]
    done = subprocess.run(words, cwd=project.folder, capture_output=True, text=True, check=False)
    assert not list((project.folder / "results/tiny").rglob("weights")), "the study's own models are not trained"
    return project, done


@pytest.fixture(scope="module")
def tiny(rehearsed: Ran) -> Ran:
    """The checkout after a run of the tiny scale, which takes the texts of its rehearsal, and what Snakemake said."""
    project, _ = rehearsed
    done = project.snakemake("--cores", "1", *TINY)
    assert done.returncode == 0, done.stdout
    return project, done


def test_a_rehearsal_trains_stops_and_resumes_each_kind_and_sets_it_beside_the_plan(rehearsed: Ran) -> None:
    project, done = rehearsed
    rows = re.findall(r"^ *([a-z][\w, ]+): (tokens/s|memory|sentences/s decoded) +.* ([\d.]+|[MG]B)", done.stdout, re.M)
    ratios = {(kind, what): ratio for kind, what, ratio in rows}
    assert set(ratios) == {
        *((kind, what) for kind in (LM, RUN) for what in ("tokens/s", "memory")), (RUN, "sentences/s decoded"),
    }, done.stdout + done.stderr  # fmt: skip
    assert ratios.pop((LM, "memory")) == ratios.pop((RUN, "memory")) == "MB"  # nothing is planned without a GPU
    # So small a model is a small part of what a step takes: the plan is for larger ones.
    assert all(0 < float(ratio) < 0.7 for ratio in ratios.values())
    assert done.returncode == 2
    for (kind, what), ratio in ratios.items():
        assert f"{kind}: {ratio} times the {what}" in done.stderr.splitlines()[-1]
    assert list((project.folder / "results/rehearsal").iterdir()) == [project.folder / "results/rehearsal/tiny"]


def plan_of(project: Project, results: str) -> Plan:
    """Return the plan of the tiny scale, with what is known from a results folder."""
    config = read_configuration(project.folder / "tests/config.tiny.yaml") | {"results": results}
    config["studies"] = [str(project.folder / study) for study in config["studies"]]
    return make_plan(config, project.folder, 0, 1)


def test_the_tiny_scale_runs_from_text_to_figures_and_then_has_nothing_to_do(tiny: Ran) -> None:
    project, done = tiny
    study = project.folder / "results/tiny/tiny-translation"
    for path in ("tables/ablations.md", "figures/ablations.png", "summary.md"):
        assert (study / path).stat().st_size > 0
        assert f"results/tiny/tiny-translation/{path.split('/')[0]}" in done.stdout

    run = study / "runs/no_pretraining/100pct/seed1"
    settings = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert "init" not in settings["settings"]  # random is the default, and only differences are written
    chosen = json.loads((study / "tuning/full.json").read_text(encoding="utf-8"))
    assert len(chosen["candidates"]) == 2
    assert settings["settings"]["optimizer"]["lr"] == chosen["settings"]["optimizer.lr"]  # It takes what full chose.
    assert (run / "metrics.jsonl").read_text(encoding="utf-8").count('"validation"') == 2
    about = {
        split: json.loads((run / f"hypotheses/perplexity/{split}.json").read_text()) for split in ("valid", "test_a")
    }
    assert about["test_a"]["length_penalty"] == about["valid"]["length_penalty"]
    references = project.folder / "results/tiny/corpora/demo_ende/raw/test_a.de"
    for folder in (
        run / "hypotheses/perplexity",
        run / "hypotheses/bleu",
        study / "ensembles/ensemble_2/hypotheses/bleu",
    ):
        assert len((folder / "test_a.txt").read_text().split("\n")) == len(references.read_text().split("\n"))
    scores = json.loads((run / "scores.json").read_text(encoding="utf-8"))
    assert {(score["selection"], score["split"]) for score in scores} == {
        (selection, split) for selection in ("perplexity", "bleu") for split in ("valid", "test_a")
    }
    assert all(score["against"] == "full" for score in scores)

    assert project.planned(*TINY) == {}


def test_both_reports_are_made_without_a_network_and_name_each_other(
    tiny: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # where nobody listens
    project = tiny[0].copy(tmp_path / "project")
    for options in (("report",), ("all", "report", "--report", "snakemake.html")):
        done = project.snakemake("--cores", "1", *options, *TINY)
        assert done.returncode == 0, done.stdout
    assert "missing" not in done.stdout.lower()
    page = (project.folder / "results/tiny/report.html").read_text(encoding="utf-8")
    assert '<h3 id="tiny-translation">' in page
    assert "--report snakemake.html" in page
    theirs = (project.folder / "snakemake.html").read_text(encoding="utf-8")
    for part in ("results/tiny/report.html", "Table of tiny-translation", "Figure of tiny-translation", "All studies",
                 '"tiny-translation"', '"Tables"', '"Figures"'):  # fmt: skip
        assert part in theirs.replace("</span>", "").replace('<span class="pre">', "")
    for file in ("ablations.csv", "ablations.md", "provenance.csv", "ablations.png", "summary.md", "report.html"):
        assert f'"name": "{file}"' in theirs


def test_pages_for_people_are_made_from_its_hypotheses(tiny: Ran, tmp_path: Path) -> None:
    project = tiny[0].copy(tmp_path / "project")
    done = project.snakemake("samples", "human_study", "--cores", "1", *TINY)
    assert done.returncode == 0, done.stdout
    study = project.folder / "results/tiny/tiny-translation"
    samples = (study / "samples/test_a.100pct.html").read_text(encoding="utf-8")
    assert '"systems":["Pretrained seq2seq","No pretraining"]' in samples
    key = json.loads((study / "human_study/key.json").read_text(encoding="utf-8"))
    assert {system for item in key["items"] for system in item["shown"]} == {"full", "no_pretraining"}
    page = study / "human_study/page.html"
    assert f'"page":"{key["page"]}"' in page.read_text(encoding="utf-8")
    assert page.stat().st_mode & 0o222 == 0  # what raters have begun is not overwritten


def test_results_that_were_copied_are_not_made_again(tiny: Ran, tmp_path: Path) -> None:
    project = tiny[0].copy(tmp_path / "project")
    assert project.planned(*TINY) == {}
    for path in (project.folder / "results/tiny/tokens").rglob("*"):  # as a copy without them may leave these
        path.touch()
    planned = project.planned(*TINY)
    assert (planned["pretrain"], planned["finetune"]) == (2, 4)
    summary = "results/tiny/lms/tiny-translation/monolingual_en/seed1/summary.json"
    done = project.snakemake("--cores", "1", summary, *TINY)
    assert "had finished before; its files are restored" in done.stdout
    assert project.snakemake("--cores", "1", "--touch", *TINY).returncode == 0
    assert project.planned(*TINY) == {}


def test_records_that_were_put_back_stand_beside_another_seed(tiny: Ran, tmp_path: Path) -> None:
    project, study = tiny[0].copy(tmp_path / "project"), Path("results/tiny/tiny-translation")

    def command(module: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", f"seqpre.{module}", str(study)]
        return subprocess.run(words, cwd=project.folder, text=True, capture_output=True, check=False)

    assert command("report.records").returncode == 0
    archive = (project.folder / study / "records.zip").read_bytes()
    for path in ("results", ".snakemake"):
        shutil.rmtree(project.folder / path)
    (project.folder / study).mkdir(parents=True)
    (project.folder / study / "records.zip").write_bytes(archive)
    assert "runs (seeds: 1) and" in command("restore").stdout

    assert not {"finetune", "pretrain", "choose_settings", "score"} & set(project.planned(*TINY))
    two = ("--config", "seeds=[1,2]")
    planned = project.planned(*TINY, *two)
    assert (planned["finetune"], planned["pretrain"]) == (2, 1)  # No candidate, nothing of the first seed.
    assert "choose_settings" not in planned
    done = project.snakemake("--cores", "1", f"{study}/study.json", *TINY, *two)
    assert "2 of 4 runs are from records; run here: 2" in done.stdout
    described = json.loads((project.folder / study / "study.json").read_text(encoding="utf-8"))
    assert [run["seed"] for run in described["runs"] if run["system"] == "full"] == [1, 2]

    said = project.folder / study / "restored.json"
    models = json.loads(said.read_text(encoding="utf-8"))
    assert len(models["lms"]) == 1
    changed = {name: lm | {"settings": {"seed": 7}} for name, lm in models["lms"].items()}
    said.write_text(json.dumps(models | {"lms": changed}), encoding="utf-8")
    refused = project.snakemake("--dry-run", *TINY, *two)
    assert refused.returncode != 0
    assert "that was trained otherwise than tiny-translation declares; remove" in refused.stdout
    said.write_text(json.dumps(models), encoding="utf-8")
    run = project.folder / study / "runs/full/100pct/seed1/run.json"
    run.write_text(run.read_text(encoding="utf-8").replace('"lr": ', '"lr": 1'), encoding="utf-8")
    refused = project.snakemake("--dry-run", *TINY, *two)
    assert refused.returncode != 0
    assert "restored from records, has other settings than tiny-translation declares; remove" in refused.stdout
    assert "or results/tiny/tiny-translation/runs/full to train all of full" in refused.stdout
    assert "is there already, and in results/tiny/tiny-translation/records.zip" in command("restore").stderr


def test_every_job_leaves_its_record_where_the_plan_looks_for_it(tiny: Ran) -> None:
    results = tiny[0].folder / "results"
    left = {str(path) for path in results.rglob("*.benchmark.tsv")}
    of_trainings = {path for path in left if path.endswith(("/pretrain.benchmark.tsv", "/finetune.benchmark.tsv"))}
    planned = {job.record for job in plan_of(tiny[0], str(results)).jobs if job.record}
    summaries = {record for record in planned if record.endswith("/summary.json")}
    assert planned - summaries == left - of_trainings
    assert all(Path(record).is_file() for record in summaries)
    assert len(summaries) == len(of_trainings) == 6  # Two seeds of the LM, two candidates, two runs.


def test_the_disk_that_was_planned_is_what_the_run_takes(tiny: Ran) -> None:
    project, _ = tiny
    files = [path.stat() for path in (project.folder / "results").rglob("*") if path.is_file()]
    taken = sum({(file.st_dev, file.st_ino): file.st_size for file in files}.values())
    assert 0.5 * taken < plan_of(project, "none/yet").kept() < 1.5 * taken
