"""Sentences of Ramachandran et al. (2017), as predicates over numbers.

Each is evaluated twice by the same code: on the published numbers, where it must hold, and on ours. A predicate
returns None where a number it needs is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from seqpre.human_study.counts import HumanStudy

# Two decimal fractions that print alike may differ by this in binary.
EPSILON = 1e-9


class Numbers(Protocol):
    """Where a predicate finds BLEU or ROUGE-1: in the papers or in our results. Scores are of the given split."""

    @property
    def tests(self) -> list[str]:
        """Names of the test splits."""

    def score(self, system: str, fraction: str, split: str) -> float | None:
        """Return a score, None where there is none."""

    def other(self, label: str, condition: str, split: str) -> float | None:
        """Return a score of another group's system that can be compared; None where there is none."""

    def gain(self, system: str, baseline: str, fraction: str, split: str) -> float | None:
        """Return system minus baseline."""

    def delta(self, system: str) -> float | None:
        """Return an ablation's validation score minus that of the full system."""

    def human_study(self) -> HumanStudy | None:
        """Return what people said of the full system and the one without pretraining; None if nobody was asked."""


class Finding(NamedTuple):
    """Whether a claim holds, and the numbers that say so."""

    holds: bool
    evidence: str


Predicate = Callable[[Numbers], Finding | None]


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper. `against_others` marks one that needs scores of other groups' systems."""

    name: str
    statement: str
    predicate: Predicate
    against_others: bool = False


def _pretraining_gain(numbers: Numbers) -> Finding | None:
    gains = {split: numbers.gain("full", "no_pretraining", "100pct", split) for split in numbers.tests}
    return _every(gains, lambda gain: gain >= 2 - EPSILON)


def _single_beats_backtranslation(numbers: Numbers) -> Finding | None:
    return _every(_over_backtranslation(numbers, "full", "ensemble 4"), lambda gain: gain > EPSILON)


def _ensemble_matches_backtranslation(numbers: Numbers) -> Finding | None:
    return _every(_over_backtranslation(numbers, "ensemble_5", "ensemble 12"), lambda gain: gain >= -EPSILON)


def _decoder_before_encoder(numbers: Numbers) -> Finding | None:
    decoder, encoder = numbers.delta("decoder_only"), numbers.delta("encoder_only")
    if decoder is None or encoder is None:
        return None
    return Finding(decoder > encoder + EPSILON, f"decoder only {decoder:+.1f}, encoder only {encoder:+.1f}")


def _gains_compound(numbers: Numbers) -> Finding | None:
    decoder, encoder = numbers.delta("decoder_only"), numbers.delta("encoder_only")
    none = numbers.delta("no_pretraining")
    if decoder is None or encoder is None or none is None:
        return None
    additive = none - encoder
    return Finding(decoder < additive - EPSILON, f"decoder only {decoder:+.1f}, additive estimate {additive:+.1f}")


def _softmax_matters(numbers: Numbers) -> Finding | None:
    delta = numbers.delta("embeddings_and_lstm")
    return None if delta is None else Finding(delta <= -1 + EPSILON, f"embeddings & LSTM {delta:+.1f}")


def _objective_matters_as_much(numbers: Numbers) -> Finding | None:
    objective, none = numbers.delta("no_lm_objective"), numbers.delta("no_pretraining")
    if objective is None or none is None:
        return None
    evidence = f"no LM objective {objective:+.1f}, no pretraining {none:+.1f}"
    return Finding(abs(objective - none) <= 0.3 + EPSILON, evidence)


def _unlabelled_data_matters(numbers: Numbers) -> Finding | None:
    parallel, none = numbers.delta("parallel_lm"), numbers.delta("no_pretraining")
    other_domain = numbers.delta("other_domain_lm")
    if parallel is None or none is None or other_domain is None:
        return None
    holds = parallel <= none + 0.3 + EPSILON and other_domain >= -0.6 - EPSILON
    return Finding(holds, f"parallel corpus {parallel:+.1f}, none {none:+.1f}, other domain {other_domain:+.1f}")


def _gap_grows_with_less_data(numbers: Numbers) -> Finding | None:
    little = numbers.gain("full", "no_pretraining", "20pct", "valid")
    all_of_it = numbers.gain("full", "no_pretraining", "100pct", "valid")
    if little is None or all_of_it is None:
        return None
    return Finding(little > all_of_it + EPSILON, f"20 %: {little:+.1f}, 100 %: {all_of_it:+.1f}")


