"""M2, the MaxMatch score of corrections (Dahlmeier and Ng, 2012): precision, recall and F0.5 of a system's edits.

A system's output has no marked edits. Of all ways to read it as edits of its source, the one with most gold edits is
chosen for each sentence: a shortest path through the lattice of all alignments with fewest changes (a substitution
counting one, and counting two), in which neighbouring changes, with up to two unchanged words between them, may form
one edit. Of several annotators, the one with the highest F so far is chosen, sentence by sentence, so the score depends
on the order of sentences. Everything is as in version 3.2 of the official scorer, except for the runtime (it visits all
triples of places in the lattice, this one each place once) and what `_joined` says.

Shape suffixes: I tokens of the source, J tokens of the hypothesis.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqpre.common.errors import DataError
from seqpre.corpora.m2 import Annotated, Edit, tokens_of
from seqpre.metrics.edit_kinds import KINDS, kind_of
from seqpre.metrics.metric import Metric, Score, Texts
from seqpre.metrics.significance import Scorer

BETA = 0.5
MOST_UNCHANGED = 2
"""Most unchanged words inside an edit."""
SUBSTITUTIONS = 1, 2
"""Costs of a substitution in the two alignments whose lattices are joined; an insertion or deletion costs 1."""
GOLD, WORD = 10**12, 10**6
"""A path's cost: first missed gold edits, then its length in words, then its number of edits."""

OUTSIDE = 0
Place = tuple[int, int]
"""The number of source tokens and of hypothesis tokens read."""


@dataclass(frozen=True)
class Step:
    """The last step of the cheapest path to a place: the path's cost, and the place and state before the step."""

    cost: int
    origin: Place | None = None
    state: int = OUTSIDE
    is_gold: bool = False


@dataclass(frozen=True)
class Span:
    """An edit of a hypothesis: source offsets, the replaced tokens, and the new tokens."""

    start: int
    end: int
    replaced: tuple[str, ...]
    """Empty for an insertion, even if the offsets span words, as in `Lattice._span`."""
    written: tuple[str, ...]

    def is_(self, gold: Edit) -> bool:
        """Return whether this is the gold edit, in any of its alternatives."""
        place = self.start, self.end, bool(self.replaced)
        return place == (gold.start, gold.end, gold.end > gold.start) and self.written in gold.corrections


@dataclass(frozen=True)
class Reading:
    """A sentence's edits compared with those of one annotator."""

    gold: tuple[Edit, ...]
    found: frozenset[int]
    """Indices of the gold edits that were found."""
    proposed: int
    """Number of edits of the sentence."""
    wrong: tuple[Span, ...]
    """Edits that are not the annotator's."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Numbers of correct, proposed and gold edits."""
        return np.array([len(self.found), self.proposed, len(self.gold)])


