"""Draw the meanings of sentences: one method per construction, chosen by the weights of the domain."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from seqpre.demo.grammar.compound import CompoundSentences
from seqpre.demo.grammar.figures import FigureSentences
from seqpre.demo.grammar.lexicon import Lexicon
from seqpre.demo.grammar.meaning import Sentence
from seqpre.demo.grammar.phrases import Domain, Weighted
from seqpre.demo.grammar.questions import Questions
from seqpre.demo.grammar.simple import SimpleSentences


class Drawer(SimpleSentences, FigureSentences, CompoundSentences, Questions):
    """Draws the meanings of sentences for one domain; the same seed gives the same sentences everywhere."""

    def __init__(self, lexicon: Lexicon, domain: Domain, rng: Random) -> None:
        super().__init__(lexicon, domain, rng)
        self.constructions: Weighted[Callable[[], Sentence]] = Weighted(
            [getattr(self, f"_{name}") for name in domain.constructions], list(domain.constructions.values())
        )

    def sentence(self) -> Sentence:
        """The meaning of one sentence."""
        return self.constructions.draw(self.rng)()
