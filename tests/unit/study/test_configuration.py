"""config.yaml is checked before anything uses it, and a mistake is named with what is accepted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seqpre.common.errors import ConfigError
from seqpre.corpora.catalog import Row
from seqpre.planning.texts import check_counts, read_sizes
from seqpre.study.configuration import checked, configured_rows, configured_studies, read_configuration, training_gpus

REPOSITORY = Path(__file__).parents[3]
CONFIG = read_configuration(REPOSITORY / "config.yaml")
SIZES = read_sizes(REPOSITORY / "workflow/sizes.tsv")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gpu": 1}, "no key 'gpu'; did you mean 'gpus'?"),
        ({"studies": "one"}, "studies must be a list"),
        ({"results": None}, "results must be text, got None"),
        ({"results": ""}, "results is empty"),
        ({"results": "null"}, "results must be text, got None"),
        ({"results": "a/.."}, "results is the working directory; write another folder, as in `results: results`"),
        ({"results": "a{x}"}, "results 'a{x}' has a brace, which Snakemake cannot read"),
        ({"corpora": "a{x}/corpora.tsv"}, "corpora 'a{x}/corpora.tsv' has a brace"),
        ({"gpus": 0}, "gpus must be a whole number"),
        ({"gpus": True}, "gpus must be a whole number"),
        ({"gpus": "4"}, "gpus must be a whole number"),
        ({"gpus_per_node": None}, "gpus_per_node must be a whole number"),
        ({"gpus": 12}, "multiple"),
        ({"gpu_memory_gb": 0}, "gpu_memory_gb must be a whole number"),
        ({"gpus": 4, "runs_per_gpu": 2}, "runs_per_gpu is 2 and gpus is 4, but only trainings of one GPU can share it"),
        ({"mirror": 5}, "mirror must be text or null, got 5"),
        ({"corpora": ["mine.tsv"]}, "corpora must be text or null"),
    ],
)
def test_a_wrong_value_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("?", r"\?")):
        checked({**CONFIG, **change})


@pytest.mark.parametrize(("said", "meant"), [("results/", "results"), ("~/mine", "/home/ana/mine"), ("a/../b", "b")])
def test_a_path_of_results_is_read_as_a_shell_would(monkeypatch: pytest.MonkeyPatch, said: str, meant: str) -> None:
    monkeypatch.setenv("HOME", "/home/ana")
    assert checked({**CONFIG, "results": said})["results"] == meant


def test_null_on_the_command_line_is_text_and_read_as_in_the_file() -> None:
    keys = ("seeds", "corpora", "mirror", "gpus", "tensorboard")
    assert {*map(checked({**CONFIG, **dict.fromkeys(keys, "null")}).get, keys)} == {None}


def test_a_missing_key_is_named() -> None:
    with pytest.raises(ConfigError, match="lacks 'gpus'"):
        checked({key: value for key, value in CONFIG.items() if key != "gpus"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("scale: [", "config.yaml is not valid YAML"),
        ("- demo", "must hold `key: value`"),
        ("a: 1\na: 2", "line 2: 'a' is given twice"),
    ],
)
def test_a_file_that_is_no_configuration_is_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "config.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_configuration(tmp_path / "config.yaml")
    with pytest.raises(ConfigError, match="does not exist"):
        read_configuration(tmp_path / "other.yaml")


def test_what_a_command_changes_is_checked_and_what_it_does_not_name_stays() -> None:
    changed = read_configuration(REPOSITORY / "config.yaml", scale="small", studies=None)
    assert changed == CONFIG | {"scale": "small"}
    with pytest.raises(ConfigError, match="studies must be a list"):
        read_configuration(REPOSITORY / "config.yaml", studies="one")


@pytest.mark.parametrize(("change", "gpus"), [({}, 0), ({"scale": "paper"}, 1), ({"gpus": 2}, 2), ({"gpus": 16}, 16)])
def test_gpus_follow_the_scale_unless_they_are_set(change: dict[str, Any], gpus: int) -> None:
    assert training_gpus(checked({**CONFIG, **change})) == gpus


@pytest.mark.parametrize(("seeds", "read"), [(["1", "2"], (1, 2)), ("3", (3,)), ([4], (4,)), (None, (1,))])
def test_seeds_of_the_command_line_are_text(seeds: Any, read: tuple[int, ...]) -> None:
    (study,) = configured_studies({**CONFIG, "scale": "demo", "seeds": seeds}, REPOSITORY).values()
    assert study.seeds == read


@pytest.mark.parametrize(
    ("section", "value", "message"),
    [
        ("corpora", {"bitext": "demo_edne"}, "scales.demo.corpora.bitext is 'demo_edne'; did you mean 'demo_ende'?"),
        ("tests", ["test_c"], "scales.demo.tests has 'test_c'; demo_ende has the splits train, valid, test_a, test_b"),
        ("tuned_on", {"test_a": "test_c"}, "scales.demo.tuned_on has 'test_c'; demo_ende has the splits train, "),
        ("grid", {"baseline": {"fractions": ["160k"]}}, "the fraction of demo_ende is 160k, of"),
    ],
)
def test_what_the_corpora_of_a_study_lack_is_named(
    edited: Callable[..., Path], section: str, value: Any, message: str
) -> None:
    def change(study: dict[str, Any]) -> None:
        demo = study["scales"]["demo"]
        demo[section] = demo.get(section, {}) | value if isinstance(value, dict) else value

    config = {**CONFIG, "studies": [str(edited(change))]}
    studies = configured_studies(config, REPOSITORY)
    with pytest.raises(ConfigError, match=re.escape(message)):
        check_counts(configured_rows(config, REPOSITORY, studies) and studies.values(), SIZES)


@pytest.mark.parametrize("seeds", ["[1,-2]", [1, -2], ["one"], "1,2", ["-1"], [], [1, 1], ["2147483648"]])
def test_seeds_that_are_none_are_refused_with_what_to_write(seeds: Any) -> None:
    with pytest.raises(ConfigError, match=r"seeds (is|must be) .*; write a list, as in `seeds=\[1,2\]`"):
        configured_studies({**CONFIG, "seeds": seeds}, REPOSITORY)


def test_a_study_in_the_folder_of_nobody_is_not_there() -> None:
    with pytest.raises(ConfigError, match=r"there is no study 'mine'.* \(~nobody-here/mine.yaml does not exist\)"):
        configured_studies({**CONFIG, "studies": ["~nobody-here/mine.yaml"]}, REPOSITORY)


def test_a_study_of_the_project_is_named_without_a_suffix() -> None:
    with pytest.raises(ConfigError, match="'poda-headlines'; write 'poda-headlines' for the project's"):
        configured_studies({**CONFIG, "studies": ["poda-headlines.yaml"]}, REPOSITORY)


def test_two_studies_of_one_name_are_refused(tmp_path: Path) -> None:
    mine = tmp_path / "ramachandran-translation.yaml"
    mine.write_text("extends: ramachandran-translation\n", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"studies: 'ramachandran-translation' is there twice \(/.*; give one another"
    ):
        configured_studies({**CONFIG, "studies": ["ramachandran-translation", str(mine)]}, REPOSITORY)


def test_two_studies_that_read_the_same_pairs_in_two_directions_are_refused(tmp_path: Path) -> None:
    back = tmp_path / "back.yaml"
    back.write_text("extends: transformer-translation\nsource: de\ntarget: en\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"reads 'demo_ende' as en and de, back as de and en; select one at a time"):
        configured_studies({**CONFIG, "studies": ["transformer-translation", str(back)]}, REPOSITORY)


HEADER = "name\tsplit\tlanguage\treader\tmember\turl\tsha256\tbytes\tlicence\tnote\n"


def own_rows(folder: Path, *texts: tuple[str, str, str], url: str = "text", valid: str = "chosen") -> list[Row]:
    """Return the rows of a configuration whose own list has these texts, for a study that reads `mine`."""
    urls = {"valid": valid}
    lines = [
        f"{name}\t{split}\t{language}\tlines\t\t{urls.get(split, url)}\t\t\tmine\t\n" for name, split, language in texts
    ]
    (folder / "mine.tsv").write_text(HEADER + "".join(lines), encoding="utf-8")
    (folder / "study.yaml").write_text(
        "extends: ramachandran-translation\nscales: {demo: {corpora: {bitext: mine}, tests: [test]}}\n",
        encoding="utf-8",
    )
    config = {**CONFIG, "studies": [str(folder / "study.yaml")], "corpora": str(folder / "mine.tsv"), "scale": "demo"}
    return configured_rows(config, REPOSITORY, configured_studies(config, REPOSITORY))


MINE = [("mine", split, language) for split in ("train", "valid", "test") for language in ("en", "de")]


def test_an_own_list_of_corpora_stands_beside_the_project_s(tmp_path: Path) -> None:
    for name in ("text", "chosen"):
        (tmp_path / name).write_text("a line\n", encoding="utf-8")
    rows = own_rows(tmp_path, *MINE)
    assert {row.own for row in rows if row.name == "mine"} == {tmp_path / "text", tmp_path / "chosen"}
    assert any(row.name == "demo_ende" for row in rows)


@pytest.mark.parametrize(
    ("texts", "url", "message"),
    [
        ([*MINE[:3], *MINE[4:]], "text", r"no corpus mine/valid\.de; did you mean mine/valid\.en\?"),
        (
            [(name, split, {"en": "enn"}.get(side, side)) for name, split, side in MINE],
            "text",
            r"scales\.demo\.corpora\.bitext is 'mine', which has no text in 'en'; did you mean 'enn'\?",
        ),
        (MINE, "txet", r"mine\.tsv, line 2: url 'txet' names the file /.*/txet, which does not exist"),
        (MINE, "nothing", r"mine\.tsv, line 2: url 'nothing' names the file /.*/nothing, which is empty"),
        (MINE, "a{b}", r"mine\.tsv, line 2: the file '/.*/a{b}' has a brace"),
        ([*MINE, ("multi30k", "train", "en")], "text", r"line 8: 'multi30k' is in workflow/corpora\.tsv too"),
        (MINE, "grammar:demo_ende/train.en", r"line 2: the text of grammar:demo_ende/train\.en is made for the demo"),
    ],
)
def test_what_an_own_corpus_lacks_is_named(
    tmp_path: Path, texts: list[tuple[str, str, str]], url: str, message: str
) -> None:
    for name, content in (("text", "a line\n"), ("chosen", "a line\n"), ("a{b}", "a line\n"), ("nothing", "")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        own_rows(tmp_path, *texts, url=url)


def test_text_that_chooses_checkpoints_is_no_test(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a line\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"mine\.tsv, line 6: test is the file 'text' of the validation text"):
        own_rows(tmp_path, *MINE, valid="text")


def test_an_own_list_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=r"corpora: there is no list /nowhere\.tsv"):
        configured_rows({**CONFIG, "corpora": "/nowhere.tsv"}, REPOSITORY, {})
