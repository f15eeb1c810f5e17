"""Do the paper scale's recipes train? Its optimisers, rates and batches on small models, beside the small scale's.

    snakemake --cores 2 --config scale=small 'studies=[ramachandran-translation, ramachandran-summarization]'
    snakemake --cores 2 --config scale=small 'studies=[poda-headlines, edunov-translation]'
    python benchmarks/recipes.py results/small                        all of it
    python benchmarks/recipes.py results/small --only translation_lm  one part; the others as far as they were trained

Validation perplexity over the target or LM tokens read, on the small scale's text as the workflow has prepared it. LMs
and the denoiser are of the small scale's size, translation and summarization models of the demo's; those start from
random weights and have no LM losses. The wider a model, the lower the rate that Adam can take (Yang et al., 2021), so
the paper's recipe is trained with its rate as it is, and multiplied by the quotient of the widths. Trainings are those
of the project's commands, kept in `.work/recipes`: the same call goes on where it was. Writes results/recipes.md and
.png, of LSTMs, and recipes_transformers.md and .png, each if there is something in it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator
from side_by_side import HERE, ONE_THREAD, ROOT, WORK, machine, occasion, versions, write_result

from seqpre.common.files import read_json, write_json
from seqpre.corpora.token_store import TokenStore
from seqpre.report.style import BLUE, GREEN, GREY, PAGE, VERMILION, styled
from seqpre.study.load import load_study
from seqpre.study.pretraining import load_pretraining
from seqpre.study.pretraining_settings import DenoiserSettings, LMSettings, TransformerLMSettings
from seqpre.study.run import Run
from seqpre.study.settings import RunSettings
from seqpre.study.typed import differences, overridden

STUDIES, PRETRAINING = ROOT / "workflow/studies", ROOT / "workflow/pretraining"
POINTS = 10
"""Validations of a training, at equal numbers of tokens."""
ORANGE = "#E69F00"
LONGER = "_longer"


Curve = list[tuple[int, float]]
"""Tokens read, and the perplexity on validation text."""


@dataclass
class Recipe:
    """One curve: whose settings, and what is changed of them."""

    name: str
    scale: str
    colour: str
    change: dict[str, Any] = field(default_factory=dict)


MEAN = {"train.loss_per": "token", "train.clipped": "all"}
PUBLISHED = Recipe("paper: Adagrad 0.2, gradients as published", "paper", BLUE)
BEFORE = Recipe("as it was: mean gradients, all clipped", "paper", VERMILION, MEAN)
ADAM = Recipe("small: Adam 5e-3", "small", GREY)
PARTLY = [
    Recipe("paper, clipped at norm 10", "paper", GREEN, {"optimizer.clip_norm": 10.0}),
    Recipe("paper, but all clipped", "paper", ORANGE, {"train.clipped": "all"}),
]
WIDTHS = 1024 / 64
FINE_TUNING = [
    Recipe("paper: Adam 5e-5", "paper", VERMILION),
    Recipe(f"paper, rate times {WIDTHS:g}", "paper", BLUE, {"optimizer.lr": 5e-5 * WIDTHS}),
    Recipe("small: Adam 4e-3", "small", GREY),
]
# Documents are cut to 60 subwords, and batches with them: to 94 pairs, as of CNN/Daily Mail, and 24, as of Reuters.
SUMMARIES = [
    dataclasses.replace(recipe, change={**recipe.change, "model.max_source": 60, "train.batch_tokens": cells})
    for recipe, cells in zip(FINE_TUNING[1:], (6_600, 1_700), strict=True)
]
ALONE: dict[str, Any] = {
    "init": {"encoder": "random", "decoder": "random"},
    "objectives": {"source_lm_weight": 0.0, "target_lm_weight": 0.0},
}


@dataclass
class Part:
    """What is trained for so many passes: an LM on its text, or a seq2seq model on a study's pairs."""

    study: str
    recipes: list[Recipe]
    passes: float
    lm: str = ""

    def settings(self, recipe: Recipe) -> LMSettings | RunSettings:
        """Return the recipe on a small model."""
        path = STUDIES / f"{self.study}.yaml"
        study, small, demo = (load_study(path, scale) for scale in (recipe.scale, "small", "demo"))
        if self.lm:
            lm = dataclasses.replace(study.lm_settings, first_layer=small.lm_settings.first_layer)
            held_out = {"train.held_out": small.lm_settings.train.held_out}
            return overridden(lm, {**held_out, **recipe.change}, recipe.name)
        alone = dataclasses.replace(study.base, model=demo.base.model)
        return overridden(alone, {**ALONE, **recipe.change}, recipe.name)

    def command(self, recipe: Recipe, results: Path, folder: Path) -> list[object]:
        """Write the settings of one training into its folder; return the command that trains it."""
        small, settings = load_study(STUDIES / f"{self.study}.yaml", "small"), self.settings(recipe)
        tokens, subwords = results / "tokens" / small.name, results / "subwords" / small.name / "bpe.model"
        if isinstance(settings, LMSettings):
            lm, train = small.lms[self.lm], settings.train
            text = tokens / small.corpora[lm.corpus] / f"train.{lm.language}"
            budget = int(self.passes * len(TokenStore(text).tokens))
            every = budget // (POINTS * train.streams * train.bptt)
            budget = POINTS * every * train.streams * train.bptt
            limits = {"max_tokens": budget, "validate_every": every, "patience": 0}
            settings = overridden(settings, {"train": limits}, recipe.name)
            write_json(
                folder / "lm.json",
                {"name": self.lm, "fraction": "100pct", "settings": differences(settings, LMSettings())},
            )
            return ["pretrain", "--settings", folder / "lm.json", "--train", text, "--vocabulary", subwords]
        limits = {"passes": self.passes, "validate_passes": self.passes / POINTS, "patience": 0}
        settings = overridden(settings, {"train": limits}, recipe.name)
        write_json(folder / "run.json", Run(small.name, recipe.scale, "alone", "100pct", 1, settings, {}).to_json())
        bitext, source, target = small.corpora["bitext"], small.source, small.target
        pairs, references = tokens / bitext, results / "corpora" / bitext / f"raw/valid.{target}"
        return [
            "finetune", "--run", folder / "run.json", "--subwords", subwords,
            "--source", pairs / f"train.{source}", "--target", pairs / f"train.{target}",
            "--valid-source", pairs / f"valid.{source}", "--valid-target", pairs / f"valid.{target}",
            "--valid-references", references,
        ]  # fmt: skip


