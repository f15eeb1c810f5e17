"""Small cases with known answers, worked out by hand or by the official program, that the scorers must reproduce.

Every typical scorer error (other stemming, ignored case, smoothed counts, a one-sided test) changes one of them, even
if it would hardly change the score of a thousand items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from zlib import crc32

import numpy as np

from seqpre.corpora.m2 import Annotated, Edit
from seqpre.metrics import bleu, gleu, m2, paired_counts, rouge_tokens, significance
from seqpre.metrics.metric import Score
from seqpre.metrics.rouge import ROUGE_155, rouge


@dataclass(frozen=True)
class Anchor:
    """A known number, as printed, and what this installation computes."""

    scorer: str
    metric: str
    known: str
    origin: str
    ours: float

    @property
    def place(self) -> Decimal:
        """One unit of the last printed digit of the known number."""
        return Decimal(1).scaleb(int(Decimal(self.known).as_tuple().exponent))

    @property
    def held(self) -> bool:
        """Whether both print the same."""
        return abs(self.ours - float(self.known)) <= float(self.place) / 2

    def __str__(self) -> str:
        verdict = "ok" if self.held else "MISSED"
        ours = self.ours if isinstance(self.ours, int) else Decimal(self.ours).quantize(self.place.scaleb(-1))
        return f"{self.scorer:<13}{self.metric:<13}{ours:>12}{self.known:>12}  {verdict:<8}{self.origin}"


HEADER = f"{'scorer':<13}{'metric':<13}{'ours':>12}{'known':>12}  {'':<8}origin"

# What ROUGE-1.5.5's own stemmer makes of them: a word for each suffix of step 4, one for what remains too short to lose
# its suffix, one that loses two, and two that end in a double consonant, of which y is none.
STEMS = {
    "approval": "approv", "sufferance": "suffer", "opulence": "opul", "complainer": "complain", "atomic": "atom",
    "derivable": "deriv", "accessible": "access", "militant": "milit", "disagreement": "disagr", "ambiguous": "ambigu",
    "botulism": "botul", "elevate": "elev", "generosity": "generos", "continuously": "continu",
    "distinctive": "distinct", "fertilize": "fertil", "department": "depart", "document": "docum",
    "profession": "profess", "exception": "except", "cement": "cement", "professional": "profess",
    "syyed": "syi", "rotting": "rot", "ran": "ran", "children": "child",
}  # fmt: skip
Corrected = tuple[str, str, list[list[Edit]]]
"""A hypothesis, its source, and every annotator's edits."""
IRREGULAR_FORMS = 5930
IRREGULAR_CHECKSUM = 2533576710


def traps() -> Iterator[Anchor]:
    """Yield every case; only the list of irregular forms must be read."""
    yield from _stems()
    yield from _sentences()
    yield from _bleu()
    yield from _corrections()
    yield from _p_values()


def _stems() -> Iterator[Anchor]:
    tokenizer, forms = rouge_tokens.Rouge155Tokenizer(), rouge_tokens.irregular_forms()
    right = sum(tokenizer.tokenize(word) == [stem] for word, stem in STEMS.items())
    lines = "\n".join(f"{form} {base}" for form, base in sorted(forms.items()))
    yield Anchor(ROUGE_155, "stems", str(len(STEMS)), "words of which ROUGE-1.5.5 makes the same stem", right)
    yield Anchor(ROUGE_155, "irregular", str(IRREGULAR_FORMS), "entries of its WordNet-2.0-Exceptions", len(forms))
    yield Anchor(ROUGE_155, "irregular", str(IRREGULAR_CHECKSUM), "their CRC-32", crc32(lines.encode()))


def _sentences() -> Iterator[Anchor]:
    # Each sentence of the reference has all its words in order somewhere; as one sentence only w1 w2 w3 are in order.
    scores = rouge(["w4 w5\nw1 w2 w3"], ["w1 w2 w3 w4 w5"])
    yield Anchor(ROUGE_155, "rouge_lsum", "100.00", "by hand: 5 of 5 words, sentence by sentence",
                 scores["rouge_lsum"].score)  # fmt: skip
    yield Anchor(ROUGE_155, "rouge_l", "60.00", "by hand: 3 of 5 words", scores["rouge_l"].score)


