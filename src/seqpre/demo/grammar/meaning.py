"""What a sentence says, before either language says it.

These records name participants, roles, tense and adjuncts; word order, agreement and case are left to `english` and
`german`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from seqpre.demo.grammar.lexicon import Adjective, Complement, EnglishVerb, GermanVerb, Noun, Pair, Proper, Verb

# `since`: a state that goes on, "has lived here since May", "wohnt seit Mai hier".
Tense = Literal["present", "past", "perfect", "pluperfect", "future", "since"]
Determiner = Literal["the", "a", "none", "no", "this", "every", "which", "some", "many", "all", "number", "owner"]
Modal = Literal["", "can", "must", "want", "may", "should", "would like", "like"]


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A personal pronoun; `person` and `plural` are German agreement (Sie: third person plural)."""

    english: str
    german: str
    person: int = 3
    plural: bool = False


I = Pronoun("I", "ich", 1)  # noqa: E741
WE = Pronoun("we", "wir", 1, True)
YOU = Pronoun("you", "Sie", 3, True)
YOU_FAMILIAR = Pronoun("you", "du", 2)
HE = Pronoun("he", "er")
SHE = Pronoun("she", "sie")
THEY = Pronoun("they", "sie (they)", 3, True)
IT = {"m": Pronoun("it", "er"), "f": Pronoun("it", "sie"), "n": Pronoun("it", "es")}
EXPLETIVE = Pronoun("it", "es")


@dataclass(frozen=True, slots=True)
class Titled:
    """A family name with Mr or Ms."""

    family: str
    woman: bool


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun with what belongs to it; `owner` is whose it is (my, Anna's, my son's), `relative` a clause with a Gap."""

    noun: Noun
    plural: bool = False
    determiner: Determiner = "the"
    adjectives: tuple[Adjective, ...] = ()
    number: int = 0
    owner: Pronoun | Proper | NounPhrase | None = None
    relative: Clause | None = None


@dataclass(frozen=True, slots=True)
class Coordination:
    """Two participants joined by `and`."""

    first: Nominal
    second: Nominal


@dataclass(frozen=True, slots=True)
class Gap:
    """The place of `noun` in its own relative clause."""

    noun: Noun
    plural: bool


@dataclass(frozen=True, slots=True)
class Interrogative:
    """Who or what."""

    human: bool


Nominal = Pronoun | Titled | Proper | NounPhrase | Coordination | Gap | Interrogative


@dataclass(frozen=True, slots=True)
class Fixed:
    """An adverbial that is the same wherever it stands."""

    kind: str
    english: str
    german: str


@dataclass(frozen=True, slots=True)
class Prepositional:
    """An adverbial made of a participant; its preposition is that of `complement`."""

    kind: str
    complement: Complement
    nominal: Nominal


Adverbial = Fixed | Prepositional


@dataclass(frozen=True, slots=True)
class Comparison:
    """`bigger than the cat`, or `as big as` with `equal`."""

    adjective: Adjective
    standard: Nominal
    equal: bool = False


Predicate = Adjective | Comparison | NounPhrase | Fixed


@dataclass(frozen=True, slots=True)
class Embedded:
    """A clause behind its main clause: with a conjunction (that/dass) or as an infinitive (zu, for a purpose um zu)."""

    clause: Clause
    conjunction: Pair | None = None
    purpose: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject and what is said about it.

    `predicate` goes with the verb BE, and `degree` (very) with the predicate; `fronted` comes first; `there_is` makes
    the subject something that exists: there is a park, es gibt einen Park.
    """

    subject: Nominal
    verb: Verb
    tense: Tense = "present"
    arguments: tuple[tuple[Complement, Nominal], ...] = ()
    predicate: Predicate | None = None
    modal: Modal = ""
    negated: bool = False
    progressive: bool = False
    passive: bool = False
    adverbials: tuple[Adverbial, ...] = ()
    fronted: Adverbial | None = None
    embedded: Embedded | None = None
    there_is: bool = False
    degree: Pair | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One or two clauses and how they are put.

    `question` is a question word, YES_NO for none. `before` and `after` are subordinate clauses (conjunction, clause).
    `conjoined` is a second main clause; with `shared` it has no subject of its own. `speaker` makes all of it direct
    speech.
    """

    clause: Clause
    question: Pair | None = None
    request: bool = False
    exclaimed: bool = False
    before: tuple[Pair, Clause] | None = None
    after: tuple[Pair, Clause] | None = None
    conjoined: tuple[Pair, Clause] | None = None
    shared: bool = False
    vocative: Proper | Titled | None = None
    speaker: Nominal | None = None


YES_NO = Pair("", "")
ACCUSATIVE = Complement("", "acc", "", "", False)
AT = Complement("at", "at", "", "", False)
TO = Complement("to", "to", "", "", False)


def _plain_verb(english: EnglishVerb, german: GermanVerb) -> Verb:
    return Verb(english, german, "", (), frozenset("sx"), "", 0)


BE = _plain_verb(EnglishVerb("be", "was", "been"), GermanVerb("sein", "ist", "war", "gewesen", auxiliary="sein"))


def is_plural(nominal: Nominal) -> bool:
    """Whether the German verb is in the plural."""
    if isinstance(nominal, (Pronoun, NounPhrase, Gap)):
        return nominal.plural
    return isinstance(nominal, Coordination)


def pronoun_for(nominal: Nominal) -> Pronoun:
    """The pronoun that takes up a participant that was already named."""
    if isinstance(nominal, Pronoun):
        return nominal
    if isinstance(nominal, Coordination):
        members = (pronoun_for(nominal.first), pronoun_for(nominal.second))
        return WE if I in members or WE in members else THEY
    if isinstance(nominal, Titled):
        return SHE if nominal.woman else HE
    if isinstance(nominal, Proper):
        return {"f": SHE, "m": HE}.get(nominal.gender, IT["n"])
    if isinstance(nominal, Interrogative):
        return HE if nominal.human else IT["n"]
    if nominal.plural:
        return THEY
    noun = nominal.noun
    if noun.kind in ("person", "relative"):
        if noun.english == "girl":
            return Pronoun("she", "es")
        return {"m": HE, "f": SHE, "n": IT["n"]}[noun.gender]
    return IT[noun.gender]


def finish(tokens: Sequence[str], end: str) -> str:
    """Join words; a "," among them is attached, doubled and final ones are dropped; the first letter is capitalised."""
    words: list[str] = []
    for token in tokens:
        if token == ",":
            if words and not words[-1].endswith(","):
                words[-1] += ","
        elif token:
            words.append(token)
    text = " ".join(words).removesuffix(",") + end
    return text[0].upper() + text[1:]