@dataclass
class Pretraining:
    """What is trained for so many tokens: a model that studies share."""

    pretraining: str
    model: str
    store: str
    recipes: list[Recipe]

    def settings(self, recipe: Recipe) -> DenoiserSettings | TransformerLMSettings:
        """Return the recipe on the small scale's model; of the paper's, where normalisation stands is the recipe's."""
        path = PRETRAINING / f"{self.pretraining}.yaml"
        settings, small = (load_pretraining(path, scale, ()).lm_settings for scale in (recipe.scale, "small"))
        held_out = {"train.held_out": small.train.held_out, "train.patience": 0, "train.keep": []}
        if isinstance(settings, DenoiserSettings):
            model = dataclasses.replace(small.model, norm=settings.model.norm)
            settings = dataclasses.replace(settings, model=model, segment=small.segment)
        else:
            settings = dataclasses.replace(settings, shape=small.shape)
        return overridden(settings, {**held_out, **recipe.change}, recipe.name)

    def command(self, recipe: Recipe, results: Path, folder: Path) -> list[object]:
        """Write the settings of one training into its folder; return the command that trains it."""
        settings = self.settings(recipe)
        declared = read_json(results / "lms" / self.pretraining / self.model / "lm.json")
        write_json(folder / "lm.json", declared | {"settings": differences(settings, LMSettings())})
        text = ["--settings", folder / "lm.json", "--train", results / "tokens" / self.pretraining / self.store]
        kind = "words/{}/words.tsv" if isinstance(settings, DenoiserSettings) else "subwords/{}/bpe.model"
        return ["pretrain", *text, "--vocabulary", results / kind.format(self.pretraining)]