def f_score(totals: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Return F0.5, shape (...), from summed counts, shape (..., 3): 100 with nothing to find and nothing found."""
    correct, proposed, gold = np.moveaxis(np.asarray(totals, dtype=np.float64), -1, 0)
    whole = BETA**2 * gold + proposed
    with np.errstate(divide="ignore", invalid="ignore"):
        return 100 * np.where(whole > 0, (1 + BETA**2) * correct / whole, 1.0)


def precision(totals: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the percentage of proposed edits that are correct, from summed counts (..., 3); 100 for none."""
    return _share(totals[..., 0], totals[..., 1])


def recall(totals: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the percentage of gold edits that are found, from summed counts (..., 3); 100 for none."""
    return _share(totals[..., 0], totals[..., 2])


def _share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 100 * np.where(whole > 0, part / whole, 1.0)


SCORERS: dict[str, tuple[str, Scorer]] = {
    "m2_f0.5": ("F0.5", f_score),
    "m2_precision": ("P", precision),
    "m2_recall": ("R", recall),
}
"""Labels of the metrics, and their functions of summed counts."""


def m2(hypotheses: Sequence[str], gold: Sequence[Annotated]) -> dict[str, Score]:
    """Score tokenized sentences by all three metrics, F0.5 with counts by kind of error.

    The statistics of each are counts (sentences, 3) of correct, proposed and gold edits, for the chosen annotators.
    Raises DataError if the sentences and annotated sentences differ in number.
    """
    found = readings(hypotheses, gold)
    statistics = np.array([one.counts for one in found])
    signature = f"M2|beta:{BETA}|unchanged:{MOST_UNCHANGED}|official:3.2"
    kinds = {"m2_f0.5": counts_by_kind((one.source for one in gold), found)}
    return {
        name: Score(float(scorer(statistics.sum(axis=0))), signature, statistics, kinds.get(name))
        for name, (_, scorer) in SCORERS.items()
    }


def readings(hypotheses: Sequence[str], gold: Sequence[Annotated]) -> list[Reading]:
    """Return the edits of tokenized sentences, each compared with those of the annotator chosen for it."""
    if len(hypotheses) != len(gold):
        raise DataError(f"{len(hypotheses):,} sentences for {len(gold):,} annotated ones: they must be parallel")
    if not gold:
        raise DataError("no sentence to score: the annotations are empty")
    total, found = np.zeros(3, dtype=np.int64), list[Reading]()
    for text, sentence in zip(hypotheses, gold, strict=True):
        lattice = Lattice(sentence.source, tokens_of(text))
        options = [_beside(lattice, edits) for edits in sentence.annotators.values()]
        # the first annotator in a tie
        found.append(max(options, key=lambda one: _preference(total + one.counts)))
        total += found[-1].counts
    return found


def _preference(total: NDArray[np.int64]) -> tuple[float, int, float]:
    correct, proposed, gold = map(int, total)
    return float(f_score(total)), correct, -(proposed + BETA**2 * gold)


def _beside(lattice: Lattice, edits: Sequence[Edit]) -> Reading:
    """Return a hypothesis's edits compared with an annotator's."""
    # As in the official scorer, gold edits are matched in file order, without going back.
    spans = lattice.read(edits)
    found, wrong, following = list[int](), list[Span](), 0
    for span in spans:
        matches = [number for number in range(following, len(edits)) if span.is_(edits[number])]
        found += matches
        following = found[-1] + 1 if found else 0
        wrong += [] if matches else [span]
    return Reading(tuple(edits), frozenset(found), len(spans), tuple(wrong))


class Lattice:
    """All alignments with fewest changes between a source and a hypothesis: places, and the words between them."""

    def __init__(self, source: tuple[str, ...], hypothesis: tuple[str, ...]) -> None:
        self.source, self.hypothesis = source, hypothesis
        numbers = {word: number for number, word in enumerate(dict.fromkeys((*source, *hypothesis)))}
        source_I, hypothesis_J = (
            np.array([numbers[word] for word in text], dtype=np.int64) for text in (source, hypothesis)
        )
        same_IJ = source_I[:, None] == hypothesis_J
        words: dict[Place, dict[Place, bool]] = {}
        for cost in SUBSTITUTIONS:
            for place, following, unchanged in shortest_alignments(same_IJ, cost):
                words.setdefault(place, {})[following] = unchanged
        self.end = len(source), len(hypothesis)
        words.setdefault(self.end, {})
        self.words = {place: words[place] for place in sorted(words)}
        """Every place in reading order, with the places one word further and whether that word is unchanged."""
        self.columns: dict[int, list[int]] = {}
        for i, j in self.words:
            self.columns.setdefault(i, []).append(j)

    def read(self, gold: Sequence[Edit]) -> list[Span]:
        """Return the hypothesis's edits in the reading with most gold edits."""
        matches: dict[Place, list[Place]] = {}
        for start, end in self._matches(gold):
            matches.setdefault(start, []).append(end)
        # The cheapest path to each place outside edits, or inside one with u unchanged words, at state 1 + u.
        best: dict[Place, dict[int, Step]] = {place: {} for place in self.words}
        best[0, 0][OUTSIDE] = Step(0)

        def offer(place: Place, state: int, step: Step) -> None:
            known = best[place].get(state)
            if known is None or step.cost < known.cost:
                best[place][state] = step

        for place, words in self.words.items():
            for state, step in sorted(best[place].items()):
                if state != OUTSIDE:  # An edit may end anywhere.
                    offer(place, OUTSIDE, Step(step.cost, place, state))
            for state, step in list(best[place].items()):
                for following, unchanged in words.items():
                    if state == OUTSIDE:
                        after, edits = (OUTSIDE, 0) if unchanged else (1, 1)
                    else:
                        after, edits = state + unchanged, 0
                    if after <= 1 + MOST_UNCHANGED:
                        offer(following, after, Step(step.cost + WORD + edits, place, state))
            for end in matches.get(place, ()):
                offer(end, OUTSIDE, Step(best[place][OUTSIDE].cost - GOLD, place, OUTSIDE, is_gold=True))
        return list(self._spans(best))[::-1]

    def _spans(self, best: dict[Place, dict[int, Step]]) -> Iterator[Span]:
        """Follow the cheapest path back; yield its edits, the last first."""
        place, state, close = self.end, OUTSIDE, self.end
        while (step := best[place][state]).origin is not None:
            if step.is_gold:
                yield self._span(step.origin, place)
            elif state == OUTSIDE and step.state != OUTSIDE:
                close = place
            elif state != OUTSIDE and step.state == OUTSIDE:
                yield self._span(step.origin, close)
            place, state = step.origin, step.state

    def _span(self, start: Place, end: Place) -> Span:
        (i, j), (next_i, next_j) = start, end
        replaced, written = self.source[i:next_i], self.hypothesis[j:next_j]
        if next_i == 0:  # As in version 3.2, insertions before the first word have hypothesis offsets.
            return Span(j, next_j - 1, replaced, written)
        return Span(i, next_i, replaced, written)

    def _matches(self, gold: Sequence[Edit]) -> Iterator[tuple[Place, Place]]:
        """Yield the parts of the lattice that are gold edits."""
        insertions: dict[int, list[Edit]] = {}
        for edit in gold:
            if edit.start == edit.end:
                insertions.setdefault(edit.start, []).append(edit)
                continue
            for written in edit.corrections:
                if written == self.source[edit.start : edit.end]:
                    continue  # Unchanged words are no edit, even if an annotator marks them.
                for j in self.columns.get(edit.start, ()):
                    start, end = (edit.start, j), (edit.end, j + len(written))
                    if self.hypothesis[j : end[1]] == written and end in self.words and self._joined(start, end):
                        yield start, end
        for offset, edits in insertions.items():
            yield from self._inserted(offset, edits)

    def _joined(self, start: Place, end: Place) -> bool:
        """Return whether one edit can connect two places: with few enough unchanged words."""
        # Differs: which changes may form one edit of M2. Here any with few enough unchanged words between them. The
        # official scorer joins changes along shortest paths only: `w1 w1 w0` that becomes `w1 w0 w0 w0 w1` is two edits
        # there, one here. Of 7,500 heavily noised random sentences 21 had other counts, of some 1,970 realistic ones
        # none.
        unchanged = {start: 0}
        for i in range(start[0], end[0] + 1):
            for j in self.columns.get(i, ()):
                if (i, j) in unchanged:
                    for following, same in self.words[i, j].items():
                        count = unchanged[i, j] + same
                        if count <= MOST_UNCHANGED and count < unchanged.get(following, MOST_UNCHANGED + 1):
                            unchanged[following] = count
        return end in unchanged

    def _inserted(self, offset: int, gold: Sequence[Edit]) -> Iterator[tuple[Place, Place]]:
        """Yield the insertions that are gold; no gold insertion is matched twice at one offset.

        As in the official scorer, candidates are tried from the left and from the right, alternating after a failure.
        """
        candidates, left, right = deque(self._insertions(offset)), 0, len(gold)
        from_left = True
        while candidates:
            start, end = candidates.popleft() if from_left else candidates.pop()
            written = self.hypothesis[start[1] : end[1]]
            order = range(left, right) if from_left else reversed(range(left, right))
            found = next((number for number in order if written in gold[number].corrections), None)
            if found is None:
                from_left = not from_left
                continue
            yield start, end
            if from_left:
                left = found + 1
                while candidates and candidates[0][0] != end:
                    candidates.popleft()
            else:
                right = found
                while candidates and candidates[-1][1] != start:
                    candidates.pop()

    def _insertions(self, offset: int) -> Iterator[tuple[Place, Place]]:
        """Yield the insertions of the lattice at this offset, as in `_span`."""
        for j in [offset] if (0, offset) in self.words and (0, offset + 1) in self.words[0, offset] else []:
            yield (0, j), (0, j + 1)
        for j in self.columns.get(offset, ()) if offset > 0 else ():
            place = start = offset, j
            while (place := (offset, place[1] + 1)) in self.words[offset, place[1] - 1]:
                yield start, place


def shortest_alignments(same_IJ: NDArray[np.bool_], substitution: int) -> Iterator[tuple[Place, Place, bool]]:
    """Yield every word of every alignment with fewest changes: its two places, and whether it is unchanged."""
    cost_IJ = np.where(same_IJ, 0, substitution)
    before, after = _distances(cost_IJ), _distances(cost_IJ[::-1, ::-1])[::-1, ::-1]
    fewest = before[-1, -1]
    diagonal = before[:-1, :-1] + cost_IJ + after[1:, 1:] == fewest
    for i, j in zip(*map(np.ndarray.tolist, diagonal.nonzero()), strict=True):
        yield (i, j), (i + 1, j + 1), bool(same_IJ[i, j])
    for i, j in zip(*map(np.ndarray.tolist, (before[:-1] + 1 + after[1:] == fewest).nonzero()), strict=True):
        yield (i, j), (i + 1, j), False
    for i, j in zip(*map(np.ndarray.tolist, (before[:, :-1] + 1 + after[:, 1:] == fewest).nonzero()), strict=True):
        yield (i, j), (i, j + 1), False


def _distances(cost_IJ: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the fewest changes from the beginning to every place (I + 1, J + 1)."""
    columns = np.arange(cost_IJ.shape[1] + 1)
    rows = [columns]
    for cost_J in cost_IJ:
        row = rows[-1] + 1
        row[1:] = np.minimum(row[1:], rows[-1][:-1] + cost_J)
        rows.append(np.minimum.accumulate(row - columns) + columns)  # all insertions of a row at once
    return np.array(rows)


def counts_by_kind(sources: Iterable[Sequence[str]], readings: Iterable[Reading]) -> dict[str, dict[str, int]]:
    """Return, by kind, the number of errors, of corrected errors, and of edits that correct none."""
    gold, mended, made = Counter[str](), Counter[str](), Counter[str]()
    for source, reading in zip(sources, readings, strict=True):
        for number, edit in enumerate(reading.gold):
            kind = kind_of(source[edit.start : edit.end], edit.corrections[0])
            gold[kind] += 1
            mended[kind] += number in reading.found
        for span in reading.wrong:
            made[kind_of(span.replaced, span.written)] += 1
    return {kind: {"gold": gold[kind], "mended": mended[kind], "made": made[kind]} for kind in KINDS}


@lru_cache(maxsize=1)
def _scores(texts: Texts) -> dict[str, Score]:
    """Return all scores; empty without gold edits."""
    if texts.gold is None or texts.gold.annotated is None:
        return {}
    return m2(texts.outputs, texts.gold.annotated)


def _score(texts: Texts, name: str) -> Score | None:
    return _scores(texts).get(name)


M2_METRICS = tuple(
    Metric(name, label, partial(_score, name=name), scorer, needs=frozenset({"sources"}))
    for name, (label, scorer) in SCORERS.items()
)
"""The three share their counts; they need gold edits."""
