"""What the argument parsers of all commands share."""

from __future__ import annotations

import argparse


def parser_of(description: str | None, program: str | None = None) -> argparse.ArgumentParser:
    """Return a parser whose help shows a module's docstring line by line; `program` is the name in the usage line."""
    return argparse.ArgumentParser(
        program, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
