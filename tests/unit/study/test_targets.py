"""Of a target that there is not, one line says what was meant."""

from __future__ import annotations

import pytest

from seqpre.common.errors import ConfigError
from seqpre.study.targets import files_by_name, no_such_target

KNOWN = (
    "all",
    "tables",
    "edunov-translation",
    "edunov-translation_baseline",
    "results/demo/edunov-translation/tables/table_1.md",
    "results/demo/edunov-translation/runs/baseline/100pct/seed1/scores.json",
)
EMPTY = ("samples", "edunov-translation_samples")
UNSELECTED = ("poda-headlines", "edunov-translation-longer-lm")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("tabels", "there is no target 'tabels'; did you mean 'tables'?"),
        ("edunov-translation_basline", "did you mean 'edunov-translation_baseline'?"),
        ("poda-headlines", "the study 'poda-headlines' is not selected: --config 'studies=[poda-headlines]'"),
        ("poda-headlines_table_1", "the study 'poda-headlines' is not selected"),
        ("edunov-translation-longer-lm_baseline", "the study 'edunov-translation-longer-lm' is not selected"),
        ("poda-headline", "did you mean 'poda-headlines'? That study is not selected: --config 'studies=[po"),
        ("results/demo/poda-headlines/summary.md", "the study 'poda-headlines' is not selected"),
        ("results/demo/edunov-translation/tables/table_1.mp", "did you mean 'results/demo/edunov-translation/tables/t"),
        ("results/small/edunov-translation/tables/table_1.md", "it is of the scale 'small', and the configured one is"),
        ("samples", "there is no target 'samples': no selected study has such a page, which compares systems"),
        ("edunov-translation_samples", "no selected study has such a page"),
        ("xyzzy", "there is no target 'xyzzy'; snakemake list_targets names all"),
    ],
)
def test_a_target_that_there_is_not_is_explained(target: str, words: str) -> None:
    said = no_such_target(target, KNOWN, EMPTY, UNSELECTED, "results/demo")
    assert words in said
    assert "\n" not in said


def test_results_may_be_anywhere() -> None:
    said = no_such_target("/data/a b/small/x/summary.md", KNOWN, EMPTY, UNSELECTED, "/data/a b/demo")
    assert said.endswith("it is of the scale 'small', and the configured one is 'demo': --config scale=small")


def test_a_name_stands_for_one_target() -> None:
    one, other = ("mine_full", "the system full of mine", ["a"]), ("mine_full", "the study mine_full", ["b"])
    assert files_by_name([one, ("mine", "the study mine", ["a", "b"])]) == {"mine_full": ["a"], "mine": ["a", "b"]}
    with pytest.raises(
        ConfigError, match="target 'mine_full' is both the system full of mine and the study mine_full; "
    ):
        files_by_name([one, other])
