"""The readable names of corpora, from `workflow/corpus_titles.tsv`."""

from __future__ import annotations

from pathlib import Path

from seqpre.common.errors import DataError
from seqpre.common.files import read_lines


def corpus_title(name: str, workflow: Path) -> str:
    """Return the readable name of a corpus; its own name if `corpus_titles.tsv` has none.

    Raises DataError, naming file and line, for a line that is not a corpus, a tab and a title.
    """
    file, titles = workflow / "corpus_titles.tsv", dict[str, str]()
    for number, line in enumerate(read_lines(file) if file.is_file() else (), start=1):
        corpus, tab, title = line.partition("\t")
        if not tab:
            raise DataError(f"{file}, line {number}: {line!r} is not a corpus, a tab and its title")
        titles[corpus] = title
    return titles.get(name, name)
