"""Jobs that start, work and end, told in lines. Time is a number that the test passes on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from snakemake_logger_plugin_seqpre.jobs import SHOWN, Jobs, StartedJob, clock, span
from snakemake_logger_plugin_seqpre.logs import state_of

PROGRESS = "full 20pct seed 1: 80/320 updates  12,375 tokens/s  < 0:00:16 left  perplexity 81.36  BLEU 0.4\n"


@pytest.fixture
def jobs() -> Jobs:
    """Three jobs of one study are planned."""
    jobs = Jobs(studies=["my-study"], closing_words=lambda: "what came out")
    assert jobs.planned({"finetune": 2, "score": 1, "total": 3}) == "my-study: 3 jobs to run: 2 finetune, 1 score"
    return jobs


def job(folder: Path, name: str = "full 20pct seed 1", local: bool = True) -> StartedJob:
    """Return a training that starts at 100 s."""
    log = str(folder / f"{name}.log")
    return StartedJob(f"Fine-tune {name}", "my-study", log, f"{log}.tsv", name, local, 100.0, state_of(log))


def write(job: StartedJob, text: str) -> None:
    """Write a job's log."""
    Path(job.log).write_text(text, encoding="utf-8")


def test_a_job_that_ends_is_one_line_of_what_it_was_how_long_it_took_and_what_came_of_it(
    jobs: Jobs, tmp_path: Path
) -> None:
    jobs.started(7, one := job(tmp_path))
    write(one, "full 20pct seed 1: stopped by patience after 320 updates\n")
    line = jobs.finished(7, 165.0)
    assert line.strip() == "1/3     1:05  Fine-tune full 20pct seed 1: stopped by patience after 320 updates"


def test_a_job_that_only_writes_down_settings_counts_and_has_no_line(jobs: Jobs, tmp_path: Path) -> None:
    one, other = job(tmp_path), job(tmp_path, "other")
    one.benchmark = other.benchmark = ""
    write(one, "")
    write(other, "full: dropout 0.3\n")
    jobs.started(7, one)
    jobs.started(8, other)
    assert jobs.finished(7, 100.0) == ""
    assert jobs.finished(8, 100.0).strip() == "2/3     0:00  Fine-tune other: full: dropout 0.3"


def test_on_a_cluster_the_time_in_the_queue_does_not_count(jobs: Jobs, tmp_path: Path) -> None:
    jobs.started(7, one := job(tmp_path, local=False))
    Path(one.benchmark).write_text("s\th:m:s\n5.25\t0:00:05\n", encoding="utf-8")
    assert "  0:05  " in jobs.finished(7, 4000.0)


def test_what_is_training_shows_updates_speed_time_left_and_score(jobs: Jobs, tmp_path: Path) -> None:
    jobs.started(7, one := job(tmp_path))
    write(one, PROGRESS)
    head, line = jobs.at_work(112.0)
    assert head == "my-study: 0 of 3 jobs done, 1 at work"
    for words in ("0:12", "Fine-tune full 20pct seed 1", "80/320", "12,375 tokens/s", "< 0:00:16 left", "BLEU 0.4"):
        assert words in line


def test_with_several_studies_every_line_names_its_own(tmp_path: Path) -> None:
    jobs = Jobs(studies=["my-study", "other"])
    jobs.planned({"total": 1})
    jobs.started(7, job(tmp_path))
    assert "my-study: Fine-tune" in jobs.at_work(101.0)[1]
    assert "my-study: Fine-tune" in jobs.finished(7, 102.0)


def test_what_an_earlier_attempt_left_in_a_log_is_not_taken_for_progress(jobs: Jobs, tmp_path: Path) -> None:
    write(job(tmp_path), PROGRESS)
    jobs.started(7, job(tmp_path, local=False))
    assert jobs.at_work(112.0) == ["my-study: 0 of 3 jobs done, 0 at work, 1 submitted"]


