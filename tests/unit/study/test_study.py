"""What a study file may say, and how it is refused."""

import dataclasses
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from seqpre.common.errors import ConfigError
from seqpre.study.displays import figures_of, tables_of
from seqpre.study.load import load_study
from seqpre.study.reported import reported, reported_from
from seqpre.study.run import run_from_json
from seqpre.study.settings import ObjectiveSettings, RunSettings
from seqpre.study.study import EnsembleDeclaration, declared_runs, lm_of, lm_to_json
from seqpre.study.tasks import TASKS
from seqpre.study.typed import differences, overridden

STUDY = Path(__file__).parents[3] / "workflow/studies/ramachandran-translation.yaml"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("..", "its name is '..'; it must be of letters, digits, _, -, + and ., the first a letter, a digit or _"),
        (".", "its name is '.'; it must be of letters"),
        ("-x", "its name is '-x'; it must be of letters"),
        ("a b", "its name is 'a b'; it must be of letters"),
        ("text", "its name is 'text'; it must be none of corpora, lms, subwords, text, tokens, words"),
    ],
)
def test_a_study_has_the_name_of_a_folder_of_its_own(name: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.yaml"
    path.write_text(f"extends: {STUDY}", encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_study(path, "demo", project=STUDY.parent)
    assert says in str(error.value)


@pytest.mark.parametrize("scale", ["demo", "small", "paper"])
def test_every_scale_declares_the_same_systems(scale: str) -> None:
    study = load_study(STUDY, scale)
    ablations = {run.system for run in declared_runs(study) if run.fraction == study.grid["ablations"].fractions[0]}
    assert ablations >= set(study.grid["ablations"].systems)
    assert len(study.grid["ablations"].systems) == 10


@pytest.mark.parametrize(("scale", "text"), [("small", "tatoeba_ende"), ("paper", "wikipedia")])
def test_a_label_names_the_text_that_the_scale_trains_on(scale: str, text: str) -> None:
    assert load_study(STUDY, scale).labels["other_domain_lm"] == f"Pretrain on {text} (paper: Wikipedia)"


def test_paper_scale_has_the_paper_s_schedule() -> None:
    run = declared_runs(load_study(STUDY, "paper"))[0].settings
    assert (run.optimizer.lr, run.optimizer.decay, run.optimizer.decay_after, run.optimizer.decay_every) == (
        5e-5,
        0.8,
        400_000,
        50_000,
    )
    assert (run.optimizer.clip_norm, run.model.dropout, run.decode.beam) == (5.0, 0.2, 10)
    assert (run.model.first_layer.hidden_dim, run.model.first_layer.projection_dim, run.model.upper_dim) == (
        4096,
        1024,
        1000,
    )
    assert (run.objectives.source_lm_weight, run.objectives.target_lm_weight) == (1.0, 1.0)


def test_a_cell_that_two_sections_share_is_one_run() -> None:
    runs = declared_runs(load_study(STUDY, "small"))
    assert len(runs) == len(set(runs))


def test_seeds_of_the_configuration_replace_those_of_the_scale() -> None:
    study = load_study(STUDY, "demo", [7, 8, 9])
    assert {run.seed for run in declared_runs(study)} == {7, 8, 9}
    with pytest.raises(ConfigError, match="seeds must be a whole number, got 'x'"):
        load_study(STUDY, "demo", ["x"])  # type: ignore[list-item]


def test_a_run_survives_its_json() -> None:
    for run in declared_runs(load_study(STUDY, "small")):
        again = run_from_json(run.to_json())
        assert (again.settings, again.lms, again.seed) == (run.settings, run.lms, run.seed)


def test_run_json_holds_only_what_differs_from_the_defaults() -> None:
    assert differences(RunSettings(), RunSettings()) == {}
    changed = overridden(RunSettings(), {"init.freeze": ["softmax"], "train": {"patience": 3}}, "test")
    assert differences(changed, RunSettings()) == {"init": {"freeze": ["softmax"]}, "train": {"patience": 3}}


def test_every_run_of_the_demo_ends_annealed() -> None:
    for name, system in load_study(STUDY, "demo").systems.items():
        # No early stop, and a rate that falls to a small part of what it was by the last update.
        assert system.train.patience == 0, name
        assert 0 < system.optimizer.anneal_to <= 0.1, name
        assert system.train.max_updates % system.train.validate_every == 0, name


def test_needed_lms_are_those_whose_weights_or_text_a_run_uses() -> None:
    systems = load_study(STUDY, "demo").systems
    assert systems["no_pretraining"].needed_lms == [
        "monolingual_en",
        "monolingual_de",
    ]  # Their text, for the LM losses.
    assert systems["no_pretraining_no_lm_objective"].needed_lms == []
    assert systems["parallel_lm"].needed_lms == ["parallel_en", "parallel_de"]


def test_one_language_model_for_both_sides_is_read_as_long_as_one_loss_reads_it() -> None:
    both = ObjectiveSettings(1.0, 1.0, source_lm="news", target_lm="news")
    assert both.lms == ["news"]
    assert dataclasses.replace(both, source_lm_weight=0.0).lms == ["news"]
    assert dataclasses.replace(both, target_lm_weight=0.0).lms == ["news"]
    assert dataclasses.replace(both, source_lm_weight=0.0, target_lm_weight=0.0).lms == []


def test_parallel_lms_read_the_share_of_the_bitext_that_the_ablations_train_on() -> None:
    study = load_study(STUDY, "small")
    assert lm_to_json(study, "parallel_en")["fraction"] == study.grid["ablations"].fractions[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda s: s["systems"]["no_pretraining"].update(backtranslation={"system": "full", "corpus": "bitext"}),
            "systems.no_pretraining: backtranslation.system is 'full'; it must be a system that starts at random",
        ),
        (
            lambda s: s["systems"].update(full={"train.pateince": 3}),
            "systems.full.train has no key 'pateince'; did you mean 'patience'?",
        ),
        (lambda s: s["systems"].update(full={"optimiser": {}}), "did you mean 'optimizer'?"),
        (
            lambda s: s["systems"].update(full={"init.encoder": "monolingual_e"}),
            "'monolingual_e', which the study does not declare; did you mean 'monolingual_en'?",
        ),
        (
            lambda s: s["systems"].update(full={"init.encoder": "monolingual_de"}),
            "an LM of 'de' text; this side reads 'en'",
        ),
        (
            lambda s: s["systems"].update(full={"init.parts": ["embeddings"]}),
            "init.parts is 'embeddings'; did you mean 'embedding'?",
        ),
        (lambda s: s["systems"].update(full={"model.dropout": 1.5}), "model.dropout is 1.5; it must be in [0, 1)"),
        (lambda s: s["systems"].update(full={"model.dropout": "high"}), "dropout must be a number, got 'high'"),
        (
            lambda s: s["systems"].update(full={"decode": {"min_lengths": [0, 20], "max_length": 19}}),
            "decode.max_length is 19; it must be 0 (twice the source and 10 more) or at least 20",
        ),
        (
            lambda s: s["systems"].update(full={"model.max_source": 400}),
            "train.max_length is 100; it must be at least model.max_source (400)",
        ),
        (
            lambda s: s["systems"].update(full={"model.residual": "planar"}),
            "residual is 'planar'; did you mean 'plain'?",
        ),
        (
            lambda s: s["grid"]["ablations"]["systems"].append("encoder_onyl"),
            "'encoder_onyl'; did you mean 'encoder_only'?",
        ),
        (lambda s: s["grid"]["baseline"].update(fractions=["120pct"]), "'120pct'; it must be a percentage above 0"),
        (lambda s: s["scales"]["demo"].update(grid={"ablation": {}}), "'ablation'; did you mean 'ablations'?"),
        (
            lambda s: s["grid"]["ablations"].update(seeds=[1, 77]),
            "grid.ablations.seeds has 77; it takes some of the scale's seeds, 1",
        ),
        (lambda s: s["scales"]["demo"]["corpora"].pop("other_domain"), "lms.other_domain_de.corpus is 'other_domain'"),
        (
            lambda s: s["scales"]["demo"]["ensembles"]["ensemble_5"].update(members=["ful"]),
            "'ful'; did you mean 'full'?",
        ),
        (
            lambda s: s["scales"]["demo"]["ensembles"]["ensemble_5"].update(members=["full/seed"]),
            "ensembles.ensemble_5.members is 'full/seed'; it must be a system, or one of its runs, system/seed2",
        ),
        (
            lambda s: s["ensembles"]["ensemble_5"].update(seeds=[77]),
            "ensembles.ensemble_5.seeds has 77; it takes some of the scale's seeds, 1",
        ),
        (
            lambda s: s["ensembles"]["ensemble_5"].update(keep=99) or s["scales"]["demo"].pop("ensembles"),
            "ensembles.ensemble_5.keep is 99",
        ),
        (lambda s: s["scales"]["demo"]["corpora"].pop("bitext"), "scales.demo.corpora lacks 'bitext'"),
        (lambda s: s.update(target=False), "target must be text, got False"),  # what YAML makes of `no`
        (lambda s: s["systems"].update({"a/b": {}}), "systems: a name is 'a/b'; it must be of letters, digits"),
        (lambda s: s["systems"].update({"..": {}}), "systems: a name is '..'; it must be of letters, digits"),
        (lambda s: s.update(sytems={}), "has no key 'sytems'; did you mean 'systems'?"),
        (lambda s: s.update(variant_of={"ful": "full"}), "variant_of has 'ful'; did you mean 'full'?"),
        (lambda s: s.update(variant_of={"full": "ful"}), "variant_of has 'ful'; did you mean 'full'?"),
        (lambda s: s.update(compared={"full": "ful"}), "compared has 'ful'; did you mean 'full'?"),
        (lambda s: s.update(compared={"ful": "full"}), "compared has 'ful'; did you mean 'full'?"),
        (lambda s: s.update(tables=["learnin"]), "tables has 'learnin'; did you mean 'learning'?"),
        (lambda s: s.update(figures=["ablation"]), "figures has 'ablation'; did you mean 'ablations'?"),
        (lambda s: s["labels"].update(ful="x"), "labels has no key 'ful'; did you mean 'full'?"),
        (lambda s: s["labels"].update(full="On {bitxt}"), "in braces it can have {bitext}, {monolingual}"),
    ],
)
def test_a_mistake_is_refused_with_key_value_and_nearest_name(
    change: Callable[[dict[str, Any]], None], message: str, edited: Callable[..., Path]
) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_study(edited(change), "demo")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda s: s["systems"].update(no_pretraining={"init.encoder": "monolingual_de"}),
            "systems.no_pretraining: init.encoder is 'monolingual_de', an LM of 'de' text; this side reads 'en'",
        ),
        (
            lambda s: s["base"].update({"train.metric": "rouge_1"}),
            "base.train.metric is 'rouge_1'; it must be bleu or none",
        ),
        (
            lambda s: s["ensembles"]["ensemble_5"].update(members=["ful"]),  # the scale has other members
            "ensembles.ensemble_5.members has 'ful'; did you mean 'full'?",
        ),
    ],
)
def test_a_mistake_is_named_where_it_is(
    change: Callable[[dict[str, Any]], None], message: str, edited: Callable[..., Path]
) -> None:
    path = edited(change)
    with pytest.raises(ConfigError) as refused:
        load_study(path, "demo")
    assert str(refused.value) == f"{path.name}: {message}"


