"""A mistake in the configuration stops even a dry run, and the message says what was meant."""

from __future__ import annotations

import pytest

from checkout import Project

DROPOUT, ENCODER = "{model.dropout: 0.1}", "{init.decoder: random}"


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
    ],
)
def test_a_wrong_configuration_is_refused_by_name(project: Project, setting: str, message: str) -> None:
    assert message in refusal(project, "--config", setting)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (DROPOUT, "{model.droput: 0.1}", "'droput'; did you mean 'dropout'?"),
        (DROPOUT, "{model.dropout: 1.5}", "model.dropout is 1.5"),
        (DROPOUT, "{model.dropout: high}", "'high'"),
        ("encoder_only, decoder_only,", "encoder_onyl, decoder_only,", "'encoder_onyl'; did you mean 'encoder_only'?"),
        (
            ENCODER,
            "{init.encoder: monolingul_en}",
            "'monolingul_en', which the study does not declare; did you mean 'monolingual_en'?",
        ),
        (ENCODER, "{init.decoder: monolingual_en}", "this side reads 'de'"),
        ("{init.parts: [embedding]}", "{init.parts: [embeding]}", "did you mean 'embedding'?"),
        ("    fractions: [2.5pct]", "    fractions: [0pct]", "'0pct'"),
        ("    fractions: [2.5pct]", "    fractions: [120pct]", "'120pct'"),
        ("    fractions: [2.5pct]", "    fractions: [0.5]", "must be str, got 0.5"),
        ("ensembles:\n  ensemble_5:", "ensmbles:\n  ensemble_5:", "'ensmbles'; did you mean 'ensembles'?"),
        ("bitext: demo_ende,", "bitext: demo_edne,", "did you mean demo_ende"),
        ("tests: [test_a, test_b]", "tests: [test_a, test_c]", "demo_ende/test_c.en"),
    ],
)
def test_a_wrong_study_is_refused_with_the_nearest_name(project: Project, old: str, new: str, message: str) -> None:
    project.edit(project.study, old, new)
    assert message in refusal(project)


def test_a_wrong_row_in_the_list_of_corpora_is_refused_with_its_line(project: Project) -> None:
    project.edit("workflow/corpora.tsv", "demo_ende\ttrain\ten\tlines", "demo_ende\ttrain\ten\tline")
    assert "corpora.tsv, line 2: reader 'line'" in refusal(project)


def test_a_mistake_is_refused_even_if_everything_has_been_run(finished: Project) -> None:
    finished.edit(finished.study, ENCODER, "{init.decodr: random}")
    assert "did you mean 'decoder'?" in refusal(finished)