def test_a_terminal_shows_trainings_first_and_not_more_than_fit(jobs: Jobs, tmp_path: Path) -> None:
    for number in range(SHOWN + 2):
        jobs.started(number, job(tmp_path, f"other {number}"))
    jobs.started(99, one := job(tmp_path))
    write(one, PROGRESS)
    _, first, *_, last = jobs.at_work(112.0)
    assert "80/320" in first
    assert last == "and 3 more"


def test_a_log_hears_of_a_job_at_work_ever_more_rarely_but_once_an_hour(jobs: Jobs, tmp_path: Path) -> None:
    jobs.started(7, one := job(tmp_path))
    assert list(jobs.due(150.0)) == []  # it has said nothing yet
    write(one, "full 20pct seed 1: ended, while the rest of its submission is at work\n")
    assert list(jobs.due(150.0)) == []
    write(one, PROGRESS)
    heard = [second for second in range(0, 12 * 3600, 10) if list(jobs.due(100.0 + second))]
    assert heard[:5] == [30, 60, 120, 240, 480]
    assert {later - earlier for earlier, later in pairwise(heard[8:])} == {3600}


def test_how_long_all_will_take_is_estimated_from_the_jobs_that_ended_and_are_at_work(
    jobs: Jobs, tmp_path: Path
) -> None:
    asked = []

    def time_left(ended: Mapping[str, float], at_work: Mapping[str, float], failed: Collection[str]) -> Any:
        asked.append((dict(ended), dict(at_work), set(failed)))
        return 300.0, 720.0

    jobs.started(7, job(tmp_path, "one"))
    jobs.started(8, job(tmp_path, "two"))
    assert "left" not in jobs.at_work(105.0)[0]
    jobs.time_left = time_left
    assert jobs.at_work(105.0)[0].endswith("2 at work, 5 to 12 min left")
    assert jobs.at_work(164.0)[0].endswith("2 at work, 4 to 11 min left")
    assert len(asked) == 1  # not at every look
    assert jobs.at_work(166.0)[0].endswith("2 at work, 5 to 12 min left")
    jobs.finished(7, 170.0)
    jobs.left(170.0)
    jobs.failed([8], [], "exit status 1", 172.0)
    jobs.left(172.0)
    assert asked == [
        ({}, {"one": 5.0, "two": 5.0}, set()),
        ({}, {"one": 66.0, "two": 66.0}, set()),
        ({"one": 70.0}, {"two": 70.0}, set()),
        ({"one": 70.0}, {}, {"two"}),
    ]


def test_a_log_hears_how_long_all_will_take_ever_more_rarely(jobs: Jobs, tmp_path: Path) -> None:
    jobs.time_left = lambda *_: (300.0, 720.0)
    jobs.started(7, job(tmp_path))
    heard = [second for second in range(0, 600, 10) if list(jobs.due(100.0 + second))]
    assert heard == [30, 60, 120, 240, 480]
    assert list(jobs.due(100.0 + 960)) == ["my-study: 0 of 3 jobs done, 5 to 12 min left"]


def test_seconds_are_not_worth_saying_that_they_are_left(jobs: Jobs) -> None:
    jobs.time_left = lambda *_: (2.0, 9.0)
    assert jobs.left(100.0) == ""


@pytest.mark.parametrize(
    ("least", "most", "text"),
    [
        (20, 90, "20 to 90 s"),
        (50, 300, "1 to 5 min"),
        (10, 130, "0 to 2 min"),
        (200, 215, "3 to 4 min"),
        (302, 310, "about 5 min"),
        (3600, 7200, "1 to 2 hours"),
        (86_400, 400_000, "1 to 5 days"),
    ],
)
def test_a_range_of_time_is_written_in_one_unit(least: float, most: float, text: str) -> None:
    assert span(least, most) == text


def test_a_failure_is_told_at_once_and_again_in_the_end_with_its_log(jobs: Jobs, tmp_path: Path) -> None:
    jobs.started(7, one := job(tmp_path))
    write(one, PROGRESS + "ConfigError: no such thing\n")
    line = jobs.failed([7], [], "exit status 2", 112.0)
    assert line.split()[0] == "failed"
    assert "ConfigError: no such thing" in line
    assert one.log in line
    end = "\n".join(text for text, _ in jobs.end())
    assert "One job failed; 0 of 3 jobs done, 2 not run" in end
    assert f"  ConfigError: no such thing\n    Fine-tune full 20pct seed 1 ({one.log})\n" in end
    assert "what came out" not in end


