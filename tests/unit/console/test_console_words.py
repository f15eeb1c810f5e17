"""What of Snakemake's words is passed on."""

from __future__ import annotations

from logging import INFO, LogRecord
from pathlib import Path

import pytest
from snakemake.settings.types import OutputSettings

from snakemake_logger_plugin_seqpre import LogHandler
from snakemake_logger_plugin_seqpre.screen import Screen


def test_that_it_will_stop_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    handler = LogHandler(OutputSettings(), None)
    will_stop = "Will exit after finishing currently running jobs (scheduler)."
    for text in (will_stop, "something else", will_stop, "something else"):
        handler.emit(LogRecord("snakemake", INFO, "", 0, text, None, None))
    assert capsys.readouterr().err.splitlines() == [will_stop, "something else", "something else"]


def test_what_the_encoding_of_a_log_lacks_is_shown_as_an_escape(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w", encoding="latin-1") as stream:
        Screen(stream).say("✓ schön")
    assert (tmp_path / "log").read_text(encoding="latin-1") == "\\u2713 schön\n"