def _very_low_resource_gain(numbers: Numbers) -> Finding | None:
    gain = numbers.gain("low_resource_frozen", "low_resource_baseline", "2.5pct", "valid")
    return None if gain is None else Finding(gain >= 5 - EPSILON, f"{gain:+.1f}")


def _encoder_before_decoder(numbers: Numbers) -> Finding | None:
    encoder, decoder = numbers.delta("encoder_only"), numbers.delta("decoder_only")
    parallel = numbers.delta("parallel_lm")
    if encoder is None or decoder is None or parallel is None:
        return None
    holds = encoder > decoder + EPSILON and abs(parallel) <= 0.5 + EPSILON
    evidence = f"encoder only {encoder:+.1f}, decoder only {decoder:+.1f}, parallel corpus {parallel:+.1f}"
    return Finding(holds, evidence)


def _pretraining_before_objective(numbers: Numbers) -> Finding | None:
    none, objective = numbers.delta("no_pretraining"), numbers.delta("no_lm_objective")
    if none is None or objective is None:
        return None
    return Finding(none < objective - EPSILON, f"no pretraining {none:+.1f}, no LM objective {objective:+.1f}")


def _people_prefer_pretraining(numbers: Numbers) -> Finding | None:
    study = numbers.human_study()
    if study is None:
        return None
    scores, repetition = study
    favour = scores.system_higher > scores.baseline_higher and repetition.system < repetition.baseline
    evidence = f"sign test p = {scores.sign_p:.0e}, McNemar p = {repetition.exact_p:.0e}"
    return Finding(favour and max(scores.sign_p, repetition.exact_p) < 1e-4, evidence)


TRANSLATION_CLAIMS = (
    Claim("R-C1", "pretraining gains at least 2 BLEU on every test set", _pretraining_gain),
    Claim("R-C2", "one pretrained model beats the ensemble of 4 with backtranslation",
          _single_beats_backtranslation, against_others=True),
    Claim("R-C3", "the ensemble of 5 is at least as good as that of 12 with backtranslation",
          _ensemble_matches_backtranslation, against_others=True),
    Claim("R-C4", "pretraining only the decoder loses less than only the encoder", _decoder_before_encoder),
    Claim("R-C5", "gains compound: decoder only loses more than the additive estimate", _gains_compound),
    Claim("R-C6", "the softmax matters: without it, 1 BLEU or more is lost", _softmax_matters),
    Claim("R-C7", "dropping the LM objective costs as much as dropping pretraining (within 0.3)",
          _objective_matters_as_much),
    Claim("R-C8", "LMs of the parallel corpus are no better than none (within 0.3), of another domain nearly as good "
          "as in-domain (0.6)", _unlabelled_data_matters),
    Claim("R-C9", "the gap is larger with 20 % of the data than with all", _gap_grows_with_less_data),
    Claim("R-C10", "with 2.5 % of the data, pretraining with frozen embeddings and softmax gains at least 5 BLEU",
          _very_low_resource_gain),
)  # fmt: skip

SUMMARIZATION_CLAIMS = (
    Claim("R-C11", "pretraining only the encoder loses less than only the decoder, and LMs of the parallel corpus are "
          "as good as of unlabelled text (within 0.5)", _encoder_before_decoder),
    Claim("R-C12", "dropping pretraining costs more than dropping the LM objective", _pretraining_before_objective),
    Claim("R-C13", "people rate outputs of the pretrained system higher and find repetition in fewer of them, each "
          "with p < 0.0001", _people_prefer_pretraining),
)  # fmt: skip

CLAIMS = {"translation": TRANSLATION_CLAIMS, "summarization": SUMMARIZATION_CLAIMS}
"""By task."""


def _over_backtranslation(numbers: Numbers, system: str, condition: str) -> dict[str, float | None]:
    gains: dict[str, float | None] = {}
    for split in numbers.tests:
        ours = numbers.score(system, "100pct", split)
        theirs = numbers.other("Backtranslation (Sennrich 2015)", condition, split)
        gains[split] = None if ours is None or theirs is None else ours - theirs
    return gains


def _every(gains: dict[str, float | None], holds: Callable[[float], bool]) -> Finding | None:
    present = {split: gain for split, gain in gains.items() if gain is not None}
    if not present or len(present) < len(gains):
        return None
    evidence = ", ".join(f"{split} {gain:+.1f}" for split, gain in present.items())
    return Finding(all(holds(gain) for gain in present.values()), evidence)
