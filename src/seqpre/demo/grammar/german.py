"""Say a meaning in German: case and agreement, the sentence bracket, verb-second and verb-final order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from seqpre.demo.grammar import german_forms as forms
from seqpre.demo.grammar.german_forms import ACC, DAT, GEN, NOM
from seqpre.demo.grammar.lexicon import Adjective, Complement, GermanVerb, Pair, Proper
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
    is_plural,
)

CASES = {"acc": ACC, "dat": DAT}

# The middle field, left to right: known participants first, new ones (and what belongs closely to the verb) last.
_MIDDLE_FIELD = (
    "reflexive", "pronoun acc", "pronoun dat", "sentence", "time", "frequency", "definite dat", "definite acc", "mid",
    "indefinite dat", "negation", "agent", "company", "means", "manner", "place", "indefinite acc", "prepositional",
    "direction", "predicate",
)  # fmt: skip
_RANK = {name: rank for rank, name in enumerate(_MIDDLE_FIELD)}

_HAVE = GermanVerb("haben", "hat", "hatte", "gehabt")
_BE = GermanVerb("sein", "ist", "war", "gewesen", auxiliary="sein")
_BECOME = GermanVerb("werden", "wird", "wurde", "geworden", auxiliary="sein")
_MODALS = {
    "can": GermanVerb("können", "kann", "konnte", "gekonnt"),
    "must": GermanVerb("müssen", "muss", "musste", "gemusst"),
    "want": GermanVerb("wollen", "will", "wollte", "gewollt"),
    "may": GermanVerb("dürfen", "darf", "durfte", "gedurft"),
    "should": GermanVerb("sollen", "soll", "sollte", "gesollt"),
    "would like": GermanVerb("mögen", "mag", "möchte", "gemocht"),
}


@dataclass(slots=True)
class _Parts:
    """A clause in pieces: what stands before, within and behind the bracket of finite verb and nonfinite or prefix."""

    subject: list[str]
    middle: list[list[str]]
    finite: str
    nonfinite: list[str]
    prefix: str
    after: list[str]


def noun_phrase(phrase: NounPhrase, case: int, relative: bool = True) -> list[str]:
    """The words of a noun phrase in a case; a relative clause is set off by commas."""
    noun = phrase.noun
    gender = "p" if phrase.plural else noun.gender
    words: list[str] = []
    determiner = phrase.determiner
    owner = phrase.owner if determiner == "owner" else None
    if determiner == "the" or isinstance(owner, NounPhrase):
        words.append(forms.DEFINITE[gender][case])
        endings = forms.WEAK
    elif determiner in ("a", "no") or isinstance(owner, Pronoun):
        stem = forms.PRONOUNS[owner.german][2] if isinstance(owner, Pronoun) else {"a": "ein", "no": "kein"}[determiner]
        words.append(stem + forms.EIN_ENDINGS[gender][case])
        endings = forms.MIXED
    elif determiner in _DER_WORDS:
        words.append(_DER_WORDS[determiner] + forms.DER_ENDINGS[gender][case])
        endings = forms.WEAK
    else:
        endings = forms.STRONG
        if determiner in ("some", "many"):
            words.append({"some": "einig", "many": "viel"}[determiner] + forms.STRONG[gender][case])
        elif determiner == "number":
            words.append(forms.number_word(phrase.number))
        elif isinstance(owner, Proper):
            words.append(forms.name_genitive(owner.german))
    words.extend(forms.adjective(each.stem, endings[gender][case]) for each in phrase.adjectives)
    words.append(forms.inflect_noun(noun, phrase.plural, case))
    if isinstance(owner, NounPhrase):
        words.extend(noun_phrase(owner, GEN))
    if relative and phrase.relative is not None:
        words.extend(_relative(phrase.relative))
    return words


_DER_WORDS = {"this": "dies", "every": "jed", "which": "welch", "all": "all"}


def nominal(item: Nominal, case: int, relative: bool = True) -> list[str]:
    """The words of any participant in a case."""
    if isinstance(item, NounPhrase):
        return noun_phrase(item, case, relative)
    if isinstance(item, Pronoun):
        return [item.german.split()[0] if case == NOM else forms.PRONOUNS[item.german][case - 1]]
    if isinstance(item, Titled):
        return ["Frau" if item.woman else "Herr" if case == NOM else "Herrn", item.family]
    if isinstance(item, Proper):
        return [*([forms.DEFINITE[item.article][case]] if item.article else []), item.german]
    if isinstance(item, Coordination):
        return [*nominal(item.first, case), "und", *nominal(item.second, case)]
    if isinstance(item, Gap):
        return [forms.RELATIVE["p" if item.plural else item.noun.gender][case]]
    return [forms.WHO[case] if item.human else "was"]


def complement(marker: Complement, item: Nominal, relative: bool = True) -> list[str]:
    """A participant as the verb or an adverbial asks for it: in a case or behind a preposition."""
    preposition, case = marker.german, CASES.get(marker.case, ACC)
    if preposition == "bare":
        assert isinstance(item, NounPhrase)
        return [item.noun.german]
    if preposition in ("at", "to"):
        preposition, case = _place_preposition(item, direction=preposition == "to")
    words = nominal(item, case, relative)
    if not preposition:
        return words
    # A restrictive relative clause keeps the article apart: in dem Haus, das ...
    contracts = isinstance(item, NounPhrase) and item.determiner == "the" and item.relative is None
    contracts = contracts or (isinstance(item, NounPhrase) and isinstance(item.owner, NounPhrase))
    if contracts and (preposition, words[0]) in forms.CONTRACTIONS:
        return [forms.CONTRACTIONS[preposition, words[0]], *words[1:]]
    return [preposition, *words]


def _place_preposition(item: Nominal, direction: bool) -> tuple[str, int]:
    noun = item.noun if isinstance(item, (NounPhrase, Gap)) else None
    if noun is None:
        assert isinstance(item, Proper)
        if direction:
            return ("in", ACC) if item.article else ("nach", DAT)
        return "in", DAT
    assert noun.place is not None, noun.english
    if direction:
        return noun.place.german_to, DAT if noun.place.german_to == "zu" else ACC
    return noun.place.german, DAT


def adverbial(item: Adverbial, relative: bool = True) -> list[str]:
    """The words of an adverbial."""
    return [item.german] if isinstance(item, Fixed) else complement(item.complement, item.nominal, relative)


def _agreement(subject: Nominal) -> tuple[int, bool]:
    return (subject.person if isinstance(subject, Pronoun) else 3), is_plural(subject)


def _verb_forms(clause: Clause, spoken: bool) -> tuple[str, list[str], str]:
    """The finite verb, the words that end the bracket, and a separated prefix."""
    verb, tense = clause.verb.german, clause.tense
    person, plural = _agreement(clause.subject)
    end = [forms.participle(verb), "werden"] if clause.passive else [forms.infinitive(verb)]
    if clause.modal and clause.modal != "like":
        modal = _MODALS[clause.modal]
        # sollte and möchte are subjunctives, formed like a preterite.
        past = tense == "past" or clause.modal in ("should", "would like")
        if clause.modal == "would like":
            finite = "möchte" + ("n" if plural else "st" if person == 2 else "")
        else:
            finite = (forms.preterite if past else forms.present)(modal, person, plural)
        return finite, end, ""
    if tense == "future":
        return forms.present(_BECOME, person, plural), end, ""
    if (
        tense == "past"
        and spoken
        and not clause.passive
        and verb.infinitive not in ("sein", "haben", "mögen", "wissen")
    ):
        tense = "perfect"
    if clause.passive:
        participle = forms.participle(verb)
        if tense in ("perfect", "pluperfect"):
            conjugate = forms.present if tense == "perfect" else forms.preterite
            return conjugate(_BE, person, plural), [participle, "worden"], ""
        conjugate = forms.preterite if tense == "past" else forms.present
        return conjugate(_BECOME, person, plural), [participle], ""
    if tense in ("perfect", "pluperfect"):
        auxiliary = _BE if verb.auxiliary == "sein" else _HAVE
        conjugate = forms.present if tense == "perfect" else forms.preterite
        return conjugate(auxiliary, person, plural), [forms.participle(verb)], ""
    conjugate = forms.preterite if tense == "past" else forms.present
    return conjugate(verb, person, plural), [], verb.prefix


def _definite(item: Nominal) -> bool:
    return not isinstance(item, NounPhrase) or item.determiner in ("the", "this", "all", "owner")


def _argument_slot(marker: Complement, item: Nominal) -> str:
    if marker.german in ("at", "to") or (marker.german in ("auf", "in") and marker.case == "acc"):
        return "direction"
    if marker.german:
        return "prepositional"
    if isinstance(item, Pronoun):
        return f"pronoun {marker.case}"
    return f"{'definite' if _definite(item) else 'indefinite'} {marker.case}"


def _takes_kein(item: Nominal) -> bool:
    return isinstance(item, NounPhrase) and item.determiner in ("a", "none")


def _predicate(clause: Clause, negate_noun: bool) -> list[str]:
    item = clause.predicate
    if isinstance(item, Adjective):
        return [*([clause.degree.german] if clause.degree else []), item.german]
    if isinstance(item, Comparison):
        if item.equal:
            return ["so", item.adjective.german, "wie", *nominal(item.standard, NOM)]
        return [item.adjective.german_comparative, "als", *nominal(item.standard, NOM)]
    if isinstance(item, Fixed):
        return [item.german]
    assert isinstance(item, NounPhrase)
    # A profession stands without an article: Sie ist Ärztin; with an adjective it has one.
    if negate_noun:
        item = replace(item, determiner="no")
    elif item.determiner == "a" and not item.adjectives and item.noun.kind == "person" and item.noun.topic != "home":
        item = replace(item, determiner="none")
    return noun_phrase(item, NOM)


def _is_gap(item: Nominal) -> bool:
    return isinstance(item, (Gap, Interrogative))


def _parts(clause: Clause, spoken: bool = False, skip_gap: bool = False) -> _Parts:
    """Take a clause apart; `skip_gap` leaves out the participant that a relative or question word stands for."""
    items: list[tuple[int, list[str], NounPhrase | None]] = []
    negated = clause.negated
    for marker, item in clause.arguments:
        if skip_gap and _is_gap(item):
            continue
        if negated and not marker.german and marker.case == "acc" and _takes_kein(item):
            assert isinstance(item, NounPhrase)
            item, negated = replace(item, determiner="no"), False
            slot = "indefinite acc"
        else:
            slot = _argument_slot(marker, item)
        heavy = item if isinstance(item, NounPhrase) and item.relative is not None else None
        items.append((_RANK[slot], complement(marker, item, relative=heavy is None), heavy))
    for each in clause.adverbials:
        items.append((_RANK[each.kind], adverbial(each), None))
    if clause.modal == "like":
        items.append((_RANK["frequency"], ["gern"], None))
    if clause.verb.german.reflexive:
        key = clause.subject.german if isinstance(clause.subject, Pronoun) else "er"
        items.append((_RANK["reflexive"], [forms.PRONOUNS[key][3]], None))
    if clause.predicate is not None:
        negate_noun = negated and isinstance(clause.predicate, NounPhrase) and clause.predicate.determiner == "a"
        items.append((_RANK["predicate"], _predicate(clause, negate_noun), None))
        negated = negated and not negate_noun
    if negated:
        items.append((_RANK["negation"], ["nicht"], None))
    items.sort(key=lambda item: item[0])
    finite, nonfinite, prefix = _verb_forms(clause, spoken)
    after: list[str] = []
    middle: list[list[str]] = []
    for position, (_, words, heavy) in enumerate(items):
        if heavy is not None and heavy.relative is not None:
            # The last phrase leaves its relative clause behind the bracket: hat das Buch gelesen, das ...
            (after if position == len(items) - 1 else words).extend(_relative(heavy.relative))
        middle.append(words)
    if clause.embedded is not None:
        after.extend(_embedded(clause.embedded, spoken))
    if clause.there_is:  # es gibt einen Park: what there is stands in the accusative, behind places and times
        middle.append(nominal(clause.subject, ACC))
        return _Parts(["es"], middle, {"present": "gibt", "past": "gab"}[clause.tense], [], "", after)
    return _Parts(nominal(clause.subject, NOM), middle, finite, nonfinite, prefix, after)


def _flat(groups: list[list[str]]) -> list[str]:
    return [word for group in groups for word in group]


def verb_second(clause: Clause, spoken: bool = False, front: list[str] | None = None) -> list[str]:
    """Main clause: `front` (a clause, a question word, nothing for verb-first), then the finite verb, then the rest."""
    parts = _parts(clause, spoken, skip_gap=True)
    end = [*parts.nonfinite, *([parts.prefix] if parts.prefix else []), *parts.after]
    if front is None and clause.fronted is not None:
        front = adverbial(clause.fronted)
    if front is None:
        return [*parts.subject, parts.finite, *_flat(parts.middle), *end]
    subject = [] if isinstance(clause.subject, Interrogative) else parts.subject
    if clause.verb.german.reflexive and not isinstance(clause.subject, Pronoun):  # Gestern hat sich der Mann erholt.
        subject = [*parts.middle.pop(0), *subject]
    return [*front, parts.finite, *subject, *_flat(parts.middle), *end]


def verb_final(clause: Clause, spoken: bool = False) -> list[str]:
    """Subordinate clause without its conjunction: the finite verb comes last."""
    parts = _parts(clause, spoken)
    return [*parts.subject, *_flat(parts.middle), *parts.nonfinite, parts.prefix + parts.finite, *parts.after]


def infinitive(clause: Clause) -> list[str]:
    """Infinitive clause: einen Brief zu schreiben."""
    parts = _parts(clause)
    return [*_flat(parts.middle), forms.zu_infinitive(clause.verb.german), *parts.after]


def _relative(clause: Clause) -> list[str]:
    """Relative clause between commas; the gap comes first, with its preposition."""
    if isinstance(clause.subject, Gap):
        return [",", *verb_final(clause), ","]
    front = next(complement(marker, item) for marker, item in clause.arguments if isinstance(item, Gap))
    parts = _parts(clause, skip_gap=True)
    words = [*front, *parts.subject, *_flat(parts.middle), *parts.nonfinite, parts.prefix + parts.finite, *parts.after]
    return [",", *words, ","]


def _embedded(item: Embedded, spoken: bool) -> list[str]:
    if item.conjunction is not None:
        return [",", item.conjunction.german, *verb_final(item.clause, spoken), ","]
    return [",", *(["um"] if item.purpose else []), *infinitive(item.clause), ","]


def _is_spoken(clause: Clause) -> bool:
    """Whether the past is told in the perfect, as in speech: by and to the people who are talking."""
    subject = clause.subject
    return isinstance(subject, Pronoun) and subject.german in ("ich", "du", "wir", "Sie")


def _main(sentence: Sentence) -> list[str]:
    clause = sentence.clause
    spoken = _is_spoken(clause) or sentence.question is not None or sentence.speaker is not None
    if sentence.request:
        parts = _parts(clause)
        end = [*parts.nonfinite, *([parts.prefix] if parts.prefix else []), *parts.after]
        return ["bitte", parts.finite, "Sie", *_flat(parts.middle), *end]
    front: list[str] | None = None
    if sentence.question is not None:
        if isinstance(clause.subject, Interrogative):
            front = nominal(clause.subject, NOM)
        elif any(isinstance(item, Interrogative) for _, item in clause.arguments):
            front = next(
                complement(marker, item) for marker, item in clause.arguments if isinstance(item, Interrogative)
            )
        else:
            front = [sentence.question.german] if sentence.question.german else []
    if sentence.before is not None:
        conjunction, first = sentence.before
        front = [conjunction.german, *verb_final(first, spoken), ","]
    return verb_second(clause, spoken, front)


def _second(conjunction: Pair, sentence: Sentence) -> list[str]:
    assert sentence.conjoined is not None
    clause = sentence.conjoined[1]
    spoken = _is_spoken(clause) or sentence.speaker is not None
    if not sentence.shared:
        return [",", conjunction.german, *verb_second(clause, spoken)]
    parts, first = _parts(clause, spoken), _parts(sentence.clause, spoken)
    # The same auxiliary is not said twice: hat ein Buch gekauft und es gelesen.
    finite = [] if parts.nonfinite and first.nonfinite and parts.finite == first.finite else [parts.finite]
    end = [*parts.nonfinite, *([parts.prefix] if parts.prefix else []), *parts.after]
    return [conjunction.german, *finite, *_flat(parts.middle), *end]


def say(sentence: Sentence) -> str:
    """The sentence in German, with punctuation."""
    words = _main(sentence)
    if sentence.conjoined is not None:
        words += _second(sentence.conjoined[0], sentence)
    if sentence.after is not None:
        conjunction, clause = sentence.after
        spoken = _is_spoken(clause) or sentence.speaker is not None
        words += [",", conjunction.german, *verb_final(clause, spoken)]
    if sentence.vocative is not None:
        words = [*nominal(sentence.vocative, NOM), ",", *words]
    if sentence.speaker is not None:
        quoted = finish(words, "")
        return f"„{quoted}“, sagte {' '.join(nominal(sentence.speaker, NOM))}."
    return finish(
        words, "?" if sentence.question is not None else "!" if sentence.request or sentence.exclaimed else "."
    )
