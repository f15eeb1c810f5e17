"""Table 5 of Edunov et al. (2019): what language model representations cost in training and in search.

    python benchmarks/representations.py

Five systems in one run, on one thread, in turns: `shared`, whose embeddings are one matrix, and the four that read a
language model on one side. As in the paper each tower of a language model has twice the layers of a side of the
Transformer, of the same width; the sizes are those of transformer_training.py. Searches are with beams of 5, one length
a batch. In those marked so the LM of the target side reads the whole prefix anew at every step, as the paper's did.
The published speeds, from workflow/published.tsv, are of 32 V100 in training and of one in search.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from corpus import VOCABULARY, mean_lengths, of_one_length, prepare, search_batches, stores
from gemm_ceiling import BATCH, DIM, FF_DIM, FOLDER, HEADS, LAYERS
from side_by_side import ROOT, Tool, arguments, measure, report, table
from torch import Tensor
from transformer_training import SETTINGS, SMOOTHING
from updates import Updates, trained_parameters
from worker import Answers

from seqpre.common.device import device_of
from seqpre.models.augmented import AugmentedStepper, AugmentedTransformer
from seqpre.models.transformer import Transformer, TransformerStepper
from seqpre.report.published import load_published, of_study
from seqpre.search import Limits, beam_search
from seqpre.study.models.augmented import AugmentedTransformerSettings, RepresentationSettings
from seqpre.study.models.two_tower import TransformerLMShape
from seqpre.study.typed import as_kind
from seqpre.training.batches import PairBatches
from seqpre.training.objectives import CrossEntropy
from seqpre.training.processes import Processes

BEAM = 5
LM = TransformerLMShape(DIM, FF_DIM, HEADS, 2 * LAYERS)
UNSHARED = replace(as_kind(SETTINGS, AugmentedTransformerSettings), tied="none")
REPRESENTATIONS = {
    "src_elmo": RepresentationSettings(source="elmo", lm=LM),
    "src_ft": RepresentationSettings(source="fine_tuned", lm=LM),
    "tgt_elmo": RepresentationSettings(target="elmo", lm=LM),
    "tgt_ft": RepresentationSettings(target="fine_tuned", lm=LM),
}
SYSTEMS = ["shared", *REPRESENTATIONS]
TRAINING, INFERENCE = "train_tokens_per_second", "inference_tokens_per_second"
ANEW = "whole prefix at every step"


class AnewStepper(AugmentedStepper):
    """An AugmentedStepper whose LM keeps nothing."""

    def __init__(self, model: AugmentedTransformer, source_BS: Tensor, lengths_B: Tensor) -> None:
        super().__init__(model, source_BS, lengths_B)
        self.prefix_RL = torch.empty(0, 0, dtype=torch.long)

    def inputs(self, ids_R: Tensor) -> Tensor:
        earlier_RL = self.prefix_RL if self.prefix_RL.numel() else ids_R.new_empty(len(ids_R), 0)
        self.prefix_RL = torch.cat([earlier_RL, ids_R[:, None]], dim=1)
        lengths_R = torch.full((len(ids_R),), self.prefix_RL.shape[1])
        x_RD = self.target(self.prefix_RL, lengths_R)[:, -1]
        return self.augmented.with_positions(x_RD[:, None], self.length)[:, 0]

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        TransformerStepper.select(self, rows_R, sentences_B)
        self.prefix_RL = self.prefix_RL[rows_R]


class Anew(AugmentedTransformer):
    def stepper(self, source_BS: Tensor, lengths_B: Tensor) -> TransformerStepper:
        return AnewStepper(self, source_BS, lengths_B)


def model_of(name: str, anew: bool = False) -> Transformer:
    torch.manual_seed(1)
    if name == "shared":
        model = Transformer(VOCABULARY, VOCABULARY, SETTINGS)
    else:
        settings = replace(UNSHARED, representations=REPRESENTATIONS[name])
        model = (Anew if anew else AugmentedTransformer)(VOCABULARY, VOCABULARY, settings)
    model.label_smoothing = SMOOTHING
    return model


def train(name: str, updates: int) -> None:
    """Answer requests for windows of updates."""
    model = model_of(name)
    data = PairBatches(*stores(FOLDER), BATCH, seed=1, max_length=100)
    objective = CrossEntropy(model, data, Processes())
    answers = Answers()
    answers.ready(tool=name, parameters=trained_parameters(model, objective))
    answers.serve(Updates(model, objective, updates))


def search(name: str, anew: bool) -> None:
    """Answer requests for windows of all batches."""
    model = model_of(name, anew).eval()
    batches = [
        (torch.from_numpy(sources), int(lengths[0])) for sources, lengths in of_one_length(search_batches(FOLDER))
    ]

    def window() -> float:
        written = 0
        for source_BS, length in batches:
            lengths_B = torch.full((len(source_BS),), source_BS.shape[1])
            beam_search([model], source_BS, lengths_B, BEAM, Limits(min_length=length, max_length=length))
            written += length * len(source_BS)
        return written

    answers = Answers()
    answers.ready(tool=name)
    answers.serve(window)


def published(metric: str) -> dict[str, float]:
    """Return the published speeds by system."""
    numbers = of_study(load_published(ROOT / "workflow/published.tsv"), "edunov-translation", "Table 5")
    return {number.system: number.value for number in numbers if number.metric == metric}


def slowdowns(tools: Sequence[Tool], metric: str) -> str:
    """Return how many times slower than `shared` each system is, in the paper and here."""
    theirs = published(metric)
    medians = {tool.name: statistics.median(tool.rates) for tool in tools}
    rows = ["| system | slower than shared: the paper | ours |", "| --- | --- | --- |"]
    for name, median in medians.items():
        system = name.partition(",")[0]
        printed = f"{theirs['shared'] / theirs[system]:.2f} x" if "," not in name or ANEW in name else ""
        rows.append(f"| {name} | {printed} | {medians['shared'] / median:.2f} x |")
    return "\n".join(rows)


def claims(training: Sequence[Tool], searching: Sequence[Tool]) -> str:
    """Return what the paper says of these speeds, beside its own numbers and ours."""
    rows = ["| claim | the paper says | its own numbers | ours |", "| --- | --- | --- | --- |"]
    for claim, words, tools, metric, shown in (
        ("E-C8", "training is 5.3 and 9.2 times slower with src-elmo and src-ft", training, TRAINING, "{:.2f} x"),
        ("E-C9", "inference is only 12-14 % slower with them", searching, INFERENCE, "{:.1%}"),
    ):
        theirs, ours = published(metric), {tool.name: statistics.median(tool.rates) for tool in tools}
        cells = []
        for speeds in (theirs, ours):
            times = [speeds["shared"] / speeds[name] for name in ("src_elmo", "src_ft")]
            lost, longer = ([change(one) for one in times] for change in (lambda x: 1 - 1 / x, lambda x: x - 1))
            both = {"of the speed": lost, "of the time": longer} if tools is searching else {"": times}
            cells.append("; ".join(f"{', '.join(map(shown.format, values))} {what}" for what, values in both.items()))
        rows.append(f"| {claim} | {words} | {' | '.join(cell.strip() for cell in cells)} |")
    return "\n".join(rows)


def main() -> None:
    args = arguments(__doc__, windows=4, work=4, what="updates").parse_args()
    if args.worker:
        torch.set_num_threads(1)
        device_of("cpu")
        what, name, how = args.worker.split("/")
        return train(name, args.work) if what == "train" else search(name, how == "anew")
    prepare(FOLDER)

    def tool(title: str, worker: str) -> Tool:
        return Tool(title, [sys.executable, Path(__file__), "--worker", worker, "--work", args.work])

    training = [tool(name, f"train/{name}/") for name in SYSTEMS]
    searching = [tool(name, f"search/{name}/") for name in SYSTEMS]
    searching += [tool(f"{name}, {ANEW}", f"search/{name}/anew") for name in ("tgt_elmo", "tgt_ft")]
    measure(training, args.windows)
    measure(searching, args.windows)
    body = "\n\n".join(
        [
            "## Training",
            table(training, "target tokens"),
            slowdowns(training, TRAINING),
            "## Beam search",
            table(searching, "target tokens"),
            slowdowns(searching, INFERENCE),
            "## Claims",
            claims(training, searching),
        ]
    )
    report("representations", "What language model representations cost", body, NOTES.format(*mean_lengths(FOLDER)))


NOTES = """
Sentences of {:.1f} source and {:.1f} target tokens, 8,000 words. The paper's target LMs read the whole prefix at every
step, as ours do in the rows that say so.
"""

if __name__ == "__main__":
    main()
