"""A vocabulary may be a SentencePiece model that is there; what runs are told of it, and how others are refused."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import yaml

from seqpre.common.errors import ConfigError
from seqpre.study.load import load_study
from seqpre.study.run import run_from_json
from seqpre.study.study import Study, declared_runs, lm_to_json, tuning_runs

TINY = Path(__file__).parents[2] / "studies/tiny-translation.yaml"
IDS = {"pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3}


def trained(path: Path, size: int = 40, **ids: int) -> None:
    """Train a model as SentencePiece's own command does."""
    text = [f"the {number} lazy dogs jump over {number} quick foxes" for number in range(200)]
    with path.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(text), model_writer=file, vocab_size=size, minloglevel=2, **ids
        )


def written(folder: Path, **scale: Any) -> Path:
    """Write the tiny study with a scale that says something else."""
    text = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    text["scales"]["tiny"] |= scale
    folder.mkdir(exist_ok=True)
    (folder / TINY.name).write_text(yaml.safe_dump(text), encoding="utf-8")
    return folder / TINY.name


def loaded(path: Path) -> Study:
    return load_study(path, "tiny")


def test_runs_and_language_models_depend_on_the_content_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, vocab_model="mine.model")
    checksums = []
    for size in (40, 42):
        trained(tmp_path / "mine.model", size, **IDS)
        study = loaded(path)
        assert study.vocabularies[""].size == size
        sha256 = hashlib.sha256((tmp_path / "mine.model").read_bytes()).hexdigest()
        for run in (*declared_runs(study), *tuning_runs(study)):
            said = run.to_json()
            assert said["vocabulary_sha256"] == {"source": sha256, "target": sha256}
            assert run_from_json(said).to_json() == said
        assert lm_to_json(study, next(iter(study.lms)))["vocabulary_sha256"] == sha256
        checksums.append(sha256)
    assert checksums[0] != checksums[1]


def test_one_beside_the_usual_one_is_found_from_the_file_that_names_it(tmp_path: Path) -> None:
    path = written(tmp_path / "theirs", vocabularies={"mine": {"model": "mine.model"}})
    trained(path.parent / "mine.model", **IDS)
    above = tmp_path / "above.yaml"
    above.write_text("extends: theirs/tiny-translation.yaml\n", encoding="utf-8")
    vocabularies = loaded(above).vocabularies
    assert vocabularies["mine"].sha256
    assert Path(vocabularies["mine"].declaration.model).samefile(path.parent / "mine.model")
    assert not vocabularies[""].sha256
    assert "vocabulary_sha256" not in declared_runs(loaded(above))[0].to_json()


@pytest.mark.parametrize(
    ("content", "more", "message"),
    [
        (None, {}, "no such SentencePiece model"),
        (b"no model", {}, "not a SentencePiece model, or damaged"),
        ({}, {}, r"have the ids \(0, 0, 1, 2\), not \(0, 1, 2, 3\); train it with spm_train --pad_id=0"),
        (IDS, {"kind": "words"}, "kind is 'words'; it must be left out"),
        (IDS, {"learned_from": "source"}, "learned_from is 'source'; it must be left out"),
        (IDS, {"model": ""}, "lacks 'size', or 'model'"),
    ],
)
def test_others_are_refused_while_the_study_is_read(
    content: bytes | dict[str, int] | None, more: dict[str, str], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.model"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        trained(file, **content)
    path = written(tmp_path, vocabularies={"mine": {"model": "mine.model", **more}})
    with pytest.raises(ConfigError, match=message) as caught:
        loaded(path)
    assert str(caught.value).startswith("tiny-translation.yaml: scales.tiny.vocabularies.mine")
    assert "\n" not in str(caught.value)
