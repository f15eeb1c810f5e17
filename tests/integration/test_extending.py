"""What docs/extending.md says that a new model and a new metric take is all that they take."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from toy_language import finetune_arguments

ROOT = Path(__file__).parents[2]
SETTINGS = '''"""The settings and the cost of a bag of words."""

from dataclasses import dataclass
from typing import Literal

from seqpre.study.models.model import Model
from seqpre.study.typed import Count


@dataclass(frozen=True)
class BagSettings(Model):
    """A target word given the mean of the source's, and the word before it."""

    dim: Count = 8
    max_source: int = 0
    kind: Literal["bag"] = "bag"

    def parameters(self, vocabulary: int) -> int:
        return 2 * vocabulary * self.dim

    def sentence(
        self, vocabulary: int, source_length: float, target_length: float, beam: int = 1, scored: float = 1.0
    ) -> float:
        return 2 * beam * scored * target_length * vocabulary * self.dim
'''
MODEL = '''"""A bag of words."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from seqpre.models.family import Seq2SeqModel, SubwordStepper


class Bag(Seq2SeqModel):
    def __init__(self, source_vocab, target_vocab, settings):
        super().__init__(source_vocab, target_vocab, settings)
        self.max_source = settings.max_source
        self.source, self.target = (nn.Embedding(size, settings.dim) for size in (source_vocab, target_vocab))

    def meaning(self, source_BS, lengths_B):
        real_BS = torch.arange(source_BS.shape[1])[None] < lengths_B[:, None]
        return (self.source(source_BS) * real_BS[..., None]).sum(1) / lengths_B[:, None]

    def loss(self, batch):
        features_BTD = self.meaning(batch.source_BS, batch.lengths_B)[:, None] + self.target(batch.inputs_BT)
        logits_NV = batch.scored(features_BTD) @ self.target.weight.T
        return cross_entropy(logits_NV, batch.scored(batch.targets_BT), reduction="sum")

    def stepper(self, source_BS, lengths_B):
        return BagStepper(self, self.meaning(source_BS, lengths_B))

    def pretrained_mapping(self, side, parts):
        raise NotImplementedError


class BagStepper(SubwordStepper):
    def __init__(self, model, meaning_RD):
        self.model, self.meaning_RD = model, meaning_RD

    def step(self, ids_R):
        features_RD = self.meaning_RD + self.model.target(ids_R)
        return (features_RD @ self.model.target.weight.T).log_softmax(-1)

    def select(self, rows_R, sentences_B):
        self.meaning_RD = self.meaning_RD[rows_R]
'''
METRIC = '''"""The share of outputs that equal their references."""

import numpy as np

from seqpre.metrics.metric import Metric, Score
from seqpre.metrics.significance import mean_of_items


def exact(texts):
    equal = [100.0 * (ours == theirs) for ours, theirs in zip(texts.outputs, texts.references, strict=True)]
    return Score(sum(equal) / len(equal), "lines:equal", np.array([[one, 1.0] for one in equal]))


EXACT = Metric("exact", "Exact", exact, mean_of_items, lambda texts: exact(texts).statistics[:, 0].tolist())
'''
WRITTEN = {"study/models/bag.py": SETTINGS, "models/bag.py": MODEL, "metrics/exact.py": METRIC}
CHANGED = {
    "study/models/__init__.py": {
        "from seqpre.study.models.p": "from seqpre.study.models.bag import BagSettings\nfrom seqpre.study.models.p",
        "ModelSettings = ": "ModelSettings = BagSettings | ",
    },
    "models/build.py": {
        "from seqpre.models.family": "from seqpre.models.bag import Bag\nfrom seqpre.models.family",
        "    AugmentedTransformerSettings,\n": "    AugmentedTransformerSettings,\n    BagSettings,\n",
        "    LSTMSettings: Seq2Seq,": "    BagSettings: Bag,\n    LSTMSettings: Seq2Seq,",
    },
    "study/tasks.py": {
        "    from seqpre.metrics import bleu, chrf\n": "    from seqpre.metrics import bleu, chrf, exact\n",
        "bleu.DETOKENIZED, chrf.CHRF2": "bleu.DETOKENIZED, chrf.CHRF2, exact.EXACT",
        '    beside=("chrf2",)': '    beside=("chrf2", "exact")',
    },
}


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with a model and a metric more."""
    package = tmp_path_factory.mktemp("extended") / "seqpre"
    shutil.copytree(ROOT / "src/seqpre", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in WRITTEN.items():
        (package / name).write_text(text)
    for name, changes in CHANGED.items():
        text = (package / name).read_text()
        for before, after in changes.items():
            assert text.count(before) == 1, f"{name}: {before}"
            text = text.replace(before, after)
        (package / name).write_text(text)
    return package.parent


def run(package: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(package)}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("heading", "kind", "name"), [("A model", "model", "bag"), ("A metric", "metric", "exact")])
def test_the_files_are_those_of_the_page(heading: str, kind: str, name: str) -> None:
    page = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    said = {file.replace(f"<{kind}>", name) for file in re.findall(r"\*\*`([^`]+)`\*\*", section)}
    assert len(said) <= 5
    tests = {file for file in said if file.startswith("tests/")}
    mine = {file for file in WRITTEN if name in file} | {file for file in CHANGED if name in str(CHANGED[file])}
    assert said - tests == mine
    assert len(tests) == 1


