"""Text and a study of one's own, as docs/own-text.md shows them, from a folder beside the checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from checkout import OWN_LINES, REPOSITORY, Project, own_text
from seqpre.corpora.learn_bpe import learn_bpe
from seqpre.planning.planner import make_plan
from seqpre.report.results import Results
from seqpre.study.configuration import read_configuration
from seqpre.study.paper import in_paper
from seqpre.study.reported import read_reported

TEXTS = [f"{split}.{side}" for split in ("train", "valid", "test") for side in ("en", "de")]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder with a space in its name."""
    own_text(tmp_path / "my text")
    return tmp_path / "my text"


def settings(mine: Path) -> dict[str, object]:
    """Return the keys of the configuration that name what is one's own."""
    return {"scale": "small", "studies": [f"{mine}/my-study.yaml"], "corpora": f"{mine}/corpora.tsv", "seeds": [1]}


def test_own_text_is_read_where_it_is_and_read_again_when_it_changes(project: Project, mine: Path) -> None:
    named = ("--config", "scale=small", f"studies=[{mine}/my-study.yaml]", f"corpora={mine}/corpora.tsv")
    extracted = [f"results/small/corpora/mine/raw/{text}" for text in TEXTS]
    assert project.planned(*extracted, *named) == {"extract": 6}
    done = project.snakemake("--cores", "1", *extracted, "results/small/corpora/mine_news/raw/train.de", *named)
    assert done.returncode == 0, done.stdout
    raw = project.folder / "results/small/corpora"
    assert (raw / "mine/raw/train.en").read_bytes() == (mine / "train.en").read_bytes()
    news = (raw / "mine_news/raw/train.de").read_text(encoding="utf-8").splitlines()
    assert news == [f"mine_news train de {line}" for line in OWN_LINES]
    assert project.planned(*extracted, *named) == {}
    (mine / "train.de").write_text("one\ntwo\n" * 20, encoding="utf-8")
    later = max((project.folder / file).stat().st_mtime for file in extracted) + 1
    os.utime(mine / "train.de", (later, later))
    assert project.planned(*extracted, *named) == {"extract": 2}
    assert project.snakemake("--cores", "1", *extracted, *named).returncode == 0
    (mine / "train.de").write_text("one\nthree\n" * 20, encoding="utf-8")
    os.utime(mine / "train.de", (1e9, 1e9))  # of an older file in its place
    assert project.planned(*extracted, *named) == {"extract": 2}


def test_a_vocabulary_of_ones_own_is_taken_and_taken_again_when_its_content_changes(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "mine.yaml").write_text(
        "extends: transformer-translation\nscales: {demo: {vocab_model: mine.model}, small: , paper: }\n",
        encoding="utf-8",
    )
    model, taken = tmp_path / "mine.model", "results/demo/subwords/mine/bpe.model"
    named = ("--config", f"studies=[{tmp_path}/mine.yaml]")
    text = tmp_path / "text"
    text.write_text("".join(map(chr, range(33, 127))) + "äöüßÄÖÜ\n", encoding="utf-8")
    model.write_bytes(learn_bpe([text], 106))
    done = project.snakemake("--cores", "1", taken, *named)
    assert done.returncode == 0, done.stdout
    assert (project.folder / taken).read_bytes() == model.read_bytes()
    before = model.stat().st_mtime - 3600
    os.utime(model, (before, before))
    assert project.planned(taken, *named) == {}
    model.write_bytes(learn_bpe([text], 107))
    os.utime(model, (before, before))
    planned = project.planned(*named)
    assert planned["take_subwords"] == 1
    assert "learn_bpe" not in planned
    model.write_bytes(b"no model")
    done = project.snakemake("--dry-run", *named)
    assert done.returncode != 0
    assert "ConfigError: mine.yaml: scales.demo.vocab_model: model: " in done.stdout


