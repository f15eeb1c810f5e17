"""Draw the meanings of sentences: one method per construction, chosen by the weights of the domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from seqpre.corpora.grammar import verbs, words
from seqpre.corpora.grammar.clauses import COPULA_KINDS, Clauses, negatable, plain_determiner, without
from seqpre.corpora.grammar.lexicon import Complement, Lexicon, Pair, Proper, Verb
from seqpre.corpora.grammar.meaning import (
    AT,
    BE,
    EXPLETIVE,
    WE,
    YES_NO,
    YOU,
    YOU_FAMILIAR,
    Adverbial,
    Clause,
    Comparison,
    Embedded,
    Fixed,
    I,
    Interrogative,
    Modal,
    Nominal,
    NounPhrase,
    Prepositional,
    Pronoun,
    Sentence,
    Tense,
    Titled,
    pronoun_for,
)
from seqpre.corpora.grammar.phrases import Domain, Weighted
from seqpre.corpora.grammar.tables import pairs, read_english_verb, read_german_verb

_TENSES: Weighted[Tense] = Weighted(("present", "past", "future", "perfect"), (0.40, 0.42, 0.09, 0.09))
_MODALS: Weighted[Modal] = Weighted(
    ("can", "must", "want", "would like", "like", "should", "may"), (0.22, 0.2, 0.2, 0.12, 0.12, 0.08, 0.06)
)
_SUBORDINATORS = Weighted(pairs(words.SUBORDINATORS), (0.3, 0.2, 0.12, 0.12, 0.1, 0.07, 0.06, 0.03))
_AND, _BUT = Pair("and", "und"), Pair("but", "aber")
_RELATIONS = Weighted(
    [Complement(pair.german, "dat", pair.english, "", False) for pair in pairs(words.RELATIONS)],
    (0.4, 0.2, 0.2, 0.1, 0.1),
)
_BY = Complement("von", "dat", "by", "", False)
_WEATHER = tuple(Fixed("state", pair.english, pair.german) for pair in pairs(words.WEATHER))
# States that began in the past: has known, has been working since May.
_LASTING = frozenset({"live", "know", "work", "love", "learn", "suffer", "rent", "teach", "study"})
_PRICES = {
    "dish": (3, 15), "tool": (3, 60), "clothing": (10, 200), "text": (2, 30), "device": (40, 900), "toy": (2, 40),
    "furniture": (30, 900), "car,motorcycle": (900, 30_000), "dwelling": (90_000, 900_000),
}  # fmt: skip
_AGES = {"grandmother": (55, 98), "grandfather": (55, 98), "mother": (22, 75), "father": (22, 75), "uncle": (20, 80),
         "aunt": (20, 80), "husband": (22, 85), "wife": (22, 85)}  # fmt: skip


def _verb(english: str, german: str) -> Verb:
    return Verb(read_english_verb(english), read_german_verb(german), "human", (), frozenset(), "", 0)


_RISE = _verb("rise rose risen", "steigen stieg gestiegen*")
_FALL = _verb("fall fell fallen", "sinken sank gesunken*")
_COST = _verb("cost cost", "kosten")
_RAIN, _SNOW = _verb("rain", "regnen"), _verb("snow", "schneien")


def _rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def _is_transitive(verb: Verb) -> bool:
    marker = verb.complements[0] if len(verb.complements) == 1 else None
    return marker is not None and not marker.german and marker.case == "acc" and not marker.english


class Drawer(Clauses):
    """Draws the meanings of sentences for one domain; the same seed gives the same sentences everywhere."""

    def __init__(self, lexicon: Lexicon, domain: Domain, rng: Random) -> None:
        super().__init__(lexicon, domain, rng)
        self.transitives = self.verbs_where(_is_transitive)
        self.passives = self.verbs_where(lambda verb: _is_transitive(verb) and not verb.flags & set("sx"))
        self.lasting = self.verbs_where(lambda verb: verb.english.base in _LASTING and verb.subject != "device")
        self.liked = self.verbs_where(lambda verb: "g" in verb.flags and verb.subject == "human")
        self.placed = self.verbs_where(
            lambda verb: "p" in verb.flags or any(each.german == "at" for each in verb.complements)
        )
        self.motions = self.verbs_where(lambda verb: [each.german for each in verb.complements] == ["to"])
        self.requests = self.verbs_where(
            lambda verb: (
                verb.subject == "human"
                and not verb.flags & set("su")
                and not verb.german.reflexive
                and bool(verb.complements or verb.english.particle)
            )
        )
        reporting = [(_verb(english, german), uses.split()) for english, german, uses in _rows(verbs.REPORTING)]
        self.saying = _harmonic([verb for verb, uses in reporting if "that" in uses])
        self.asking = _harmonic([verb for verb, uses in reporting if "whether" in uses])
        self.controlling = _harmonic([_verb(english, german) for english, german in _rows(verbs.CONTROLLING)])
        self.constructions: Weighted[Callable[[], Sentence]] = Weighted(
            [getattr(self, f"_{name}") for name in domain.constructions], list(domain.constructions.values())
        )

    def sentence(self) -> Sentence:
        """The meaning of one sentence."""
        return self.constructions.draw(self.rng)()

    def uniform(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int((high - low + 1) * self.rng.random())

    # Simple sentences

    def _plain(self) -> Sentence:
        return Sentence(self.clause(_TENSES.draw(self.rng)), exclaimed=self.chance(0.01))

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

    def _weather_clause(self, tense: Tense) -> Clause:
        if self.chance(0.6):
            return Clause(EXPLETIVE, _SNOW if self.chance(0.3) else _RAIN, tense, progressive=True)
        return Clause(EXPLETIVE, BE, tense, predicate=_WEATHER[int(self.rng.random() * len(_WEATHER))])

    def _weather(self) -> Sentence:
        tense = self.simple_tense()
        clause = self._weather_clause(tense)
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

    # Numbers

    def _change(self) -> Sentence:
        subject = self.phrase(self.noun("quantity"), "place", plural=self.chance(0.4))
        tense = _TENSES.draw(self.rng)
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

    # Two clauses

    def _subordinate(self) -> Sentence:
        conjunction = _SUBORDINATORS.draw(self.rng)
        name = conjunction.english
        conditional, sequence = name in ("if", "as soon as"), name in ("before", "after", "as soon as")
        tense: Tense = "present" if conditional else self.simple_tense()
        main = without(self.clause("future" if conditional else tense, self.human.draw(self.rng), adverbs=0.4))
        subject = pronoun_for(main.subject) if self.chance(0.6) else None
        if name == "after":
            tense = "pluperfect" if tense == "past" else "perfect"
        draw = self.rng.random()
        if draw < 0.18 and not sequence:
            sub = self._weather_clause(tense)
        elif draw < 0.45 and not sequence and name != "while":
            sub = self.copula(tense, subject)
        else:
            verb = main.verb
            while verb is main.verb:
                verb = (self.actions if sequence or name == "while" else self.human).draw(self.rng)
            sub = without(self.clause(tense, verb, subject, adverbs=0.4))
            if sequence:
                sub = without(sub, "frequency", "time", "mid")
            if name in ("when", "if") or sequence:
                sub = replace(sub, progressive=False, negated=False)
            elif name == "while":
                sub = replace(sub, progressive=True, negated=False)
        if sub.subject == main.subject:
            subject = pronoun_for(main.subject)
            sub = replace(sub, subject=subject)
        if name == "when" and tense == "past":
            conjunction = Pair("when", "als")
        if not self.chance(0.35):
            return Sentence(main, after=(conjunction, sub))
        if subject is not None and sub.subject == subject:  # the name comes first, the pronoun later
            sub, main = replace(sub, subject=main.subject), replace(main, subject=subject)
        return Sentence(main, before=(conjunction, sub))

    def _that(self) -> Sentence:
        verb = self.saying.draw(self.rng)
        tense = self.simple_tense()
        subject = self.participant("human", "subject")
        inner_tense: Tense = "past"
        if tense == "present":
            inner_tense = ("present", "past", "future")[self.uniform(0, 2)]
        about = pronoun_for(subject) if self.chance(0.35) and subject not in (I, WE) else None
        if self.chance(0.3):
            inner = self.copula(inner_tense, about)
        else:
            inner = without(self.clause(inner_tense, self.human.draw(self.rng) if about else None, about, adverbs=0.5))
        clause = Clause(subject, verb, tense, embedded=Embedded(inner, Pair("that", "dass")))
        negated = verb.english.base in ("know", "think", "believe") and self.chance(0.2) and negatable(clause)
        return Sentence(replace(clause, negated=negated))

    def _whether(self) -> Sentence:
        verb = self.asking.draw(self.rng)
        tense = self.simple_tense()
        inner = replace(without(self.clause(tense, adverbs=0.5)), negated=False)
        subject = self.participant("human", "subject")
        if isinstance(subject, NounPhrase) and not negatable(Clause(subject, verb)):
            subject = replace(subject, determiner="the")
        clause = Clause(subject, verb, tense, embedded=Embedded(inner, Pair("whether", "ob")))
        return Sentence(replace(clause, negated=verb.english.base == "know"))

    def _infinitive(self) -> Sentence:
        subject = self.participant("human", "subject")
        inner = self.clause("present", self.intended.draw(self.rng), subject, adverbs=0.3)
        inner = replace(without(inner, "time", "frequency"), negated=False, progressive=False)
        return Sentence(Clause(subject, self.controlling.draw(self.rng), self.simple_tense(), embedded=Embedded(inner)))

    def _purpose(self) -> Sentence:
        main = self.clause(_TENSES.draw(self.rng), self.motions.draw(self.rng), adverbs=0.5)
        verb = self.intended.draw(self.rng)
        while any(each.german == "to" for each in verb.complements):
            verb = self.intended.draw(self.rng)
        inner = self.clause("present", verb, main.subject, adverbs=0)
        return Sentence(replace(main, negated=False, embedded=Embedded(inner, purpose=True)))

    def _coordination(self) -> Sentence:
        tense = self.simple_tense()
        first = self.clause(tense, adverbs=0.5)
        subject: Nominal | None = None
        verb: Verb | None = None
        if self.chance(0.4) and not isinstance(first.subject, Pronoun):
            subject = pronoun_for(first.subject)
            if isinstance(first.subject, NounPhrase):
                verb = self.verb_for(first.subject.noun, "subject")
            else:
                verb = self.human.draw(self.rng)
        if verb is first.verb:
            subject = verb = None
        second = without(self.clause(tense, verb, subject, adverbs=0.4))
        return Sentence(first, conjoined=(_AND if self.chance(0.65) else _BUT, second))

    def _shared_subject(self) -> Sentence:
        """Two things done to the same object: bought the book and read it."""
        while True:
            first = self.clause(self.simple_tense(), self.transitives.draw(self.rng), adverbs=0.4)
            item = first.arguments[0][1] if first.arguments else None
            if (
                not isinstance(item, NounPhrase)
                or item.noun.kind in ("person", "relative")
                or item.relative is not None
            ):
                continue
            other = self.verb_for(item.noun, "object")
            if (
                first.verb.subject != "human"
                or "s" in first.verb.flags
                or first.negated
                or not plain_determiner(item)
                or other is None
                or other is first.verb
                or other.subject != "human"
                or other.flags & set("su")
                or other.english.particle
                or not _is_transitive(other)
            ):
                continue
            second = Clause(first.subject, other, first.tense, ((other.complements[0], pronoun_for(item)),))
            second = without(self.with_adverbials(second, 0.5), "time", "frequency", "company")
            second = replace(second, negated=False, progressive=False)
            return Sentence(replace(first, progressive=False), conjoined=(_AND, second), shared=True)

    def _quotation(self) -> Sentence:
        clause = self.clause(
            _TENSES.draw(self.rng), self.human.draw(self.rng), I if self.chance(0.6) else WE, adverbs=0.7
        )
        speaker = self.participant("human", "object", pronouns=False)
        if isinstance(speaker, NounPhrase):
            speaker = replace(
                speaker, plural=False, number=0, determiner="owner" if speaker.owner is not None else "the"
            )
        return Sentence(clause, speaker=speaker)

    # Questions and requests

    def _yes_no(self) -> Sentence:
        tense = _TENSES.draw(self.rng)
        if self.chance(0.5):
            return self._to_listener(tense)
        clause = self.copula(self.simple_tense()) if self.chance(0.25) else self.clause(tense, adverbs=0.6)
        return Sentence(replace(without(clause), negated=False), question=YES_NO)

    def _to_listener(self, tense: Tense) -> Sentence:
        """A question to Sie, or to du where somebody is called by the first name."""
        draw = self.rng.random()
        listener: Pronoun = YOU_FAMILIAR if draw < 0.35 else YOU
        vocative: Proper | Titled | None = None
        if listener is YOU_FAMILIAR:
            vocative = self.first_name()
        elif draw < 0.6:
            vocative = Titled(self.families.draw(self.rng), self.chance(0.5))
        clause = without(self.clause(tense, self.human.draw(self.rng), listener, adverbs=0.6))
        return Sentence(replace(clause, negated=False), question=YES_NO, vocative=vocative)

    def _wh(self) -> Sentence:
        draw = self.rng.random()
        tense: Tense = ("present", "past", "past", "future")[self.uniform(0, 3)]
        if draw < 0.25:
            question = Pair("where", "wo")
            clause = without(self.clause(tense, self.placed.draw(self.rng), adverbs=0.3), "place")
            arguments = tuple(pair for pair in clause.arguments if pair[0].german != "at")
            clause = replace(clause, arguments=arguments)
        elif draw < 0.45:
            question = Pair("when", "wann")
            clause = self.clause("future" if tense == "present" else tense, self.actions.draw(self.rng), adverbs=0.3)
            clause = without(clause, "time", "frequency")
        elif draw < 0.65:
            clause, question = self.clause(tense, adverbs=0.5), Pair("why", "warum")
        elif draw < 0.85:
            clause = self.clause(tense, self.human.draw(self.rng), Interrogative(human=True), adverbs=0.4)
            question = Pair("who", "wer")
        else:
            verb = self.transitives.draw(self.rng)
            marker = verb.complements[0]
            human = marker.nouns.split(",")[0] in ("human", "person", "relative")
            subject = self.participant(verb.subject, "subject")
            progressive = tense == "present" and "s" not in verb.flags
            clause = Clause(subject, verb, tense, ((marker, Interrogative(human)),), progressive=progressive)
            question = Pair("who", "wen") if human else Pair("what", "was")
        return Sentence(replace(without(clause), negated=False), question=question)

    def _request(self) -> Sentence:
        clause = self.clause("present", self.requests.draw(self.rng), YOU, adverbs=0.3)
        clause = replace(without(clause, "time", "frequency", "company"), negated=False, progressive=False)
        return Sentence(clause, request=True)


def _harmonic(items: list[Verb]) -> Weighted[Verb]:
    return Weighted(items, [1 / (rank + 3) for rank in range(len(items))])