def test_an_unknown_study_or_scale_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'ramachandran-translation'"):
        load_study(STUDY.with_name("ramachandran-translations.yaml"), "demo")
    with pytest.raises(ConfigError, match="no scale 'smal'; did you mean 'small'"):
        load_study(STUDY, "smal")


def test_a_study_that_extends_another_says_only_how_it_differs(tmp_path: Path) -> None:
    (tmp_path / "parent.yaml").write_text(STUDY.read_text(encoding="utf-8"), encoding="utf-8")
    child = tmp_path / "child.yaml"
    child.write_text(
        "extends: parent\nsystems: {top: {model.attention: top}}\nscales:\n  demo: {seeds: [7]}\n  paper:\n",
        encoding="utf-8",
    )
    parent, study = load_study(tmp_path / "parent.yaml", "demo"), load_study(child, "demo")
    assert (study.name, study.published_as, parent.published_as) == ("child", "parent", "parent")
    assert study.seeds == (7,)
    assert list(study.systems) == [*parent.systems, "top"]
    assert study.systems["top"].model.attention == "top"
    assert (study.corpora, study.grid) == (parent.corpora, parent.grid)
    with pytest.raises(ConfigError, match=r"scales\.paper lacks 'corpora'"):
        load_study(child, "paper")


@pytest.mark.parametrize("scale", ["dmeo", "smal", "papre"])
def test_a_misspelt_scale_does_not_leave_the_corpora_of_the_study_that_is_extended(tmp_path: Path, scale: str) -> None:
    mine = tmp_path / "mine.yaml"
    own = {"corpora": {"bitext": "mine", "monolingual": "mine_news", "other_domain": "mine_news"}, "tests": ["test"]}
    said = {"extends": STUDY.stem, "scales": {scale: own}}
    mine.write_text(yaml.safe_dump(said), encoding="utf-8")
    meant = {"dmeo": "demo", "smal": "small", "papre": "paper"}[scale]
    for asked in (meant, scale):
        with pytest.raises(ConfigError, match=rf"mine\.yaml: scales has '{scale}'; did you mean '{meant}'\?"):
            load_study(mine, asked, project=STUDY.parent)
    parent = yaml.safe_load(STUDY.read_text(encoding="utf-8"))["scales"]["small"]
    said["scales"] = {"thousand": {**parent, **own}}
    mine.write_text(yaml.safe_dump(said), encoding="utf-8")
    assert load_study(mine, "thousand", project=STUDY.parent).corpora["bitext"] == "mine"


