"""Every command line of the README and of docs/ is one that works: its parser takes it, Snakemake plans it."""

from __future__ import annotations

import argparse
import importlib
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from snakemake.cli import get_argument_parser

from checkout import REPOSITORY, Project, copy_of_repository, own_text

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
PROGRAMS = ("python", "snakemake", "make")


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of every command of a page: a line of a block of shell code, or of code within a sentence."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    for line in (*lines, *re.findall(r"`([^`\n]+)`", prose)):
        if not any(program in line for program in PROGRAMS):
            continue  # many a piece of code is no shell's
        for command in line.split("&&"):
            words = shlex.split(command, comments=True)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                del words[0]
            if len(words) > 1 and words[0] in PROGRAMS:
                yield words


def documented(program: str) -> list[str]:
    """Return the distinct commands of all pages that start a program."""
    found = (words for page in PAGES for words in commands(page.read_text(encoding="utf-8")) if words[0] == program)
    return list(dict.fromkeys(shlex.join(words) for words in found))


class ParsedError(Exception):
    """Arguments were taken; what they ask for is not done here."""


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every command end when its arguments are parsed."""
    for name in ("parse_args", "parse_intermixed_args"):
        parse = getattr(argparse.ArgumentParser, name.replace("parse_", "parse_known_"))

        def end(parser: argparse.ArgumentParser, argv: list[str] | None = None, parse: object = parse) -> None:
            args, rest = parse(parser, argv)  # type: ignore[operator]
            if rest:
                parser.error(f"unrecognized arguments: {' '.join(rest)}")
            raise ParsedError(vars(args))

        monkeypatch.setattr(argparse.ArgumentParser, name, end)


def run_python(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Do what a `python ...` command does, in this process."""
    if words[1] == "-m":
        importlib.import_module(words[2]).main(words[3:])
    else:
        monkeypatch.setattr(sys, "argv", words[1:])
        monkeypatch.syspath_prepend(str((REPOSITORY / words[1]).parent))
        runpy.run_path(str(REPOSITORY / words[1]), run_name="__main__")


def test_commands_are_found_in_blocks_and_in_sentences() -> None:
    page = "Say `make demo`, not `demo.py`.\n\n```sh\nA=b snakemake \\\n -n && python -m x 'a b'  # why\nsrun x\n```\n"
    assert list(commands(page)) == [["snakemake", "-n"], ["python", "-m", "x", "a b"], ["make", "demo"]]
    assert len(documented("snakemake")) > 15
    assert len(documented("python")) > 10


@pytest.mark.usefixtures("parsed")
@pytest.mark.parametrize("command", documented("python"))
def test_python_takes_what_is_documented(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(command)
    if words[1] == "-m" and not words[3:]:  # the name of a command; what it wants is not said there
        with pytest.raises(SystemExit, match=r"^0$"):
            run_python([*words, "--help"], monkeypatch)
    else:
        with pytest.raises(ParsedError):
            run_python(words, monkeypatch)


@pytest.mark.usefixtures("parsed")
@pytest.mark.parametrize(
    ("study", "sentence"),
    [("ramachandran-translation", "A dog runs."), ("poda-correction", "the school were opened in 1952.")],
)
def test_the_sentence_to_translate_is_not_taken_for_a_run(
    study: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (command,) = [one for one in documented("python") if "seqpre.translate" in one and study in one]
    with pytest.raises(ParsedError) as caught:
        run_python(shlex.split(command), monkeypatch)
    found = caught.value.args[0]
    assert found["text"] == [sentence]
    assert found["run"] == [Path(f"results/demo/{study}/runs/full/100pct/seed1")]


def test_make_says_what_it_installs_before_it_does() -> None:
    make = ["make", "--dry-run", "--always-make", "setup"]
    lines = subprocess.run(make, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout.splitlines()
    (installs,) = (place for place, line in enumerate(lines) if "pip install" in line)
    assert lines[installs - 1].startswith('echo "Installing the package and its dependencies into .venv')


@pytest.mark.parametrize("command", documented("make"))
def test_make_has_what_is_documented(command: str) -> None:
    subprocess.run(["make", "--dry-run", *shlex.split(command)[1:]], cwd=REPOSITORY, check=True, capture_output=True)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout that is only planned in, with text of one's own as docs/own-text.md has it."""
    project = copy_of_repository(tmp_path_factory.mktemp("documented") / "project")
    own_text(project.folder / "mine")
    return project


def planned_together(commands: list[str]) -> list[list[str]]:
    """Return the arguments of dry runs that plan all commands: one for those alike but for targets and studies.

    All that studies declare of a seed is planned once a scale; with other options the Snakefile is only loaded.
    """
    together: dict[tuple[tuple[str, ...], ...], tuple[list[str], list[str]]] = {}
    for command in commands:
        words = shlex.split(command)[1:]
        asked = get_argument_parser().parse_args(words)
        if {"--sdm", "--unlock", "--report"} & {*words}:
            continue  # wants what brings the jobs' packages, or results; plans nothing
        config = asked.config or []
        other = {*asked.targets, *config, "--config", "--", "-n", "--cores"}
        options = tuple(word for word in words if word not in other and not word.isdecimal())
        studies = [one for one in config if one.startswith("studies=")] or ["studies=[ramachandran-translation]"]
        others = tuple(one for one in config if one not in studies)
        plain = not options and all(one.startswith("scale=") for one in others)
        key = options, (*others, "seeds=[1]") if plain else others
        targets, named = together.setdefault(key, ([], []))
        targets += asked.targets or ["all" if plain else "list_targets"]
        named += studies[0].removeprefix("studies=[").rstrip("]").split(",")
    return [
        [*dict.fromkeys(targets), *options, "--config", *config, f"studies=[{','.join(dict.fromkeys(studies))}]"]
        for (options, config), (targets, studies) in together.items()
    ]


@pytest.mark.parametrize("arguments", planned_together(documented("snakemake")), ids=" ".join)
def test_snakemake_plans_what_is_documented(checkout: Project, arguments: list[str]) -> None:
    checkout.plan(*arguments)
