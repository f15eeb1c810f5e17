import io

import pytest

from seqpre.corpora.progress import Progress, human


def test_counts_are_shortened() -> None:
    assert [human(number) for number in (0, 999, 1500, 12_300_000, 2e9)] == ["0", "999", "1.5k", "12.3M", "2.0G"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_one_line_that_is_overwritten_and_a_log_gets_plain_lines() -> None:
    terminal, log = Terminal(), io.StringIO()
    for stream in (terminal, log):
        with Progress("encode", total=100, stream=stream) as progress:
            progress.interval = 0
            progress.add(40)
            progress.add(60)
    assert terminal.getvalue().count("\n") == 1
    assert "\r" not in log.getvalue()
    first, second, last = log.getvalue().splitlines()
    assert first.startswith("encode: 40 lines of 100 (40 %), ")
    assert second.startswith("encode: 100 lines of 100 (100 %)")
    assert last.startswith("encode: 100 lines, ")


def test_a_failed_step_claims_no_end() -> None:
    log = io.StringIO()
    with pytest.raises(ValueError, match="x"), Progress("encode", stream=log):
        raise ValueError("x")
    assert log.getvalue() == ""
