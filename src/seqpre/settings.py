"""Print the settings that a study, its runs and a pretraining can have.

    python -m seqpre.settings                    all of them, as docs/settings.md has them
    python -m seqpre.settings beam dropout       those whose names contain one of these words

Each has its name, default, accepted values, meaning and source. All of it comes from the classes that read these files.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import UnionType
from typing import Annotated, Any, Literal, get_args

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, command
from seqpre.study.declarations import FilterSettings, LMDeclaration, VocabularyDeclaration
from seqpre.study.load import Grid, ScaleText, StudyText
from seqpre.study.models import ModelSettings
from seqpre.study.pretraining_settings import DenoiserSettings, LMSettings, TransformerLMSettings
from seqpre.study.settings import RunSettings
from seqpre.study.study import EnsembleDeclaration, GridSection, Tuning
from seqpre.study.typed import KINDS, Name, Word, default_of, kinds_of

MODEL = "The model of a run: `model: {{kind: {}}}`".format
PRETRAINING = "A pretraining: `settings: {{kind: {}}}`".format
SECTIONS: Mapping[str, tuple[Any, str]] = {
    "A run: below `base`, `systems.NAME` and `by_fraction`": (RunSettings, ""),
    **{MODEL(kind.kind): (kind, "model.") for kind in get_args(ModelSettings)},
    "A study, and each of its scales": (Grid, ""),
    "A study": (StudyText, ""),
    "A scale: below `scales.NAME`": (ScaleText, ""),
    "A part of the grid": (GridSection, "grid.NAME."),
    "An ensemble": (EnsembleDeclaration, "ensembles.NAME."),
    "A language model of a study": (LMDeclaration, "lms.NAME."),
    "A vocabulary": (VocabularyDeclaration, "vocabularies.NAME."),
    "What is dropped from training text": (FilterSettings, "filter."),
    "Tuning": (Tuning, "tuning."),
    f"{PRETRAINING('lm')}, and `lm_settings` of a study": (LMSettings, "settings."),
    PRETRAINING("denoiser"): (DenoiserSettings, "settings."),
    PRETRAINING("transformer_lm"): (TransformerLMSettings, "settings."),
}
INTRODUCTION = """\
Names are as study files write them: `base: {train.max_updates: 1_000}`, or nested. Without a default a setting has to
be given, or is off. What two sections have in common, default included, is in the first of them alone.
Sections of Ramachandran et al. are those of the preprint, arXiv:1611.02683; EMNLP's differ.
`python -m seqpre.settings beam` looks names up, and `python -m seqpre.settings` makes this page."""
SOURCE = re.compile(r"\s*\(([^()]*\d{4}[^()]*)\)\.?$")
"""The end of a docstring that names a paper and section."""


@dataclass(frozen=True)
class Setting:
    """One key of a configuration file."""

    name: str
    default: str
    accepted: str
    meaning: str
    source: str
    """Paper and section; empty if it comes from no paper."""


def all_settings() -> dict[str, list[Setting]]:
    """Return the settings by section; those that two sections share are in the first."""
    found: dict[str, list[Setting]] = {}
    for title, (cls, prefix) in SECTIONS.items():
        known = {one for settings in found.values() for one in settings}
        found[title] = [one for one in settings_of(cls, prefix=prefix) if one not in known]
    return found


def settings_of(cls: Any, values: Any = None, prefix: str = "", source: str = "") -> Iterator[Setting]:
    """Yield the settings of a dataclass, nested ones with dotted names.

    Defaults are those of `values`, from `source` if they differ from the dataclass's own.
    """
    source = source or _split(" ".join((cls.__doc__ or "").split()))[1]
    hints, docs = typing.get_type_hints(cls, include_extras=True), _docstrings(cls)
    for field in dataclasses.fields(cls):
        hint, name = hints[field.name], f"{prefix}{field.name}"
        value = default_of(field) if values is None else getattr(values, field.name)
        if dataclasses.is_dataclass(hint) and dataclasses.is_dataclass(value):
            yield from settings_of(hint, value, f"{name}.", source)
            continue
        if kinds := kinds_of(hint):  # each kind has a section
            name, value, hint = f"{name}.kind", value.kind, Literal[tuple(kind.kind for kind in kinds)]
        if len(get_args(hint)) != 1:  # a single kind is no choice
            meaning, own = _split(docs.get(field.name, ""))
            theirs = values is not None and value != default_of(field)
            yield Setting(name, _shown(value), accepted(hint), meaning, source if theirs else own)


def _split(docstring: str) -> tuple[str, str]:
    """Return a docstring without its source, and the paper and section at its end."""
    found = SOURCE.search(docstring)
    return (f"{docstring[: found.start()]}.", found[1]) if found else (docstring, "")


def accepted(hint: Any) -> str:
    """Return the values that a type accepts, in words."""
    origin, arguments = typing.get_origin(hint), get_args(hint)
    if hint in (Name, Word):
        return "a name"
    if origin is Annotated:
        several = "a list of " if typing.get_origin(arguments[0]) is tuple else ""
        return f"{several}{arguments[1].accepted}"
    if origin is Literal:
        return ", ".join(_shown(value) for value in arguments)
    if origin is UnionType:
        return f"{accepted(arguments[0])}, or null"
    if origin is tuple:
        return f"a list, each {accepted(arguments[0])}"
    if origin is dict:
        return f"by name, {accepted(arguments[1])}"
    return "keys of its own" if dataclasses.is_dataclass(hint) else KINDS[hint]


def _shown(value: Any) -> str:
    """Return a value as YAML; empty if there is none."""
    if value is dataclasses.MISSING:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:_}"
    if isinstance(value, tuple | dict):
        return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else "{}"
    return str(value) or "empty"


def _docstrings(cls: Any) -> dict[str, str]:
    """Return the docstrings of a dataclass's fields, inherited ones included."""
    found = {}
    for base in reversed(cls.__mro__[:-1]):
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        body = tree.body if isinstance(tree, ast.ClassDef) else []
        for field, after in pairwise(body):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, str):
                found[field.target.id] = " ".join(text.split())
    return found


