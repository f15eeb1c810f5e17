"""The benchmarks' own side still runs: one small window of each, with no peer installed."""

import importlib
import json
import runpy
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from seqpre.corpora.token_store import TokenStore
from seqpre.metrics.correction import Gold
from seqpre.models.batch import Batch
from seqpre.models.kernels.products import mkl_is_slow
from seqpre.study.load import load_study
from seqpre.study.models.lstm import FirstLayer, LSTMSettings
from seqpre.training.batches import PairBatches

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


SMALL = {
    "corpus": {"VOCABULARY": 300, "PAIRS": 1_000, "SEARCH_BATCHES": 2, "BEAM_BATCH": 4},
    "gemm_ceiling": {"DIM": 16, "FF_DIM": 32, "HIDDEN": 32, "EMBEDDING": 16, "BATCH": 8, "BEAM": 3},
    "lstm_seq2seq_training": {"BATCH": 8, "MODEL": LSTMSettings(FirstLayer(16, 32, 0), upper_layers=1, upper_dim=32)},
    "lstm_lm_training": {"DIM": 16},
}
"""Sizes at which each of them takes no time, in the order in which they read them of each other."""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Import a benchmark of small sizes, and write the pairs that all of them read where they expect them."""
    known = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        patch.setattr(importlib.import_module("side_by_side"), "WORK", tmp_path_factory.mktemp("benchmarks"))
        for script, sizes in SMALL.items():
            module = importlib.import_module(script)
            for name, size in sizes.items():
                patch.setattr(module, name, size)
        importlib.import_module("corpus").prepare(importlib.import_module("gemm_ceiling").FOLDER)
        yield importlib.import_module
    for name in set(sys.modules) - known:
        if (BENCHMARKS / f"{name}.py").is_file():
            del sys.modules[name]


@pytest.mark.parametrize(
    ("script", "worker"),
    [
        ("lstm_lm_training", "ours"),
        ("lstm_seq2seq_training", "first_and_top"),
        ("beam_search", "first_and_top"),
        ("batch_reading", "pairs"),
        ("gemm_ceiling", "transformer_beam_1"),
        ("transformer_training", "ours"),
        ("transformer_beam_search", "10"),
        ("pointer", "train/pointer/pairs"),
        ("pointer", "search/pointer/"),
    ],
)
def test_a_window_of_work_is_answered(
    script: str, worker: str, scripts: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[float] = []
    answers = SimpleNamespace(
        ready=lambda **about: said.append("tool" in about), serve=lambda window: said.append(window())
    )
    module = scripts(script)
    lengths = ["--lengths", "15", "16"] if script == "gemm_ceiling" else []
    monkeypatch.setattr(sys, "argv", [script, "--worker", worker, "--work", "1", *lengths])
    monkeypatch.setattr(module, "Answers", lambda: answers)
    monkeypatch.setattr("seqpre.models.kernels.products.mkl_is_slow", mkl_is_slow)  # One of them changes it.
    module.main()
    ready, amount = said
    assert ready
    assert amount > 0


def test_a_process_answers_what_it_is_asked() -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "large_vocabulary.py", "--worker", "ours", "--work", "8"],
        input="go\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ready, window = (json.loads(line) for line in done.stdout.splitlines())
    assert "tool" in ready
    assert window["amount"] == 8
    assert window["cpu_seconds"] > 0


def test_every_ceiling_has_products(scripts: Callable[[str], Any]) -> None:
    for products, *_ in scripts("gemm_ceiling").pieces(15, 16).values():
        shapes = list(products())
        assert len(shapes) > 1
        assert min(map(min, shapes)) > 0


class Copier:
    """Loses a nat for each target subword that its source does not have at that place."""

    def loss(self, batch: Batch) -> torch.Tensor:
        assert torch.equal((batch.source_BS != 0).sum(dim=1), batch.lengths_B)
        return batch.scored(batch.source_BS != batch.targets_BT).sum()


def test_source_use_gives_each_target_its_own_source_and_its_neighbours(
    toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    german = TokenStore(toy / "tokens/valid.de")
    own, others = importlib.import_module("source_use").losses(Copier(), PairBatches(german, german, 8, 0))
    assert own == 0
    assert 0.5 < others <= 1


def test_corrections_are_judged_by_the_length_of_their_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    script = importlib.import_module("corrections_by_length")
    sources = ["a b c d e", " ".join(["word"] * 20), " ".join(["word"] * 21), "f g h i j"]
    assert script.classes(sources) == [[0, 1, 3], [2], [], []]
    gold = Gold(sources, [["a b c d e", sources[1], sources[2], "f g h i"]])
    assert script.fares(["a b c d e", "", "", "f g h i"], gold, [0, 3]) == (50, 90, 100)


def test_recipes_are_those_of_the_paper_scale_on_small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    recipes = importlib.import_module("recipes")
    for part in recipes.LSTMS.values():
        first, *others = (part.settings(recipe) for recipe in part.recipes)
        shape, *shapes = ((one if part.lm else one.model).first_layer for one in (first, *others))
        assert shape.hidden_dim <= 192
        assert all(other == shape for other in shapes)
        path = recipes.STUDIES / f"{part.study}.yaml"
        declared = load_study(path, "paper")
        assert first.optimizer.name == (declared.lm_settings if part.lm else declared.base).optimizer.name
    for part in recipes.TRANSFORMERS.values():
        first, *others = (part.settings(recipe) for recipe in part.recipes)
        assert first.optimizer.name == "nag"
        assert not others or others[0].optimizer.name == "adam"
        shape = "model" if part.model == "denoiser" else "shape"
        assert all(getattr(each, shape).dim <= 192 and each.train.patience == 0 for each in (first, *others))
    curves = {"a": [(500_000, 12.34), (1_000_000, 11.0)], "b": [(500_000, 1e6)]}
    assert recipes.table(curves).endswith("| a | 12.3 | 11.0 |\n| b | 1000000.0 | diverged |")


def test_all_of_the_gpu_script_runs_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "gpu.py", "--tiny", "--budget", "2000", "--output", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "gpu.jsonl").read_text().splitlines()]
    wrong = [line for line in lines if {"error", "skipped"} & line.keys()]
    assert wrong == []
    measured = {
        "ceilings": 8, "lstm_error": 5, "agreement": 4, "full_update": 6,
        "processes": 3, "transformers": 12, "curves": 8, "search": 4,
    }  # fmt: skip
    assert Counter(line["piece"] for line in lines) == {"machine": 1, **measured}
    for line in lines:
        if line["piece"] == "agreement":
            assert line["reached"], line
            assert line["last_loss"] != line["first_loss"]
        if line["part"] == "update":
            assert line["target_tokens_per_s"] > 0
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.setattr(sys, "argv", ["gpu.py", "--table", f"{tmp_path}/gpu.jsonl"])
    runpy.run_path(str(BENCHMARKS / "gpu.py"), run_name="__main__")  # Its modules are in a package of its name.
    assert capsys.readouterr().out == done.stdout
    assert done.stdout.count("\n## ") == len({(line["piece"], line["part"]) for line in lines}) - 1