def updates(number: int, **change: Any) -> dict[str, Any]:
    """Return so many updates with ten validations, and what else changes."""
    return {"train.max_updates": number, "train.validate_every": number // POINTS, **change}


# As many tokens each. Schedules are cut to these lengths: the paper's rates are the whole time what they are at first,
# warmed up.
FULL_BATCHES = {"train.batch_tokens": 24_000}
DENOISERS = [
    Recipe("paper: NAG 2e-3, momentum 0.99", "paper", BLUE, updates(400, **FULL_BATCHES)),
    Recipe("small: Adam 6e-3", "small", GREY, updates(1_500, **{"optimizer.warmup": 75})),
    # A segment of 40 words is asked for 20: 20 times the rate and a twentieth of the norm are what it would be, had the
    # published code the mean over segments, not words.
    Recipe("paper, gradients per segment", "paper", GREEN,
           updates(400, **FULL_BATCHES,
                   **{"optimizer.lr": 0.04, "optimizer.lr_end": 2e-3, "optimizer.clip_norm": 0.1})),
]  # fmt: skip
SMALL_BATCHES = {"train.batch_tokens": 3_000, "train.tokens_per_update": 0}
CAUSAL = [
    Recipe("paper: NAG 1, momentum 0.99, in small batches", "paper", BLUE,
           updates(600, **SMALL_BATCHES, **{"optimizer.warmup": 60})),
    Recipe("small: Adam 3e-3", "small", GREY, updates(600, **{"optimizer.warmup": 60})),
    Recipe("paper, clipped at norm 1", "paper", GREEN,
           updates(600, **SMALL_BATCHES, **{"optimizer.warmup": 60, "optimizer.clip_norm": 1.0})),
]  # fmt: skip
CAUSAL_LONGER = [dataclasses.replace(CAUSAL[0], change=updates(1_800, **SMALL_BATCHES, **{"optimizer.warmup": 60}))]


LSTMS: dict[str, Part | Pretraining] = {
    "translation_lm": Part("ramachandran-translation", [PUBLISHED, *PARTLY, BEFORE, ADAM], 0.5, "monolingual_de"),
    "translation_lm" + LONGER: Part("ramachandran-translation", [PUBLISHED], 2, "monolingual_de"),
    "summarization_lm": Part("ramachandran-summarization", [PUBLISHED, BEFORE, ADAM], 0.5, "unlabelled"),
    "translation": Part("ramachandran-translation", FINE_TUNING, 5),
    "translation" + LONGER: Part("ramachandran-translation", FINE_TUNING[1:2], 15),
    "summarization": Part("ramachandran-summarization", SUMMARIES, 10),
}
TRANSFORMERS: dict[str, Part | Pretraining] = {
    "denoiser": Pretraining("poda", "denoiser", "cnndm_and_reuters/segments.document", DENOISERS),
    "transformer_lm": Pretraining("edunov", "causal_de", "tatoeba_others/train.de", CAUSAL),
    "transformer_lm" + LONGER: Pretraining("edunov", "causal_de", "tatoeba_others/train.de", CAUSAL_LONGER),
}
PARTS = LSTMS | TRANSFORMERS


DIVERGED = "diverged"
"""A file in the folder of a training that did."""


def train(part: Part | Pretraining, recipe: Recipe, results: Path, folder: Path) -> None:
    """Train on one thread, unless that is done, or was seen to diverge."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / DIVERGED).exists():
        return
    module, *options = map(str, part.command(recipe, results, folder))
    done = subprocess.run(
        [sys.executable, "-m", f"seqpre.{module}", *options, "--output-dir", folder, "--device", "cpu"],
        env={**os.environ, **ONE_THREAD},
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode and "DivergenceError" not in done.stderr:
        sys.exit(done.stderr)
    if done.returncode:
        (folder / DIVERGED).touch()


def folder_of(name: str, number: int) -> Path:
    return WORK / "recipes" / name / str(number)


def ended(folder: Path) -> bool:
    return (folder / "summary.json").exists() or (folder / DIVERGED).exists()


def curve(folder: Path) -> Curve:
    """Return what a training has measured."""
    metrics = folder / ("checkpoints/metrics.jsonl" if (folder / DIVERGED).exists() else "metrics.jsonl")
    lines = map(json.loads, metrics.read_text(encoding="utf-8").splitlines())
    return [(line["tokens"], line["valid_perplexity"]) for line in lines if line["event"] == "validation"]


def table(curves: dict[str, Curve]) -> str:
    """Return one part's curves as a Markdown table: perplexity after so many tokens."""
    places = [tokens for tokens, _ in max(curves.values(), key=len)]
    lines = [
        f"| recipe | {' | '.join(f'{tokens / 1e6:.2f} M' for tokens in places)} |",
        f"| --- |{' ---: |' * len(places)}",
    ]
    for name, points in curves.items():
        cells = [f"{perplexity:.1f}" for _, perplexity in points]
        lines.append(f"| {name} | {' | '.join([*cells, *[DIVERGED] * (len(places) - len(cells))])} |")
    return "\n".join(lines)


def draw(found: dict[str, dict[str, Curve]], sheet: str) -> None:
    """Draw a panel a task, two in a row; dashed are the same recipes' longer trainings."""
    panels = [name for name in found if not name.endswith(LONGER)]
    rows = (len(panels) + 1) // 2
    with styled():
        figure, axes = plt.subplots(rows, 2, figsize=(PAGE, 3.3 * rows), layout="constrained", squeeze=False)
        for axis, panel in zip(axes.flat, panels, strict=False):
            for name, line in ((panel, "-"), (panel + LONGER, "--")):
                for recipe in PARTS[name].recipes if name in found else ():
                    tokens, perplexities = zip(*found[name][recipe.name], strict=True)
                    label = recipe.name if name == panel else None
                    axis.plot([count / 1e6 for count in tokens], perplexities, line, color=recipe.colour, label=label)
            axis.set(xscale="log", yscale="log", title=title(panel))
            axis.set(xlabel="million tokens", ylabel="validation perplexity")
            for side in (axis.xaxis, axis.yaxis):
                side.set_major_formatter("{x:g}")
                side.set_minor_locator(LogLocator(subs=(2, 5)))
                side.set_minor_formatter("{x:g}")
            axis.legend(loc="upper left", bbox_to_anchor=(-0.1, -0.16), handlelength=1.2)
        figure.savefig(HERE / f"results/{sheet}.png", metadata={"Software": None})


def title(name: str) -> str:
    return name.replace("_", " ").capitalize().replace(" lm", " LM")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of the small scale, such as results/small")
    parser.add_argument(
        "--only", nargs="*", choices=PARTS, default=list(PARTS), help="(default: all; nothing after it: only draw)"
    )
    args = parser.parse_args()
    for name in args.only:
        for number, recipe in enumerate(PARTS[name].recipes):
            train(PARTS[name], recipe, args.results.resolve(), folder_of(name, number))
    for sheet, (parts, notes) in SHEETS.items():
        found = {
            name: {recipe.name: curve(folder_of(name, number)) for number, recipe in enumerate(part.recipes)}
            for name, part in parts.items()
            if all(ended(folder_of(name, number)) for number in range(len(part.recipes)))
        }
        if found:
            draw(found, sheet)
            tables = [f"## {title(name)}\n\n{table(curves)}" for name, curves in found.items()]
            body = "\n\n".join(["# Recipes of the paper scale on small models", notes, *tables])
            write_result(sheet, f"{body}\n\n- Machine: {machine()}.\n- {versions('torch')}.\n- {occasion()}\n")


NOTES = """Perplexity on validation text after so many tokens (of the text of LMs, of targets in fine-tuning).

![curves](recipes.png)

LMs have 192 units, the others 64. "As it was" is the paper scale's recipe before its gradients were scaled and clipped
as in the published code of Jozefowicz et al. (2016). An update of the paper scale reads 128 streams or 128 pairs (94
documents), one of the small scale 64 streams or 64 pairs (24). The rates of the small
scale's translation and summarization fall within these trainings; the paper scale's are first cut after 400,000 and
100,000 updates."""
OF_TRANSFORMERS = """Perplexity on validation text after so many words (of the denoiser those it is asked for, of the
LM subwords).

![curves](recipes_transformers.png)

Models are those of the small scale, 128 and 192 units; where the denoiser normalises is the recipe's. An update of the
denoiser reads 24,000 cells, the most of the paper's, or the small scale's 6,400; one of the LM 3,000 subwords, the
paper's 79,360. The paper's schedules are far longer: until its first plateau the denoiser's rate is what it is here,
and the language model's cosine is cut to the 600 updates."""
SHEETS = {"recipes": (LSTMS, NOTES), "recipes_transformers": (TRANSFORMERS, OF_TRANSFORMERS)}


if __name__ == "__main__":
    main()
