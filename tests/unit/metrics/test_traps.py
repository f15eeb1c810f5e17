"""The traps: every one holds, and each mistake that a scorer could make is caught by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from nltk.stem.porter import PorterStemmer
from sacrebleu.metrics.bleu import BLEU

from seqpre.corpora.m2 import Annotated, Edit
from seqpre.metrics import bleu, gleu, m2, paired_counts, rouge_tokens, significance
from seqpre.metrics.rouge_tokens import STEP_4, Rouge155Stemmer
from seqpre.metrics.traps import Anchor, traps

FORMS = rouge_tokens.irregular_forms()


def missed() -> set[tuple[str, str]]:
    return {(anchor.scorer, anchor.metric) for anchor in traps() if not anchor.held}


def test_all_hold() -> None:
    assert missed() == set()


@pytest.mark.parametrize(("ours", "held"), [(38.294, True), (38.286, True), (38.296, False), (38.284, False)])
def test_an_anchor_holds_where_both_print_alike(ours: float, held: bool) -> None:
    anchor = Anchor("rouge-1.5.5", "rouge_1", "38.29", "a paper", ours)
    assert anchor.held is held
    assert f"{ours:.3f}" in str(anchor)
    assert ("MISSED" in str(anchor)) is not held


def without(suffix: str) -> Callable[[Rouge155Stemmer, str, str], str]:
    """Return a step 4 that never removes `suffix`."""
    right = Rouge155Stemmer._without
    return lambda self, word, each: word if each == suffix else right(self, word, each)


STEMMERS: dict[str, tuple[object, str, Any]] = {
    "a word in -yy loses a y": (
        Rouge155Stemmer, "_ends_double_consonant", PorterStemmer._ends_double_consonant
    ),
    "Porter's own step 4": (Rouge155Stemmer, "_step4", PorterStemmer._step4),
    "a suffix goes whatever remains": (
        Rouge155Stemmer, "_without", lambda self, word, suffix: word.removesuffix(suffix)
    ),
    "words of three letters are stemmed": (rouge_tokens, "UNSTEMMED_LENGTH", 2),
    "words of eight letters are not": (rouge_tokens, "UNSTEMMED_LENGTH", 8),
    "an irregular form is missing": (
        rouge_tokens, "irregular_forms", lambda: {form: base for form, base in FORMS.items() if form != "oxen"}
    ),
    "an irregular form has another base": (rouge_tokens, "irregular_forms", lambda: FORMS | {"best": "well"}),
    **{f"-{suffix} stays": (rouge_tokens, "STEP_4", tuple(each for each in STEP_4 if each != suffix))
       for suffix in STEP_4},
    **{f"-{suffix} stays": (Rouge155Stemmer, "_without", without(suffix)) for suffix in ("ment", "ent", "ion")},
}  # fmt: skip


@pytest.mark.parametrize("mistake", STEMMERS)
def test_another_stem_is_caught(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*STEMMERS[mistake])
    assert missed() & {("rouge-1.5.5", "stems"), ("rouge-1.5.5", "irregular")}


right_counts, right_formula, right_moses = bleu.sentence_statistics, bleu.bleu_from_statistics, bleu.moses_tokenizer
right_score = BLEU.compute_bleu


def unclipped(hypothesis: str, reference: str) -> list[int]:
    counts = right_counts(hypothesis, reference)
    counts[2] = sum(word in reference.split() for word in hypothesis.split())
    return counts


def split_stops(language: str) -> bleu.Tokenizer:
    moses = right_moses(language)
    return lambda line: moses(line.removesuffix(".") + " ." if line.endswith(".") else line)


def scored_as(**changes: Any) -> Callable[..., Any]:
    return lambda **arguments: right_score(**arguments | changes)


BOTH, MULTIBLEU, MTEVAL = {"13a", "tok_multibleu"}, {"tok_multibleu"}, {"13a"}
TRANSLATION: dict[str, tuple[object, str, Any, set[str]]] = {
    "case is ignored": (
        bleu, "sentence_statistics", lambda one, other: right_counts(one.lower(), other.lower()), BOTH
    ),
    "a word of the reference counts twice": (bleu, "sentence_statistics", unclipped, MTEVAL),
    "text for 13a is not tokenized": (bleu, "Tokenizer13a", lambda: str, MTEVAL),
    "text for Moses is not tokenized": (bleu, "moses_tokenizer", lambda language: str, MULTIBLEU),
    "Moses since November 2018": (bleu, "moses_tokenizer", split_stops, MULTIBLEU),
    "no penalty for what is short": (BLEU, "compute_bleu", scored_as(ref_len=0), BOTH),
    "always smoothed": (BLEU, "compute_bleu", scored_as(smooth_method="exp"), MULTIBLEU),
    "never smoothed": (BLEU, "compute_bleu", scored_as(smooth_method="none"), MTEVAL),
    "sums are always smoothed": (
        bleu, "bleu_from_statistics", lambda totals, smoothing: right_formula(totals, "exp"), MULTIBLEU
    ),
    "sums are never smoothed": (
        bleu, "bleu_from_statistics", lambda totals, smoothing: right_formula(totals, "none"), MTEVAL
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", TRANSLATION)
def test_another_bleu_is_caught(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, name, wrong, metrics = TRANSLATION[mistake]
    monkeypatch.setattr(place, name, wrong)
    assert missed() == {("bleu", metric) for metric in metrics}


right_readings, right_preference, right_beside = m2.readings, m2._preference, m2._beside
right_span, right_matches = m2.Lattice._span, m2.Lattice._matches


def preferring(*signs: int) -> Callable[[Any], tuple[float, ...]]:
    """Return a preference for annotators in which criteria count with these signs: not at all, or the other way."""
    return lambda total: tuple(sign * one for sign, one in zip(signs, right_preference(total), strict=True))


def sentence_by_sentence(hypotheses: list[str], gold: list[Annotated]) -> list[m2.Reading]:
    """Choose every annotator as if there were no other sentence."""
    return [right_readings([text], [one])[0] for text, one in zip(hypotheses, gold, strict=True)]


def master_span(lattice: m2.Lattice, start: m2.Place, end: m2.Place) -> m2.Span:
    found = right_span(lattice, start, end)
    return replace(found, start=0, end=0) if end[0] == 0 else found


def with_unchanged_words(lattice: m2.Lattice, gold: list[Edit]) -> Any:
    """Take what an annotator marks and leaves for an edit."""
    left = lattice.source
    lattice.source = ()
    yield from right_matches(lattice, gold)
    lattice.source = left


def all_inserted(lattice: m2.Lattice, offset: int, gold: list[Edit]) -> Any:
    yield from lattice._insertions(offset)


def twice_inserted(lattice: m2.Lattice, offset: int, gold: list[Edit]) -> Any:
    for start, end in lattice._insertions(offset):
        if any(lattice.hypothesis[start[1] : end[1]] in edit.corrections for edit in gold):
            yield start, end


EDITS: dict[str, tuple[object, str, Any]] = {
    "the first alternative alone": (
        m2.Span, "is_", lambda self, gold: (self.start, self.end, self.written) == (
            gold.start, gold.end, gold.corrections[0])
    ),
    "any alternative": (m2.Span, "is_", lambda self, gold: (self.start, self.end) == (gold.start, gold.end)),
    "whatever the place": (m2.Span, "is_", lambda self, gold: self.written in gold.corrections),
    "whatever is replaced": (
        m2.Span, "is_", lambda self, gold: (self.start, self.end) == (gold.start, gold.end)
        and self.written in gold.corrections
    ),
    "of equal F the first annotator": (m2, "_preference", preferring(1, 0, 0)),
    "of equal F the one with fewer edits found": (m2, "_preference", preferring(1, -1, 1)),
    "of equal F and edits found the first annotator": (m2, "_preference", preferring(1, 1, 0)),
    "of equal F and edits found the one with more missed": (m2, "_preference", preferring(1, 1, -1)),
    "the annotator with most edits found": (m2, "_preference", preferring(0, 1, 1)),
    "the first annotator": (m2, "_preference", preferring(0, 0, 0)),
    "annotators sentence by sentence": (m2, "readings", sentence_by_sentence),
    "first insertions as in the master": (m2.Lattice, "_span", master_span),
    "all insertions are gold": (m2.Lattice, "_inserted", all_inserted),
    "an insertion is gold twice": (m2.Lattice, "_inserted", twice_inserted),
    "no insertion is gold": (m2.Lattice, "_inserted", lambda self, offset, gold: iter(())),
    "words that stay are an edit": (m2.Lattice, "_matches", with_unchanged_words),
    "no edit is read as the gold ones are": (m2.Lattice, "_matches", lambda self, gold: iter(())),
    "any words may be in an edit": (m2.Lattice, "_joined", lambda self, start, end: True),
    "gold edits in any order": (m2, "_beside", lambda lattice, edits: right_beside(lattice, sorted(edits, key=str))),
    "one unchanged word in an edit": (m2, "MOST_UNCHANGED", 1),
    "three unchanged words in an edit": (m2, "MOST_UNCHANGED", 3),
    "substitutions of one": (m2, "SUBSTITUTIONS", (1,)),
    "substitutions of two": (m2, "SUBSTITUTIONS", (2,)),
    "F1": (m2, "BETA", 1.0),
}  # fmt: skip


@pytest.mark.parametrize("mistake", EDITS)
def test_another_m2_is_caught(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*EDITS[mistake])
    assert missed() == {("m2", "f0.5")}


right_gleu, right_ngrams, right_count = gleu.gleu, gleu.ngrams_of, gleu.sentence_statistics


def python_2_draws(counts: Any) -> list[list[int]]:
    generators = (random.Random(gleu.SEED_STEP * number) for number in range(gleu.DRAWS))
    return [[int(counts.shape[1] * generator.random()) for _ in counts] for generator in generators]


def unpunished(hypothesis: str, source: str, reference: str) -> list[int]:
    return right_count(hypothesis, reference, reference)


GLEU: dict[str, tuple[object, str, Any]] = {
    "what wrongly stays costs nothing": (gleu, "sentence_statistics", unpunished),
    "no penalty for what is short": (
        gleu, "sentence_statistics", lambda text, source, right: [1, 1, *right_count(text, source, right)[2:]]
    ),
    "case is ignored": (
        gleu, "ngrams_of", lambda tokens, order: right_ngrams([token.lower() for token in tokens], order)
    ),
    "three words at most": (gleu, "MAX_ORDER", 3),
    "the draws of Python 2": (gleu, "draws", python_2_draws),
    "every reference once": (gleu, "draws", lambda counts: [[which] * len(counts) for which in range(counts.shape[1])]),
    "other seeds": (gleu, "SEED_STEP", 1),
    "the mean counts": (gleu, "gleu", lambda *texts: {"gleu": right_gleu(*texts)["gleu_expected"]}),
}  # fmt: skip


@pytest.mark.parametrize("mistake", GLEU)
def test_another_gleu_is_caught(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*GLEU[mistake])
    assert missed() == {("gleu", "gleu")}


right_sign, right_bootstrap = paired_counts.sign_test, significance.paired_bootstrap


def sacrebleus_bootstrap(system: Any, baseline: Any, scorer: Any) -> significance.PairedTest:
    """Shift the absolute differences, as sacreBLEU does."""
    right = right_bootstrap(system, baseline, scorer)
    drawn = np.abs(significance.bootstrap_scores(system - baseline + [0, 1], scorer))
    return significance.PairedTest(right.delta, float(np.mean(np.abs(drawn - drawn.mean()) > abs(right.delta))))


def one_sided_bootstrap(system: Any, baseline: Any, scorer: Any) -> significance.PairedTest:
    """Count the resamples in which the system is not ahead."""
    drawn = significance.bootstrap_scores(system - baseline + [0, 1], scorer)
    return significance.PairedTest(1.0, float(np.mean(drawn <= 0)))


TESTS: dict[str, tuple[object, str, Any]] = {
    "sign": (paired_counts, "sign_test", lambda first, second: right_sign(first, second) / 2),
    "sign, above one": (
        paired_counts, "sign_test", lambda first, second: right_sign(first, second) + 0.2 * (first == second)
    ),
    "mcnemar": (paired_counts, "mcnemar_chi2", right_sign),
    "bootstrap": (significance, "paired_bootstrap", sacrebleus_bootstrap),
    "bootstrap, one-sided": (significance, "paired_bootstrap", one_sided_bootstrap),
}  # fmt: skip


@pytest.mark.parametrize("mistake", TESTS)
def test_another_p_value_is_caught(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*TESTS[mistake])
    assert missed() == {("p-value", mistake.split(",")[0])}
