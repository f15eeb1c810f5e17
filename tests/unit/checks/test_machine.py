"""What any machine must have is found, and what is missing is named with what to do."""

from __future__ import annotations

import shutil
import sys
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from seqpre.checks import machine
from seqpre.checks.finding import DOUBTFUL, FAILED, FINE, Finding, Site
from seqpre.study.configuration import training_gpus

Sites = Callable[..., Site]


def test_this_python_is_new_enough(site: Sites) -> None:
    assert machine.python_version(site()).mark == FINE


def test_an_old_python_is_refused(site: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 14))
    finding = machine.python_version(site())
    assert (finding.mark, "3.11" in finding.advice) == (FAILED, True)


@pytest.mark.parametrize(
    ("package", "found", "mark", "words"),
    [
        ("torch", "2.13.0+cpu", FINE, "as pinned"),
        ("torch", "2.1.0", DOUBTFUL, "torch 2.1.0 instead of 2.13.0"),
        ("sacrebleu", "", FAILED, "missing: sacrebleu"),
    ],
)
def test_packages_are_compared_with_their_pins(
    site: Sites, monkeypatch: pytest.MonkeyPatch, package: str, found: str, mark: str, words: str
) -> None:
    pins = dict(pin.split("==") for pin in site().project["dependencies"])
    monkeypatch.setattr(machine, "installed", lambda name: found if name == package else pins[name])
    finding = machine.packages(site())
    assert (finding.mark, words in finding.found) == (mark, True)


def test_tensorboard_is_needed_where_the_configuration_names_a_folder_for_it(
    site: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = dict(pin.split("==") for pin in site().project["dependencies"])
    monkeypatch.setattr(machine, "installed", lambda name: pins.get(name, ""))
    assert machine.packages(site()).mark == FINE
    finding = machine.packages(site(tensorboard="board"))
    assert (finding.mark, finding.found) == (FAILED, "missing: tensorboard")
    assert finding.advice.endswith(" -m pip install -e '.[tensorboard]'")


def test_where_jobs_bring_their_packages_only_those_of_snakemake_are_needed(
    site: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(machine, "installed", lambda name: asked.append(name) or "")
    machine.packages(site({"software-deployment-method": "conda"}))
    assert "snakemake" in asked
    assert "torch" not in asked


def test_conda_and_apptainer_must_be_there_where_the_profile_names_them(
    site: Sites, programs: Callable[..., None]
) -> None:
    conda = site({"software-deployment-method": ["conda"]})
    assert machine.software_of_jobs(conda).mark == FAILED
    programs(conda="")
    assert machine.software_of_jobs(conda).mark == FINE
    finding = machine.software_of_jobs(site({"software-deployment-method": "apptainer"}))
    assert (finding.mark, finding.advice) == (FAILED, "apptainer build envs/seqpre.sif envs/seqpre.def")


def seen(site: Site, monkeypatch: pytest.MonkeyPatch, cards: int, gib: int = 80) -> Finding:
    """Return what is found of `cards` GPUs with `gib` GiB each."""
    torch = pytest.importorskip("torch")
    card = SimpleNamespace(name="Card", total_memory=gib * 2**30)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cards > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cards)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: card)
    largest = SimpleNamespace(name="Pretrain a large one", updates=1, left=True, states=6e9, batch=3e9)
    small = SimpleNamespace(name="Fine-tune a small one", updates=1, left=True, states=1e9, batch=3e9)
    processes = SimpleNamespace(processes=training_gpus(site.config) or 1)
    site.__dict__["plan"] = SimpleNamespace(jobs=[small, largest], machine=processes)  # of the paper's it takes seconds
    return machine.gpu(site)


@pytest.mark.parametrize(
    ("config", "cards", "gib", "mark", "words"),
    [
        ({}, 0, 0, FINE, "not needed at the demo scale"),
        ({"scale": "paper"}, 0, 0, FAILED, "torch sees 0 of the 1"),
        ({"scale": "paper"}, 1, 80, FINE, "1 x Card, 80 GiB; a training job asks for 1"),
        ({"scale": "paper", "gpus": 4}, 2, 80, FAILED, "torch sees 2 of the 4"),
        ({"scale": "paper", "gpus": 16}, 8, 80, FINE, "asks for 8"),
        ({"scale": "paper"}, 1, 9, FAILED, "9 GiB"),
        ({"scale": "paper"}, 1, 10, FINE, "10 GiB"),
        ({"scale": "paper", "gpus": 8}, 8, 8, FINE, "8 GiB"),  # each has an eighth of a batch
        ({"scale": "paper", "runs_per_gpu": 2}, 1, 10, FAILED, "10 GiB"),
        ({"gpus": 2}, 0, 0, FAILED, "torch sees 0 of the 2"),
    ],
)
def test_the_gpus_of_a_training_job_are_counted_and_large_enough(
    site: Sites, monkeypatch: pytest.MonkeyPatch, config: dict[str, object], cards: int, gib: int, mark: str, words: str
) -> None:
    finding = seen(site(**config), monkeypatch, cards, gib)
    assert (finding.mark, words in finding.found) == (mark, True)
    if 0 < gib < 80 and mark == FAILED:
        assert finding.advice.startswith("take a larger GPU: Pretrain a large one is planned to take 10.0 GB")


def test_where_slurm_gives_the_gpus_those_of_this_machine_do_not_count(
    site: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = seen(site({"executor": "slurm"}, scale="paper"), monkeypatch, cards=0)
    assert (finding.mark, "srun --gpus=1 python -m seqpre.doctor" in finding.advice) == (DOUBTFUL, True)


def test_a_results_folder_is_tried_where_it_will_be_made_and_nothing_is_left(site: Sites, tmp_path: Path) -> None:
    finding = machine.results_folder(site(results=str(tmp_path / "not/there/yet")))
    assert (finding.mark, finding.found.startswith(str(tmp_path))) == (FINE, True)
    assert list(tmp_path.iterdir()) == []


def test_a_results_folder_that_cannot_be_written_fails(site: Sites, tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file, not a folder", encoding="utf-8")
    assert machine.results_folder(site()).mark == FAILED


def test_a_file_system_without_locks_fails(site: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: object, operation: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    finding = machine.results_folder(site())
    assert (finding.mark, "No locks available" in finding.found) == (FAILED, True)


def test_the_disk_must_hold_what_the_plan_says_less_what_is_done(site: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    one = site()
    planned = one.plan.disk()
    assert planned > 1e6

    def finding(free: int) -> Finding:
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(0, 0, free))
        return machine.disk_space(one)

    assert finding(int(planned) + 1).mark == FINE
    assert finding(int(planned) - 500_000).mark == FAILED
    done = max(one.plan.jobs, key=lambda job: job.kept)
    one.__dict__["plan"] = replace(one.plan, jobs=[replace(job, left=job is not done) for job in one.plan.jobs])
    assert done.kept > 1
    assert finding(int(planned) - int(done.kept)).mark == FINE
    one.__dict__["plan"] = replace(one.plan, jobs=[replace(job, left=False) for job in one.plan.jobs])
    assert finding(0).mark == FINE
