"""ROUGE F1 of whole summaries (Lin, 2004), by item and as the mean over items, of one of three kinds of tokens.

- `ROUGE_155`, the papers' scorer: what `ROUGE-1.5.5.pl -a -m -n 2` with its exception list gives an item, to 1e-5.
- `NLTK`: what `rouge_score.rouge_scorer.RougeScorer(use_stemmer=True)` gives, about 0.2 points less.
- `UNICODE`, for text that is not English: words of letters and digits of any script, not stemmed. `tokens_for` chooses.

`rouge_lsum` takes every line of a summary as a sentence (the official ROUGE-L of one sentence a line), `rouge_l` takes
the summary as one sentence (the official ROUGE-L of one line). The counting is rouge-score's; one reference an item.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, lru_cache, partial
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seqpre.common.errors import DataError
from seqpre.corpora.sentences import sentences_of
from seqpre.metrics.metric import Metric, Score, Texts, check_parallel
from seqpre.metrics.significance import mean_of_items

Tokens = Literal["rouge-1.5.5", "nltk", "unicode"]
"""Which tokens are compared, as made by `seqpre.metrics.rouge_tokens`."""
# Unstated: the options of ROUGE, except in Edunov et al. (-m -a -n 2: stemming, F1). The same for all papers; with
# them, the outputs that PoDA's authors published have nearly the published scores (seqpre.anchors).
ROUGE_155: Tokens = "rouge-1.5.5"
NLTK: Tokens = "nltk"
UNICODE: Tokens = "unicode"
OTHER_LETTERS = 0.005
"""Text with at least this share of letters outside a-z is not English: English news has 0.003 %, German 1.5 to 2 %."""

# Our names and rouge-score's.
TYPES = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL", "rouge_lsum": "rougeLsum"}
# Pairs sent to a process at a time.
CHUNK = 100


def rouge(
    summaries: Sequence[str], references: Sequence[str], tokens: Tokens = ROUGE_155, workers: int = 1
) -> dict[str, Score]:
    """Score summaries, whose sentences are lines, by the four types, with `workers` processes.

    The statistics have a row (F1, 1) for each item; a score is their mean. An empty summary scores 0. Raises DataError
    for a reference without a word and for lists that are not parallel.
    """
    check_parallel(summaries, references, "summaries", "summary")
    chunks = [
        (tokens, start, summaries[start : start + CHUNK], references[start : start + CHUNK])
        for start in range(0, len(references), CHUNK)
    ]
    if workers > 1 and len(chunks) > 1:
        with ProcessPoolExecutor(min(workers, len(chunks))) as pool:
            parts = list(pool.map(_f1_of_chunk, *zip(*chunks, strict=True)))
    else:
        parts = [_f1_of_chunk(*chunk) for chunk in chunks]
    f1 = 100 * np.concatenate(parts)
    return {
        name: Score(
            float(f1[:, column].mean()), _signature(name, tokens), np.stack([f1[:, column], np.ones(len(f1))], axis=1)
        )
        for column, name in enumerate(TYPES)
    }


def tokens_for(references: Iterable[str]) -> Tokens:
    """Return the tokens for a text: ROUGE-1.5.5's for English, else Unicode words.

    ROUGE-1.5.5 knows only the letters a-z, so größer and grüßer are the same two tokens, and only English suffixes.
    """
    letters = others = 0
    for reference in references:
        found = [letter for letter in reference if letter.isalpha()]
        letters += len(found)
        others += 0 if reference.isascii() else sum(not letter.isascii() for letter in found)
    return UNICODE if others > OTHER_LETTERS * letters else ROUGE_155


def _f1_of_chunk(
    tokens: Tokens, first: int, summaries: Sequence[str], references: Sequence[str]
) -> NDArray[np.float64]:
    """Return F1 in 0..1, shape (items, types); `first` is the index of the chunk's first item."""
    scorer = _scorer(tokens)
    rows = []
    for number, (summary, reference) in enumerate(zip(summaries, references, strict=True), start=first + 1):
        if not _tokenizer(tokens).tokenize(reference):
            counted = "letter or digit" if tokens == UNICODE else "letter a-z or digit"
            raise DataError(f"reference {number} is {reference!r}, without a {counted}, which is all that ROUGE counts")
        scores = scorer.score(reference, summary)
        rows.append([scores[name].fmeasure for name in TYPES.values()])
    return np.array(rows, dtype=np.float64)


@cache
def _tokenizer(tokens: Tokens) -> Any:
    # Imported here because NLTK takes seconds to import and only summaries need it.
    from seqpre.metrics.rouge_tokens import NltkTokenizer, Rouge155Tokenizer, UnicodeTokenizer

    return {ROUGE_155: Rouge155Tokenizer, NLTK: NltkTokenizer, UNICODE: UnicodeTokenizer}[tokens]()


@cache
def _scorer(tokens: Tokens) -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    return RougeScorer(list(TYPES.values()), tokenizer=_tokenizer(tokens))


def _signature(name: str, tokens: Tokens) -> str:
    words = {
        ROUGE_155: f"stem:rouge-1.5.5|exceptions:wordnet-2.0|py-rouge:{version('py-rouge')}|nltk:{version('nltk')}",
        NLTK: f"stem:nltk|nltk:{version('nltk')}",
        UNICODE: f"tok:unicode|stem:none|regex:{version('regex')}",
    }[tokens]
    return f"nrefs:1|type:{TYPES[name]}|stat:f1|mean:items|case:lower|{words}|rouge-score:{version('rouge-score')}"


@lru_cache(maxsize=1)
def _all_types(texts: Texts, *, nltk: bool) -> dict[str, Score] | None:
    """Return ROUGE of summaries in the corpus format; None with NLTK's stemmer if the text is not English."""
    summaries, references = (
        ["\n".join(sentences_of(line)) for line in lines] for lines in (texts.outputs, texts.references)
    )
    tokens = tokens_for(references)
    if nltk and tokens == UNICODE:
        return None
    return rouge(summaries, references, NLTK if nltk else tokens, texts.workers)


def _score(texts: Texts, name: str, *, nltk: bool) -> Score | None:
    found = _all_types(texts, nltk=nltk)
    return None if found is None else found[name]


def _of_items(texts: Texts) -> list[float]:
    found = _all_types(texts, nltk=False)
    assert found is not None
    return found["rouge_1"].statistics[:, 0].tolist()  # type: ignore[no-any-return]


LABELS = {"rouge_1": "ROUGE-1", "rouge_2": "ROUGE-2", "rouge_l": "ROUGE-L", "rouge_lsum": "ROUGE-Lsum"}
ROUGE = tuple(
    Metric(name, label, partial(_score, name=name, nltk=False), mean_of_items, _of_items if name == "rouge_1" else None)
    for name, label in LABELS.items()
)
"""With the stemmer of ROUGE-1.5.5; for other languages, unstemmed words of any script."""
ROUGE_NLTK = tuple(
    Metric(f"{name}_{NLTK}", f"{label} (NLTK)", partial(_score, name=name, nltk=True), mean_of_items)
    for name, label in LABELS.items()
)
"""With the stemmer of the package rouge-score; only for English."""
