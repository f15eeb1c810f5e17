"""What a pretraining says, which studies it leaves the evaluation text of out, and how either is refused."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from seqpre.common.errors import ConfigError
from seqpre.study.configuration import configured_studies
from seqpre.study.load import load_study
from seqpre.study.pretraining import Pretraining, load_pretraining
from seqpre.study.pretraining_settings import LMSettings, StreamTrain
from seqpre.study.study import declared_runs, lm_of, lm_to_json
from seqpre.study.typed import overridden

TINY = Path(__file__).parents[2] / "studies/tiny-translation.yaml"


def pretraining() -> dict[str, Any]:
    """Return a pretraining of two language models."""
    return {
        "models": {"news_en": {"language": "en", "corpus": "news"}, "news_de": {"language": "de", "corpus": "news"}},
        "settings": {"first_layer": {"embedding_dim": 16, "hidden_dim": 16, "projection_dim": 0}},
        "scales": {
            "tiny": {
                "corpora": {"news": "demo_monolingual"},
                "vocabulary": {"size": 400},
                "filter": {"identifier": "none"},
                "settings": {"train": {"streams": 16, "bptt": 10, "max_tokens": 3_200, "keep": [10, 20]}},
            }
        },
    }


def study(**scale: Any) -> dict[str, Any]:
    """Return a study whose only system starts from both, and where it says something else at its scale."""
    text: dict[str, Any] = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    tiny = text["scales"]["tiny"]
    del text["ensembles"], tiny["tuning"], tiny["vocab_size"], text["lms"], tiny["lm_settings"]
    names = {"encoder": "news_en@10", "decoder": "news_de"}
    text["base"] = {"init": names, "vocabulary": {"source": "news", "target": "news"}}
    text["systems"], text["labels"] = {"full": {}}, {}
    text["grid"]["ablations"]["systems"] = ["full"]
    text["pretraining"] = "news"
    tiny |= scale
    return text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two studies that share a pretraining, and one that does not."""
    for folder in ("studies", "pretraining"):
        (tmp_path / "workflow" / folder).mkdir(parents=True)
    write(tmp_path, "pretraining/news", pretraining())
    write(tmp_path, "studies/one", study())
    write(tmp_path, "studies/two", study(corpora={"bitext": "other_ende"}, tests=["test_b"]))
    shutil.copy(TINY, tmp_path / "workflow/studies/alone.yaml")
    return tmp_path


def write(project: Path, name: str, text: dict[str, Any]) -> None:
    (project / f"workflow/{name}.yaml").write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")


def refusal(project: Path, *names: str) -> str:
    with pytest.raises(ConfigError) as refused:
        configured_studies(
            {"studies": list(names or ("one",)), "scale": "tiny", "seeds": None, "results": "results"}, project
        )
    assert "\n" not in str(refused.value)
    return str(refused.value)


def loaded(project: Path, name: str = "one") -> Any:
    return load_study(project / f"workflow/studies/{name}.yaml", "tiny")


def test_the_text_leaves_out_the_evaluation_text_of_every_study_that_names_it(project: Path) -> None:
    shared = loaded(project).pretraining
    assert shared == loaded(project, "two").pretraining  # Whichever study is run.
    evaluated = {"demo_ende": ("test_a", "valid"), "other_ende": ("test_b", "valid")}
    assert shared.left_out() == [
        (corpus, split, side) for corpus, splits in evaluated.items() for split in splits for side in ("de", "en")
    ]
    write(project, "studies/three", {"extends": "two", "scales": {"tiny": {"tests": ["test_c"]}}})
    assert ("other_ende", "test_c", "en") in loaded(project).pretraining.left_out()
    assert set(shared.left_out()) < set(loaded(project).texts())
    assert loaded(project, "alone").pretraining is None


def test_a_study_that_lacks_the_scale_has_nothing_to_leave_out(project: Path) -> None:
    other = study() | {"scales": {"huge": study(corpora={"bitext": "huge_ende"})["scales"]["tiny"]}}
    write(project, "studies/other", other)
    assert {user.study for user in loaded(project).pretraining.users} == {"one", "two"}


def test_what_is_shared_is_there_once_for_all_seeds_in_a_place_of_its_own(project: Path) -> None:
    one, two = loaded(project), loaded(project, "two")
    assert one.seeds_draw == "all"
    assert lm_of(one, "news_en@10", 7) == lm_of(two, "news_en", 1) == "news_en"
    assert one.owner_of("news_en@10").name == two.owner_of("news_de").name == "news"
    assert one.vocabulary(one.systems["full"]).key == "news"
    assert one.vocabulary(one.systems["full"]).encoding("one") == "one@news"
    (run,) = [run for run in declared_runs(one) if run.seed == one.seeds[0]]
    assert run.to_json()["lms"]["news_en@10"] == {"language": "en", "corpus": "news", "fraction": "100pct"}
    assert run.to_json()["settings"]["vocabulary"] == {"source": "news", "target": "news"}


