"""What the profile names exists on the cluster, by the words of Slurm's own commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seqpre.checks import slurm
from seqpre.checks.finding import DOUBTFUL, FAILED, FINE, Finding, Site, site_of
from seqpre.common.errors import ConfigError

Sites = Callable[..., Site]
Programs = Callable[..., None]

SINFO = """cat <<END
cpu*|up|infinite|(null)
gpu|up|2-00:00:00|gpu:h100:4(S:0-1)
gpu|up|2-00:00:00|(null)
old|down|1-00:00:00|gpu:2
END"""
ACCOUNTING = "AccountingStorageType   = accounting_storage/slurmdbd"
NONE = "AccountingStorageType   = (null)"


def resources(**values: Any) -> dict[str, Any]:
    """Return a profile that asks for these resources in every job."""
    return {"executor": "slurm", "slurm-status-command": "squeue", "default-resources": values}


def test_slurm_answers(site: Sites, programs: Programs) -> None:
    programs(sbatch="", sinfo="echo slurm 24.05.1", squeue="printf '17\\n18\\n'")
    assert slurm.slurm(site()) == Finding(FINE, "slurm 24.05.1 answers, 2 jobs of yours are in the queue")


def test_what_slurm_complains_of_is_passed_on(site: Sites, programs: Programs) -> None:
    with pytest.raises(OSError, match="there is no sbatch on the PATH"):
        slurm.slurm(site())
    programs(sbatch="", sinfo="", squeue="echo slurm_load_jobs error: Unable to contact slurm controller >&2; exit 1")
    with pytest.raises(OSError, match="Unable to contact slurm controller"):
        slurm.slurm(site())


def test_a_command_that_hangs_is_not_waited_for(
    site: Sites, programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slurm, "SECONDS", 0.1)
    programs(sbatch="exec /bin/sleep 60")
    with pytest.raises(OSError, match="sbatch did not answer"):
        slurm.slurm(site())


def test_the_plugin_is_compared_with_its_pin(site: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    for found, mark in (("2.8.0", FINE), ("1.0", DOUBTFUL), ("", FAILED)):
        monkeypatch.setattr(slurm, "installed", lambda name, found=found: found)
        assert slurm.executor_plugin(site()).mark == mark


@pytest.mark.parametrize(
    ("profile", "config", "mark", "words"),
    [
        (resources(), {}, FINE, "cpu (limit infinite)"),
        (resources(slurm_partition="gpu"), {"scale": "paper"}, FINE, "gpu (limit 2-00:00:00), 4 GPUs a node"),
        (resources(slurm_partition="cpu,gpu"), {"scale": "paper", "gpus": 4}, FINE, "4 GPUs a node"),
        (resources(slurm_partition="gpus"), {}, FAILED, "there is no gpus"),
        (resources() | {"set-resources": {"finetune": {"slurm_partition": "gpuu"}}}, {}, FAILED, "there is no gpuu"),
        (resources(slurm_partition="old"), {}, DOUBTFUL, "old is down"),
        (resources(), {"scale": "paper"}, FAILED, "0 GPUs a node; a training job asks for 1"),
        (resources(slurm_partition="gpu"), {"gpus": 8}, FAILED, "a training job asks for 8"),
        (resources(slurm_partition="gpu"), {"gpus": 8, "gpus_per_node": 4}, FINE, "4 GPUs a node"),
        (resources(slurm_partition="gpu"), {"gpus": 1, "runs_per_gpu": 2}, FAILED, "no shards of them"),
        (resources(slurm_partition="gpu", gres="'mps:50'"), {"gpus": 1, "runs_per_gpu": 2}, FINE, "4 GPUs a node"),
    ],
)
def test_partitions_exist_and_have_the_gpus(
    site: Sites, programs: Programs, profile: dict[str, Any], config: dict[str, Any], mark: str, words: str
) -> None:
    programs(sinfo="exec /bin/" + SINFO)
    finding = slurm.partitions(site(profile, **config))
    assert (finding.mark, words in finding.found) == (mark, True), finding


def test_without_a_default_partition_the_profile_must_name_one(site: Sites, programs: Programs) -> None:
    programs(sinfo="echo 'gpu|up|infinite|gpu:8'")
    finding = slurm.partitions(site(resources()))
    assert (finding.mark, finding.advice.endswith("Slurm has gpu")) == (FAILED, True)


@pytest.mark.parametrize(
    ("profile", "config", "mark", "words"),
    [
        (resources(), ACCOUNTING, FINE, "none named"),
        (resources(slurm_account="lab"), ACCOUNTING, FINE, "lab"),
        (resources(slurm_account="lab", qos="long"), ACCOUNTING, FINE, "lab, long"),
        (resources(slurm_account="lap"), ACCOUNTING, FAILED, "lap is not yours"),
        (resources(qos="longest"), ACCOUNTING, FAILED, "longest is not yours"),
        (resources() | {"slurm-qos": "longest"}, ACCOUNTING, FAILED, "longest is not yours"),
        (resources(slurm_account="lab"), NONE, DOUBTFUL, "not checked"),
    ],
)
def test_account_and_qos_are_the_users(
    site: Sites, programs: Programs, profile: dict[str, Any], config: str, mark: str, words: str
) -> None:
    programs(scontrol=f"echo '{config}'", sacctmgr="printf 'lab|normal,long\\nother|normal\\n'")
    finding = slurm.account_and_qos(site(profile))
    assert (finding.mark, words in finding.found) == (mark, True), finding


def test_a_profile_may_list_its_resources(tmp_path: Path) -> None:
    def read(text: str) -> dict[str, Any]:
        (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
        return site_of(Path("config.yaml"), None, tmp_path).profile

    mapped = read("default-resources: {slurm_partition: gpu, gres: 'gpu:1'}\nset-resources: {score: {qos: long}}\n")
    listed = read("default-resources: [slurm_partition=gpu, 'gres=gpu:1']\nset-resources:\n- score:qos=long\n")
    assert listed == mapped
    with pytest.raises(ConfigError, match="--profile: set-resources has 'qos=long'; write rule:name=value"):
        read("set-resources: [qos=long]\n")


@pytest.mark.parametrize(
    ("age", "interval", "mark"), [("300 sec", 20, FINE), ("60 sec", 20, FAILED), ("300 sec", 120, FAILED)]
)
def test_finished_jobs_must_be_remembered_longer_than_a_poll(
    site: Sites, programs: Programs, age: str, interval: int, mark: str
) -> None:
    programs(scontrol=f"printf '%s\\n' 'MaxJobCount = 10000' 'MinJobAge               = {age}'")
    profile = resources() | {"slurm-init-seconds-before-status-checks": interval}
    assert slurm.finished_jobs(site(profile)).mark == mark


@pytest.mark.parametrize(("config", "mark"), [(ACCOUNTING, DOUBTFUL), (NONE, FAILED)])
def test_sacct_needs_records_and_has_a_trap(site: Sites, programs: Programs, config: str, mark: str) -> None:
    programs(scontrol=f"echo '{config}'")
    assert slurm.finished_jobs(site({"executor": "slurm"})).mark == mark
