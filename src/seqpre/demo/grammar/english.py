"""Say a meaning in English: agreement, auxiliaries, do-support, adverb placement."""

from __future__ import annotations

from seqpre.demo.grammar import english_forms as forms
from seqpre.demo.grammar.lexicon import Adjective, Complement, EnglishVerb, Proper
from seqpre.demo.grammar.meaning import (
    Adverbial,
    Clause,
    Comparison,
    Coordination,
    Embedded,
    Fixed,
    Gap,
    Interrogative,
    Nominal,
    NounPhrase,
    Pronoun,
    Sentence,
    Titled,
    finish,
)

# Modals that stand like `will`; the others are verbs with `to`.
_BARE_MODALS = {
    ("can", "present"): "can",
    ("can", "past"): "could",
    ("must", "present"): "must",
    ("may", "present"): "may",
    ("should", "present"): "should",
}
_TO_MODALS = {
    "must": EnglishVerb("have", "had", "had"),
    "want": EnglishVerb("want", "wanted", "wanted"),
    "like": EnglishVerb("like", "liked", "liked"),
}
_BE_FORMS = {"present": ("am", "is", "are"), "past": ("was", "was", "were")}
# After the objects, in this order.
_ADVERB_ORDER = {"direction": 0, "manner": 1, "means": 2, "agent": 3, "company": 4, "place": 5, "time": 6}


def noun_phrase(phrase: NounPhrase) -> list[str]:
    """The words of a noun phrase with its relative clause."""
    noun = phrase.noun
    head = [*(each.english for each in phrase.adjectives), noun.english_plural if phrase.plural else noun.english]
    determiner, owner = phrase.determiner, phrase.owner
    if determiner == "owner":
        if isinstance(owner, Pronoun):
            words = [forms.PRONOUNS[owner.english][1]]
        else:
            assert isinstance(owner, (Proper, NounPhrase))
            words = nominal(owner)
            words = [*words[:-1], forms.possessive(words[-1])]
    elif determiner == "a":
        words = [forms.indefinite_article(head[0])]
    elif determiner == "number":
        words = [forms.number_word(phrase.number)]
    elif determiner == "this":
        words = ["these" if phrase.plural else "this"]
    else:
        words = [] if determiner == "none" else [determiner]
    words += head
    if phrase.relative is not None:
        words += _relative(phrase.relative, noun.kind in ("person", "relative"))
    return words


def nominal(item: Nominal, subject: bool = False) -> list[str]:
    """The words of any participant, as subject or not."""
    if isinstance(item, NounPhrase):
        return noun_phrase(item)
    if isinstance(item, Pronoun):
        return [item.english if subject else forms.PRONOUNS[item.english][0]]
    if isinstance(item, Titled):
        return ["Ms" if item.woman else "Mr", item.family]
    if isinstance(item, Proper):
        return [item.english]
    if isinstance(item, Coordination):
        return [*nominal(item.first, subject), "and", *nominal(item.second, subject)]
    if isinstance(item, Interrogative):
        return ["who" if item.human else "what"]
    return []


def complement(marker: Complement, item: Nominal) -> list[str]:
    """A participant as the verb or an adverbial asks for it; a gap leaves its preposition stranded."""
    preposition = marker.english
    if marker.german == "to":
        preposition = "into" if isinstance(item, NounPhrase) and item.noun.kind == "room" else "to"
    elif marker.german == "at":
        place = item.noun.place if isinstance(item, (NounPhrase, Gap)) else None
        preposition = place.english if place is not None else "in"
    return [preposition, *nominal(item)]


def adverbial(item: Adverbial) -> list[str]:
    """The words of an adverbial."""
    return [item.english] if isinstance(item, Fixed) else complement(item.complement, item.nominal)


def _number(subject: Nominal) -> int:
    """Position in a row of verb forms: I, he, we."""
    if isinstance(subject, Pronoun):
        return {"I": 0, "he": 1, "she": 1, "it": 1}.get(subject.english, 2)
    plural = isinstance(subject, Coordination) or (isinstance(subject, (NounPhrase, Gap)) and subject.plural)
    return 2 if plural else 1


