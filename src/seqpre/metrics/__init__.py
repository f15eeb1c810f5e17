"""The scorers the papers used, each pinned to the official program."""
