"""The whole examination: a line each, whatever breaks, and an exit status."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seqpre import doctor
from seqpre.checks.finding import Finding, Site

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout whose results are its own."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("Snakefile", "config.yaml", "pyproject.toml", "workflow", "profiles", "envs"):
        (folder / name).symlink_to(REPOSITORY / name)
    return folder


@pytest.fixture(autouse=True)
def _in_a_checkout(checkout: Path, resolved_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    monkeypatch.delenv("SEQPRE_MIRROR", raising=False)


def examined(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, str]]:
    """Return the exit status, and each check's line by its name."""
    with pytest.raises(SystemExit) as end:
        doctor.main(arguments)
    lines = capsys.readouterr().out.splitlines()
    named = [re.fullmatch(r"[✓!✗] ([\w ]+): .+", line) for line in lines]
    return int(str(end.value)), {line[1]: line[0] for line in named if line}


def test_at_the_demo_scale_this_machine_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = examined(capsys, "--scale", "demo")
    assert status == 0, lines
    assert [name.replace(" ", "_") for name in lines] == ["configuration", *(c.__name__ for c in doctor.ANYWHERE)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scale", "smal"], "did you mean 'small'?"),
        (["--config", "nowhere.yaml"], "nowhere.yaml does not exist"),
        (["--profile", "profiles/slrum"], "the one for Slurm is profiles/slurm"),
    ],
)
def test_a_wrong_configuration_is_the_first_and_only_failure(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    status, lines = examined(capsys, *arguments)
    assert status == 1
    assert list(lines) == ["configuration"]
    assert words in lines["configuration"]


def test_a_check_that_breaks_is_a_failure_and_the_others_go_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(site: Site) -> Finding:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(doctor, "ANYWHERE", (explode, *doctor.ANYWHERE))
    status, lines = examined(capsys, "--scale", "demo")
    assert status == 1
    assert lines["explode"] == "✗ explode: ZeroDivisionError: oh -> mend this first"
    assert lines["downloads"].startswith("✓")


def test_without_slurm_its_absence_is_said_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    status, lines = examined(capsys, "--scale", "demo", "--profile", "profiles/slurm")
    assert status == 1
    assert "there is no sbatch on the PATH" in lines["slurm"]
    assert "partitions" not in lines