def _finite(verb: EnglishVerb, tense: str, number: int) -> str:
    if verb.base == "be":
        return _BE_FORMS[tense][number]
    if tense == "past":
        return verb.past
    return forms.third_person(verb.base) if number == 1 else verb.base


_BE = EnglishVerb("be", "was", "been")
_HAVE = EnglishVerb("have", "had", "had")
_DO = EnglishVerb("do", "did", "done")


def _chain(clause: Clause, do_support: bool) -> tuple[list[str], list[str]]:
    """The finite auxiliary (nothing if there is none) and the rest of the verb."""
    verb, tense, number = clause.verb.english, clause.tense, _number(clause.subject)
    simple = "past" if tense in ("past", "pluperfect") else "present"
    # What each auxiliary asks of the next word is settled from the right end.
    tail: list[str] = []
    head = verb
    form = "finite"
    auxiliaries: list[tuple[EnglishVerb, str]] = []
    if tense in ("perfect", "pluperfect", "since"):
        auxiliaries.append((_HAVE, "participle"))
    if clause.progressive:
        auxiliaries.append((_BE, "ing"))
    if clause.passive:
        auxiliaries.append((_BE, "participle"))
    words: list[str] = []
    sequence = [*(auxiliary for auxiliary, _ in auxiliaries), head]
    demands = [form, *(demand for _, demand in auxiliaries)]
    modal = _modal(clause, simple, number)
    if modal is not None:
        demands[0] = "base"
    for each, demand in zip(sequence, demands, strict=True):
        if demand == "finite":
            words.append(_finite(each, simple, number))
        else:
            words.append({"base": each.base, "participle": each.participle, "ing": forms.ing_form(each.base)}[demand])
    if verb.particle:
        tail.append(verb.particle)
    if modal is not None:
        first, *rest = modal
        if first in ("can", "could", "must", "may", "should", "will", "would", "is", "are", "am", "was", "were"):
            return [first], [*rest, *words, *tail]
        semi = _TO_MODALS[clause.modal]
        if do_support:
            return [_finite(_DO, simple, number)], [semi.base, *rest, *words, *tail]
        return [], [first, *rest, *words, *tail]
    if len(words) > 1 or verb.base == "be":
        return [words[0]], [*words[1:], *tail]
    if do_support:
        return [_finite(_DO, simple, number)], [verb.base, *tail]
    return [], [*words, *tail]


def _modal(clause: Clause, tense: str, number: int) -> list[str] | None:
    if clause.tense == "future":
        return ["will"]
    name = clause.modal
    if not name:
        return None
    if name == "would like":
        return ["would", "like", "to"]
    if name == "may" and tense == "past":
        return [_BE_FORMS["past"][number], "allowed", "to"]
    bare = _BARE_MODALS.get((name, tense))
    # "must not" would forbid; German `muss nicht` says that there is no need.
    if bare is not None and not (name == "must" and clause.negated):
        return [bare]
    return [_finite(_TO_MODALS[name], tense, number), "to"]


def _rest(clause: Clause) -> list[str]:
    """Everything behind the verb."""
    words: list[str] = []
    for marker, item in clause.arguments:
        if not isinstance(item, Interrogative):
            words += complement(marker, item)
        elif marker.english:
            words.append(marker.english)
    predicate = clause.predicate
    if isinstance(predicate, Adjective):
        words += [*([clause.degree.english] if clause.degree else []), predicate.english]
    elif isinstance(predicate, Comparison):
        adjective = predicate.adjective
        compared = ["as", adjective.english, "as"] if predicate.equal else [adjective.english_comparative, "than"]
        words += [*compared, *nominal(predicate.standard)]
    elif isinstance(predicate, Fixed):
        words.append(predicate.english)
    elif predicate is not None:
        words += noun_phrase(predicate)
    for each in sorted(
        (item for item in clause.adverbials if item.kind in _ADVERB_ORDER), key=lambda item: _ADVERB_ORDER[item.kind]
    ):
        words += adverbial(each)
    if clause.embedded is not None:
        words += _embedded(clause.embedded)
    return words


