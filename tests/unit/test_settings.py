"""The reference of settings is what the classes have."""

from pathlib import Path

import pytest
import yaml

from seqpre.common.errors import ConfigError
from seqpre.settings import Setting, all_settings, main, page
from seqpre.study.settings import RunSettings
from seqpre.study.typed import overridden

ROOT = Path(__file__).parents[2]
SETTINGS = all_settings()


def test_the_page_in_the_docs_is_up_to_date() -> None:
    written = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    assert written == page(SETTINGS), "run: python -m seqpre.settings > docs/settings.md"


def test_every_setting_has_a_meaning() -> None:
    assert [one.name for settings in SETTINGS.values() for one in settings if not one.meaning or not one.accepted] == []


def test_a_run_has_the_settings_and_the_defaults_that_are_listed() -> None:
    run, *models = ((title, settings) for title, settings in SETTINGS.items() if " run" in title)
    for title, settings in (run, *models):
        kind = title.partition("kind: ")[2].strip("}`") or "lstm"
        plain = overridden(RunSettings(), {"model.kind": kind}, "")
        for one in settings:
            default = "" if one.default == "empty" else yaml.safe_load(one.default.replace("_", ""))
            if one.name != "model.kind" and not isinstance(default, str):
                assert overridden(plain, {one.name: default}, "") == plain
    assert len(models) == 4


def test_a_section_of_the_paper_is_of_the_default_that_is_shown() -> None:
    rates = {
        title: one for title, settings in SETTINGS.items() for one in settings if one.name.endswith("optimizer.lr")
    }
    assert [one.source.partition(" ")[0] for one in rates.values()] == ["Ramachandran", "Jozefowicz", "Wang", "Edunov"]


def test_names_are_looked_up(capsys: pytest.CaptureFixture[str]) -> None:
    main(["beam"])
    beam = Setting("decode.beam", "10", "at least 1", "", "Ramachandran et al., 2017, Section 4.1")
    lines = capsys.readouterr().out.splitlines()
    assert {f"  {beam.name}", f"    default: {beam.default}", f"    source: {beam.source}"} <= set(lines)
    with pytest.raises(ConfigError, match="no setting is called beem"):
        main.__wrapped__(["beem"])  # type: ignore[attr-defined]
