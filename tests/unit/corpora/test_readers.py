"""The table of readers: what it names is there, and the documentation has it."""

import re
from pathlib import Path

import pytest

from seqpre.corpora.readers import READERS, described_readers, find_reader

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", READERS)
def test_every_reader_has_a_function_and_is_found_by_its_name(name: str) -> None:
    reader, numbers = find_reader(re.sub("<.>", "7", name))
    assert reader is READERS[name]
    assert set(numbers) <= {7}
    assert len(numbers) == name.count("<")
    assert callable(reader.read)


def test_the_documentation_has_every_reader_once() -> None:
    documented = (ROOT / "docs/corpora.md").read_text(encoding="utf-8")
    table = "".join(f"| {names} | {described} |\n" for names, described in described_readers())
    assert table in documented, f"put this into docs/corpora.md:\n{table}"