def test_a_study_whose_scale_is_that_of_another_study_says_whose_text_it_reads(tmp_path: Path) -> None:
    child = child_of(tmp_path, STUDY, scales={"small": {"seeds": [1], "ensembles": {}}})
    words = "child: its file has small and not demo, so its text is that of the study it extends"
    assert load_study(child, "demo", project=STUDY.parent).remarks() == [words]
    assert load_study(child, "small", project=STUDY.parent).remarks() == []
    everywhere = child_of(tmp_path, STUDY, systems={"top": {"model.attention": "top"}})
    assert load_study(everywhere, "demo", project=STUDY.parent).remarks() == []


def child_of(tmp_path: Path, parent: Path, **said: Any) -> Path:
    """Write a study that extends another."""
    child = tmp_path / "child.yaml"
    child.write_text(yaml.safe_dump({"extends": parent.stem, **said}), encoding="utf-8")
    return child


@pytest.mark.parametrize("said", [{"ensembles": {}}, {"scales": {"small": {"ensembles": {}}}}])
@pytest.mark.parametrize("nothing", [{}, None])
def test_a_study_need_not_have_the_ensembles_of_the_one_it_extends(
    tmp_path: Path, said: dict[str, Any], nothing: Any
) -> None:
    text = yaml.safe_load(json.dumps(said).replace("{}", json.dumps(nothing)))
    child = child_of(tmp_path, STUDY, **text)
    assert load_study(STUDY, "small").ensembles
    assert load_study(child, "small", project=STUDY.parent).ensembles == {}
    at_another_scale = load_study(child, "demo", project=STUDY.parent).ensembles
    assert at_another_scale == (load_study(STUDY, "demo").ensembles if "scales" in said else {})


