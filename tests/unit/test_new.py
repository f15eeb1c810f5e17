"""A study of one's own language pair is written by one command, and is one that the workflow takes."""

from __future__ import annotations

import hashlib
import re
import shlex
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from seqpre import new
from seqpre.corpora import download
from seqpre.corpora.catalog import read_catalog
from seqpre.study.configuration import configured_rows, configured_studies, read_configuration
from seqpre.study.load import load_study
from seqpre.study.study import Study, declared_runs

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/own-text.md").read_text(encoding="utf-8")
(COMMAND,) = re.findall(r"^python -m seqpre\.new ((?:.*\\\n)*.*)$", PAGE, flags=re.MULTILINE)
Write = Callable[..., tuple[Study, set[str]]]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Return what runs the documented command, with changes, in a checkout; it gives the study and its files."""
    monkeypatch.chdir(tmp_path)
    for name in ("Snakefile", "config.yaml", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)

    def written(pairs: int = 20, *more: str, **changes: str) -> tuple[Study, set[str]]:
        words = [
            changes.get(word.replace(".", "_").replace("=", "_"), word)
            for word in shlex.split(COMMAND.replace("\\\n", ""))
        ]
        words = list(filter(None, words))
        for name in words[1:]:
            file = Path(name.rpartition("=")[2])
            if file.suffix in (".en", ".tr"):
                file.write_text("a line\n" * (pairs if file.stem == "train" else 5))
        new.main([*words, *more])
        config = read_configuration(Path(words[0], "config.yaml"))
        study, *others = configured_studies(config, ROOT).values()
        assert [one.name for one in others] == (["mine-low-resource"] if 2_500 <= pairs < 60_000 else [])
        rows = configured_rows(config, ROOT, {study.name: study})
        return study, {str(row.own) for row in rows if row.own is not None and row.name.startswith(words[0])}

    return written


def test_the_documented_command_writes_a_study_that_is_taken(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    study, files = write()
    assert (study.source, study.target, study.paper, study.published_as) == ("en", "tr", "none", "mine")
    assert {name: (lm.language, study.corpora[lm.corpus]) for name, lm in study.lms.items()} == {
        "lm_en": ("en", "mine_unlabelled"), "lm_tr": ("tr", "mine_unlabelled"),
    }  # fmt: skip
    assert study.labels["encoder_only"] == "Only pretrain encoder (en)"
    assert {run.system for run in declared_runs(study)} == {"full", "no_pretraining", "encoder_only", "decoder_only"}
    assert {Path(file).name for file in files} == {
        f"{text}.{side}" for text in ("train", "valid", "test", "news") for side in ("en", "tr")
    }
    said = capsys.readouterr().out
    assert said.startswith("train: 20, valid: 5, test: 5, unlabelled en: 5, unlabelled tr: 5\n")
    assert "  python -m seqpre.doctor --config mine/config.yaml\n" in said


def test_pairs_of_opus_are_downloaded_counted_and_noted_with_their_licence(
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refused: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    write()  # the other files, and what an earlier study has
    archive = tmp_path / "mirror/object.pouta.csc.fi/OPUS-Toy/v1/moses/en-tr.txt.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("Toy.en-tr.en", "one\n" * 24)
        file.writestr("Toy.en-tr.tr", "bir\n" * 24)
        file.writestr("LICENSE", "Toy is\tfree\n")
    monkeypatch.setenv("SEQPRE_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setattr(download, "RETRIES", 0)
    arguments = shlex.split("--source tr --target en --valid valid.tr valid.en --test test.tr test.en --train")
    new.main(["other", *arguments, "opus:Toy/v1"])
    assert "train: 24, valid: 5, test: 5\n" in capsys.readouterr().out
    found = [row for row in read_catalog(Path("other/corpora.tsv")) if row.split == "train"]
    assert {(row.language, row.member, row.licence, row.own) for row in found} == {
        (language, f"Toy.en-tr.{language}", "Toy is free", None) for language in ("tr", "en")
    }
    assert "opus:Toy/v1" in {row.note for row in found}
    assert (Path("results/downloads") / found[0].relative_path).read_bytes() == archive.read_bytes()
    assert {(row.bytes, row.sha256) for row in found} == {
        (archive.stat().st_size, hashlib.sha256(archive.read_bytes()).hexdigest())
    }
    for name, says in (("Toy/v1", "--train is 'Toy/v1'"), ("opus:Toy/v2", "OPUS-Toy/v2/moses/en-tr.txt.zip")):
        assert says in refused(new.main, ["third", *arguments, name])


def test_a_language_without_text_has_its_lm_trained_on_the_pairs(write: Write) -> None:
    study, _ = write(tr_news_tr="")
    assert study.corpora[study.lms["lm_tr"].corpus] == "mine"
    assert study.corpora[study.lms["lm_en"].corpus] == "mine_unlabelled"


def test_the_code_of_norwegian_is_no_truth_value(write: Write) -> None:
    study, _ = write(2_500, tr="no", tr_news_tr="no=news.tr")
    assert (study.target, study.lms["lm_no"].language) == ("no", "no")


def test_another_test_is_another_split(write: Write) -> None:
    for name in ("other.en", "other.tr"):
        Path(name).write_text("another line\n")
    study, files = write(20, "--test", "other.en", "other.tr")
    assert study.tests == ("test", "test2")
    assert len(files) == 10


def test_sizes_suit_the_number_of_pairs() -> None:
    found = [new.sizes(pairs) for pairs in (1_000, 29_000, 160_000, 1_000_000)]
    assert [one.passes for one in found] == [20, 20, 4, 3]
    assert [one.vocabulary for one in found] == [1_000, 3_000, 8_000, 16_000]
    assert [one.dim for one in found] == sorted(one.dim for one in found)


@pytest.mark.parametrize(("pairs", "preset"), [(2_500, "tuned_5k"), (12_000, "tuned_10k"), (59_999, "tuned_40k")])
def test_few_pairs_get_the_nearest_preset_without_pretraining(write: Write, pairs: int, preset: str) -> None:
    write(pairs)
    study = load_study(Path("mine/mine-low-resource.yaml"), "small", project=Path("workflow/studies"))
    assert (study.source, study.target, study.corpora) == ("en", "tr", {"bitext": "mine"})
    assert {(run.system, run.fraction) for run in declared_runs(study)} == {
        (system, "100pct") for system in ("usual", "more_dropout", preset)
    }


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"mine": "Mine"}, "the name is 'Mine'"),
        ({"mine": "poda_x", "tr": "TR"}, "a language is 'TR'"),
        ({"mine": "poda_x", "tr": "en"}, "--source and --target are both 'en'"),
        ({"mine": "no"}, "the name is 'no', which YAML reads as False"),
        ({"mine": "transformer"}, "'transformer-low-resource' is there already"),
        ({"mine": "edunov"}, "its name is 'edunov', which a file of workflow/pretraining has"),
        ({"mine": "lms"}, "its name is 'lms'; it must be none of"),
        ({"mine": "poda_x", "test_tr": "test.\t.tr"}, r"the file 'test.\t.tr' has a tab or a line break in its name"),
        ({"mine": "multi30k"}, "is a corpus of workflow/corpora.tsv"),
        ({"mine": "workflow"}, "'workflow' is there already"),
        ({"valid_tr": "train.tr"}, "unequal line counts"),
        ({"valid_en": "empty.txt", "valid_tr": "empty.txt"}, "--valid has no pairs: empty.txt and empty.txt"),
        ({"train_tr": "train.en"}, "train.en is given twice; --train, --valid and --test need a file a language each"),
        ({"valid_en": "test.en", "valid_tr": "test.tr"}, "test.en is given twice"),
        ({"tr_news_tr": "de=news.en"}, "--unlabelled has de; this study reads en and tr"),
        ({"tr_news_tr": "en=news.en"}, "--unlabelled: 'en' is given twice"),
        ({"tr_news_tr": "tr=empty.txt"}, "--unlabelled has no line of tr: empty.txt; leave out"),
    ],
)
def test_what_is_wrong_is_named(
    write: Write, changes: dict[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.txt").touch()
    here = {*Path().iterdir()}
    with pytest.raises(SystemExit):
        write(**changes)
    assert says in capsys.readouterr().err
    assert not [path for path in {*Path().iterdir()} - here if path.is_dir()]


def test_a_study_needs_twenty_pairs(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        write(19)
    assert "--train has 19 pairs; give at least 20" in capsys.readouterr().err
    write(20)


def test_a_licence_is_one_line_of_words(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        write(20, "--licence", " ")
    assert "--licence is empty" in capsys.readouterr().err
    write(20, "--licence", "free\tto\nuse")
    assert {row.licence for row in read_catalog(tmp_path / "mine/corpora.tsv")} == {"free to use"}
    (tmp_path / "usual").mkdir()
    assert (tmp_path / "mine").stat().st_mode == (tmp_path / "usual").stat().st_mode