def test_a_study_of_another_language_pair_is_planned(project: Project, mine: Path) -> None:
    page = (REPOSITORY / "docs/own-text.md").read_text(encoding="utf-8")
    (study,) = re.findall(r"^```yaml\n(# mine/pair.yaml\n.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    (mine / "pair.yaml").write_text(study, encoding="utf-8")
    for file in [*mine.glob("*.de"), *mine.glob("*.de.gz")]:
        file.rename(mine / file.name.replace(".de", ".fr"))
    listed = (mine / "corpora.tsv").read_text(encoding="utf-8")
    (mine / "corpora.tsv").write_text(listed.replace("\tde\t", "\tfr\t").replace(".de", ".fr"), encoding="utf-8")
    named = ("scale=small", f"studies=[{mine}/pair.yaml]", f"corpora={mine}/corpora.tsv", "seeds=[1]")
    planned = project.planned("--config", *named)
    assert {"extract", "filter", "pretrain", "finetune"} <= planned.keys()


def test_own_text_that_cannot_be_used_is_refused_before_the_first_job(project: Project, mine: Path) -> None:
    named = ("--config", "scale=small", f"studies=[{mine}/my-study.yaml]", f"corpora={mine}/corpora.tsv")
    (mine / "test.de").write_text("one\n", encoding="utf-8")
    done = project.snakemake("--cores", "1", "results/small/corpora/mine/raw/train.en", *named)
    assert done.returncode != 0
    words = f"DataError: unequal line counts: {mine}/test.en has 40, {mine}/test.de has 1; "
    assert done.stdout.rstrip().splitlines()[-1].startswith(words)
    assert "  File " not in done.stdout
    assert not (project.folder / "results/small/corpora").exists()


def test_a_study_reads_the_same_text_whichever_others_are_selected(project: Project, mine: Path) -> None:
    (mine / "my-study.yaml").write_text(
        "extends: ramachandran-translation\n"
        "scales: {demo: {corpora: {bitext: mine, other_domain: demo_ende}, tests: [test]}, small: , paper: }\n",
        encoding="utf-8",
    )

    def made(*studies: str) -> set[tuple[str, str]]:
        selected = f"studies=[{','.join((f'{mine}/my-study.yaml', *studies))}]"
        return {*project.outputs("my-study", "--config", selected, f"corpora={mine}/corpora.tsv")}

    assert made() == made("ramachandran-translation")


def test_what_is_odd_about_own_text_is_said_before_the_first_job(project: Project, mine: Path) -> None:
    named = ("--config", "scale=small", f"studies=[{mine}/my-study.yaml]", f"corpora={mine}/corpora.tsv")
    (mine / "test.en").write_bytes((mine / "train.en").read_bytes())
    done = project.snakemake("--cores", "1", "results/small/corpora/mine/raw/train.en", *named)
    assert done.returncode == 0, done.stdout
    words = "Your own text: 40 of 40 lines of mine/test.en are in train.en, too, and are trained on"
    assert done.stdout.index(words) < done.stdout.index("1/1 ")


def test_a_study_in_other_languages_than_the_published_numbers_says_so(project: Project) -> None:
    (project.folder / "workflow/studies/german.yaml").write_text(
        "extends: edunov-turkish\ntarget: de\nscales: {demo: {corpora: {bitext: demo_ende}}, small: , paper: }\n",
        encoding="utf-8",
    )
    file = "results/demo/german/study.json"
    done = project.snakemake("--cores", "1", file, "--config", "studies=[german]")
    assert done.returncode == 0, done.stdout
    paper = in_paper(project.folder / "workflow/papers/edunov2019.yaml", "edunov-turkish")
    results = Results(read_reported(project.folder / file), project.folder, paper)
    assert (*results.study.languages, results.other_languages) == ("en", "de", True)


def test_the_closing_words_do_not_call_own_text_generated(project: Project, mine: Path) -> None:
    (mine / "my-study.yaml").write_text(
        "extends: ramachandran-translation\n"
        "scales: {demo: {corpora: {bitext: mine}, tests: [test]}, small: , paper: }\n",
        encoding="utf-8",
    )
    for studies, said in (
        (f"{mine}/my-study.yaml", ""),
        (f"{mine}/my-study.yaml,poda-headlines", "poda-headlines was the demo, of generated text"),
        ("poda-headlines", "This was the demo, of generated text"),
    ):
        study = "my-study" if "my-study" in studies else "poda-headlines"
        done = project.snakemake(
            "--cores", "1", f"results/demo/{study}/study.json", "--config", f"studies=[{studies}]",
            f"corpora={mine}/corpora.tsv",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        assert said in done.stdout
        assert ("the demo, of generated text" in done.stdout) == bool(said)


def test_plan_and_doctor_know_own_text(project: Project, tmp_path: Path) -> None:
    mine = tmp_path / "my text"
    own_text(mine, [f"line {number}" for number in range(1000)])  # Of few, 5 % are none.
    lines = (project.folder / "config.yaml").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line.partition(":")[0] not in settings(mine)]
    own = [f"{key}: {value}" for key, value in settings(mine).items()]
    (project.folder / "config.yaml").write_text("\n".join([*kept, *own]), encoding="utf-8")

    listed = project.planned()
    del listed["all"]
    config = read_configuration(project.folder / "config.yaml")
    assert Counter(job.rule for job in make_plan(config, project.folder, 0, 2).jobs) == listed

    def examined() -> str:
        command = [sys.executable, "-m", "seqpre.doctor"]
        return subprocess.run(command, cwd=project.folder, text=True, capture_output=True, check=False).stdout

    assert "✓ own text: 8 files, all there" in examined()
    (mine / "valid.de").unlink()
    found = examined()
    assert found.startswith("✗ configuration: ")
    assert "corpora.tsv, line 5: url 'valid.de' names the file" in found