def page(found: Mapping[str, Sequence[Setting]]) -> str:
    """Return settings as a Markdown page."""
    lines = ["# Which settings are there?", "", INTRODUCTION, ""]
    for title, settings in found.items():
        rows = [f"| `{one.name}` | {' | '.join(dataclasses.astuple(one)[1:])} |" for one in settings]
        head = ["| name | default | accepted | meaning | source |", "| --- | --- | --- | --- | --- |"]
        lines += [f"## {title}", "", *(head + rows if rows else ["All as of the kind before."]), ""]
    return "\n".join(lines)


def matching(found: Mapping[str, Sequence[Setting]], names: Sequence[str]) -> str:
    """Return the settings whose names contain one of `names`. Raises ConfigError if there are none."""
    lines = []
    for title, settings in found.items():
        some = [one for one in settings if any(name in one.name for name in names)]
        lines += [f"{title}\n"] if some else []
        for one in some:
            lines += [f"  {one.name}", f"    {one.meaning}"]
            details = {"default": one.default, "accepted": one.accepted, "source": one.source}
            lines += [f"    {key}: {value}" for key, value in details.items() if value] + [""]
    if not lines:
        raise ConfigError(f"no setting is called {' or '.join(names)}; python -m seqpre.settings lists them all")
    return "\n".join(lines)


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Print settings."""
    parser = parser_of(__doc__)
    parser.add_argument("name", nargs="*", help="a word that the names are to contain")
    args = parser.parse_args(argv)
    found = all_settings()
    print(matching(found, args.name) if args.name else page(found), end="")


if __name__ == "__main__":
    main()
