"""Draw sentences of one clause."""

from __future__ import annotations

from dataclasses import replace

from seqpre.demo.grammar import words
from seqpre.demo.grammar.clauses import COPULA_KINDS, without
from seqpre.demo.grammar.constructions import TENSES, Constructions
from seqpre.demo.grammar.lexicon import Complement
from seqpre.demo.grammar.meaning import (
    AT,
    BE,
    YES_NO,
    Adverbial,
    Clause,
    Comparison,
    Modal,
    Nominal,
    NounPhrase,
    Prepositional,
    Sentence,
    Tense,
)
from seqpre.demo.grammar.phrases import Weighted
from seqpre.demo.grammar.tables import pairs

_MODALS: Weighted[Modal] = Weighted(
    ("can", "must", "want", "would like", "like", "should", "may"), (0.22, 0.2, 0.2, 0.12, 0.12, 0.08, 0.06)
)
_RELATIONS = Weighted(
    [Complement(pair.german, "dat", pair.english, "", False) for pair in pairs(words.RELATIONS)],
    (0.4, 0.2, 0.2, 0.1, 0.1),
)
_BY = Complement("von", "dat", "by", "", False)


class SimpleSentences(Constructions):
    """One method per construction."""

    def _plain(self) -> Sentence:
        return Sentence(self.clause(TENSES.draw(self.rng)), exclaimed=self.chance(0.01))

    def _modal(self) -> Sentence:
        modal = _MODALS.draw(self.rng)
        if modal == "like":
            return self._likes_to()
        tense: Tense = "present" if modal in ("should", "would like") or self.chance(0.6) else "past"
        clause = self.clause(tense, self.intended.draw(self.rng))
        fronted = clause.fronted
        if tense == "present":
            adverbials = without(clause, "frequency", "time").adverbials
            if self.chance(0.25):
                adverbials += (self.time("future"),)
            if fronted is not None and fronted.kind == "time":
                fronted = None
        else:
            adverbials = without(clause, "frequency").adverbials
        negated = clause.negated and modal in ("can", "must", "want", "may")
        clause = replace(
            clause, modal=modal, progressive=False, negated=negated, adverbials=adverbials, fronted=fronted
        )
        return Sentence(clause)

    def _likes_to(self) -> Sentence:
        verb = self.liked.draw(self.rng)
        subject = self.participant(verb.subject, "subject")
        arguments: list[tuple[Complement, Nominal]] = []
        for marker in verb.complements:
            item = self.argument(marker, verb, subject)
            if (
                isinstance(item, NounPhrase)
                and marker.case == "acc"
                and not marker.german
                and item.noun.kind != "relative"
            ):
                # One likes things in general: books rather than the book.
                item = replace(item, determiner="none", plural=not item.noun.mass, owner=None, number=0)
            arguments.append((marker, item))
        return Sentence(Clause(subject, verb, self.simple_tense(), tuple(arguments), modal="like"))

    def _copula(self) -> Sentence:
        clause = self.copula(self.simple_tense())
        if self.chance(0.12):
            clause = replace(clause, fronted=self.sentence_adverbs.draw(self.rng))
        return Sentence(clause, exclaimed=self.chance(0.04))

    def _profession(self) -> Sentence:
        woman = self.chance(0.3)
        gender = "f" if woman else "m"
        noun = kin = self.noun("person")
        while noun.gender != gender or noun.topic in ("home", "politics"):
            noun = self.noun("person") if self.chance(0.9) else self.noun("teacher,doctor,waitress,nurse,secretary")
        while kin.kind != "relative" or kin.gender != gender:
            kin = self.noun("relative")
        subject: Nominal = (self.women if woman else self.men).draw(self.rng)
        if self.chance(0.5):
            subject = self.phrase(kin, "subject", plural=False)
        profession = replace(self.phrase(noun, "subject", plural=False), determiner="a", owner=None)
        return Sentence(Clause(subject, BE, self.simple_tense(), predicate=profession))

    def _location(self) -> Sentence:
        if self.chance(0.6):
            subject = self.participant("tool,toy,text,vessel,clothing,pet", "subject")
            marker = _RELATIONS.draw(self.rng)
            furniture = "surface,seat" if marker.german == "auf" else "table,desk,cupboard,seat"
            where = Prepositional("place", marker, self.phrase(self.noun(furniture), "place"))
        else:
            subject = self.participant("human,pet,toy,tool" if self.chance(0.7) else "pet,tool", "subject")
            where = Prepositional("place", AT, self.phrase(self.noun("room,building,outdoors"), "place"))
        return Sentence(Clause(subject, BE, self.simple_tense(), adverbials=(where,)))

    def _comparison(self) -> Sentence:
        while True:
            subject = self.participant(COPULA_KINDS[int(self.rng.random() * len(COPULA_KINDS))], "subject")
            if not isinstance(subject, NounPhrase):
                continue
            noun, other = subject.noun, self.noun(subject.noun.kind)
            adjective = self.adjective(noun)
            related = other.head in (noun.head or noun.english, noun.english) or noun.head == other.english
            if other is noun or related or adjective is None or not adjective.english_comparative:
                continue
            if adjective.describes & other.names:
                standard = replace(self.phrase(other, "place"), adjectives=())
                comparison = Comparison(adjective, standard, equal=self.chance(0.25))
                return Sentence(Clause(replace(subject, adjectives=()), BE, self.simple_tense(), predicate=comparison))

    def _existence(self) -> Sentence:
        place: Nominal
        if self.chance(0.7):
            thing = self.phrase(self.noun("building,dwelling" if self.chance(0.8) else "outdoors"), "object")
            place = self.cities.draw(self.rng)
            if self.chance(0.6):
                noun = self.noun("town,village,street,suburb")
                place = NounPhrase(noun, determiner="this" if self.chance(0.4) else "the")
        else:
            thing = self.phrase(self.noun("animal,plant"), "object", plural=True)
            place = NounPhrase(self.noun("garden,park,forest,zoo,field,meadow"))
        determiner = thing.determiner
        if determiner in ("the", "this", "owner", "all"):
            determiner = "many" if thing.plural else "a"
        if not thing.plural and self.chance(0.15):
            determiner = "no"
        if isinstance(place, NounPhrase) and place.noun is thing.noun:
            place = self.cities.draw(self.rng)
        where = Prepositional("place", AT, place)
        clause = Clause(replace(thing, determiner=determiner, owner=None), BE, self.simple_tense(), there_is=True)
        if self.chance(0.35):
            return Sentence(replace(clause, fronted=where))
        question = YES_NO if determiner == "a" and self.chance(0.2) else None
        return Sentence(replace(clause, adverbials=(where,)), question=question)

    def _weather(self) -> Sentence:
        tense = self.simple_tense()
        clause = self.weather_clause(tense)
        time = self.time(tense)
        where = Prepositional("place", AT, self.cities.draw(self.rng))
        if clause.predicate is not None:
            return Sentence(replace(clause, fronted=time if self.chance(0.5) else where))
        if self.chance(0.5):
            return Sentence(replace(clause, fronted=time, adverbials=(where,) if self.chance(0.5) else ()))
        return Sentence(replace(clause, adverbials=(where, time) if self.chance(0.5) else (where,)))

    def _passive(self) -> Sentence:
        verb = self.passives.draw(self.rng)
        patient = self.participant(verb.complements[0].nouns, "subject", pronouns=False)
        tense: Tense = ("past", "past", "past", "present", "future", "perfect")[self.uniform(0, 5)]
        modal: Modal = ""
        if tense == "present" and self.chance(0.75):
            modal = "must" if self.chance(0.7) else "can"
        adverbials: list[Adverbial] = []
        fronted: Adverbial | None = None
        if self.chance(0.35):
            adverbials.append(Prepositional("agent", _BY, self.participant(verb.subject, "object", pronouns=False)))
        if tense != "perfect" and not modal and self.chance(0.5):
            time = self.time(tense, habitual=True)
            if self.chance(0.4):
                fronted = time
            else:
                adverbials.append(time)
        if "p" in verb.flags and self.chance(0.25):
            adverbials.append(self.place())
        if isinstance(patient, NounPhrase):
            patient = self.with_relative(patient, 0.1, verb)
        return Sentence(
            Clause(patient, verb, tense, modal=modal, passive=True, adverbials=tuple(adverbials), fronted=fronted)
        )

    def _since(self) -> Sentence:
        clause = self.clause("since", self.lasting.draw(self.rng), adverbs=0)
        clause = replace(clause, progressive="s" not in clause.verb.flags)
        time = self.since()
        return Sentence(replace(clause, fronted=time) if self.chance(0.2) else replace(clause, adverbials=(time,)))