def test_of_jobs_that_say_nothing_of_an_error_the_last_that_said_anything_has_failed(
    jobs: Jobs, tmp_path: Path
) -> None:
    trained, decoded = job(tmp_path, "trained"), job(tmp_path, "decoded")
    for number, one in enumerate((trained, decoded)):
        jobs.started(number, one)
    write(trained, PROGRESS)
    write(decoded, "")
    assert "Fine-tune trained" in jobs.failed([0, 1], [], "", 112.0)


def test_jobs_that_failed_for_the_same_reason_are_told_together(jobs: Jobs, tmp_path: Path) -> None:
    for number in range(3):
        jobs.started(number, one := job(tmp_path, f"system {number}"))
        write(one, "ConfigError: no GPU\n" if number != 1 else "DataError: no line\n")
        jobs.failed([number], [], "", 112.0)
    lines = [text.strip().partition(" (")[0] for text, _ in jobs.end()]
    assert lines[1:-1] == [
        "ConfigError: no GPU",
        "Fine-tune system 0",
        "Fine-tune system 2",
        "DataError: no line",
        "Fine-tune system 1",
    ]


def test_a_job_that_is_tried_again_and_ends_well_has_not_failed(jobs: Jobs, tmp_path: Path) -> None:
    jobs.planned({"finetune": 1, "total": 1})
    jobs.started(7, job(tmp_path))
    jobs.failed([7], [], "", 112.0)
    jobs.started(7, job(tmp_path))
    jobs.finished(7, 130.0)
    assert [text for text, _ in jobs.end()] == ["what came out"]


def test_of_jobs_that_were_submitted_together_the_one_with_an_error_has_failed(jobs: Jobs, tmp_path: Path) -> None:
    trained, decoded, waiting = job(tmp_path, "trained"), job(tmp_path, "decoded"), job(tmp_path, "waiting")
    for number, one in enumerate((trained, decoded, waiting)):
        jobs.started(number, one)
    write(trained, "trained: stopped by patience\n")
    write(decoded, "DataError: a line is missing\n")
    write(waiting, "")
    slurm = tmp_path / "slurm.log"
    slurm.write_text("slurmstepd: error: *** JOB 5 CANCELLED DUE TO TIME LIMIT ***\n", encoding="utf-8")
    line = jobs.failed([0, 1, 2], [str(slurm)], "", 112.0)
    for words in ("Fine-tune decoded", "DataError: a line is missing", "DUE TO TIME LIMIT", decoded.log, str(slurm)):
        assert words in line
    assert jobs.running == {}


def test_what_is_stopped_has_not_failed_even_if_it_ends_before_the_interruption_is_told(
    jobs: Jobs, tmp_path: Path
) -> None:
    jobs.started(6, job(tmp_path, "other"))
    jobs.failed([6], [], "SIGINT", 111.0)
    jobs.started(7, one := job(tmp_path))
    jobs.interrupted = True
    write(one, "full 20pct seed 1: stopped at update 81, SIGINT came\n")
    assert jobs.failed([7], [], "exit status 75", 112.0).split()[0] == "stopped"
    assert [text.strip() for text, _ in jobs.end()] == [
        "Stopped; 0 of 3 jobs done. The same command goes on from here."
    ]


def test_nothing_to_do_still_says_what_is_there() -> None:
    assert [text for text, _ in Jobs(closing_words=lambda: "what came out", nothing_to_do=True).end()] == [
        "what came out"
    ]


def test_where_nothing_was_planned_nothing_is_said() -> None:
    assert list(Jobs(closing_words=lambda: "what came out").end()) == []


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (59.7, "1:00"), (3599, "59:59"), (3600, "1:00:00")])
def test_a_duration_is_written_in_minutes_or_hours(seconds: float, text: str) -> None:
    assert clock(seconds) == text
