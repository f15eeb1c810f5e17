"""What changes is made again, with what depends on it, and nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import zipfile
from collections import Counter
from pathlib import Path

import pytest
import yaml

from checkout import REPOSITORY, STUDY, Project, take_as_run
from seqpre import restore

REPORT = {"write_tables": 1, "draw_figures": 1, "summarise": 1, "all": 1}


def decoded(runs: int) -> dict[str, int]:
    """Return the jobs that runs bring along whose outputs are searched for anew, the report included."""
    return {"decode": 2 * runs, "score": runs, **REPORT}


def retrained(runs: int) -> dict[str, int]:
    """Return the jobs that changed runs bring along."""
    return {"resolve_run": runs, "finetune": runs, **decoded(runs)}


def added(runs: int) -> dict[str, int]:
    """Return the jobs that new runs bring along."""
    return {"resolve_decoding": runs, **retrained(runs)}


def test_tables_without_their_runs_do_not_stand_for_them(finished: Project) -> None:
    runs = finished.runs()
    shutil.rmtree(finished.folder / f"results/demo/{STUDY}/runs")
    planned = finished.planned()
    assert (planned["finetune"], planned["score"]) == (runs, runs + 1)  # and the ensemble


def test_tables_and_figures_that_were_deleted_are_made_again(finished: Project) -> None:
    study = finished.folder / f"results/demo/{STUDY}"
    for folder, rule in (("tables", "write_tables"), ("figures", "draw_figures")):
        (study / folder).rename(study / "kept")
        assert finished.planned("all") == {rule: 1, "summarise": 1, "all": 1}
        (study / "kept").rename(study / folder)


def test_what_changes_no_result_runs_nothing(finished: Project) -> None:
    for name in ("config.yaml", "Snakefile", "workflow/rules/finetune.smk", "workflow/rules/common.smk"):
        with (finished.folder / name).open("a", encoding="utf-8") as file:
            file.write("# only a comment\n")
    finished.edit("workflow/rules/finetune.smk", "--run {input.run:q}", " --run  {input.run:q}")
    finished.edit("workflow/rules/finetune.smk", "threads: at_scale(1,", "threads: at_scale(2,")
    finished.edit("config.yaml", "mirror: null", "mirror: workflow")
    finished.change("systems", "encoder_only", "model.residual", to="plain")  # its default
    finished.change("systems", "encoder_only", "decode.min_lengths", to=[0])
    finished.change("scales", "small", "vocab_size", to=777)  # another scale
    assert "#" not in finished.study.read_text(encoding="utf-8")  # comments, order and layout went, every value stayed

    catalog = finished.folder / "workflow/corpora.tsv"  # and another study reads the same text
    rows = [row for row in catalog.read_text(encoding="utf-8").splitlines() if row.startswith("demo_ende\t")]
    with catalog.open("a", encoding="utf-8") as file:
        for row in rows:
            own = row.replace("demo_ende\t", "other_ende\t").replace("grammar:demo_ende", "https://example.org")
            file.write(f"{own}\n")
    (finished.folder / "workflow/studies/other.yaml").write_text(
        f"extends: {STUDY}\nscales:\n  demo: {{corpora: {{bitext: other_ende}}}}\n  small:\n  paper:\n",
        encoding="utf-8",
    )
    assert finished.planned(STUDY, "--config", f"studies=[{STUDY},other]", "gpus=4") == {}


def test_editing_an_ablation_reruns_that_ablation_and_the_report(finished: Project) -> None:
    finished.change("systems", "encoder_only", "model.dropout", to=0.4)
    planned, plan = finished.plan()
    assert planned == retrained(finished.runs("encoder_only"))
    assert "Fine-tune encoder_only" in plan
    assert "Fine-tune decoder_only" not in plan


def test_a_dry_run_says_which_settings_changed(project: Project) -> None:
    written = project.snakemake("--cores", "2", "--until", "resolve_run", "resolve_lm")
    assert written.returncode == 0, written.stdout
    heading = "Settings that have changed, so that what has them is trained again:\n"
    assert heading not in project.snakemake("--dry-run").stdout
    for system in ("decoder_only", "encoder_only"):
        project.change("systems", system, "model.dropout", to=0.3)
    project.change("scales", "demo", "lms", to={"parallel_en": {"fraction": "50pct"}})
    project.change("systems", "encoder_only", "decode.beam", to=3)  # searches anew, trains nothing
    said = project.snakemake("--dry-run").stdout
    assert said.partition(heading)[2].splitlines() == [
        "  LM parallel_en: fraction 100pct -> 50pct",
        "  decoder_only, encoder_only: model.dropout default -> 0.3",
        "  parallel_lm: lms.parallel_en.fraction 100pct -> 50pct",
    ]
    assert "Settings that" not in project.snakemake("--dry-run", f"{STUDY}_no_pretraining").stdout


def test_editing_the_decoding_of_an_ablation_decodes_again_but_does_not_train(finished: Project) -> None:
    finished.change("systems", "decoder_only", "decode.beam", to=3)
    finished.change("systems", "encoder_only", "decode", to={"no_repeat_ngrams": [0, 3], "max_length": 60})
    runs = finished.runs("encoder_only") + finished.runs("decoder_only")
    assert finished.planned() == {"resolve_decoding": runs, **decoded(runs)}
    done = finished.snakemake("--cores", "1", "--until", "resolve_decoding")
    assert done.returncode == 0, done.stdout
    (file,) = finished.folder.glob(f"results/demo/{STUDY}/runs/encoder_only/*/seed*/decode.json")
    assert json.loads(file.read_text(encoding="utf-8")) == {"beam": 5, "no_repeat_ngrams": [0, 3], "max_length": 60}


def test_settings_changed_after_results_were_moved_rerun_what_has_them(finished: Project) -> None:
    resolved = ("resolve_run", "resolve_lm", "resolve_decoding", "describe_study")
    for command in (("--until", *resolved, "--forcerun", *resolved), ("--touch", "--forceall")):
        assert finished.snakemake("--cores", "2", *command).returncode == 0
    runs, decoding = finished.runs("parallel_lm") + finished.runs("encoder_only"), finished.runs("decoder_only")
    (vocabulary,) = finished.folder.glob("results/demo/subwords/*/bpe.vocab")
    size = yaml.safe_load(finished.study.read_text(encoding="utf-8"))["scales"]["demo"]["vocab_size"]
    vocabulary.write_text(size * "\n", encoding="utf-8")
    (finished.folder / "results").rename(finished.folder / "moved")
    moved = ("--config", "results=moved")
    assert finished.planned(*moved) == {}
    finished.change("scales", "demo", "vocab_size", to=size - 1)
    assert finished.planned(*moved)["learn_bpe"] == 1
    finished.change("scales", "demo", "vocab_size", to=size)
    finished.change("systems", "encoder_only", "model.dropout", to=0.4)
    finished.change("systems", "decoder_only", "decode.beam", to=3)
    finished.change("scales", "demo", "lms", to={"parallel_en": {"fraction": "50pct"}})
    searched = {"resolve_decoding": decoding, **decoded(runs + decoding)}
    assert finished.planned(*moved) == {"resolve_lm": 1, "pretrain": 1, **retrained(runs), **searched}
    touched = finished.snakemake("--cores", "2", "--touch", *moved)
    assert touched.returncode == 0, touched.stdout
    assert finished.planned(*moved) == {}


def test_a_new_system_and_a_new_fraction_only_add(finished: Project) -> None:
    finished.change("systems", "top_attention", to={"model.attention": "top"})
    finished.change("grid", "mine", to={"systems": ["top_attention"], "fractions": ["100pct"]})
    finished.change("grid", "half", to={"systems": ["full", "no_pretraining"], "fractions": ["100pct", "50pct"]})
    assert finished.planned() == {"describe_study": 1, **added(1 + 2)}


def test_a_new_seed_only_adds_and_the_ensemble_chooses_among_more(finished: Project) -> None:
    planned, plan = finished.plan("--config", "seeds=[1,2]")
    ensemble = Counter(select_ensemble=1, decode=1, score=1)
    assert planned == {"describe_study": 1, **(ensemble + Counter(added(finished.runs())))}
    assert "seed 1" not in plan


def test_editing_the_filter_filters_again_and_trains_on_what_is_left(finished: Project) -> None:
    finished.change("scales", "demo", "filter", "max_length", to=6)
    planned = finished.planned()
    assert planned["filter"] == sum(rule == "filter" for rule, _ in finished.outputs()) / 3  # text, counts, dropped
    assert planned["finetune"] == finished.runs()


def test_editing_one_lm_retrains_it_and_the_runs_that_use_it(finished: Project) -> None:
    finished.change("scales", "demo", "lms", to={"parallel_en": {"fraction": "50pct"}})
    assert finished.planned() == {"resolve_lm": 1, "pretrain": 1, **retrained(finished.runs("parallel_lm"))}


def test_a_label_reruns_only_the_report(finished: Project) -> None:
    finished.change("labels", "encoder_only", to="Encoder only")
    assert finished.planned() == {"describe_study": 1, **REPORT}


def test_another_selection_scores_the_ensemble_anew_and_no_run(finished: Project) -> None:
    finished.change("scales", "demo", "selection", to="perplexity")
    ensemble = {"select_ensemble": 1, "decode": 1, "score": 1}
    assert finished.planned() == {"describe_study": 1, **ensemble, **REPORT}


def test_a_training_that_failed_after_its_settings_changed_is_planned_again(finished: Project) -> None:
    finished.change("systems", "encoder_only", "model.dropout", to=0.4)
    failed = finished.snakemake("--cores", "1", "--keep-going", "--until", "finetune")  # The corpora are empty.
    assert failed.returncode != 0
    finished.change("systems", "full", "decode.beam", to=3)  # What every score is compared with.
    assert finished.planned().get("finetune") == finished.runs("encoder_only")


def test_a_training_in_a_slurm_job_of_the_user_s_own_neither_ends_early_nor_starts_that_job_again(
    finished: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requeued, tools = tmp_path / "requeued", tmp_path / "tools"
    tools.mkdir()
    for name, command in (("squeue", "echo RUNNING"), ("scontrol", f"touch {requeued}; exit 1")):
        (tools / name).write_text(f"#!/bin/sh\n{command}\n", encoding="ascii")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    stopped = "sh -c 'echo run the same command again to go on \"$@\"; exit 75'"
    finished.edit("workflow/rules/common.smk", 'return f"python -m {module}"', f"return {stopped!r}")
    (weights,) = finished.folder.glob("results/demo/*/runs/full/100pct/seed1/weights")
    shutil.rmtree(weights)
    done = finished.snakemake(str(weights.relative_to(finished.folder)), "--cores", "1")
    assert done.returncode == 1
    log = weights.with_name("finetune.log").read_text(encoding="utf-8")
    assert re.match("run the same command again to go on .* --output-dir ", log)
    assert "--stop-after" not in log
    assert not requeued.exists()


def test_what_was_put_back_is_not_made_again_even_if_it_was_made_here_before(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.folder)
    folder, choice = Path("results/small/ramachandran-summarization"), "tuning/decoder_only.json"
    small = ("--config", "scale=small", f"studies=[{folder.name}]")
    take_as_run(project, str(folder / choice), *small)
    with zipfile.ZipFile(REPOSITORY / folder / "records.zip") as archive:
        (folder / choice).write_bytes(archive.read(str(folder / choice)))
    shutil.copy(REPOSITORY / folder / "records.zip", folder)
    restore.main([str(folder)])
    assert "choose_settings" not in project.planned(*small, "seeds=[1,2,3,4,5,6]")
    for target, remove in (
        (folder / choice, "restored.json"),
        (folder / "runs/full/100pct/seed1/scores.json", "runs/full/100pct/seed1"),
        (f"{folder.name}_full", "runs/full"),
    ):
        said = project.snakemake("--cores", "1", str(target), *small).stdout
        assert f"restored from records; remove {folder / remove} to make it here" in said
    shutil.rmtree(folder / "runs/full")
    assert project.planned(f"{folder.name}_full", *small, "seeds=[1]")["finetune"] == 3
    (folder / choice).unlink()
    said = project.snakemake("--dry-run", *small).stdout
    assert f"ConfigError: {folder / choice} was restored, but is not there; restore it again" in said