def test_sections_take_those_of_their_seeds_that_a_study_which_extends_theirs_has(tmp_path: Path) -> None:
    child = child_of(tmp_path, STUDY, scales={"small": {"seeds": [1], "ensembles": {}}})
    study = load_study(child, "small", project=STUDY.parent)
    assert load_study(STUDY, "small").grid["long_budgets"].seeds == (1, 2)
    assert {run.seed for run in declared_runs(study)} == {1}
    assert {run.system for run in declared_runs(study)} >= {"full_long_budget", "no_pretraining_long_budget"}
    child_of(tmp_path, STUDY, scales={"small": {"seeds": [3], "ensembles": {}}})
    with pytest.raises(ConfigError, match=r"long_budgets\.seeds has 1, 2; .* 3: say which under scales\.small\.grid"):
        load_study(child, "small", project=STUDY.parent)


def test_a_study_of_another_folder_extends_one_of_the_project_or_any_other_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    by_name, by_path = tmp_path / "mine/by-name.yaml", tmp_path / "by-path.yaml"
    by_name.write_text(f"extends: {STUDY.stem}\nscales: {{demo: {{seeds: [7]}}}}\n", encoding="utf-8")
    by_path.write_text("extends: mine/by-name.yaml\n", encoding="utf-8")
    for path in (by_name, by_path):
        study = load_study(path, "demo", project=STUDY.parent)
        assert (study.name, study.published_as, study.seeds) == (path.stem, STUDY.stem, (7,))
    (tmp_path / STUDY.name).write_text(f"extends: {STUDY.stem}\n", encoding="utf-8")  # the project's, not itself
    assert load_study(tmp_path / STUDY.name, "demo", project=STUDY.parent).tests == ("test_a", "test_b")


