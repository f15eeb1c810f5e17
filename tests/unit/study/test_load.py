"""Whatever stands at a key of a study file, nothing impossible is taken: the refusal names the file and the key."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from seqpre.common.errors import ConfigError
from seqpre.study import load
from seqpre.study.declarations import FilterSettings
from seqpre.study.load import ScaleText, StudyText, load_study
from seqpre.study.pretraining_settings import LMSettings
from seqpre.study.settings import RunSettings
from seqpre.study.study import declared_runs, tuning_runs

NAMED = ("lms", "systems", "grid", "ensembles")
"""What only the study may add to."""


def every_key(at_scale: bool = False) -> dict[str, Any]:
    """Return a study that says everything that can be said, as YAML would be read; what may be, at its scale."""
    base = dataclasses.asdict(RunSettings())
    base["init"] |= {"encoder": "lm_en", "decoder": "lm_de", "freeze": ["softmax"]}
    base["optimizer"] |= {"anneal_to": 0.1}
    base["objectives"] |= {"source_lm_weight": 1.0, "target_lm_weight": 1.0, "source_lm": "lm_en", "target_lm": "lm_de"}
    settings = dataclasses.asdict(LMSettings())
    settings["train"] |= {"keep": [2]}
    said = {
        "lms": {
            "lm_en": {"language": "en", "corpus": "news", "fraction": "100pct"},
            "lm_de": {"language": "de", "corpus": "news", "fraction": "1k"},
        },
        "base": base,
        "lm_settings": settings,
        "systems": {"full": {}, "less": {"model": {"dropout": 0.1}}},
        "grid": {"all": {"systems": ["full", "less"], "fractions": ["100pct"], "seeds": [1]}},
        "ensembles": {"both": {"members": ["full", "less"], "keep": 2, "fraction": "100pct"}},
        "vocabularies": {"mine": {"size": 500, "kind": "subwords"}},
    }
    scale = {
        "corpora": {"bitext": "pairs", "news": "texts"},
        "tests": ["test"],
        "tuned_on": {"test": "other"},
        "spelling": "none",
        "spellings": {},
        "vocab_size": 500,
        "vocab_model": "",
        "filter": dataclasses.asdict(FilterSettings()),
        "seeds": [1, 2],
        "seeds_draw": "training",
        "selection": "bleu",
        "rated_documents": 50,
        "tuning": {
            "grid": {"optimizer.lr": [0.1, 0.2]},
            "fraction": "10pct",
            "seed": 9,
            "same_as": {"less": "full"},
            "more": {"full": {"optimizer.hold": [0.1, 0.2]}},
        },
        "by_fraction": {"100pct": {key: base[key] for key in ("optimizer", "train")}},
    }
    names = {key: dict.fromkeys(said[key]) if key in (*NAMED, "vocabularies") else {} for key in said}
    above, below = (names, said) if at_scale else (said, names)
    about = {
        "title": "All",
        "in_report": "apart",
        "paper": "somebody2017",
        "task": "translation",
        "source": "en",
        "target": "de",
        "labels": {"full": "Full"},
    }
    about |= {"trivial": [], "reference": "full", "tables": ["learning", "cost"], "figures": ["selection"],
              "variant_of": {"less": "full"}, "compared": {"full": "less"}}  # fmt: skip
    text: dict[str, Any] = json.loads(json.dumps({**about, **above, "scales": {"tiny": {**scale, **below}}}))
    return text


COUNTS = """embedding_dim hidden_dim upper_layers upper_dim dim ff_dim heads layers encoder_layers decoder_layers
    lm_streams bptt decay_every batch_sentences max_length validate_every beam streams max_tokens held_out
    rated_documents"""
OFF = """projection_dim max_source decay_after batch_tokens max_updates patience passes validate_passes validate_pairs
    source_lm_weight target_lm_weight seed decode.max_length warmup warmup_from lr_end tokens_per_update
    average_last ratio"""
SHARES = """dropout attention_dropout activation_dropout relu_dropout source_word_dropout target_word_dropout
    encoder_layerdrop decoder_layerdrop hold anneal_to min_improvement label_smoothing beta2 average"""
ABOVE_0 = "lr decay clip_norm checkpoint_minutes"
NAMES = """residual attention norm tied metric subset name identifier kind loss_per clipped schedule precision
    in_report seeds_draw selection task encoder decoder source_lm target_lm corpus language systems.less same_as.less
    reference"""
IMPOSSIBLE: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(COUNTS.split(), (0, -1)),
    **dict.fromkeys(OFF.split(), (-1,)),
    **dict.fromkeys(SHARES.split(), (-0.1, 1, 1.5)),
    **dict.fromkeys(ABOVE_0.split(), (0, -1)),
    **dict.fromkeys(NAMES.split(), ("x",)),
    "momentum": (0, 1, -1),
    "max_ratio": (0.9, 0, -1),
    "vocab_size": (99, -1),
    "keep": (0, -1, 99),
    "system": ("x",),
    "train.keep": ([0], [-1], [2, 2], [10**9]),
    "size": (99, -1),
    "kind": ("x",),
    "vocabulary.source": ("x",),
    "vocabulary.target": ("x",),
    "fraction": ("0pct", "101pct", "0k", 0, -1, 1.5),
    "fractions": (["0pct"], [0]),
    "seeds": ([], [-1], [1, 1], [9]),
    "tests": ([], ["valid"], ["test", "test"], ["a/b"]),
    "length_penalties": ([],),
    "min_lengths": ([], [-1]),
    "no_repeat_ngrams": ([], [1], [-1]),
    "parts": (["x"], []),
    "freeze": (["x"],),
    "grid.optimizer.lr": ([], [-1], [0.1, 0.1], 0.1, ["x"]),
    "full.optimizer.hold": ([], [-1], [0.1, 0.1], 0.1, ["x"]),
    "grid.all.systems": (["x"],),
    "members": (["x"], []),
    "source": ("", "pt-br", "x"),
    "target": ("", "pt-br", "x"),
    "bitext": ("", "a/b"),
    "paper": ("", "a b"),
    "tables": (["x"], ["a/b"]),
    "figures": (["x"], ["a/b"]),
}
"""By the end of the path to a key: values of the right type, or nearly, that nothing can be done with."""
WRONG: dict[type, tuple[Any, ...]] = {
    bool: (None, -1, 1.5, "x", [], {"a": 1}),
    int: (None, 1.5, "x", "1", [], [None], {"a": 1}, True),
    float: (None, "x", [], [None], {"a": 1}, True, math.nan, math.inf, "nan", "-inf", 10**400),
    str: (None, -1, 1.5, [], [None], {"a": 1}, True),
    list: (None, -1, 1.5, "x", {"a": 1}, True, [None], [["x"]], [{}], [True]),
    dict: (-1, 1.5, "x", [], [None], True, {"unheard_of": 1}, {7: 1}),
}
"""By the type of the right value."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the path to every entry of nested mappings and to the first of every list, and what stands there."""
    entries = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, below in entries:
        yield (*path, key), below
        yield from places(below, (*path, key))


