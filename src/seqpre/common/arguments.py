"""What the argument parsers of all commands share."""

from __future__ import annotations

import argparse
import sys


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help shows a module's docstring line by line, and how the module was started."""
    started = sys.modules["__main__"].__spec__
    program = f"python -m {started.name}" if started else None
    return argparse.ArgumentParser(
        program, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
