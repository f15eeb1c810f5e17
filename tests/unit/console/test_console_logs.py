"""From the log of a job, what came of it or what went wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakemake_logger_plugin_seqpre.logs import TAIL, in_words, lines_of, outcome, reason, state_of, words_of_slurm


def log(folder: Path, text: str) -> str:
    """Write a log; return its path."""
    path = folder / "job.log"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("job", "text", "found"),
    [
        ("Fine-tune full 20pct seed 1", "full 20pct seed 1: 80/320 updates  BLEU 0.4\n", "80/320 updates  BLEU 0.4"),
        ("Pretrain LM news_en", "LM news_en: stopped by patience\n", "stopped by patience"),
        ("Filter news", "results/text/train.en: kept 9 of 10 lines\n  empty  1  10.00 %\n", "kept 9 of 10 lines"),
        ("Extract news train", "extract news/train.en: 200 lines, 0.1 s\n", "200 lines, 0.1 s"),
        ("Write the tables", "7 tables in results/a/tables: one, two\n", "7 tables in results/a/tables: one, two"),
        ("Decode full", "decode valid: 200 lines, 584/s\n\n", "decode valid: 200 lines, 584/s"),
        ("Resolve full", "", ""),
        ("Score full", "  only details\n", ""),
    ],
)
def test_the_outcome_is_the_last_line_without_what_the_job_is_called(
    tmp_path: Path, job: str, text: str, found: str
) -> None:
    assert outcome(log(tmp_path, text), job) == found


def test_the_reason_is_the_error_and_not_what_follows_it(tmp_path: Path) -> None:
    text = (
        "full: 80/320 updates\nTraceback (most recent call last):\n  File x\nsome.module.OddError: first\n"
        "TrainingError: update 81: the loss is nan\nE1123 failed (exitcode: 2) local_rank: 0\n"
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n=====\n"
    )
    assert reason(log(tmp_path, text)) == "TrainingError: update 81: the loss is nan"


def test_without_an_error_the_reason_is_how_the_command_ended_and_where_its_log_stops(tmp_path: Path) -> None:
    path = log(tmp_path, "full: 80/320 updates\n")
    assert reason(path, "ended by SIGTERM") == "ended by SIGTERM; its log ends: full: 80/320 updates"
    assert reason(str(tmp_path / "none.log"), "exit status 1") == "exit status 1; its log is empty"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("exit status 137", "killed (SIGKILL), perhaps out of memory"),
        ("SIGKILL", "killed (SIGKILL), perhaps out of memory"),
        ("exit status 143", "ended by SIGTERM"),
        ("exit status 139", "ended by SIGSEGV"),
        ("SIGBUS", "ended by SIGBUS"),
        ("exit status 1", "exit status 1"),
        ("exit status 128", "exit status 128"),
        ("exit status 255", "exit status 255"),
        ("OUT_OF_MEMORY", "OUT_OF_MEMORY"),
        ("", ""),
    ],
)
def test_a_command_that_a_signal_ended_names_the_signal(status: str, words: str) -> None:
    assert in_words(status) == words


def test_only_what_slurm_says_itself_is_taken_from_the_output_of_its_job(tmp_path: Path) -> None:
    text = "slurmstepd: error: Detected 1 oom_kill event\nWorkflowError: At least one job did not complete\n"
    assert words_of_slurm(log(tmp_path, text)) == "slurmstepd: error: Detected 1 oom_kill event"
    assert words_of_slurm(log(tmp_path, "Building DAG of jobs...\n")) == ""


def test_the_end_of_a_long_log_is_read_and_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "long.log"
    path.write_bytes(b"x" * 3 * TAIL + b"\n\xff\xfe broken\nlast: line\n")
    assert lines_of(str(path))[-1] == "last: line"


def test_a_log_that_is_not_there_has_no_state_and_no_lines(tmp_path: Path) -> None:
    assert state_of(str(tmp_path / "none.log")) is None
    assert lines_of("") == []
