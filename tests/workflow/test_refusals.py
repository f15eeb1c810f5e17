"""A mistake in the configuration stops even a dry run, and the message says what was meant."""

from __future__ import annotations

import pytest
import torch

from checkout import STUDY, Project


def refusal(project: Project, *arguments: str) -> str:
    """Return what a dry run that must fail says."""
    done = project.snakemake("--dry-run", *arguments)
    assert done.returncode != 0, done.stdout
    assert "Job stats" not in done.stdout
    return done.stdout


@pytest.mark.parametrize("how", [["--dry-run"], ["--cores", "1"]], ids=["dry run", "run"])
def test_the_mistake_is_the_last_line_and_alone(project: Project, how: list[str]) -> None:
    done = project.snakemake(*how, "--config", "scale=smal")
    message = f"ConfigError: scale: {STUDY}.yaml has no scale 'smal'; did you mean 'small'?"
    assert done.stdout.rstrip().splitlines()[-1] == message
    assert "  File " not in done.stdout


@pytest.mark.parametrize(
    ("how", "target", "meant"),
    [
        ("--dry-run", "poda-headlines_full", "the study 'poda-headlines' is not selected:"),
        ("--cores=1", f"results/demo/{STUDY}/tables/claim.md", f"did you mean 'results/demo/{STUDY}/tables/claims.md'"),
    ],
)
def test_a_target_that_there_is_not_is_one_line_that_says_what_was_meant(
    project: Project, how: str, target: str, meant: str
) -> None:
    done = project.snakemake(how, target)
    assert done.returncode != 0
    assert done.stdout.rstrip().splitlines()[-1].startswith(f"ConfigError: there is no target '{target}'; {meant}")
    assert "input functions" not in done.stdout


def test_a_file_of_a_run_that_is_not_declared_is_refused_in_one_line(project: Project) -> None:
    done = project.snakemake("--dry-run", f"results/demo/{STUDY}/runs/full/100pct/seed9/scores.json")
    assert done.returncode != 0
    refused = f"ConfigError: {STUDY} declares no run of full with 100pct and seed 9; its grid has systems and fractions"
    assert done.stdout.rstrip().splitlines()[-1].startswith(refused)
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize(
    ("study", "target"), [("transformer-translation", "human_study"), ("transformer-tiny", "transformer-tiny_samples")]
)
def test_pages_that_no_selected_study_has_are_refused(project: Project, study: str, target: str) -> None:
    said = refusal(project, target, "--config", f"studies=[{study}]")
    assert f"ConfigError: there is no target '{target}': no selected study has such a page" in said


@pytest.mark.parametrize(
    ("name", "system", "says"),
    [
        ("mine", "samples", "'mine_samples' is both the system samples of mine and the page samples of mine"),
        ("mine", "lead_3", "'mine_lead_3' is both the system lead_3 of mine and the trivial baseline lead_3 of mine"),
        ("mine_full", "other", "'mine_full' is both the system full of mine and the study mine_full"),
    ],
)
def test_a_name_of_two_targets_is_refused(project: Project, name: str, system: str, says: str) -> None:
    for one in ("mine", name):
        systems, grid = f"{{{system}: {{}}}}", f"{{mine: {{systems: [{system}], fractions: [100pct]}}}}"
        text = f"extends: ramachandran-summarization\nsystems: {systems}\ngrid: {grid}\n"
        (project.folder / f"{one}.yaml").write_text(text, encoding="utf-8")
    studies = ",".join(dict.fromkeys(("mine.yaml", f"{name}.yaml")))
    assert f"ConfigError: the target {says}; give one of them" in refusal(project, "--config", f"studies=[{studies}]")


def test_a_mistake_is_refused_even_if_everything_has_been_run(finished: Project) -> None:
    finished.change("systems", "encoder_only", to={"init.decodr": "random"})
    assert "did you mean 'decoder'?" in refusal(finished)


def test_a_mistake_in_yaml_is_named_with_its_file(project: Project) -> None:
    with (project.folder / "config.yaml").open("a", encoding="utf-8") as file:
        file.write("mirror: [\n")
    assert "config.yaml is not valid YAML: " in refusal(project)


