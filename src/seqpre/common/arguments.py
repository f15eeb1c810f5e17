"""What the argument parsers of all commands share."""

from __future__ import annotations

import argparse
import sys

from seqpre.common.errors import ConfigError

DEVICES = ("auto", "cpu", "cuda")
"""The values of `--device` and SEQPRE_DEVICE."""


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help shows a module's docstring line by line, and how the module was started."""
    started = sys.modules["__main__"].__spec__
    program = f"python -m {started.name}" if started else None
    return argparse.ArgumentParser(
        program, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def check_device(name: str) -> None:
    """Raise ConfigError for an invalid SEQPRE_DEVICE, which argparse does not check as a default."""
    if name not in DEVICES:
        raise ConfigError(f"SEQPRE_DEVICE is {name!r}; it may be {', '.join(DEVICES[:-1])} or {DEVICES[-1]}")
