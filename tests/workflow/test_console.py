"""What Snakemake shows while a workflow runs, and in the end: on a terminal, in a log, and where something fails."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkout import STUDY, Project

WORKFLOW = """
from snakemake.logging import logger
logger.info(None, extra={"studies": ["toy"], "closing_words": lambda: "What came out: all.txt"})

rule all:
    input: expand("{name}.txt", name=config.get("names", "one two").split())
    message: "Everything is there"

rule make:
    output: "{name}.txt"
    log: "{name}.log"
    message: "Make {wildcards.name}"
    shell:
        "case {wildcards.name} in"
        " odd*) echo 'ConfigError: {wildcards.name} is no number' > {log}; echo 'noise after it' >> {log}; exit 2;;"
        " shot) echo 'shot: 80/320 updates' > {log}; kill -9 $$;;"
        " child) echo 'child: 80/320 updates' > {log}; bash -c 'kill -9 $$';;"
        " slow) echo 'slow: 80/320 updates  9 tokens/s' > {log}; touch began;"
        " while [ ! -e go ]; do sleep 0.1; done;; esac;"
        " echo '{wildcards.name}: made' > {log}; touch {output}"
"""
COMMAND = (sys.executable, "-m", "snakemake", "--cores", "2", "--keep-going", "--logger", "seqpre")


@pytest.fixture
def toy(tmp_path: Path) -> Project:
    """A workflow of jobs that take no time, fail or wait to be told, by their names."""
    (tmp_path / "Snakefile").write_text(WORKFLOW, encoding="utf-8")
    return Project(tmp_path)


def told(toy: Project, names: str, *arguments: str) -> tuple[int, str]:
    """Return the exit status of a run that makes these files, and what it says."""
    done = toy.snakemake(*COMMAND[3:], *arguments, "--config", f"names={names}")
    return done.returncode, done.stdout


def test_a_job_is_one_line_and_the_end_says_what_came_out(toy: Project) -> None:
    status, text = told(toy, "one two")
    assert status == 0, text
    lines = text.splitlines()
    jobs = [line for line in lines if re.match(r" +\d/3 +0:\d\d  ", line)]
    assert [re.sub(r" +\d/3 +0:\d\d  ", "", line) for line in sorted(jobs)][2:] == ["Everything is there"]
    assert {line[-14:] for line in jobs[:2]} == {"Make one: made", "Make two: made"}
    assert lines[-1] == "What came out: all.txt"
    assert "toy: 3 jobs to run: 2 make, 1 all" in lines
    assert len(lines) <= 10, text


def test_the_end_says_what_came_out_where_there_was_nothing_to_do(toy: Project) -> None:
    told(toy, "one")
    _, text = told(toy, "one")
    assert "Nothing to be done" in text
    assert text.splitlines()[-1] == "What came out: all.txt"


def test_the_end_names_each_failure_with_the_reason_in_its_log(toy: Project) -> None:
    status, text = told(toy, "odd1 one odd2 shot child")
    assert status != 0
    _, header, end = text.partition("4 jobs failed; 1 of 6 jobs done, 1 not run:")
    assert header, text
    for name in ("odd1", "odd2"):
        assert f"\n  ConfigError: {name} is no number\n    Make {name} ({name}.log)\n" in end
    for name in ("shot", "child"):
        why = f"killed (SIGKILL), perhaps out of memory; its log ends: {name}: 80/320 updates"
        assert f"\n  {why}\n    Make {name} ({name}.log)\n" in end
    assert "What came out" not in text
    assert "CalledProcessError" not in text
    assert len(text.splitlines()) < 25, text


def test_in_silence_only_failures_are_told(toy: Project) -> None:
    assert re.sub("^(Using|Config|Assuming).*\n", "", told(toy, "one", "--quiet", "all")[1], flags=re.MULTILINE) == ""
    _, text = told(toy, "odd1", "--quiet", "all")
    assert "ConfigError: odd1 is no number" in text
    assert "Make one" not in told(toy, "one two", "--quiet")[1]


@pytest.mark.parametrize("argument", ["--verbose", "--dry-run"])
def test_snakemake_speaks_for_itself_where_it_is_asked_to(toy: Project, argument: str) -> None:
    status, text = told(toy, "one two", argument)
    assert status == 0, text
    assert re.search(r"Job \d: Make two\nReason: Missing output files: two.txt", text)
    assert "Job stats:" in text
    assert not re.search(r"\d/3 +0:0", text)


def test_shell_commands_are_shown_on_request(toy: Project) -> None:
    assert "case one in" not in told(toy, "one")[1]
    assert "case two in" in told(toy, "two", "--printshellcmds")[1]


def test_errors_of_loading_and_warnings_reach_the_user(toy: Project) -> None:
    with (toy.folder / "Snakefile").open("a", encoding="utf-8") as file:
        file.write("\nlogger.warning('mind the gap')\nraise ValueError('no such setting')\n")
    status, text = told(toy, "one")
    assert status != 0
    assert "mind the gap" in text
    assert "no such setting" in text
    assert "What came out" not in text


def test_a_job_that_leaves_no_output_is_told_in_the_end_too(toy: Project) -> None:
    toy.edit("Snakefile", "; touch {output}", "")
    status, text = told(toy, "one", "--latency-wait", "0")
    assert status != 0
    assert "MissingOutputException" in text
    assert "What came out" not in text


@pytest.fixture
def terminal(toy: Project) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The workflow with a job that waits to be told to end, on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "--config", "names=slow one"],
        cwd=toy.folder,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "120", "LINES": "30"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    yield process, ours
    process.kill()
    process.wait()
    os.close(ours)


def read_until(ours: int, words: str) -> str:
    """Return what comes on the terminal up to these words, '' for its end."""
    text, end = "", time.monotonic() + 120
    while time.monotonic() < end:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                text += os.read(ours, 65_536).decode("utf-8", errors="replace")
            except OSError:  # The other end is closed.
                assert not words, text
                return text
            if words and words in text:
                return text
    raise AssertionError(f"{words!r} did not come:\n{text}")


def test_a_terminal_shows_what_is_at_work(toy: Project, terminal: tuple[subprocess.Popen[bytes], int]) -> None:
    process, ours = terminal
    text = read_until(ours, "Make slow: 80/320 updates  9 tokens/s")
    assert re.search(r"toy: \d of 3 jobs done, \d at work", text)
    (toy.folder / "go").touch()
    text = read_until(ours, "")
    assert "Make slow: made" in text
    assert "What came out: all.txt" in text
    assert process.wait(60) == 0


def test_what_is_interrupted_is_told_as_stopped_and_leaves_no_line_behind(
    toy: Project, terminal: tuple[subprocess.Popen[bytes], int]
) -> None:
    process, ours = terminal
    read_until(ours, "80/320 updates")
    os.killpg(process.pid, signal.SIGINT)  # As Ctrl-C does.
    text = read_until(ours, "")
    assert re.search(r"Stopped; \d of 3 jobs done. The same command goes on", text), text
    assert " failed; " not in text
    assert process.wait(60) != 0


def test_the_profile_chooses_this_console_and_says_where_everything_is(finished: Project) -> None:
    study = f"results/demo/{STUDY}"
    (finished.folder / study / "figures/fractions.png").touch()
    done = finished.snakemake("--cores", "1")
    assert done.returncode == 0, done.stdout
    for place in (f"{study}/summary.md", f"{study}/tables/", f"{study}/figures/", f"{study}/figures/fractions.png"):
        assert place in done.stdout
    assert "mean nothing at this scale" in done.stdout


def test_a_summary_of_before_the_newest_scores_is_not_told_as_what_came_out(finished: Project) -> None:
    study = Path("results/demo", STUDY)
    (finished.folder / study / "summary.md").write_text("- Pretraining gains.\n\n## Tables\n", encoding="utf-8")
    scores = next(finished.folder.glob(f"{study}/runs/*/*/*/scores.json")).relative_to(finished.folder)
    done = finished.snakemake("--cores", "1", str(scores))
    assert "- Pretraining gains." in done.stdout
    assert "## Tables" not in done.stdout
    (finished.folder / scores).touch()
    done = finished.snakemake("--cores", "1", str(scores))
    assert "- Pretraining gains." not in done.stdout
    assert re.search(
        rf"1 of \d+ runs have newer scores than {study}/summary.md; `snakemake {STUDY}` renews", done.stdout
    )


def test_a_run_begins_with_how_long_it_will_take(finished: Project) -> None:
    for summary in finished.folder.glob("results/demo/**/summary.json"):
        summary.write_text('{"seconds": 60, "cpu_seconds": 60, "steps": 100, "processes": 1}', encoding="utf-8")
    finished.change("systems", "encoder_only", "model.dropout", to=0.4)
    done = finished.snakemake("--cores", "1", "--until", "finetune")  # It fails: the corpora are empty.
    assert re.search(r"2 jobs to run: 1 resolve_run, 1 finetune\n\d+ to \d+ (s|min) left, by the plan\n", done.stdout)
    assert "Resolve encoder_only" not in done.stdout