def test_known_studies_are_studies_and_no_other_yaml(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("scale: demo\n", encoding="utf-8")
    mine = tmp_path / "mine.yaml"
    mine.write_text("extends: zzz\n", encoding="utf-8")
    names = ", ".join(sorted(["mine", *(path.stem for path in STUDY.parent.glob("*.yaml"))]))
    words = (
        f"mine.yaml extends another: there is no study 'zzz'; known are {names} ({tmp_path}/zzz.yaml does not exist)"
    )
    with pytest.raises(ConfigError, match=re.escape(words)):
        load_study(mine, "demo", project=STUDY.parent)


def test_an_ensemble_that_the_seeds_are_too_few_for_is_left_out_with_a_word() -> None:
    whole, one = load_study(STUDY, "paper"), load_study(STUDY, "paper", [1])
    assert (list(whole.ensembles), whole.left_out) == (["ensemble_5"], {})
    assert (one.ensembles, list(one.left_out)) == ({}, ["ensemble_5"])
    words = "ensemble_5 is left out: it is made of 5 runs, with these seeds there are 3"
    assert (whole.remarks(), one.remarks()) == ([], [words])
    members = {"full_dropout_10", "full_dropout_30"}  # nothing else of the study has them
    assert members <= {run.system for run in declared_runs(whole)}
    assert not members & {run.system for run in declared_runs(one)}


def test_an_ensemble_of_some_seeds_asks_for_no_other_runs() -> None:
    study = load_study(STUDY.parent / "poda-correction.yaml", "small")
    seeds = {system: [run.seed for run in declared_runs(study) if run.system == system] for system in study.systems}
    assert len(study.ensembles["ensemble_4"].candidates(study.seeds)) == 4
    assert (seeds["full"], seeds["full_checkpoint_8"]) == ([1, 2, 3], [1])


def test_a_member_that_names_its_seed_is_trained_with_it_whatever_the_scale_has() -> None:
    study = load_study(STUDY.parent / "poda-correction.yaml", "paper")
    members = [("full", 1), ("full_checkpoint_6", 2), ("full_checkpoint_7", 3), ("full_checkpoint_8", 4)]
    assert (study.seeds, study.ensembles["ensemble_4"].candidates(study.seeds)) == ((1,), members)
    seeds = {system: [run.seed for run in declared_runs(study) if run.system == system] for system in study.systems}
    assert (seeds["full"], seeds["full_checkpoint_5"], seeds["full_checkpoint_8"]) == ([1], [1], [1, 4])


def test_a_run_that_an_ensemble_names_twice_is_one_candidate() -> None:
    assert EnsembleDeclaration(("full", "full/seed2", "other/seed2")).candidates([1, 2]) == [
        ("full", 1), ("full", 2), ("other", 2)
    ]  # fmt: skip


def test_the_texts_of_a_study_are_those_of_its_bitext_and_its_language_models() -> None:
    texts = load_study(STUDY, "small").texts()
    assert len(texts) == len(set(texts)) == 2 * 4 + 2 + 2  # train, valid and two tests; two corpora of unlabelled text
    assert ("multi30k", "test_2017_flickr", "de") in texts
    assert ("tatoeba_ende", "train", "en") in texts


def test_the_counts_of_a_text_that_is_only_translated_back_are_in_the_report() -> None:
    study = load_study(STUDY.with_name("edunov-backtranslation.yaml"), "small")
    assert "edunov-backtranslation/tatoeba_others/train.de.stats.json" in reported(study).texts


def test_a_study_that_extends_itself_or_nothing_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text("extends: two\n")
    two.write_text("extends: one\n")
    with pytest.raises(ConfigError, match=r"one\.yaml: extends itself, by way of two\.yaml"):
        load_study(one, "demo")
    two.write_text("extends: onne\n")
    with pytest.raises(ConfigError, match="no study 'onne'; did you mean 'one'"):
        load_study(one, "demo")


@pytest.mark.parametrize("path", sorted(STUDY.parent.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_study_of_the_project_loads_at_each_of_its_scales(path: Path) -> None:
    scales = [scale for scale, of_scale in yaml.safe_load(path.read_text())["scales"].items() if of_scale]
    assert scales
    for scale in scales:
        assert declared_runs(load_study(path, scale))


@pytest.mark.parametrize(
    ("name", "scale", "identifier"),
    [
        ("ramachandran-translation", "demo", "langdetect"),
        ("ramachandran-translation", "small", "langdetect"),
        ("ramachandran-translation-tatoeba", "small", "langdetect"),
        ("transformer-translation", "small", "langdetect"),
        ("edunov-translation", "demo", "langdetect"),
        ("edunov-translation", "small", "py3langid"),
        ("edunov-turkish", "small", "py3langid"),
        ("ramachandran-translation", "paper", "fasttext+py3langid"),
    ],
)
def test_studies_that_were_run_declare_the_identifier_of_then(name: str, scale: str, identifier: str) -> None:
    assert load_study(STUDY.with_name(f"{name}.yaml"), scale).filter.identifier == identifier


@pytest.mark.parametrize(
    "name", ["ramachandran-summarization-causes", "ramachandran-summarization-scitldr", "edunov-headlines"]
)
def test_a_study_still_declares_the_runs_that_its_committed_results_are_of(name: str) -> None:
    results = f"results/small/{name}"
    with zipfile.ZipFile(STUDY.parents[2] / results / "records.zip") as archive:
        for run in declared_runs(load_study(STUDY.with_name(f"{name}.yaml"), "small")):
            content = run.to_json()
            content["settings"].pop("decode", None)  # Changing it trains nothing again, so run.json leaves it out.
            assert json.loads(archive.read(f"{results}/{run.path}/run.json")) == content


def test_a_run_without_its_seed_names_what_is_missing() -> None:
    with pytest.raises(ConfigError, match=r"run.json lacks 'seed'; .* study, scale, system"):
        run_from_json({"study": "s", "scale": "demo", "system": "full", "fraction": "100pct"})
    with pytest.raises(ConfigError, match=r"run.json lacks 'study'"):
        run_from_json([])  # type: ignore[arg-type]


def test_a_seed_may_draw_its_lms_and_its_pairs() -> None:
    study = load_study(STUDY, "small")
    assert {run.settings.train.subset for run in declared_runs(study)} == {"own"}
    assert lm_of(study, "parallel_en", 2) == "parallel_en/seed2"
    settings = lm_to_json(study, "parallel_en/seed2")["settings"]
    assert (settings["seed"], settings["train"]["subset"]) == (2, "own")
    assert lm_of(load_study(STUDY, "demo"), "parallel_en", 2) == "parallel_en"


def test_two_lms_that_are_declared_alike_are_of_different_seeds(edited: Any) -> None:
    def change(text: dict[str, Any]) -> None:
        text["lms"]["monolingual_en_2"] = dict(text["lms"]["monolingual_en"])

    def seeds(study: Any, name: str) -> list[int]:
        lms = dict.fromkeys(lm_of(study, name, seed) for seed in study.seeds)
        return [lm_to_json(study, lm)["settings"].get("seed", 1) for lm in lms]

    small, demo = (load_study(edited(change), scale) for scale in ("small", "demo"))
    assert seeds(small, "monolingual_en") == list(small.seeds)  # What they are without the second.
    assert not set(seeds(small, "monolingual_en_2")) & set(small.seeds)
    assert seeds(demo, "monolingual_en") == [1] != seeds(demo, "monolingual_en_2")


def test_a_study_names_its_reference_and_the_tables_and_figures_it_has(edited: Any) -> None:
    def change(study: dict[str, Any]) -> None:
        study |= {"reference": "no_pretraining", "tables": ["learning"], "figures": ["selection"]}

    whole, some = load_study(STUDY, "demo"), load_study(edited(change), "demo")
    assert (whole.reference, whole.tables, whole.figures) == ("full", None, None)
    assert {"table_1", "fractions", "claims"} <= {table.name for table in tables_of(whole.in_paper, whole.tables)}
    assert (some.reference, some.tables, some.figures) == ("no_pretraining", ("learning",), ("selection",))


def test_an_empty_list_of_tables_or_figures_means_none(edited: Any) -> None:
    none = load_study(edited(lambda study: study.update(tables=[], figures=[])), "demo")
    assert tables_of(none.in_paper, none.tables) == figures_of(none.in_paper, TASKS[none.task], none.figures) == []
    again = reported_from(reported(none).to_json(), "study.json")
    assert (again.tables, again.figures) == ((), ())


def test_copied_sources_are_called_by_what_corrected_their_spelling() -> None:
    study = load_study(STUDY.with_name("poda-correction.yaml"), "demo")
    assert study.trivial_labels == {"copied_source": "Source, copied (spelling: symspell)"}
    assert dataclasses.replace(study, spelling="none").trivial_labels == {"copied_source": "Source, copied"}
    headlines = load_study(STUDY.with_name("poda-headlines.yaml"), "demo")
    assert headlines.trivial_labels["words_8"] == "First 8 words"


def test_a_study_without_a_run_is_refused(edited: Any) -> None:
    def change(study: dict[str, Any]) -> None:
        for said in (study, study["scales"]["demo"]):
            said["ensembles"] = {}
            said["grid"] = {name: section | {"fractions": []} for name, section in said.get("grid", {}).items()}

    with pytest.raises(ConfigError, match=r"ramachandran-translation\.yaml: grid has no run with the seeds 1; a"):
        load_study(edited(change), "demo")