def test_what_is_written_of_a_model_is_what_is_written_of_any_language_model(project: Path) -> None:
    content = lm_to_json(loaded(project).pretraining, "news_en")
    assert list(content) == ["name", "language", "corpus", "fraction", "settings"]
    assert content["settings"]["train"] == {"streams": 16, "bptt": 10, "max_tokens": 3_200, "keep": [10, 20]}
    assert lm_to_json(loaded(project, "alone"), "monolingual_en")["settings"]["train"].keys().isdisjoint({"keep"})


def test_states_are_known_by_what_differs_from_the_defaults_so_that_a_new_setting_changes_nothing() -> None:
    assert LMSettings().identity() == {}
    settings = LMSettings(seed=3, train=StreamTrain(streams=4, keep=(3,), checkpoint_minutes=1.0))
    assert settings.identity() == {"seed": 3, "train": {"streams": 4}}


def test_a_pretraining_that_extends_another_states_differences_and_its_scales(project: Path) -> None:
    said = pretraining()
    write(project, "pretraining/news", said | {"scales": said["scales"] | {"small": {}}})
    tiny = {"settings": {"train.max_tokens": 6_400}}
    for name, extended in (("longer", "news"), ("longest", "longer"), ("absent", "nws"), ("round", "around")):
        scales = {"tiny": tiny if name == "longer" else {}}
        write(project, f"pretraining/{name}", {"extends": extended, "scales": scales})
    write(project, "pretraining/around", {"extends": "round"})

    def loaded_at(name: str, scale: str = "tiny") -> Pretraining:
        return load_pretraining(project / f"workflow/pretraining/{name}.yaml", scale, ())

    said["scales"]["tiny"]["settings"]["train"]["max_tokens"] = 6_400
    write(project, "pretraining/written_out", said)
    longest, whole = loaded_at("longest"), loaded_at("written_out")
    assert dataclasses.replace(longest, name=whole.name) == whole != loaded_at("news")
    for name, scale, says in (
        ("longer", "small", "longer.yaml has no scale 'small'; known are tiny"),
        ("absent", "tiny", "absent.yaml: extends: there is no 'nws'; did you mean 'news'?"),
        ("round", "tiny", "round.yaml: extends itself, by way of around.yaml"),
    ):
        with pytest.raises(ConfigError, match=re.escape(says)):
            loaded_at(name, scale)


def test_a_study_may_have_a_second_vocabulary_of_its_own(project: Path) -> None:
    text = study(vocabularies={"bitext": {"size": 300}})
    text["systems"]["other"] = {"init": {"encoder": "random", "decoder": "random"}}
    text["systems"]["other"] |= {"vocabulary": {"source": "bitext", "target": "bitext"}, "objectives": {}}
    write(project, "studies/one", text)
    one = loaded(project)
    its = one.vocabulary(one.systems["other"])
    assert (its.key, its.encoding("one"), its.size) == ("one@bitext", "one@bitext", 300)
    assert set(one.vocabularies) == {"bitext", "news"}
    assert loaded(project, "alone").vocabularies[""].key == loaded(project, "alone").vocabularies[""].encoding("alone")


PRETRAINING, STUDY = "pretraining/news", "studies/one"


@pytest.mark.parametrize(
    ("file", "keys", "value", "message"),
    [
        (STUDY, "pretraining", "nwes", "pretraining: there is no 'nwes'; did you mean 'news'?"),
        (STUDY, "pretraining", "two", "pretraining is 'two', the name of a study"),
        (
            STUDY,
            "base init encoder",
            "news_en@300",
            "init.encoder is 'news_en@300', which is not kept; kept are news_en@10, news_en@20",
        ),
        (STUDY, "base init encoder", "news_ne", "'news_ne', which the study does not declare; did you mean 'news_en'?"),
        (STUDY, "base init encoder", "news_de", "an LM of 'de' text; this side reads 'en'"),
        (STUDY, "base vocabulary", {}, "scales.tiny lacks 'vocab_size'; the system full names no other vocabulary"),
        (STUDY, "base vocabulary", {"source": "nwes", "target": "nwes"}, "is 'nwes'; did you mean 'news'?"),
        (STUDY, "base vocabulary target", "mine", "vocabulary.target is 'mine'; it must be 'news', that of the source"),
        (STUDY, "scales tiny vocab_size", 300, None),
        (STUDY, "scales tiny base model.first_layer hidden_dim", 8, "as the models of 'news' have it"),
        (
            STUDY,
            "lms",
            {"news_en": {"language": "en", "corpus": "bitext"}},
            "a name is 'news_en'; it must be none that the pretraining",
        ),
        (STUDY, "scales tiny vocabularies", {"news": {"size": 300}}, "a name is 'news'; it must be none"),
        (STUDY, "scales tiny vocabularies", {"mine": {"size": 300, "kind": "wrods"}}, "did you mean 'words'?"),
        (STUDY, "base model", {"kind": "transformer"}, "base.model of the kind 'transformer' has no key 'first_layer'"),
        (
            PRETRAINING,
            "scales tiny vocabulary kind",
            "words",
            "vocabulary.kind is 'words'; it must be 'subwords', which",
        ),
        (PRETRAINING, "settngs", {}, "news.yaml has no key 'settngs'; did you mean 'settings'?"),
        (PRETRAINING, "settings kind", "ml", "settings.kind is 'ml'; known are lm, denoiser"),
        (PRETRAINING, "settings train", {"steams": 3}, "settings.train has no key 'steams'; did you mean 'streams'?"),
        (PRETRAINING, "scales tiny settings train keep", [10, 21], "train.keep is [10, 21]; it must be at most 20"),
        (
            PRETRAINING,
            "scales tiny corpora",
            {"nwes": "demo_monolingual"},
            "models.news_en.corpus is 'news'; did you mean 'nwes'?",
        ),
        (PRETRAINING, "scales tiny corpora news", "other_ende", "corpora has 'other_ende', the pairs of two"),
        (PRETRAINING, "scales tiny vocabulary", {}, "scales.tiny.vocabulary lacks 'size'"),
        (PRETRAINING, "scales tiny vocabulary size", 99, "vocabulary.size is 99; it must be at least 100"),
        (PRETRAINING, "scales tiny models", {"new": {"corpus": "news"}}, "models has no key 'new'"),
        (PRETRAINING, "models", {}, "news.yaml lacks 'models'"),
        (PRETRAINING, "scales", {"small": {}}, "news.yaml has no scale 'tiny'"),
        (
            PRETRAINING,
            "scales tiny settings",
            {"optimizer": {"schedule": "plateau"}},
            "optimizer.decay is 1.0; it must be below 1",
        ),
    ],
)
def test_a_mistake_is_refused_with_the_nearest_name(
    project: Path, file: str, keys: str, value: object, message: str | None
) -> None:
    text = pretraining() if file == PRETRAINING else study()
    *path, last = keys.split()
    section = text
    for key in path:
        section = section[key]
    section[last] = value
    write(project, file, text)
    if message is None:
        assert loaded(project).vocab_size == value
    else:
        assert message in refusal(project)


