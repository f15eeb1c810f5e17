"""What of Snakemake's words is passed on."""

from __future__ import annotations

from logging import INFO, LogRecord

import pytest
from snakemake.settings.types import OutputSettings

from snakemake_logger_plugin_seqpre import LogHandler


def test_that_it_will_stop_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    handler = LogHandler(OutputSettings(), None)
    will_stop = "Will exit after finishing currently running jobs (scheduler)."
    for text in (will_stop, "something else", will_stop, "something else"):
        handler.emit(LogRecord("snakemake", INFO, "", 0, text, None, None))
    assert capsys.readouterr().err.splitlines() == [will_stop, "something else", "something else"]
