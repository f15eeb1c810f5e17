"""One number for the outputs of validation text, by the name of its metric: while training, and to settle a search.

All texts are normalised before they are compared, as `seqpre.score` does it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from seqpre.corpora.sentences import sentences_of
from seqpre.metrics.bleu import corpus_bleu_13a
from seqpre.metrics.gleu import gleu
from seqpre.metrics.texts import normalised


def corpus_bleu(translations: Sequence[str], references: Sequence[str], _: Sequence[str]) -> float:
    """Return BLEU of 13a's tokens, smoothed."""
    return corpus_bleu_13a(translations, references)


def corpus_rouge_1(summaries: Sequence[str], references: Sequence[str], _: Sequence[str]) -> float:
    """Return the mean ROUGE-1 F1 of summaries as the corpora write them, of tokens that suit the references."""
    from seqpre.metrics.rouge import rouge, tokens_for  # Slow to import, and of no use to a translation.

    ours, theirs = (["\n".join(sentences_of(text)) for text in texts] for texts in (summaries, references))
    return rouge(ours, theirs, tokens_for(theirs))["rouge_1"].score


def corpus_gleu(corrections: Sequence[str], references: Sequence[str], sources: Sequence[str]) -> float:
    """Return GLEU of one reference, which every validation set of corrections has."""
    return gleu(corrections, sources, [references]).score


# Differs: the paper's validation BLEU, by which final outputs are compared here too, is of Moses' tokens and unsmoothed
# (`tokenized_bleu`). Checkpoints are compared by 13a's, smoothed, which needs no language and is no zero at first.
METRICS: dict[str, Callable[[Sequence[str], Sequence[str], Sequence[str]], float]] = {
    "bleu": corpus_bleu,
    "rouge_1": corpus_rouge_1,
    "gleu": corpus_gleu,
}
"""Each a function of outputs, references and sources in their normal form; only sources of corrections are read."""


def validation_score(metric: str, outputs: Sequence[str], references: Sequence[str], sources: Sequence[str]) -> float:
    """Return the score of outputs by the metric of this name."""
    return METRICS[metric](normalised(outputs), normalised(references), normalised(sources))
