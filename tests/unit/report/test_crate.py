"""A study's RO-Crate describes all that is in it, names corpora with their licences, and has nothing of their text."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from rocrate.rocrate import ROCrate
from study_tree import PUBLISHED

from seqpre import crate
from seqpre.corpora.catalog import Row, read_catalog
from seqpre.report.records import read_records

ROOT = PUBLISHED.parents[1]
STUDY = ROOT / "results/small/ramachandran-summarization"


def packed(study_dir: Path, folder: Path) -> Path:
    """Pack a study; return the archive."""
    output = folder / "study.crate.zip"
    crate.main([str(study_dir), "--checkout", str(ROOT), "--output", str(output)])
    return output


def test_every_file_is_described_and_every_corpus_has_its_licence(tmp_path: Path) -> None:
    path = packed(STUDY, tmp_path)
    with zipfile.ZipFile(path) as archive:
        names = {*archive.namelist()}
        archive.extractall(tmp_path / "unpacked")
    assert all((STUDY / name).is_file() for name in names - {"ro-crate-metadata.json"})
    assert {"summary.md", "records.zip", "tables/table_3.csv", "figures/ablations.png"} <= names
    found = ROCrate(tmp_path / "unpacked")
    assert {one.id for one in found.data_entities} == names - {"ro-crate-metadata.json"}
    assert found.name == "ramachandran-summarization, scale small"
    (paper,) = found.root_dataset["citation"]
    assert paper["name"].startswith("Ramachandran, Liu and Le (2017)")
    (study,) = [one for one in found.contextual_entities if one.type == "CreateAction"]
    assert study["instrument"]["name"] == "seqpre"
    assert ", commit " in study["instrument"]["version"]
    corpora = study["object"] if isinstance(study["object"], list) else [study["object"]]
    assert corpora
    for one in corpora:
        assert one.id.startswith("https://")
        assert one["license"]
        assert len(one["sha256"]) == 64


def test_corpora_are_named_even_where_records_have_no_counts_of_their_text() -> None:
    study = read_records(ROOT / "results/small/transformer-tiny/records.zip").study
    files = crate.files_of(study, read_catalog(ROOT / "workflow/corpora.tsv"))
    assert {row.name for row in files} == {"multi30k_lowercase"}
    assert {row.split for row in files} >= {"train", "valid"}


def test_text_without_an_address_is_named_by_what_it_is() -> None:
    rows = [
        Row("mine", "train", "en", "lines", "", "/home/me/news.en.gz", "", None, "my own", ""),
        Row("demo", "train", "de", "lines", "", "grammar:demo/train.de", "", None, "MIT", ""),
        Row("theirs", "train", "de", "lines", "", "https://example.org/a.gz", "ab", 7, "CC0", ""),
    ]
    assert crate.entities(rows) == {
        "#mine/train.en": {"@type": "CreativeWork", "name": "mine", "license": "my own"},
        "#demo/train.de": {"@type": "CreativeWork", "name": "demo", "license": "MIT"},
        "https://example.org/a.gz": {
            "@type": "CreativeWork", "name": "theirs", "license": "CC0", "sha256": "ab", "contentSize": "7"},
    }  # fmt: skip


def test_an_unfinished_study_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(STUDY, tmp_path / "study")
    (tmp_path / "study/records.zip").unlink()
    with pytest.raises(SystemExit):
        packed(tmp_path / "study", tmp_path)
    said = capsys.readouterr().err
    assert f"{tmp_path}/study/records.zip is not there; finish the study, and pack its records with" in said
    assert not (tmp_path / "study.crate.zip").exists()


def test_without_the_package_it_is_said_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rocrate.rocrate", None)
    with pytest.raises(SystemExit):
        packed(STUDY, tmp_path)
    assert "pip install 'seqpre[crate]'" in capsys.readouterr().err
