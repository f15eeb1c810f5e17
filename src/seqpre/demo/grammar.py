"""Noun phrases and clauses in both languages: one meaning, two word orders."""

from __future__ import annotations

from dataclasses import dataclass

from seqpre.corpora.inflection import with_article
from seqpre.demo.english import EnglishVerb
from seqpre.demo.german import DAT, NOM, GermanVerb, contracted, declined
from seqpre.demo.words import Adjective, Complement, Determiner, Noun, Pronoun, Said, Verb, verbs

BE, HAVE, WILL, DO = verbs("auxiliary")
NOTHING = Said("", "")


@dataclass(frozen=True)
class NounPhrase:
    """A noun with its modifiers."""

    noun: Noun
    determiner: Determiner
    plural: bool = False
    adjective: Adjective | None = None
    relative: Said = NOTHING
    weak = False

    @property
    def agreement(self) -> int:
        """Agreement as with `he` or `they`."""
        return 2 if self.plural else 1

    def english(self, subject: bool = False) -> str:
        """Return the phrase in English, as a subject or not."""
        adjective = self.adjective.english if self.adjective else ""
        head = f"{adjective} {self.noun.english_plural if self.plural else self.noun.english}".lstrip()
        determiner = self.determiner.plural if self.plural else self.determiner.singular
        if determiner == "a":
            determiner = with_article(head)
        return joined(determiner.strip("-"), head, self.relative.english)

    def german(self, case: int) -> str:
        """Return the phrase in a German case."""
        noun, gender = self.noun, "p" if self.plural else self.noun.gender
        if self.plural:
            form = noun.german_plural + ("n" if case == DAT and noun.german_plural[-1] not in "ns" else "")
        else:
            form = noun.german_plural if noun.weak and case != NOM else noun.german
        adjective = self.adjective.german if self.adjective else ""
        words = declined(self.determiner.german, self.determiner.kind, adjective, gender, case)
        return joined(*words, form, self.relative.german)


Nominal = NounPhrase | Pronoun


def placed(item: Nominal, noun: Noun | None, to: bool) -> Said:
    """Return a place, or a direction with `to`: at school, in der Schule; to school, zur Schule. A town is no noun."""
    english, german = noun.where if noun else Said("in", "nach" if to else "in")
    german = "zu" if to and noun else german
    return Said(joined("to" if to else english, item.english()), contracted(joined(german, item.german(DAT))))


@dataclass(frozen=True)
class Clause:
    """A clause.

    `predicate` follows BE, `adverb` stands with the verb (often), `place` and `time` follow it. `tail` is another
    clause. Tenses: present, past, perfect, future.
    """

    subject: Nominal
    verb: Verb
    objects: tuple[tuple[Complement, Nominal], ...] = ()
    predicate: Said = NOTHING
    tense: str = "present"
    modal: Verb | None = None
    progressive: bool = False
    passive: bool = False
    negated: bool = False
    adverb: Said = NOTHING
    place: Said = NOTHING
    time: Said = NOTHING
    tail: Said = NOTHING

    def said(self, order: str = "statement", front: Said = NOTHING, end: str = ".") -> Said:
        """Return the clause as a sentence in both languages."""
        return Said(finished(self.english(order, front.english), end), finished(self.german(order, front.german), end))

    def english(self, order: str = "statement", front: str = "") -> str:
        """Return the clause in English after `front`: a `statement`, a `question` or an `infinitive`."""
        objects = [joined(marker.english, item.english()) for marker, item in self.objects]
        rest = [*objects, self.predicate.english, self.place.english, self.time.english, self.tail.english]
        if order == "infinitive":
            return joined(front, self.verb.english.form("base", 0), *rest)
        support = order == "question" or self.negated
        finite, others = self._english_verbs(support)
        if finite:
            finite = joined(finite, "not" if self.negated and order == "statement" else "")
        subject = self.subject.english(subject=True)
        first = [finite, subject, "not" if self.negated else ""] if order == "question" else [subject, finite]
        return joined(front, *first, self.adverb.english, others, *rest)

    def _english_verbs(self, support: bool) -> tuple[str, str]:
        """Return the finite verb, if it is an auxiliary, and the others; with `support`, `do` if there is none."""
        chain: list[tuple[EnglishVerb, str]] = []  # each with the form of the next
        if self.tense == "future":
            chain.append((WILL.english, "base"))
        if self.modal:
            chain.append((self.modal.english, "base"))
        if self.tense == "perfect":
            chain.append((HAVE.english, "participle"))
        if self.progressive:
            chain.append((BE.english, "ing"))
        if self.passive:
            chain.append((BE.english, "participle"))
        chain.append((self.verb.english, ""))
        first = chain[0][0]
        auxiliary = first == BE.english or (len(chain) > 1 and not first.particle)
        if support and not auxiliary:
            chain.insert(0, (DO.english, "base"))
        form, words = self.tense if self.tense == "past" else "present", []
        for verb, following in chain:
            words.append(verb.form(form, self.subject.agreement))
            form = following
        return (words[0], joined(*words[1:])) if auxiliary or support else ("", joined(*words))

    def german(self, order: str = "statement", front: str = "") -> str:
        """Return the clause in German after `front`.

        A `statement` has its verb second, a `question` first (or after `front`), a `final` clause last; an `infinitive`
        has no subject.
        """
        subject = "" if order == "infinitive" else self.subject.german(NOM)
        weak = [item.german(marker.case) for marker, item in self.objects if item.weak and not marker.german]
        nouns = [item.german(marker.case) for marker, item in self.objects if not (item.weak or marker.german)]
        prepositional = [
            contracted(joined(marker.german, item.german(marker.case)))
            for marker, item in self.objects
            if marker.german
        ]
        middle = [
            *weak, self.time.german, self.adverb.german, *nouns, "nicht" if self.negated else "", self.place.german,
            *prepositional, self.predicate.german,
        ]  # fmt: skip
        finite, end = self._german_verbs(order)
        if order == "statement" and not front:
            return joined(subject, finite, *middle, end, self.tail.german)
        if order in ("statement", "question"):
            return joined(front, finite, subject, *middle, end, self.tail.german)
        return joined(front, subject, *middle, end, finite, self.tail.german)

    def _german_verbs(self, order: str) -> tuple[str, str]:
        """Return the finite verb and the end of the clause."""
        verb = self.verb.german
        if order == "infinitive":
            return "", verb.form("zu", 0)
        chain: list[tuple[GermanVerb, str]] = []
        if self.tense == "future":
            chain.append((WILL.german, "infinitive"))
        if self.modal:
            chain.append((self.modal.german, "infinitive"))
        if self.tense == "perfect":
            chain.append(((BE if verb.with_sein or self.passive else HAVE).german, "participle"))
        if self.passive:
            chain.append((WILL.german, "participle"))
        chain.append((verb, ""))
        form, words = self.tense if self.tense == "past" else "present", []
        for each, following in chain:
            words.append(each.form(form, self.subject.agreement))
            form = following
        finite, *others = words
        if len(chain) == 1 and verb.prefix:
            return (verb.prefix + finite, "") if order == "final" else (finite, verb.prefix)
        return finite, joined(*reversed(others))


def joined(*words: str) -> str:
    """Join words, without the empty ones."""
    return " ".join(filter(None, words))


def finished(text: str, end: str) -> str:
    """Return a sentence from words with commas between: capitalised, punctuated, without double commas."""
    text = text.replace(" ,", ",").replace(",,", ",").removesuffix(",").replace("can not ", "cannot ") + end
    return text[0].upper() + text[1:]
