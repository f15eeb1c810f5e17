"""The plan as a command: what it prints and writes, what it refuses, and how it compares with what has run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from seqpre.plan import main

ROOT = Path(__file__).parents[2]
STUDY = "ramachandran-translation"
FEWEST_JOBS = ("--scale", "paper", "--studies", "edunov-turkish")


@pytest.fixture(autouse=True)
def _beside_the_snakefile(resolved_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration without results."""
    return configuration(tmp_path_factory.mktemp("planned"))


def configuration(folder: Path) -> Path:
    settings = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(settings | {"results": str(folder / "results")}), encoding="utf-8")
    return path


def planned(config: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["--config", str(config), *arguments])
    return capsys.readouterr().out


def refused(config: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one line that a refusal prints."""
    with pytest.raises(SystemExit) as stopped:
        main(["--config", str(config), *arguments])
    message = capsys.readouterr().err
    assert stopped.value.code == 2
    assert message.count("\n") == 1
    return message


def gpu_hours(text: str) -> float:
    found = re.search(r"([\d,.]+) GPU-hours expected", text)
    assert found, text
    return float(found[1].replace(",", ""))


def test_the_demo_is_planned_on_cores(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo = planned(config, capsys, "--cores", "3")
    assert "core-minutes expected" in demo
    assert re.search(r"[\d.]+ minutes on 3 cores; [\d.]+ (minutes|seconds) at least", demo)
    assert "GPU" not in demo


def test_twice_the_speed_is_half_the_gpu_hours(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slow, fast = (gpu_hours(planned(config, capsys, *FEWEST_JOBS, "--tflops", speed)) for speed in ("20", "40"))
    assert slow / fast == pytest.approx(2, rel=0.01)


def test_a_seed_more_is_a_run_more_of_every_cell(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert re.search(r"finetune +18 ", planned(config, capsys, *FEWEST_JOBS, "--seeds", "1", "2"))


def test_the_same_is_written_as_markdown(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planned(config, capsys, "--output", str(tmp_path / "plan.md"))
    text = (tmp_path / "plan.md").read_text(encoding="utf-8")
    assert text.startswith(f"## Plan of {STUDY} at the demo scale\n")
    assert re.search(r"^\| finetune \| 15 \| ", text, flags=re.MULTILINE)
    assert "| for | trainings | updates of each |" in text


def test_a_plan_over_budget_is_printed_and_then_refused(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--config", str(config), "--scale", "paper", "--budget", "100"])
    out, err = capsys.readouterr()
    assert stopped.value.code == 2
    assert "Jobs by rule" in out
    assert re.search(r"finetune +88 ", out)
    assert "days on 8 GPUs and 32 cores" in out
    total = f"{gpu_hours(out):,.0f}"
    assert re.fullmatch(
        rf"ConfigError: over budget: {total} GPU-hours are planned, --budget allows 100; the largest are "
        r"full \([\d.,]+\), no_pretraining \([\d.,]+\), \w+ \([\d.,]+\)\n",
        err,
    )
    assert "GPU-hours expected" in planned(config, capsys, *FEWEST_JOBS, "--budget", "1e6")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scale", "papre"), "no scale 'papre'; did you mean 'paper'?"),
        (("--studies", "ramachandran-tranlation"), "did you mean 'ramachandran-translation'?"),
        (("--budget", "-1"), "--budget is -1; it must be at least 0"),
        (("--budget", "nan"), "--budget is nan; it must be at least 0"),
        (("--gpus", "-2"), "--gpus is -2; it must be at least 0"),
        (("--cores", "0"), "--cores is 0; it must be at least 1"),
        (("--tflops", "0"), "--tflops is 0; it must be above 0"),
        (("--seeds", "-1"), "seeds is -1; it must be a whole number from 0"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_one_line(
    config: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert message in refused(config, capsys, *arguments)


def test_elsewhere_than_beside_the_snakefile_it_says_so(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "start this in the folder of the Snakefile" in refused(config, capsys)


def test_planned_stands_beside_actual_and_earlier_runs_set_the_speed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of the demo that took 600 core-seconds for half of its expected updates."""
    config = configuration(tmp_path)
    before = planned(config, capsys)
    assert "fine-tuning 50.0 (default)" in before
    run = tmp_path / f"results/demo/{STUDY}/runs/full/100pct/seed1"
    run.mkdir(parents=True)
    summary = {"seconds": 900.0, "cpu_seconds": 600.0, "steps": 180, "processes": 1}
    (run / "summary.json").write_text(json.dumps(summary))
    (run / "score.benchmark.tsv").write_text("s\tcpu_time\n120.0\t90.0\n")

    after = planned(config, capsys, "--actual")
    assert re.search(r"fine-tuning [\d.]+ \(measured on 1 of these jobs\)", after)
    by_rule, by_system = after.split("Planned and actual, by rule")[1].split("Planned and actual, by system")
    # Half the updates were made at the measured speed, so 1,200 s and the start were planned; 600 s it took.
    assert re.search(r"finetune +15 +1 +20\.1 +10\.0 +0\.50", by_rule)
    assert re.search(r"score +16 +1 +\S+ +1\.50 ", by_rule)
    assert re.search(r"pretrain +6 +0 ", by_rule)
    assert re.search(r"full +8 +2 +\S+ +11\.5 ", by_system)