def impossible(path: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the values that cannot stand at a path, by the longest end of it that is known."""
    ends = (".".join(map(str, path[start:])) for start in range(len(path)))
    return next((IMPOSSIBLE[end] for end in ends if end in IMPOSSIBLE), None)


@pytest.fixture
def refusal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Any], str]:
    """Return what is said of a study that was read from study.yaml, nothing where it is taken."""
    (tmp_path / "study.yaml").touch()

    def of(text: Any) -> str:
        monkeypatch.setattr(load, "read_yaml", lambda _: text)
        try:
            study = load_study(tmp_path / "study.yaml", "tiny")
            declared_runs(study), tuning_runs(study)
        except ConfigError as error:  # Anything else fails the test.
            return str(error)
        return ""

    return of


def test_the_study_says_everything(refusal: Callable[[Any], str]) -> None:
    text = every_key()
    assert refusal(text) == ""
    assert set(text) == {field.name for field in dataclasses.fields(StudyText)} - {"extends", "pretraining"}
    assert set(text["scales"]["tiny"]) == {field.name for field in dataclasses.fields(ScaleText)}


def test_every_number_has_values_that_are_impossible() -> None:
    for path, value in places(every_key()):
        if type(value) in (int, float):
            key = path[:-1] if isinstance(path[-1], int) else path
            assert impossible(key), ".".join(map(str, path))


@pytest.mark.parametrize("at_scale", [False, True])
def test_nothing_impossible_is_taken_and_the_refusal_names_file_and_key(
    refusal: Callable[[Any], str], at_scale: bool
) -> None:
    tried = 0
    for path, value in places(every_key(at_scale)):
        if value is None or value == {}:
            continue
        for kind in (*WRONG[type(value)], *(impossible(path) or ())):
            text = every_key(at_scale)
            functools.reduce(lambda entry, key: entry[key], path[:-1], text)[path[-1]] = copy.deepcopy(kind)
            said, key = refusal(text), next(key for key in reversed(path) if isinstance(key, str))
            where = ".".join(map(str, path))
            assert said, f"{where}: {kind!r} is taken"
            assert said.startswith("study.yaml"), f"{where}: {kind!r}: {said}"
            assert key in said, f"{where}: {kind!r}: {said}"
            assert "\n" not in said
            tried += 1
    assert tried > 700


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("paper", "study.yaml lacks 'paper'"),
        ("systems", "study.yaml lacks 'systems'"),
        ("scales.tiny.tests", "study.yaml: scales.tiny lacks 'tests'"),
        ("lms.lm_de.language", "study.yaml: lms.lm_de lacks 'language'"),
        ("scales.tiny.tuning.seed", "study.yaml: tuning lacks 'seed'"),
    ],
)
def test_what_a_study_lacks_is_named(refusal: Callable[[Any], str], missing: str, message: str) -> None:
    text = every_key()
    *path, key = missing.split(".")
    del functools.reduce(lambda entry, name: entry[name], path, text)[key]
    assert refusal(text).startswith(message)


def test_a_mistake_is_named_where_it_stands_at_whatever_scale_and_in_whichever_file(tmp_path: Path) -> None:
    text = every_key()
    text["scales"]["large"] = {"base": {"optimizer.lr": -1}}
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(text), encoding="utf-8")
    (tmp_path / "two.yaml").write_text("extends: one\n", encoding="utf-8")
    for name in ("one", "two"):
        with pytest.raises(
            ConfigError, match=re.escape("one.yaml: scales.large.base.optimizer.lr is -1.0; it must be above 0")
        ):
            load_study(tmp_path / f"{name}.yaml", "tiny")


def test_a_setting_may_be_written_in_two_ways_but_not_twice(refusal: Callable[[Any], str]) -> None:
    text = every_key()
    text["systems"]["full"] = {"train": {"patience": 3}, "train.passes": 2}
    assert refusal(text) == ""
    text["systems"]["full"]["train.patience"] = 4
    assert refusal(text) == "study.yaml: systems.full.train.patience is given twice; keep one"


def test_the_last_of_several_studies_counts_however_a_setting_is_written(tmp_path: Path) -> None:
    for name, extends, systems in (
        ("one", "", {"full": {"train.patience": 3}, "less": {}}),
        ("two", "one", {"full": {"train": {"patience": 4}}}),
        ("three", "two", {"full": {"train.patience": 5}}),
    ):
        said = {**every_key(), "systems": systems} if not extends else {"extends": extends, "systems": systems}
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(said), encoding="utf-8")
    assert load_study(tmp_path / "three.yaml", "tiny").systems["full"].train.patience == 5


@pytest.mark.parametrize("key", ["ensembles", "vocabularies", "tuned_on"])
def test_of_what_a_study_empties_it_has_none_whatever_the_one_that_it_extends_has(tmp_path: Path, key: str) -> None:
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(every_key()), encoding="utf-8")
    said = {"extends": "one", "scales": {"tiny": {key: {}}}}
    (tmp_path / "two.yaml").write_text(yaml.safe_dump(said), encoding="utf-8")
    attribute = {"vocabularies": "more_vocabularies"}.get(key, key)
    found = [getattr(load_study(tmp_path / f"{name}.yaml", "tiny"), attribute) for name in ("one", "two")]
    assert found[0]
    assert found[1] == {}


def test_seeds_of_a_section_are_those_that_the_last_study_names(tmp_path: Path) -> None:
    one = every_key()
    one["scales"]["tiny"] |= {"seeds": [1, 2, 3]}
    section = next(iter(one["grid"]))
    one["grid"][section]["seeds"] = [1, 3]
    two = {"extends": "one", "grid": {section: {"seeds": [1, 2]}}, "scales": {"tiny": {"seeds": [1, 2]}}}
    for name, said in (("one", one), ("two", two)):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(said), encoding="utf-8")
    assert load_study(tmp_path / "two.yaml", "tiny").grid[section].seeds == (1, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"lm_settings": {"first_layer.hidden_dim": 8}},
            "lm_settings.first_layer is FirstLayer(embedding_dim=1024, hidden_dim=8",
        ),
        ({"lm_settings": {"train": {"subset": "own"}}}, "lm_settings.train.subset is 'own'; it must be that of base"),
        (
            {"systems": {"full": {"model.first_layer.hidden_dim": 8}, "less": {}}},
            "systems.full: model.first_layer is FirstLayer(embedding_dim=1024, hidden_dim=8",
        ),
        (
            {"systems": {"full": {"train.metric": "rouge_1"}, "less": {}}},
            "full.train.metric is 'rouge_1'; it must be bleu",
        ),
        (
            {"systems": {"full": {"train.metric": "none"}, "less": {}}},
            "full.train.metric is 'none'; it must be that of",
        ),
        (
            {"systems": {"full": {"train.average_last": 7}, "less": {}}},
            "full.train.average_last is 7; it must be that of base",
        ),
        (
            {"systems": {"full": {"optimizer": {"hold": 0.4, "anneal_to": 0}}, "less": {}}},
            "optimizer.hold is 0.4; it must be 0: anneal_to is 0, so nothing is held",
        ),
        (
            {"systems": {"full": {"optimizer.schedule": "cosine"}, "less": {}}},
            "optimizer.anneal_to is 0.1; it must be 0: only the exponential schedule takes it",
        ),
        *(
            ({"systems": {"full": {"optimizer": {"anneal_to": 0, **optimizer}}, "less": {}}}, message)
            for optimizer, message in (
                ({"lr_end": 1e-5}, "optimizer.lr_end is 1e-05; it must be 0: only cosine and plateau have an end"),
                ({"schedule": "cosine", "decay": 0.5}, "optimizer.decay is 0.5; it must be 1: only exponential and"),
                ({"schedule": "cosine", "decay_after": 5}, "optimizer.decay_after is 5; it must be 0: only exponent"),
                ({"warmup_from": 1e-7}, "optimizer.warmup_from is 1e-07; it must be 0: warmup is 0"),
                ({"momentum": 0.9}, "optimizer.momentum is 0.9; it must be left out: only nag has it"),
                ({"name": "adagrad", "beta2": 0.98}, "optimizer.beta2 is 0.98; it must be left out: only adam has it"),
            )
        ),
        (
            {"labels": {"full": "The one", "less": "The one"}},
            "labels of full and less are both 'The one'; tables and pages tell systems apart by them",
        ),
        ({"ensembles": {"full": {"members": ["full", "less"], "keep": 2}}}, "another than that of an ensemble"),
    ],
)
def test_what_would_be_silently_another_is_refused(
    refusal: Callable[[Any], str], change: dict[str, Any], message: str
) -> None:
    text = every_key() | change
    del text["scales"]["tiny"]["ensembles"]
    assert message in refusal(text)


def test_a_system_that_chooses_a_tuned_setting_keeps_it_however_it_is_written(tmp_path: Path) -> None:
    for line in ({"optimizer.lr": 0.3}, {"optimizer": {"lr": 0.3}}):
        text = every_key()
        text |= {"systems": text["systems"] | {"full": line}, "variant_of": {}}
        text["scales"]["tiny"]["tuning"] |= {"same_as": {}, "more": {}}
        (tmp_path / "study.yaml").write_text(yaml.safe_dump(text), encoding="utf-8")
        assert load_study(tmp_path / "study.yaml", "tiny").tuned == {"less": "less"}