def test_a_study_of_another_folder_is_refused_for_its_evaluation_text_would_stay_in(project: Path) -> None:
    (project / "mine.yaml").write_text(yaml.safe_dump(study()), encoding="utf-8")
    assert "put this one there too" in refusal(project, str(project / "mine.yaml"))


def test_a_study_of_any_folder_that_is_named_like_a_pretraining_is_refused(project: Path) -> None:
    own = project / "mine/news.yaml"
    own.parent.mkdir()
    own.write_text(yaml.safe_dump({"extends": "alone"}), encoding="utf-8")
    assert "news.yaml: its name is 'news', which a file of workflow/pretraining has" in refusal(project, str(own))


def test_a_selected_study_s_pairs_cannot_be_the_text_even_if_it_shares_nothing(project: Path) -> None:
    alone = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    alone["scales"]["tiny"]["corpora"]["bitext"] = "demo_monolingual"
    write(project, "studies/alone", alone)
    assert "news.yaml: corpora has 'demo_monolingual', the pairs of alone" in refusal(project, "one", "alone")


def test_words_are_for_a_model_that_copies_them_and_subwords_for_any_other(project: Path) -> None:
    text = study(vocabularies={"words": {"size": 300, "kind": "words"}, "mine": {"size": 300}})
    copies = {"model.kind": "pointer_generator"}
    text["base"], text["systems"]["full"] = {"vocabulary": {"source": "words", "target": "words"}}, copies
    write(project, "studies/one", text)
    assert loaded(project).vocabulary(loaded(project).systems["full"]).words
    text["systems"]["full"] = {}
    write(project, "studies/one", text)
    assert "vocabulary.source is 'words'; it must be one of subwords: only a pointer-generator" in refusal(project)
    text["systems"]["full"] = {**copies, "vocabulary": {"source": "mine", "target": "mine"}}
    write(project, "studies/one", text)
    assert "vocabulary.source is 'mine'; it must be one of words" in refusal(project)


def test_a_denoiser_reads_all_of_its_text(project: Path) -> None:
    text = pretraining()
    text["settings"], text["scales"]["tiny"]["settings"] = {"kind": "denoiser"}, {}
    text["scales"]["tiny"]["vocabulary"]["kind"] = "words"
    text["models"]["news_en"]["fraction"] = "10pct"
    write(project, "pretraining/news", text)
    assert "models.news_en.fraction is '10pct'; it must be left out" in refusal(project)


def test_an_ensemble_of_several_vocabularies_is_refused(project: Path) -> None:
    text = study(vocab_size=300)
    text["systems"]["other"] = {"init": {"encoder": "random", "decoder": "random"}}
    text["systems"]["other"] |= {"vocabulary": {"source": "", "target": ""}}
    text["ensembles"] = {"both": {"members": ["full", "other"], "keep": 2}}
    write(project, "studies/one", text)
    assert "ensembles.both.members have several vocabularies" in refusal(project)


def test_the_settings_of_before_are_read_as_they_were_written() -> None:
    assert overridden(LMSettings(), {"train": {"streams": 3}}, "lm.json").train.keep == ()
