"""The anchors: published outputs against published scores."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from shared import write_lines

from seqpre import anchors
from seqpre.corpora.catalog import read_catalog, select
from seqpre.metrics import paired_counts
from seqpre.metrics.gleu import gleu
from seqpre.metrics.rouge import NLTK, ROUGE_155, rouge
from seqpre.metrics.traps import traps
from seqpre.report.published import COLUMNS, load_published

REPOSITORY = Path(__file__).parents[2]
OUTPUTS = ["police arrest children", "oil prices are falling", "nothing"]
REFERENCES = ["police arrested a child", "the price of oil fell", "something"]
GOLD = (
    "S police arrest children\nA 1 2|||V|||arrested|||REQUIRED|||-NONE-|||0\n\nS oil prices is falling\n\nS nothing\n"
)
TEXTS = {
    anchors.HEADLINES: {"outputs": [OUTPUTS], "references": [REFERENCES]},
    anchors.CONLL: {"outputs": [OUTPUTS], "references": [GOLD.splitlines()]},
    anchors.JFLEG: {"outputs": [OUTPUTS], "sources": [OUTPUTS], "references": [REFERENCES, OUTPUTS]},
}
TRAPS, PUBLISHED = len(list(traps())), 10
Starter = Callable[[float], None]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Starter:
    """Return a function that runs the command on toy outputs whose ROUGE-2 is printed as right plus `error`."""
    mirror, workflow = tmp_path / "mirror", tmp_path / "workflow"
    workflow.mkdir(parents=True)
    rows = [next(iter((REPOSITORY / "workflow/corpora.tsv").open(encoding="utf-8"))).rstrip("\n")]
    for corpus, splits in TEXTS.items():
        for split, texts in splits.items():
            for number, lines in enumerate(texts):
                path = f"outputs.test/{corpus}/{split}{number}"
                write_lines(mirror / path, lines)
                rows.append(f"{corpus}\t{split}\ten\tlines\t\thttps://{path}\t\t\tMIT\t")
    (workflow / "corpora.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "config.yaml").write_text(
        json.dumps({"scale": "demo", "studies": ["s"], "seeds": None, "corpora": None, "mirror": str(mirror),
                    "results": str(tmp_path / "results"), "gpus": None, "gpus_per_node": 8,
                    "runs_per_gpu": 1, "gpu_memory_gb": 80, "tensorboard": None}),
        encoding="utf-8",
    )  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SEQPRE_MIRROR", raising=False)

    def run(error: float) -> None:
        exact, own = rouge(OUTPUTS, REFERENCES, ROUGE_155), rouge(OUTPUTS, REFERENCES, NLTK)
        monkeypatch.setattr(anchors, "RECORDED", {name: f"{own[name].score:.2f}" for name in anchors.RECORDED})
        lines = ["\t".join(COLUMNS)]
        for name in anchors.RECORDED:
            value = f"{exact[name].score + (error if name == 'rouge_2' else 0):.2f}"
            lines.append(f"p\tpoda-headlines\tTable 4\te\tfull\tPoDA\t\t100pct\ttest\t{name}\t{value}\ttext\t0.005\t")
        # `is` became `are`, which is not gold; `arrest`, which should have changed, stayed.
        corrections = {
            ("Table 6", "m2_precision"): "0.00",
            ("Table 6", "m2_recall"): "0.00",
            ("Table 6", "m2_f0.5"): "0.00",
        }
        score = gleu(OUTPUTS, OUTPUTS, [REFERENCES, OUTPUTS])["gleu"].score
        for (place, name), value in {**corrections, ("Table 7", "gleu"): f"{score:.2f}"}.items():
            split = {"Table 6": "conll2014", "Table 7": "jfleg"}[place]
            where = f"p\tpoda-correction\t{place}\te\tfull\tPoDA\t\t100pct\t{split}"
            lines.append(f"{where}\t{name}\t{value}\ttext\t0.005\t")
        (workflow / "published.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        anchors.main([])

    return run


def test_anchors_that_hold_are_listed(start: Starter, capsys: pytest.CaptureFixture[str]) -> None:
    start(0.0)
    printed = capsys.readouterr().out
    assert "3 headlines" in printed
    assert (printed.count("  ok  "), printed.count("MISSED")) == (TRAPS + PUBLISHED, 0)


def test_a_missed_anchor_is_named_and_ends_with_status_1(start: Starter, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        start(0.02)
    assert ended.value.code == 1
    printed = capsys.readouterr()
    (missed,) = [line for line in printed.out.splitlines() if "MISSED" in line]
    assert missed.split()[:2] == ["rouge-1.5.5", "rouge_2"]
    assert f"1 of {TRAPS + PUBLISHED} anchors are missed" in printed.err


def test_a_missed_trap_ends_with_status_1_too(
    start: Starter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paired_counts, "sign_test", lambda first, second: 0.5)
    with pytest.raises(SystemExit) as ended:
        start(0.0)
    assert ended.value.code == 1
    printed = capsys.readouterr()
    assert [line.split()[:2] for line in printed.out.splitlines() if "MISSED" in line] == [["p-value", "sign"]] * 2
    assert f"2 of {TRAPS + PUBLISHED} anchors are missed" in printed.err


def test_elsewhere_the_command_says_where_to_start_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = refused(anchors.main, ["--config", str(REPOSITORY / "config.yaml")])
    assert "start this in the folder of the Snakefile" in said


def test_every_anchor_is_printed_where_it_is_looked_for(tmp_path: Path) -> None:
    published = load_published(REPOSITORY / "workflow/published.tsv")
    (tmp_path / "gold.m2").write_text(GOLD, encoding="utf-8")
    found = anchors.rouge_anchors(OUTPUTS, REFERENCES, published)
    found += anchors.m2_anchors(OUTPUTS, tmp_path / "gold.m2", published)
    found += anchors.gleu_anchors(OUTPUTS, OUTPUTS, [REFERENCES, OUTPUTS], published)
    assert len(found) == PUBLISHED
    assert [one.known for one in found[-4:]] == ["70.10", "36.88", "59.40", "59.02"]


def test_the_published_outputs_have_the_published_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror = Path(os.environ.get("SEQPRE_MIRROR", "."))
    rows = read_catalog(REPOSITORY / "workflow/corpora.tsv")
    files = [
        row.relative_path for corpus in TEXTS for split in TEXTS[corpus] for row in select(rows, corpus, split, "en")
    ]
    if not all((mirror / file).is_file() for file in files):
        pytest.skip("SEQPRE_MIRROR names no folder with the PoDA authors' outputs; they are not in the repository")
    config = (REPOSITORY / "config.yaml").read_text(encoding="utf-8")
    (tmp_path / "config.yaml").write_text(config.replace("results: results", f"results: {tmp_path}"), encoding="utf-8")
    monkeypatch.chdir(REPOSITORY)
    anchors.main(["--config", str(tmp_path / "config.yaml")])
    assert capsys.readouterr().out.count("  ok  ") == TRAPS + PUBLISHED