def _bleu() -> Iterator[Anchor]:
    # `the` counts once for three, The is another word, 3.5 is one token and `p.` two: matches of 1 to 4 words 14 of 16,
    # 10 of 14, 8 of 12, 7 of 10; 16 tokens for 17.
    clipped = bleu.detokenized_bleu(
        ["the the the cat sat.", "It rose 3.5 % (see p. 7)"], ["The cat sat on the mat.", "It rose 3.5 % (see p. 7)"]
    )
    yield from _both(clipped, "exp", "13a", "69.04", "by hand: e^(1-17/16) (14/16 10/14 8/12 7/10)^(1/4)")
    smoothed = bleu.detokenized_bleu(["a b x c d"], ["a b y c d"])
    yield from _both(smoothed, "exp", "13a", "30.21", "by hand: (4/5 2/4 1/6 1/8)^(1/4)")
    # `10.` and `z.B.` are one token each, in Moses before November 2018 at the end of a line too; Nein is not nein:
    # matches 12 of 14, 9 of 12, 6 of 10, 3 of 8; 14 tokens for 15.
    moses = bleu.tokenized_bleu(
        ["Er kam am 10.", 'Er sagt: "Nein, z.B. so."'], ["Er kam am 10 .", 'Er sagt: "nein, z.B. so."'], "de"
    )
    yield from _both(moses, "none", "tok_multibleu", "57.42", "by hand: e^(1-15/14) (12/14 9/12 6/10 3/8)^(1/4)")
    unsmoothed = bleu.tokenized_bleu(["a b x c d"], ["a b y c d"], "de")
    yield from _both(unsmoothed, "none", "tok_multibleu", "0.00", "by hand: no three words match")


def _both(score: Score, smoothing: bleu.Smoothing, metric: str, known: str, origin: str) -> Iterator[Anchor]:
    """Yield a score and the score that the significance test computes from the same counts."""
    yield Anchor("bleu", metric, known, origin, score.score)
    summed = bleu.bleu_from_statistics(score.statistics.sum(axis=0), smoothing)
    yield Anchor("bleu", metric, known, "the same, from summed counts", float(summed))


def _corrections() -> Iterator[Anchor]:
    yield from _edits()
    # Five words, of which one that should have gone stays: matches of 1 to 4 words 3, 2, 1, 0 of 5, 4, 3, 2 if `go` is
    # kept, 5, 4, 3, 2 if it is not; both together 8 of 10, 4 of 8, 3 of 6, 2 of 4.
    source_line, right = "he go to the school", "he goes to the school"
    both = gleu.gleu([source_line, right], [source_line] * 2, [[right] * 2])
    yield Anchor("gleu", "gleu", "56.23", "by hand: (8/10 4/8 3/6 2/4)^(1/4)", both["gleu"].score)
    # Matches of 1 to 4 words 4, 3, 2, 1 of 4, 3, 2, 1, for five words.
    short = gleu.gleu(["he goes to school"], ["he go to school"], [["he goes to school ."]])
    yield Anchor("gleu", "gleu", "77.88", "by hand: e^(1-5/4)", short["gleu"].score)
    # Each sentence equals its first reference and shares no word with the second: the score is the share of first ones.
    line, other = "he goes to school", "He Goes To School"
    drawn = gleu.gleu([line] * 2, ["he go to school"] * 2, [[line] * 2, [other] * 2])
    yield Anchor("gleu", "gleu", "46.80", "468 of Python 3's 1,000 draws from two references are the first",
                 drawn["gleu"].score)  # fmt: skip


