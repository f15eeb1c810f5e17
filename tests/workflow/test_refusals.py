"""A mistake in the configuration stops even a dry run, and the message says what was meant."""

from __future__ import annotations

import pytest

from checkout import Project


def refusal(project: Project, *arguments: str) -> str:
    """Return what a dry run that must fail says."""
    done = project.snakemake("--dry-run", *arguments)
    assert done.returncode != 0, done.stdout
    assert "Job stats" not in done.stdout
    return done.stdout


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("sedes=1", "no key 'sedes'; did you mean 'seeds'?"),
        ("scale=smal", "no scale 'smal'; did you mean 'small'?"),
        ("studies=[ramachandran-translatoin]", "'ramachandran-translatoin'; did you mean 'ramachandran-translation'?"),
        ("studies=ramachandran-translation", "studies must be a list"),
        ("seeds=[1,-2]", "-2"),
        ("seeds=[one]", "one"),
        ("gpus=0", "gpus must be a whole number from 1 on, got 0"),
        ("gpus=12", "gpus is 12, more than gpus_per_node (8), so it must be a multiple of it"),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(project: Project, setting: str, message: str) -> None:
    assert message in refusal(project, "--config", setting)


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        ("systems full_dropout_10", {"model.droput": 0.1}, "'droput'; did you mean 'dropout'?"),
        ("systems full_dropout_10", {"model.dropout": 1.5}, "model.dropout is 1.5"),
        ("systems full_dropout_10", {"model.dropout": "high"}, "'high'"),
        ("grid ablations systems", ["full", "encoder_onyl"], "'encoder_onyl'; did you mean 'encoder_only'?"),
        (
            "systems encoder_only",
            {"init.encoder": "monolingul_en"},
            "'monolingul_en', which the study does not declare; did you mean 'monolingual_en'?",
        ),
        ("systems encoder_only", {"init.decoder": "monolingual_en"}, "this side reads 'de'"),
        ("systems embeddings_only", {"init.parts": ["embeding"]}, "did you mean 'embedding'?"),
        ("grid baseline fractions", ["0pct"], "'0pct'"),
        ("grid baseline fractions", ["120pct"], "'120pct'"),
        ("grid baseline fractions", [0.5], "must be str, got 0.5"),
        ("ensembles ensemble_5 members", ["full", "full_dropot_10"], "did you mean 'full_dropout_10'?"),
        ("ensembles ensemble_5 keep", 100, "ensembles.ensemble_5.keep"),
        ("ensmbles", {}, "'ensmbles'; did you mean 'ensembles'?"),
        ("scales demo corpora bitext", "demo_edne", "did you mean demo_ende"),
        ("scales demo tests", ["test_a", "test_c"], "demo_ende/test_c.en"),
    ],
)
def test_a_wrong_study_is_refused_with_the_nearest_name(
    project: Project, keys: str, value: object, message: str
) -> None:
    if keys.startswith("ensembles"):
        project.change("scales", "demo", "ensembles", to={})
    project.change(*keys.split(), to=value)
    assert message in refusal(project)


def test_a_wrong_row_in_the_list_of_corpora_is_refused_with_its_line(project: Project) -> None:
    project.edit("workflow/corpora.tsv", "demo_ende\ttrain\ten\tlines", "demo_ende\ttrain\ten\tline")
    assert "corpora.tsv, line 2: reader 'line'" in refusal(project)


def test_a_mistake_is_refused_even_if_everything_has_been_run(finished: Project) -> None:
    finished.change("systems", "encoder_only", to={"init.decodr": "random"})
    assert "did you mean 'decoder'?" in refusal(finished)