def _middle(clause: Clause) -> list[str]:
    return [
        item.english
        for item in clause.adverbials
        if isinstance(item, Fixed) and item.kind in ("frequency", "mid", "sentence")
    ]


def statement(clause: Clause, shared: bool = False) -> list[str]:
    """A clause in statement order; `shared` leaves its subject out."""
    auxiliary, verb = _chain(clause, do_support=clause.negated)
    words = [] if shared else nominal(clause.subject, subject=True)
    if clause.there_is:
        words = ["there"]
        verb = [*verb, *nominal(clause.subject, subject=True)]
    if clause.fronted is not None:
        front = adverbial(clause.fronted)
        pause = front != ["perhaps"] and (clause.fronted.kind == "sentence" or len(" ".join(front).split()) > 1)
        words = [*front, *([","] if pause else []), *words]
    negation = ["not"] if clause.negated else []
    if auxiliary == ["can"] and negation:
        auxiliary, negation = ["cannot"], []
    return [*words, *auxiliary, *negation, *_middle(clause), *verb, *_rest(clause)]


def question(clause: Clause) -> list[str]:
    """A clause with the auxiliary in front of its subject, without the question word."""
    if isinstance(clause.subject, Interrogative):  # it is asked for where it stands: Who broke the glass?
        return statement(clause)
    auxiliary, verb = _chain(clause, do_support=True)
    subject = nominal(clause.subject, subject=True)
    if clause.there_is:
        verb, subject = [*verb, *subject], ["there"]
    return [*auxiliary, *subject, *(["not"] if clause.negated else []), *_middle(clause), *verb, *_rest(clause)]


def infinitive(clause: Clause) -> list[str]:
    """Infinitive clause: to write a letter."""
    verb = clause.verb.english
    return ["to", verb.base, verb.particle, *_rest(clause)]


def _relative(clause: Clause, human: bool) -> list[str]:
    """Restrictive relative clause, without commas."""
    if isinstance(clause.subject, Gap):
        return ["who" if human else "that", *statement(clause)]
    return ["that", *statement(clause)]


def _embedded(item: Embedded) -> list[str]:
    if item.conjunction is not None:
        return [item.conjunction.english, *statement(item.clause)]
    return infinitive(item.clause)


def _main(sentence: Sentence) -> list[str]:
    clause = sentence.clause
    if sentence.request:
        verb = clause.verb.english
        return ["please", verb.base, verb.particle, *_rest(clause)]
    if sentence.question is not None:
        asked = [item for _, item in clause.arguments if isinstance(item, Interrogative)]
        front = nominal(asked[0]) if asked else [sentence.question.english]
        if isinstance(clause.subject, Interrogative):
            front = []
        return [*front, *question(clause)]
    if sentence.before is not None:
        conjunction, first = sentence.before
        return [conjunction.english, *statement(first), ",", *statement(clause)]
    return statement(clause)


def say(sentence: Sentence) -> str:
    """The sentence in English, with punctuation."""
    words = _main(sentence)
    if sentence.conjoined is not None:
        conjunction, clause = sentence.conjoined
        words += [*([] if sentence.shared else [","]), conjunction.english, *statement(clause, shared=sentence.shared)]
    if sentence.after is not None:
        conjunction, clause = sentence.after
        words += [conjunction.english, *statement(clause)]
    if sentence.vocative is not None:
        words = [*nominal(sentence.vocative), ",", *words]
    if sentence.speaker is not None:
        return f'"{finish(words, "")}," said {" ".join(nominal(sentence.speaker, subject=True))}.'
    return finish(words, "?" if sentence.question is not None else "!" if sentence.exclaimed else ".")