def _edits() -> Iterator[Anchor]:
    source, better, wrong = "the cat sat at mat", "the dog sat on mat", "the cow sat at mat"
    dog, on, a = _edit(1, 2, "dog"), _edit(3, 4, "on"), _edit(4, 4, "a")
    # One edit of three words, one of which stays; the other annotator has two.
    one, two = [_edit(1, 4, "dog sat on")], [dog, on]
    cases: list[tuple[str, str, list[Corrected]]] = [
        ("100.00", "by hand: 1 of 1 and 1", [(better, source, [one])]),
        ("100.00", "by hand: 2 of 2 and 2, of the second annotator", [(better, source, [one, two])]),
        ("100.00", "by hand: 1 of 1 and 1, not 2 of 2 and 3", [(better, source, [one, [dog, on, a]])]),
        ("50.00", "the official program: 1 of 2 and 2, gold edits in another order", [(better, source, [[on, dog]])]),
        ("50.00", "by hand: 1 of 2 and 2", [(better, source, [[dog, a]])]),
        ("100.00", "by hand: 1 of 1 and 1, the second alternative", [
            (better, source, [[_edit(1, 4, "", "dog sat on")]])]),
        ("0.00", "by hand: 0 of 0 and 1, a word that may stay and does", [
            (source, source, [[_edit(1, 2, "cat", "dog")]])]),
        # One annotator's first edit has as good an F as two of the other's, and an edit that is none of theirs follows.
        ("71.43", "by hand: 2 of 3 and 2, the annotator with more edits found", [
            (better, source, [one, two]), (wrong, source, [[]])]),
        ("83.33", "by hand: 1 of 1 and 2, the annotator with fewer edits missed", [
            (source, source, [two, [dog]]), ("the dog sat at mat", source, [[dog]])]),
        ("66.67", "by hand: 2 of 3 and 3, the annotator who serves all sentences so far", [
            (wrong, source, [[]]), (better, source, [one, [dog, on, a]])]),
        # One edit may contain two unchanged words, not three.
        ("35.71", "by hand: 1 of 3 and 2", [
            ("a cat sat on mat", source, [[_edit(0, 4, "a cat sat on")]]),
            ("a cat sat at rug", source, [[_edit(0, 5, "a cat sat at rug")]])]),
        # A substitution costs as much as one insertion, or as an insertion and a deletion.
        ("100.00", "by hand: 4 of 4 and 4", [
            ("sat at", "cat sat", [[_edit(0, 1, "sat"), _edit(1, 2, "at")]]),
            ("the dog sat", "the cat sat", [[_edit(1, 2, ""), _edit(2, 2, "dog")]])]),
        # In version 3.2 two words before the first one form an edit at no gold edit's place; in the master they match.
        ("0.00", "the official program, version 3.2: 0 of 1 and 2", [
            (f"and so {source}", source, [[_edit(0, 0, "and so"), _edit(0, 1, "and so")]])]),
        # `very`, and `very dog` for `cat`: an insertion matches gold only where it is written, and only once.
        ("55.56", "by hand: 1 of 2 and 1", [("the very very dog sat at mat", source, [[_edit(1, 1, "very")]])]),
    ]  # fmt: skip
    for known, origin, sentences in cases:
        gold = [
            Annotated(tuple(text.split()), dict(enumerate(map(tuple, annotators)))) for _, text, annotators in sentences
        ]
        found = m2.m2([hypothesis for hypothesis, *_ in sentences], gold)
        yield Anchor("m2", "f0.5", known, origin, found["m2_f0.5"].score)


def _edit(start: int, end: int, *alternatives: str) -> Edit:
    return Edit(start, end, tuple(tuple(text.split()) for text in alternatives))


def _p_values() -> Iterator[Anchor]:
    yield Anchor(
        "p-value", "sign", "3.29E-7", "29 against 83: 2 (112 over 0..29) / 2^112", paired_counts.sign_test(29, 83)
    )
    yield Anchor("p-value", "sign", "1.00", "equal counts", paired_counts.sign_test(10, 10))
    yield Anchor("p-value", "mcnemar", "2.24E-5", "24 against 65: chi-squared (41 - 1)^2 / 89",
                 paired_counts.mcnemar_chi2(24, 65))  # fmt: skip
    # Two items, one better by 3 and one worse by 1: two draws have a mean of 3, 1, 1 or -1. Half of these are at least
    # as far from their own mean, 1, as that is from 0.
    zero, better = (np.array([[score, 1.0] for score in scores]) for scores in ((0.0, 0.0), (3.0, -1.0)))
    bootstrap = significance.paired_bootstrap(better, zero, significance.mean_of_items)
    yield Anchor("p-value", "bootstrap", "0.5", "by hand: 3 or -1 of 3, 1, 1, -1", bootstrap.p_value)
