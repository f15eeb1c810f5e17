"""Sentences of Ramachandran et al. (2017), as bounds on differences of scores.

Each is put to the published numbers, which have no error, and to ours, which have one: there it holds, fails or stays
undecided. The paper gives no thresholds; those here are ours, chosen so that its own numbers pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Literal

ALL_DATA = "100pct"
ABLATIONS = ""
"""Stands for the fraction at which a study has its ablations."""

# Printed numbers that are equal are not "more"; two decimal fractions that print alike may differ by less in binary.
MORE = 1e-6
EPSILON = 1e-9
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Part:
    """A difference of scores and the bounds that a claim gives it."""

    name: str
    weights: Mapping[str, float]
    low: float = -inf
    high: float = inf
    fraction: str = ABLATIONS
    other_fraction: str = ""
    """Where the same difference is taken away again."""
    of: Literal["tests", "each test", "validation", "early"] = "tests"
    """The mean over tests (the paper's ablations are on validation), every test by itself, validation as printed, or
    validation early in training."""
    against: tuple[str, str] | None = None
    """Another group's system and its condition, whose published score is taken away."""

    @property
    def bounds(self) -> str:
        """The bounds, in signs."""
        if self.low == -self.high:
            return f"within ±{self.high:g}"
        if self.low == -inf:
            return "< 0" if self.high == -MORE else f"≤ {self.high:g}"
        return "> 0" if self.low == MORE else f"≥ {self.low:g}"

    def met(self, value: float) -> bool:
        """Tell whether a number without error is within the bounds."""
        return self.low - EPSILON <= value <= self.high + EPSILON

    def terms(self, ablations: str) -> dict[tuple[str, str], float]:
        """Return the weights by system and fraction; `ablations` is the fraction of the study's ablations."""
        at = self.fraction or ablations
        weights = {(system, at): weight for system, weight in self.weights.items()}
        if self.other_fraction:
            weights |= {(system, self.other_fraction): -weight for system, weight in self.weights.items()}
        return weights


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper: all its parts together, or what people said of two systems' summaries."""

    name: str
    statement: str
    parts: tuple[Part, ...] = ()
    by_people: bool = False


def _minus(system: str, other: str, *, low: float = -inf, high: float = inf) -> Part:
    """Return the difference of two ablations, at the fraction of the ablations."""
    return Part(f"{_words(system)} {MINUS} {_words(other)}", {system: 1, other: -1}, low, high)


def _words(system: str) -> str:
    return system.replace("_", " ").replace("lstm", "LSTM").replace("lm", "LM")


GAIN = {"full": 1.0, "no_pretraining": -1.0}
GAIN_NAME = f"full {MINUS} no pretraining"
BACKTRANSLATION = "Backtranslation (Sennrich 2015)"
SPEED = Claim("R-C14", "pretraining accelerates training: the score is higher early on",
              (Part(GAIN_NAME, GAIN, low=MORE, of="early"),))  # fmt: skip

TRANSLATION_CLAIMS = (
    Claim("R-C1", "pretraining gains at least 2 BLEU on every test set",
          (Part(GAIN_NAME, GAIN, low=2, fraction=ALL_DATA, of="each test"),)),
    Claim("R-C2", "one pretrained model beats the ensemble of 4 with backtranslation",
          (Part(f"full {MINUS} ensemble of 4", {"full": 1}, low=MORE, fraction=ALL_DATA, of="each test",
                against=(BACKTRANSLATION, "ensemble 4")),)),
    Claim("R-C3", "the ensemble of 5 is at least as good as that of 12 with backtranslation",
          (Part(f"ensemble of 5 {MINUS} ensemble of 12", {"ensemble_5": 1}, low=0, fraction=ALL_DATA, of="each test",
                against=(BACKTRANSLATION, "ensemble 12")),)),
    Claim("R-C4", "pretraining only the decoder loses less than only the encoder",
          (_minus("decoder_only", "encoder_only", low=MORE),)),
    Claim("R-C5", "gains compound: decoder only loses more than the additive estimate",
          (Part(f"decoder only + encoder only {MINUS} no pretraining {MINUS} full",
                {"decoder_only": 1, "encoder_only": 1, "no_pretraining": -1, "full": -1}, high=-MORE),)),
    Claim("R-C6", "the softmax matters: without it, 1 BLEU or more is lost",
          (_minus("embeddings_and_lstm", "full", high=-1),)),
    Claim("R-C7", "dropping the LM objective costs as much as dropping pretraining",
          (_minus("no_lm_objective", "no_pretraining", low=-0.3, high=0.3),)),
    Claim("R-C8", "LMs of the parallel corpus are as bad as none, of another domain nearly as good as in-domain",
          (_minus("parallel_lm", "no_pretraining", low=-0.3, high=0.3), _minus("other_domain_lm", "full", low=-0.6))),
    Claim("R-C9", "the gap is larger with 20 % of the data than with all",
          (Part(f"gain with 20 % {MINUS} gain with 100 %", GAIN, low=MORE, fraction="20pct", other_fraction=ALL_DATA,
                of="validation"),)),
    Claim("R-C10", "with 2.5 % of the data, pretraining with frozen embeddings and softmax gains at least 5 BLEU",
          (Part(f"frozen {MINUS} baseline", {"low_resource_frozen": 1, "low_resource_baseline": -1}, low=5,
                fraction="2.5pct", of="validation"),)),
    SPEED,
    Claim("R-C15", "the LM objective improves performance regardless of pretraining",
          (_minus("full", "no_lm_objective", low=MORE),
           _minus("no_pretraining", "no_pretraining_no_lm_objective", low=MORE))),
)  # fmt: skip

SUMMARIZATION_CLAIMS = (
    Claim("R-C11", "pretraining only the encoder loses less than only the decoder, and LMs of the parallel corpus are "
          "as good as of unlabelled text",
          (_minus("encoder_only", "decoder_only", low=MORE), _minus("parallel_lm", "full", low=-0.5, high=0.5))),
    Claim("R-C12", "dropping pretraining costs more than dropping the LM objective",
          (_minus("no_pretraining", "no_lm_objective", high=-MORE),)),
    Claim("R-C13", "people rate outputs of the pretrained system higher and find repetition in fewer of them",
          by_people=True),
    SPEED,
)  # fmt: skip

CLAIMS = {"translation": TRANSLATION_CLAIMS, "summarization": SUMMARIZATION_CLAIMS}
"""By task."""