def test_a_mirror_that_is_not_there_stops_a_dry_run_if_anything_is_to_be_downloaded(project: Project) -> None:
    missing = f"mirror={project.folder}/gone"
    assert f"the mirror {project.folder}/gone is no folder" in refusal(project, "--config", "scale=small", missing)


def test_a_mirror_that_does_not_answer_is_refused_before_the_first_job(project: Project) -> None:
    text = "results/small/corpora/multi30k/raw/valid.en"
    done = project.snakemake("--cores", "1", text, "--config", "scale=small", "mirror=http://127.0.0.1:9/")
    assert done.returncode != 0
    assert "the mirror http://127.0.0.1:9/ does not answer" in done.stdout
    assert not list(project.folder.glob("results/downloads/**/*.part"))
    assert not list(project.folder.glob("results/downloads/logs/**/*.log"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there are GPUs here")
def test_gpus_that_are_not_here_are_refused_before_the_first_job(project: Project) -> None:
    asked = ("studies=[poda-headlines]", "--", "results/demo/lms/poda/denoiser/weights")
    done = project.snakemake("--cores", "1", "--config", "gpus=4", *asked)
    assert done.returncode != 0
    assert "a training job asks for 4 GPUs, torch sees 0 here: set `gpus: null`" in done.stdout
    assert not (project.folder / "results/downloads").exists()


def test_a_device_that_there_is_not_is_refused_before_the_first_job(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEQPRE_DEVICE", "gpu")
    done = project.snakemake("--dry-run")
    assert done.returncode != 0
    assert "SEQPRE_DEVICE is 'gpu'; it may be auto, cpu or cuda" in done.stdout


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            ["--resources", "gpu=4", "--config", "gpus=1", "runs_per_gpu=2"],
            "--resources gpu=4 does not limit pretrain: runs_per_gpu is 2, so each asks for a shard; add shard=<GPUs",
        ),
        (
            ["--resources", "shard=8", "--config", "gpus=1"],
            "--resources shard=8 does not limit pretrain: runs_per_gpu is 1, so each asks for a gpu; add gpu=<GPUs",
        ),
        (["--config", "gpus=16"], "gpus is 16 and gpus_per_node 8: a training on 2 nodes needs Slurm; add `--profile"),
        (
            ["--profile", "slurm", "--resources", "shard=8", "--config", "gpus=1", "runs_per_gpu=2"],
            "run one after the other; write --resources shard=8 lane=1",
        ),
    ],
)
def test_gpus_that_would_be_shared_or_asked_for_otherwise_are_refused_before_the_first_job(
    project: Project, monkeypatch: pytest.MonkeyPatch, how: list[str], said: str
) -> None:
    monkeypatch.setenv("SEQPRE_DEVICE", "cpu")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    done = project.snakemake("--cores", "16", *how, "--", f"results/demo/lms/{STUDY}/parallel_en/weights")
    assert done.returncode != 0
    assert said in done.stdout
    assert not (project.folder / "results/demo/corpora").exists()


def test_seeds_too_few_for_an_ensemble_leave_it_out_with_a_word(project: Project) -> None:
    planned, said = project.plan("--config", "scale=small", "seeds=[1]")
    assert "ensemble_5 is left out: it is made of 5 runs, with these seeds there are 1" in said
    assert "select_ensemble" not in planned


def test_trainings_that_share_a_gpu_and_do_not_fit_are_refused_before_the_first_job(project: Project) -> None:
    sharing = ("scale=paper", "runs_per_gpu=4", "gpu_memory_gb=10", "mirror=.")
    asked = (
        "studies=[ramachandran-translation]",
        "--",
        "results/paper/lms/ramachandran-translation/parallel_en/weights",
    )
    done = project.snakemake("--cores", "1", "--jobs", "1", "--executor", "slurm", "--config", *sharing, *asked)
    assert done.returncode != 0
    said = "runs_per_gpu is 4, but pretrain ramachandran-translation/parallel_en is planned to take"
    assert said in " ".join(done.stdout.split()), done.stdout
