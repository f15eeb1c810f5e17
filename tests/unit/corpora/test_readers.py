"""The table of readers: what it names is there, and the documentation has it; readers too small for a file of tests."""

import re
from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.corpora.archives import File
from seqpre.corpora.readers import READERS, described_readers, find_reader, read_sentences

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


SITTING = """\ufeffI n h a l t :
Frau Muster (SPD)
Beginn: 9.00 Uhr
  Präsident Dr. Norbert Lammert:
  Guten Morgen, liebe Kollegen! Am 3. Oktober ver-handeln wir den Umbau und -Abbau.
(Beifall bei der SPD)
- Das heißt, sie bezahlen das,
(Zuruf der Abg. Muster [SPD]: Nein!)
aber wir nicht. Danke schön.
(Schluss: 9.01 Uhr)
Anlagen zum Stenografischen Bericht
"""


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252"])
def test_of_a_sitting_the_speeches_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "18001.txt"
    path.write_bytes(SITTING.removeprefix("\ufeff" if encoding != "utf-8" else "").encode(encoding))
    assert list(read_sentences(File(path, reader="bundestag", language="de"))) == [
        "Guten Morgen, liebe Kollegen!",
        "Am 3. Oktober verhandeln wir den Umbau und Abbau.",
        "Das heißt, sie bezahlen das, aber wir nicht.",
    ]


def test_what_is_no_sitting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "18001.txt"
    path.write_text("Guten Morgen.\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"no line `Beginn: \.\.\.`"):
        list(read_sentences(File(path, reader="bundestag", language="de")))
