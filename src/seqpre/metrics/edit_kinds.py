"""The kind of error that an edit corrects, determined from its words only.

One rule for all corpora and all systems, whatever error codes the annotators use. The kinds are coarse: without parts
of speech `walk` -> `walks` may be a noun or a verb.
"""

from __future__ import annotations

from collections.abc import Sequence

from seqpre.corpora.error_kinds import ARTICLES, BE, DO, HAVE, MODALS, NUMBERS, PREPOSITIONS
from seqpre.corpora.inflection import IRREGULAR_VERBS

ARTICLE, PREPOSITION, AGREEMENT, VERB, SPELLING, ORDER, MARKS, OTHER = KINDS = (
    "article", "preposition", "agreement or number", "form of a verb", "spelling", "order of words",
    "punctuation or casing", "other",
)  # fmt: skip
VERB_ENDINGS = {"", "e", "s", "es", "d", "ed", "ing", "en", "n"}
FARTHEST = 2
"""Most letter edits in a spelling error."""
_AUXILIARIES = (BE, HAVE, DO, MODALS)
_VERBS = {form: verb for verb, forms in IRREGULAR_VERBS.items() for form in (verb, *forms)}


def kind_of(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the kind of an edit that turns the tokens `before` into `after`."""
    old, new = [token.lower() for token in before], [token.lower() for token in after]
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    words = {*old, *new}
    if _letters(old) == _letters(new):
        return MARKS
    if words <= set(ARTICLES):
        return ARTICLE
    if words <= {*PREPOSITIONS, "to"}:
        return PREPOSITION
    if sorted(old) == sorted(new):
        return ORDER
    if len(old) == len(new) == 1:
        return _of_words(old[0], new[0])
    verbs = {_VERBS.get(word, word) for word in words if not any(word in one for one in _AUXILIARIES)}
    return VERB if not verbs or (old and new and len(verbs) == 1) else OTHER


def _of_words(old: str, new: str) -> str:
    """Return the kind of an edit of one word."""
    if NUMBERS.get(old) == new or NUMBERS.get(new) == old or {old, new} in ({"a", "some"}, {"this", "these"}):
        return AGREEMENT
    if any(old in forms and new in forms for forms in _AUXILIARIES) or _VERBS.get(old, "?") == _VERBS.get(new, "!"):
        return VERB
    short, long = sorted((old, new), key=len)
    if long in (f"{short}s", f"{short}es") or (short.endswith("y") and long == f"{short[:-1]}ies"):
        return AGREEMENT
    shared = next((place for place, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), len(short))
    if shared >= 2 and {old[shared:], new[shared:]} <= VERB_ENDINGS:
        return VERB
    return SPELLING if min(len(old), len(new)) > 1 and _distance(old, new) <= FARTHEST else OTHER


def _letters(tokens: Sequence[str]) -> str:
    return "".join(character for token in tokens for character in token if character.isalnum())


def _distance(one: str, other: str) -> int:
    """Return the number of letters to insert, delete, replace or swap with a neighbour."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one):
        row = [i + 1]
        for j, another in enumerate(other):
            row.append(min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter != another)))
            if i and j and letter == other[j - 1] and one[i - 1] == another:
                row[-1] = min(row[-1], rows[i - 1][j - 1] + 1)
        rows.append(row)
    return rows[-1][-1]
