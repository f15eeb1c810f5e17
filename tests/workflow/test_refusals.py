"""A mistake in the configuration stops even a dry run, and the message says what was meant."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch

from checkout import STUDY, Project


def refusal(project: Project, *arguments: str) -> str:
    """Return what a dry run that must fail says."""
    done = project.snakemake("--dry-run", *arguments)
    assert done.returncode != 0, done.stdout
    assert "Job stats" not in done.stdout
    return done.stdout


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("sedes=1", "no key 'sedes'; did you mean 'seeds'?"),
        ("scale=smal", "no scale 'smal'; did you mean 'small'?"),
        ("studies=[ramachandran-translatoin]", "'ramachandran-translatoin'; did you mean 'ramachandran-translation'?"),
        ("studies=ramachandran-translation", "studies must be a list"),
        ("seeds=[1,-2]", "-2"),
        ("seeds=[one]", "one"),
        ("gpus=0", "gpus must be a whole number from 1 on, got 0"),
        ("gpus=12", "gpus is 12, more than gpus_per_node (8), so it must be a multiple of it"),
        pytest.param(
            "tensorboard=board",
            "tensorboard is 'board', and the package is not installed: pip install 'seqpre[tensorboard]'",
            marks=pytest.mark.skipif(find_spec("tensorboard") is not None, reason="tensorboard is installed"),
        ),
        ("results=a{x}", "results 'a{x}' has a brace, which Snakemake cannot read"),
        ("results=config.yaml/x", "config.yaml is no folder; name a folder that can be made"),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(project: Project, setting: str, message: str) -> None:
    assert message in refusal(project, "--config", setting)


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        ("systems full_dropout_10", {"model.droput": 0.1}, "'droput'; did you mean 'dropout'?"),
        ("systems full_dropout_10", {"model.dropout": 1.5}, "model.dropout is 1.5"),
        ("systems full_dropout_10", {"model.dropout": "high"}, "'high'"),
        ("systems full_dropout_10", {"train.max_updates": 0}, "train.max_updates is 0; it must be at least 1"),
        ("grid ablations systems", ["full", "encoder_onyl"], "'encoder_onyl'; did you mean 'encoder_only'?"),
        (
            "systems encoder_only",
            {"init.encoder": "monolingul_en"},
            "'monolingul_en', which the study does not declare; did you mean 'monolingual_en'?",
        ),
        ("systems encoder_only", {"init.decoder": "monolingual_en"}, "this side reads 'de'"),
        ("systems embeddings_only", {"init.parts": ["embeding"]}, "did you mean 'embedding'?"),
        ("grid baseline fractions", ["0pct"], "'0pct'"),
        ("grid baseline fractions", ["120pct"], "'120pct'"),
        ("grid baseline fractions", [0.5], "grid.baseline.fractions is 0.5; it must be a percentage above 0"),
        ("grid baseline fractions", ["5M"], "grid.baseline.fractions is '5M'"),
        ("grid baseline fractions", ["160k"], "the fraction of demo_ende is 160k, of"),
        ("ensembles ensemble_5 members", ["full", "full_dropot_10"], "did you mean 'full_dropout_10'?"),
        ("ensembles ensemble_5 keep", 100, "ensembles.ensemble_5.keep"),
        ("ensmbles", {}, "'ensmbles'; did you mean 'ensembles'?"),
        ("scales demo vocab_size", "many", "scales.demo.vocab_size must be a whole number, got 'many'"),
        (
            "scales demo corpora bitext",
            "demo_edne",
            f"{STUDY}.yaml: scales.demo.corpora.bitext is 'demo_edne'; did you mean 'demo_ende'?",
        ),
        (
            "scales demo tests",
            ["test_a", "test_c"],
            f"{STUDY}.yaml: scales.demo.tests has 'test_c'; demo_ende has the splits train, valid, test_a, test_b\n",
        ),
    ],
)
def test_a_wrong_study_is_refused_with_the_nearest_name(
    project: Project, keys: str, value: object, message: str
) -> None:
    if keys.startswith("ensembles"):
        project.change("scales", "demo", "ensembles", to={"ensemble_5": {}})
    project.change(*keys.split(), to=value)
    assert message in refusal(project)


@pytest.mark.parametrize("how", [["--dry-run"], ["--cores", "1"]], ids=["dry run", "run"])
def test_the_mistake_is_the_last_line_and_alone(project: Project, how: list[str]) -> None:
    done = project.snakemake(*how, "--config", "scale=smal")
    message = f"ConfigError: scale: {STUDY}.yaml has no scale 'smal'; did you mean 'small'?"
    assert done.stdout.rstrip().splitlines()[-1] == message
    assert "  File " not in done.stdout


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        (f"{STUDY}_encoder_onyl", f"did you mean '{STUDY}_encoder_only'?"),
        ("poda-headlines_full", "the study 'poda-headlines' is not selected: --config 'studies=[poda-headlines]'"),
        (f"results/demo/{STUDY}/tables/claim.md", f"did you mean 'results/demo/{STUDY}/tables/claims.md'?"),
    ],
)
def test_a_target_that_there_is_not_is_one_line_that_says_what_was_meant(
    project: Project, target: str, meant: str
) -> None:
    for how in ("--dry-run", "--cores=1"):
        done = project.snakemake(how, target)
        assert done.returncode != 0
        assert done.stdout.rstrip().splitlines()[-1] == f"ConfigError: there is no target '{target}'; {meant}"
        assert "input functions" not in done.stdout


def test_a_wrong_row_in_the_list_of_corpora_is_refused_with_its_line(project: Project) -> None:
    project.edit("workflow/corpora.tsv", "demo_ende\ttrain\ten\tlines", "demo_ende\ttrain\ten\tline")
    assert "corpora.tsv, line 2: reader 'line'" in refusal(project)


def test_a_mistake_is_refused_even_if_everything_has_been_run(finished: Project) -> None:
    finished.change("systems", "encoder_only", to={"init.decodr": "random"})
    assert "did you mean 'decoder'?" in refusal(finished)


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        (f"workflow/studies/{STUDY}.yaml", "  full: {model.dropout: 0.5}", "'full' is given twice, before in line"),
        (f"workflow/studies/{STUDY}.yaml", "  full: {", f"{STUDY}.yaml is not valid YAML: "),
        ("config.yaml", "scale: small", "'scale' is given twice, before in line 2"),
        ("config.yaml", "mirror: [", "config.yaml is not valid YAML: "),
    ],
)
def test_a_mistake_in_yaml_is_named_with_its_file(project: Project, file: str, line: str, message: str) -> None:
    before = "  full: {}\n" if file.startswith("workflow") else "tensorboard: null"
    path = project.folder / file
    content = path.read_text(encoding="utf-8")
    place = content.index(before) if file.startswith("workflow") else len(content)
    path.write_text(f"{content[:place]}{line}\n{content[place:]}", encoding="utf-8")
    assert message in refusal(project)


def test_a_mirror_that_is_not_there_stops_a_dry_run_if_anything_is_to_be_downloaded(project: Project) -> None:
    missing = f"mirror={project.folder}/gone"
    assert f"the mirror {project.folder}/gone is no folder" in refusal(project, "--config", "scale=small", missing)
    assert "download" not in project.planned("--config", missing)  # generated text needs none


def test_results_that_cannot_be_written_are_refused_before_the_first_job(project: Project) -> None:
    done = project.snakemake("--cores", "1", "--config", "results=/proc/foo")
    assert done.returncode != 0
    words = "ConfigError: results: /proc/foo cannot be written to (No such file or directory); name another folder"
    assert done.stdout.rstrip().splitlines()[-1] == words
    assert "  File " not in done.stdout


def test_a_mirror_that_does_not_answer_is_refused_before_the_first_job(project: Project) -> None:
    done = project.snakemake("--cores", "1", "--config", "scale=small", "mirror=http://127.0.0.1:9/")
    assert done.returncode != 0
    assert "the mirror http://127.0.0.1:9/ does not answer" in done.stdout
    assert not list(project.folder.glob("results/downloads/**/*.part"))
    assert not list(project.folder.glob("results/downloads/logs/**/*.log"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there are GPUs here")
@pytest.mark.parametrize("asked", [(), ("studies=[poda-headlines]", "--", "results/demo/lms/poda/denoiser/weights")])
def test_gpus_that_are_not_here_are_refused_before_the_first_job(project: Project, asked: tuple[str, ...]) -> None:
    done = project.snakemake("--cores", "1", "--config", "gpus=4", *asked)
    assert done.returncode != 0
    assert "a training job asks for 4 GPUs, torch sees 0 here: set `gpus: null`" in done.stdout
    assert not (project.folder / "results/downloads").exists()


def test_seeds_too_few_for_an_ensemble_leave_it_out_with_a_word(project: Project) -> None:
    done = project.snakemake("--dry-run", "--config", "scale=small", "seeds=[1]")
    assert done.returncode == 0, done.stdout
    assert "ensemble_5 is left out: it is made of 5 runs, with these seeds there are 1" in done.stdout
    assert "rule select_ensemble" not in done.stdout