def test_a_model_is_trained_decoded_priced_and_named_in_messages(extended: Path, toy: Path, tmp_path: Path) -> None:
    arguments = finetune_arguments(toy, tmp_path, {"kind": "bag", "dim": 6}, optimizer={"lr": 0.05})
    said = json.loads((tmp_path / "run.json").read_text())
    del said["settings"]["init"], said["settings"]["objectives"]
    (tmp_path / "run.json").write_text(json.dumps(said))
    done = run(extended, "-m", "seqpre.finetune", *arguments[: arguments.index("--lm")])
    assert done.returncode == 0, done.stderr
    first, *_, last = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert last["valid_loss"] < first["train_loss"]
    weights = ["--model", str(tmp_path / "weights/perplexity.safetensors"), "--subwords", str(toy / "bpe.model")]
    texts = ["--input", f"valid={toy}/valid.en", "--output-dir", str(tmp_path / "outputs"), "--device", "cpu"]
    done = run(extended, "-m", "seqpre.decode", *weights, *texts, "--beam", "3")
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "outputs/valid.txt").read_text().splitlines()) == 20
    price = """
from seqpre.planning.flops import update
from seqpre.study.settings import RunSettings
from seqpre.study.typed import overridden
print(update(70, overridden(RunSettings(), {"model": {"kind": "bag"}}, ""), 4, 5))
overridden(RunSettings(), {"model": {"kind": "bga"}}, "base")
"""
    done = run(extended, "-c", price)
    assert float(done.stdout) == 3 * 128 * 2 * 5 * 70 * 8
    assert "kind is 'bga'; did you mean 'bag'?" in done.stderr


def test_a_metric_is_scored_kept_tested_and_shown(extended: Path, tmp_path: Path) -> None:
    texts = {"r": "a\nb c\nd\n", "h": "a\nb\ne\n", "b": "x\nb\ne\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    common = ["--language", "en", "--selection", "perplexity", "--references", f"test={tmp_path}/r"]
    against = ["--baseline-hypotheses", f"test={tmp_path}/b", "--against", "full"]
    written = ["--output", str(tmp_path / "scores.json"), "--sentences", str(tmp_path / "s.npz")]
    done = run(extended, "-m", "seqpre.score", *common, "--hypotheses", f"test={tmp_path}/h", *against, *written)
    assert done.returncode == 0, done.stderr
    entry = json.loads((tmp_path / "scores.json").read_text())[-1]
    assert (entry["metric"], entry["signature"]) == ("exact", "lines:equal|norm:nfc")
    assert entry["score"] == entry["delta"] == pytest.approx(100 / 3)
    assert entry["low"] == 0.0
    shown = """
import sys
from pathlib import Path
from seqpre.metrics.sentences import read_sentences
from seqpre.samples import scores_of_items
from seqpre.study.tasks import metric_labels
print(read_sentences(Path(sys.argv[1]))["perplexity.test.exact"][:, 0].tolist())
print(scores_of_items("translation", ["a"], ["a"], [])["Exact"], metric_labels()["exact"])
"""
    assert run(extended, "-c", shown, str(tmp_path / "s.npz")).stdout == "[100.0, 0.0, 0.0]\n[100.0] Exact\n"
