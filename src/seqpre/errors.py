"""Errors a user can fix, and how a command reports them: one message, a non-zero exit, no traceback."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence


class ConfigError(ValueError):
    """A setting is wrong. The message names the key, the value, what is accepted and the likely fix."""


class DataError(ValueError):
    """A file is wrong. The message names the file and, where there is one, the line."""


Main = Callable[[Sequence[str] | None], None]


def command(main: Main) -> Main:
    """Wrap a command's `main`, so that a user's mistake ends in one line on stderr and exit status 2."""

    @functools.wraps(main)
    def wrapped(argv: Sequence[str] | None = None) -> None:
        try:
            main(argv)
        except (ConfigError, DataError) as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            raise SystemExit(2) from error

    return wrapped
