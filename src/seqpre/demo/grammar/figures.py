"""Draw sentences about numbers: changes, prices, ages."""

from __future__ import annotations

from dataclasses import replace

from seqpre.demo.grammar.constructions import TENSES, Constructions, plain_verb
from seqpre.demo.grammar.meaning import BE, Clause, Fixed, Nominal, Sentence, Titled

_PRICES = {
    "dish": (3, 15), "tool": (3, 60), "clothing": (10, 200), "text": (2, 30), "device": (40, 900), "toy": (2, 40),
    "furniture": (30, 900), "car,motorcycle": (900, 30_000), "dwelling": (90_000, 900_000),
}  # fmt: skip
_AGES = {"grandmother": (55, 98), "grandfather": (55, 98), "mother": (22, 75), "father": (22, 75), "uncle": (20, 80),
         "aunt": (20, 80), "husband": (22, 85), "wife": (22, 85)}  # fmt: skip

_RISE = plain_verb("rise rose risen", "steigen stieg gestiegen*")
_FALL = plain_verb("fall fell fallen", "sinken sank gesunken*")
_COST = plain_verb("cost cost", "kosten")


class FigureSentences(Constructions):
    """One method per construction."""

    def _change(self) -> Sentence:
        subject = self.phrase(self.noun("quantity"), "place", plural=self.chance(0.4))
        tense = TENSES.draw(self.rng)
        percent = f"{self.uniform(5, 99) / 10:.1f}" if self.chance(0.5) else str(self.uniform(2, 30))
        amount = Fixed("means", f"by {percent} per cent", f"um {percent.replace('.', ',')} Prozent")
        subject = replace(subject, determiner="the", adjectives=(), owner=None)
        clause = Clause(subject, _RISE if self.chance(0.6) else _FALL, tense)
        if tense == "perfect" or self.chance(0.2):
            return Sentence(replace(clause, adverbials=(amount,)))
        time = self.time(tense, habitual=True)
        while time.english.startswith("at "):  # no clock times
            time = self.time(tense, habitual=True)
        if self.chance(0.5):
            return Sentence(replace(clause, adverbials=(amount,), fronted=time))
        return Sentence(replace(clause, adverbials=(amount, time)))

    def _cost(self) -> Sentence:
        kind = tuple(_PRICES)[self.uniform(0, len(_PRICES) - 1)]
        low, high = _PRICES[kind]
        euros = int(low * (high / low) ** self.rng.random())
        if euros > 1000:
            euros -= euros % 100
        english, german = f"{euros:,}", f"{euros:,}".replace(",", ".")
        if euros < 100 and self.chance(0.4):
            cents = 10 * self.uniform(1, 9)
            english, german = f"{euros}.{cents}", f"{euros},{cents}"
        price = Fixed("direction", f"{english} euros", f"{german} Euro")
        return Sentence(Clause(self.participant(kind, "subject"), _COST, self.simple_tense(), adverbials=(price,)))

    def _age(self) -> Sentence:
        subject: Nominal = self.name()
        low, high = (25, 80) if isinstance(subject, Titled) else (3, 80)
        if self.chance(0.5):
            subject = self.phrase(self.noun("relative"), "subject", plural=False)
            low, high = _AGES.get(subject.noun.english, (2, 40))
        years = self.uniform(low, high)
        age = Fixed("state", f"{years} years old", f"{years} Jahre alt")
        return Sentence(Clause(subject, BE, self.simple_tense(), predicate=age))
