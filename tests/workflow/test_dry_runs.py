"""The workflow plans exactly the jobs that the grid in the study file calls for."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from checkout import REPOSITORY, STUDY, Project, copy_of_repository, run_snakemake
from seqpre.planning.planner import make_plan
from seqpre.study.configuration import read_configuration

Plans = Callable[..., dict[str, int]]
WRITE, DRAW = "write_tables", "draw_figures"


def grid(scale: str) -> tuple[dict[str, Any], set[tuple[str, str, int]], int]:
    """Return the study file, its runs at a scale, and the number of seeds, read without the package."""
    study = yaml.safe_load((REPOSITORY / f"workflow/studies/{STUDY}.yaml").read_text(encoding="utf-8"))
    swapped = study["scales"][scale]
    runs = set()
    for name, section in study["grid"].items():
        section = section | swapped.get("grid", {}).get(name, {})
        runs |= set(product(section["systems"], section["fractions"], section.get("seeds", swapped["seeds"])))
    for name, ensemble in study["ensembles"].items():
        ensemble = ensemble | swapped.get("ensembles", {}).get(name, {})
        runs |= set(product(ensemble["members"], [ensemble["fraction"]], swapped["seeds"]))
    return study, runs, len(swapped["seeds"])


@pytest.fixture(scope="module")
def planned_by(tmp_path_factory: pytest.TempPathFactory) -> Plans:
    """Count the jobs of each rule that a dry run lists where nothing is changed; once for all who ask alike."""
    return cache(copy_of_repository(tmp_path_factory.mktemp("planned") / "project").planned)


@pytest.mark.parametrize("scale", ["demo", "small", "paper"])
def test_every_cell_of_the_grid_is_trained_decoded_and_scored_once_a_seed(planned_by: Plans, scale: str) -> None:
    study, declared, seeds = grid(scale)
    runs = len(declared)
    planned = planned_by("--config", f"scale={scale}")
    tuning = study["scales"][scale].get("tuning", {"grid": {}})
    tried = planned.get("choose_settings", 0) * math.prod(map(len, tuning["grid"].values()))
    assert planned["resolve_run"] == planned["finetune"] == runs + tried
    ensembles = len(study["ensembles"])
    assert planned["score"] == runs + ensembles
    assert planned["decode"] == 2 * runs + ensembles  # the checkpoints chosen by perplexity and by BLEU
    own = seeds if study["scales"][scale].get("seeds_draw") == "all" else 1
    extra = 2 if tried else 0  # those of the full system, with the tuning's seed
    assert planned["pretrain"] == planned["resolve_lm"] == own * len(study["lms"]) + extra
    assert planned["select_ensemble"] == ensembles
    assert planned[WRITE] == planned[DRAW] == planned["summarise"] == planned["all"] == 1


@pytest.mark.parametrize("scale", ["demo", "small", "paper"])
def test_every_text_is_extracted_filtered_and_encoded_once(planned_by: Plans, scale: str) -> None:
    study, _, _ = grid(scale)
    planned = planned_by("--config", f"scale={scale}")
    corpora, tests = study["scales"][scale]["corpora"], study["scales"][scale]["tests"]
    unlabelled = len(corpora) - 1
    assert planned["extract"] == 2 * (2 + len(tests) + unlabelled)  # train, valid and the tests of the bitext
    assert planned["filter"] == 1 + 2 * unlabelled  # both languages of the bitext together
    assert planned["encode"] == 2 * (2 + unlabelled)  # two languages: bitext train and valid, unlabelled texts
    assert planned["learn_bpe"] == 1


def test_only_generated_text_is_used_at_the_demo_scale(planned_by: Plans) -> None:
    planned = planned_by()
    assert planned["generate"] == 1
    assert "download" not in planned


def test_a_file_is_downloaded_once_however_many_rows_read_it(planned_by: Plans) -> None:
    lines = (REPOSITORY / "workflow/corpora.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    study, _, _ = grid("small")
    names = study["scales"]["small"]["corpora"].values()
    assert planned_by("--config", "scale=small")["download"] == len({r["url"] for r in rows if r["name"] in names})


def test_an_ablation_alone_brings_only_the_full_system_it_is_tested_against(planned_by: Plans) -> None:
    planned = planned_by(f"{STUDY}_encoder_only")
    assert (planned["finetune"], planned["score"], planned["pretrain"]) == (2, 1, 2)
    assert WRITE not in planned


def test_the_listed_names_are_all_that_one_may_ask_for(project: Project, planned_by: Plans) -> None:
    names = run_snakemake(project.folder, "--cores", "1", "list_targets", apart=True).stdout.split()
    assert {"tables", STUDY, f"{STUDY}_encoder_only", f"{STUDY}_table_1"} <= set(names)
    assert project.planned(*names).keys() >= planned_by().keys() - {"all"}
    for text in (REPOSITORY / "docs/commands.md", REPOSITORY / "Snakefile"):
        assert "list_targets" in text.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("rule", "targets"),
    [
        (WRITE, ("tables", f"{STUDY}_table_1", f"{STUDY}_table_ablations", f"results/demo/{STUDY}/tables/table_1.md")),
        (DRAW, ("figures", f"{STUDY}_figure_ablations", f"results/demo/{STUDY}/figures/ablations.png")),
    ],
)
def test_tables_and_figures_have_names(planned_by: Plans, rule: str, targets: tuple[str, ...]) -> None:
    planned = planned_by(*targets)
    assert planned[rule] == 1
    assert len(planned.keys() & {WRITE, DRAW}) == 1


@pytest.mark.parametrize("scale", ["demo", "small"])
def test_samples_are_shown_of_every_test_and_fraction_that_has_two_systems(planned_by: Plans, scale: str) -> None:
    study, runs, _ = grid(scale)
    fractions = [fraction for _, fraction in {run[:2] for run in runs}]
    pages = len(study["scales"][scale]["tests"]) * sum(fractions.count(fraction) > 1 for fraction in set(fractions))
    planned = planned_by("samples", f"{STUDY}_samples", "--config", f"scale={scale}")
    assert planned["write_samples"] == pages
    assert "score" not in planned


def test_people_rate_the_full_system_and_the_one_without_pretraining(planned_by: Plans) -> None:
    planned = planned_by("human_study", f"{STUDY}_human_study")
    # Outputs of the best BLEU, and those of the lowest perplexity, which are decoded before them.
    assert (planned["make_human_study"], planned["finetune"], planned["decode"]) == (1, 2, 4)
    assert "write_samples" not in planned


def test_pages_for_people_are_made_only_when_asked_for(planned_by: Plans) -> None:
    assert not planned_by().keys() & {"write_samples", "make_human_study"}


def test_the_report_is_made_of_what_is_there_again_when_more_is(project: Project) -> None:
    there = project.folder / f"results/demo/{STUDY}"
    done = project.snakemake("--cores", "1", "report")
    assert done.returncode == 0, done.stdout
    assert "Not run at this scale" in (project.folder / "results/demo/report.html").read_text(encoding="utf-8")
    assert project.planned("report") == {}
    there.mkdir()
    (there / "records.zip").touch()
    assert project.planned("report") == {"write_report": 1}
    (there / "records.zip").unlink()
    assert project.planned("report") == {}
    with (project.folder / "workflow/corpus_titles.tsv").open("a", encoding="utf-8") as file:
        file.write("mine\tMy text\n")
    assert project.planned("report") == {"write_report": 1}


def test_a_file_can_be_asked_for_by_its_path(planned_by: Plans) -> None:
    planned = planned_by(f"results/demo/{STUDY}/runs/full/20pct/seed1/weights")
    assert planned["finetune"] == 1
    assert "decode" not in planned


def test_files_of_a_folder_that_one_rule_makes_can_be_asked_for_together(planned_by: Plans) -> None:
    text, hypotheses = "results/demo/text", f"results/demo/{STUDY}/runs/full/100pct/seed1/hypotheses"
    pairs = [f"{text}/{STUDY}/demo_ende/train.en_de/train.{language}" for language in ("en", "de")]
    unlabelled = [f"{text}/{STUDY}/demo_monolingual/train.{language}/train.{language}" for language in ("en", "de")]
    outputs = [f"{hypotheses}/bleu/{split}.txt" for split in ("test_a", "test_b")]
    generated = [f"results/downloads/grammar/demo_ende/train.{language}" for language in ("en", "de")]
    assert planned_by(*generated, *pairs, *unlabelled)["filter"] == 3
    assert planned_by(*generated) == {"generate": 1}
    assert planned_by(*outputs)["decode"] == 2  # by perplexity before


def test_a_study_may_have_fewer_tables_and_figures_and_another_reference(project: Project) -> None:
    study = ("--config", "studies=[transformer-translation,ramachandran-translation]")
    listed = project.snakemake("--quiet", "all", "--cores", "1", "list_targets", *study).stdout
    named = re.findall(r"^transformer-translation_(table_\w+|figure_\w+)", listed, flags=re.MULTILINE)
    assert [name for name in named if name.startswith("table")] == ["table_learning", "table_cost"]
    assert all(name.startswith("figure_learning_") for name in named[2:])
    planned = project.planned("transformer-translation", *study)
    assert planned["write_tables"] == planned["finetune"] == 1
    assert "pretrain" not in planned


def test_summaries_are_measured_against_the_first_sentences_of_documents(project: Project) -> None:
    summarization = ("--config", "studies=[ramachandran-summarization]")
    planned, commands = project.plan("--printshellcmds", *summarization)
    assert (planned["finetune"], planned["write_baseline"], planned["score"]) == (8, 2, 8 + 2)  # three and one
    assert commands.count("seqpre.score --task summarization --language en --workers 1 ") == 8 + 2
    assert commands.count(" --counts perplexity.test --output ") == 8
    assert commands.count(" --counts none.test --output ") == 2
    alone = project.planned("ramachandran-summarization_lead_1", *summarization)
    assert (alone["write_baseline"], alone["finetune"]) == (1, 1)


def test_a_study_without_a_metric_for_its_trainings_keeps_and_decodes_one_checkpoint_a_run(project: Project) -> None:
    study = REPOSITORY / "workflow/studies/ramachandran-summarization.yaml"
    (project.folder / "mine.yaml").write_text(
        f"extends: {study}\nbase: {{train: {{metric: none}}}}\n", encoding="utf-8"
    )
    config = ("--config", "studies=[mine.yaml]")
    planned, commands = project.plan("--printshellcmds", *config)
    assert planned["decode"] == planned["finetune"] == 8
    assert commands.count("--metric rouge_1") == 8  # Tuning of the search is by the task's metric all the same.


def test_a_study_says_whether_unlabelled_text_may_hold_the_sources_of_training_pairs(project: Project) -> None:
    said = {"with": True, "without": False}
    for name, with_pairs in said.items():
        scale = {"demo": {"filter": {"with_pairs": with_pairs}}}
        text = {"extends": "ramachandran-summarization", "scales": scale}
        project.study.with_name(f"{name}.yaml").write_text(yaml.safe_dump(text), encoding="utf-8")
    targets = [f"results/demo/text/{name}/demo_news_unlabelled/train.document" for name in said]
    _, plan = project.plan("--printshellcmds", *targets, "--config", "studies=[with,without]")
    excluded = {name: paths.split() for paths, name in re.findall(r"--exclude (.*) --seed.*demo/text/(\w+)/", plan)}
    assert {name: {Path(path).stem for path in paths} for name, paths in excluded.items()} == {
        "with": {"valid", "test"},
        "without": {"train", "valid", "test"},
    }
    assert {Path(path).suffix for paths in excluded.values() for path in paths} == {".document"}


def test_the_slurm_profile_plans_the_paper_scale(planned_by: Plans) -> None:
    _, runs, _ = grid("paper")
    assert planned_by("--profile", "slurm", "--config", "scale=paper")["finetune"] == len(runs)


def test_on_slurm_every_training_is_tried_again_more_often_than_the_rest(project: Project) -> None:
    (project.folder / "Probe").write_text(
        'include: "Snakefile"\n'
        'onstart:\n    check_start()\n    print("tries", {rule.name: rule.restart_times for rule in workflow.rules})\n',
        encoding="utf-8",
    )
    studies = "studies=[poda-correction,poda-headlines,edunov-translation,ramachandran-summarization]"
    done = project.snakemake(
        *("--snakefile", "Probe", "--profile", "slurm", "--executor", "local", "--config", "scale=paper", studies),
        *("--", "results/paper/lms/poda/denoiser/lm.json"),
    )
    assert done.returncode == 0, done.stdout
    (tries,) = re.findall(r"^tries (.*)$", done.stdout, flags=re.MULTILINE)
    often = {rule for rule, times in ast.literal_eval(tries).items() if times == 10}
    assert often == {"pretrain", "finetune"}
    assert set(ast.literal_eval(tries).values()) == {3, 10}


@pytest.mark.parametrize(
    ("gpus", "command"),
    [
        (4, "torchrun --standalone --nproc-per-node=4 -m -- seqpre.finetune"),
        (16, "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d"),
    ],
)
def test_one_setting_asks_for_processes(project: Project, gpus: int, command: str) -> None:
    run = f"results/paper/{STUDY}/runs/no_pretraining/100pct/seed1/weights"
    assert command in project.plan("--printshellcmds", run, "--config", "scale=paper", f"gpus={gpus}")[1]


def test_several_validation_sets_settle_the_searches_of_their_own_tests(project: Project) -> None:
    text = yaml.safe_load((REPOSITORY / "workflow/studies/transformer-translation.yaml").read_text(encoding="utf-8"))
    text["scales"] = {"demo": text["scales"]["demo"] | {"tests": ["test_a"], "tuned_on": {"test_a": "test_b"}}}
    (project.folder / "workflow/studies/two-sets.yaml").write_text(yaml.safe_dump(text), encoding="utf-8")
    commands = project.snakemake("--dry-run", "--printshellcmds", "--config", "studies=[two-sets]").stdout
    raw = "results/demo/corpora/demo_ende/raw"
    inputs = " ".join(f"{split}={raw}/{split}.en" for split in ("valid", "test_b", "test_a"))
    assert commands.count(f"--input {inputs} --settings ") == 2  # By perplexity and by BLEU.
    assert commands.count(f"--tune valid={raw}/valid.de test_b={raw}/test_b.de --tuned-on test_a=test_b --metric") == 2


def test_spelling_is_corrected_by_the_words_of_a_study_or_of_a_pretraining(project: Project) -> None:
    text = yaml.safe_load((REPOSITORY / "workflow/studies/poda-correction.yaml").read_text(encoding="utf-8"))
    text["scales"] = {"demo": text["scales"]["demo"] | {"vocabularies": {"own": {"kind": "words", "size": 800}}}}
    text["base"] |= {"vocabulary": {"source": "own", "target": "own"}, "init": {}}
    text["systems"], text["grid"] = {"full": {}}, {"one": {"systems": ["full"], "fractions": ["100pct"]}}
    for key in ("variant_of", "labels", "ensembles", "pretraining"):
        del text[key]
    for key in ("systems", "grid", "ensembles"):
        del text["scales"]["demo"][key]
    (project.folder / "workflow/studies/spelled.yaml").write_text(yaml.safe_dump(text), encoding="utf-8")
    for study in ("spelled", "poda-correction"):
        assert project.planned("--config", f"studies=[{study}]")["correct_spelling"] == 2


def test_a_study_of_words_counts_them_and_lets_targets_copy_from_their_sources(project: Project) -> None:
    text = yaml.safe_load((REPOSITORY / "workflow/studies/transformer-translation.yaml").read_text(encoding="utf-8"))
    text["base"] |= {"vocabulary": {"source": "cased", "target": "cased"}, "train": {}}
    text["systems"]["transformer"] = {"model.kind": "pointer_generator"}
    text["scales"] = {"demo": text["scales"]["demo"]}
    del text["scales"]["demo"]["vocab_size"]
    text["scales"]["demo"]["vocabularies"] = {"cased": {"kind": "words", "size": 1_000}}
    (project.folder / "workflow/studies/of-words.yaml").write_text(yaml.safe_dump(text), encoding="utf-8")
    config = ("--config", "studies=[of-words]")
    planned = project.planned(*config)
    assert (planned["learn_words"], planned["encode"], planned["finetune"]) == (1, 4, 1)
    assert "learn_bpe" not in planned
    commands = project.snakemake("--dry-run", "--printshellcmds", *config).stdout
    sources = re.findall(r"seqpre\.corpora\.encode --input \S+/(\w+\.\w+) .*--source \S+/(\w+\.\w+) ", commands)
    assert sorted(sources) == [("train.de", "train.en"), ("valid.de", "valid.en")]
    assert commands.count("--valid-sources results/demo/corpora/demo_ende/raw/valid.en") == 1
    assert "--subwords results/demo/words/of-words@cased/words.tsv" in commands
    changed = read_configuration(project.folder / "config.yaml") | {"studies": ["of-words"]}
    jobs = make_plan(changed, project.folder, 0, 2).jobs
    assert Counter(job.rule for job in jobs) == {rule: count for rule, count in planned.items() if rule != "all"}
