"""Folders of what is no longer declared are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from seqpre.checks import leftovers
from seqpre.checks.finding import DOUBTFUL, FINE, Site

STUDY = "ramachandran-translation"
Sites = Callable[..., Site]


def make(site: Site, *names: str) -> list[Path]:
    folders = [site.results / "demo" / name for name in names]
    for folder in folders:
        folder.mkdir(parents=True)
    return folders


def test_declared_folders_are_fine_whatever_their_seed(site: Sites) -> None:
    here = site(seeds=[1])
    assert leftovers.undeclared(here).mark == FINE
    make(here, f"{STUDY}/runs/full/100pct/seed7", f"{STUDY}/ensembles/ensemble_5", f"lms/{STUDY}/monolingual_en")
    assert leftovers.undeclared(here).mark == FINE


def test_systems_fractions_ensembles_and_language_models_that_no_study_declares_are_named(site: Sites) -> None:
    here = site()
    folders = make(
        here,
        f"{STUDY}/runs/deeper/100pct",
        f"{STUDY}/runs/full/3pct",
        f"{STUDY}/ensembles/ensemble_9",
        f"lms/{STUDY}/lm_of_old",
    )
    finding = leftovers.undeclared(here)
    assert finding.mark == DOUBTFUL
    assert all(str(folder) in finding.found for folder in folders)


def test_an_ensemble_that_is_left_out_for_want_of_seeds_is_still_declared(site: Sites) -> None:
    few = site(scale="paper", seeds=[1])
    make(few, *(f"../paper/{STUDY}/{folder}" for folder in ("runs/full_dropout_10/100pct", "ensembles/ensemble_5")))
    assert leftovers.undeclared(few).mark == FINE


def test_many_are_counted(site: Sites) -> None:
    here = site()
    make(here, *(f"{STUDY}/runs/old_{number}/100pct" for number in range(8)))
    found = leftovers.undeclared(here).found
    assert found.count("/old_") == leftovers.SHOWN
    assert found.endswith(" and 3 more")


def test_other_scales_and_studies_are_not_judged(site: Sites) -> None:
    here = site()
    make(here, f"../small/{STUDY}/runs/deeper/100pct", "another-study/runs/full/100pct")
    assert leftovers.undeclared(here).mark == FINE
