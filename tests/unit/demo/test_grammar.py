"""English and German of the demo, against forms and sentences written by hand."""

from __future__ import annotations

from random import Random

import pytest

from seqpre.demo import english, german, words
from seqpre.demo.generate import VARIED
from seqpre.demo.german import ACC, DAT, NOM
from seqpre.demo.grammar import BE, WILL, Clause, NounPhrase
from seqpre.demo.sentences import MODALS, NONE, PRONOUNS, THE, WHO, A, Domain, Drawer
from seqpre.demo.words import Adjective, Determiner, Noun, Pronoun, Said, Verb

HE, SHE, ME, _, THEY, _ = PRONOUNS
ANNA = Pronoun("Anna", "Anna", ("Anna",) * 3)
MY = Determiner("my", "my", "mein", "ein")
NEW = Adjective("new", "neu", frozenset())


def noun(name: str) -> Noun:
    return next(each for each in words.nouns() if each.english == name)


def verb(infinitive: str) -> Verb:
    every = words.verbs("verb", "state")
    return next(each for each in every if each.german.prefix + each.german.infinitive == infinitive)


def present(used: Verb) -> list[str]:
    return [used.german.form("present", who) for who in range(3)]


def phrase(name: str, determiner: Determiner = THE, **more: object) -> NounPhrase:
    return NounPhrase(noun(name), determiner, **more)  # type: ignore[arg-type]


def clause(subject: Pronoun | NounPhrase, infinitive: str, *objects: Pronoun | NounPhrase, **more: object) -> Clause:
    used = verb(infinitive)
    return Clause(subject, used, tuple(zip(used.frame, objects, strict=True)), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("base", "third", "ing", "past"),
    [("walk", "walks", "walking", "walked"), ("watch", "watches", "watching", "watched"),
     ("tidy", "tidies", "tidying", "tidied"), ("bake", "bakes", "baking", "baked"),
     ("stop", "stops", "stopping", "stopped"), ("repair", "repairs", "repairing", "repaired")],
)  # fmt: skip
def test_regular_english_verbs(base: str, third: str, ing: str, past: str) -> None:
    assert (english.with_s(base), english.ing(base), english.regular_past(base)) == (third, ing, past)


def test_irregular_english_words() -> None:
    assert [english.ing(base) for base in ("swim", "see", "forget")] == ["swimming", "seeing", "forgetting"]
    assert [english.with_s(one) for one in ("story", "boy", "bus", "church")] == [
        "stories",
        "boys",
        "buses",
        "churches",
    ]


@pytest.mark.parametrize(
    ("infinitive", "parts"),
    [("kaufen", "kauft kaufte gekauft"), ("arbeiten", "arbeitet arbeitete gearbeitet"),
     ("reparieren", "repariert reparierte repariert"), ("besuchen", "besucht besuchte besucht"),
     ("öffnen", "öffnet öffnete geöffnet"), ("lernen", "lernt lernte gelernt"), ("beten", "betet betete gebetet"),
     ("beantworten", "beantwortet beantwortete beantwortet"), ("gehören", "gehört gehörte gehört")],
)  # fmt: skip
def test_weak_german_verbs(infinitive: str, parts: str) -> None:
    assert list(german.weak_parts(infinitive)) == [infinitive, *parts.split()]


def test_german_verbs_agree() -> None:
    assert present(verb("essen")) == ["esse", "isst", "essen"]
    assert present(verb("wissen")) == ["weiß", "weiß", "wissen"]
    assert present(verb("entwickeln")) == ["entwickle", "entwickelt", "entwickeln"]
    assert present(WILL) == ["werde", "wird", "werden"]
    assert present(BE) == ["bin", "ist", "sind"]
    assert [verb("gehen").german.form("past", who) for who in range(3)] == ["ging", "ging", "gingen"]
    assert verb("aufräumen").german.form("zu", 0) == "aufzuräumen"


@pytest.mark.parametrize(
    ("item", "cases"),
    [
        (phrase("dog", adjective=NEW), ["der neue Hund", "den neuen Hund", "dem neuen Hund"]),
        (phrase("cat", A, adjective=NEW), ["eine neue Katze", "eine neue Katze", "einer neuen Katze"]),
        (phrase("dog", A, adjective=NEW), ["ein neuer Hund", "einen neuen Hund", "einem neuen Hund"]),
        (phrase("book", MY, adjective=NEW), ["mein neues Buch", "mein neues Buch", "meinem neuen Buch"]),
        (phrase("water", NONE, adjective=NEW), ["neues Wasser", "neues Wasser", "neuem Wasser"]),
        (phrase("child", plural=True, adjective=NEW), ["die neuen Kinder", "die neuen Kinder", "den neuen Kindern"]),
        (phrase("book", NONE, plural=True, adjective=NEW), ["neue Bücher", "neue Bücher", "neuen Büchern"]),
        (phrase("boy"), ["der Junge", "den Jungen", "dem Jungen"]),
    ],
)
def test_german_noun_phrases_decline(item: NounPhrase, cases: list[str]) -> None:
    assert [item.german(case) for case in (NOM, ACC, DAT)] == cases


OFTEN, YESTERDAY, PARK = Said("often", "oft"), Said("yesterday", "gestern"), Said("in the park", "im Park")
BOOK = phrase("book", A)


@pytest.mark.parametrize(
    ("said", "in_english", "in_german"),
    [
        (clause(ANNA, "kaufen", BOOK, adverb=OFTEN), "Anna often buys a book.", "Anna kauft oft ein Buch."),
        (clause(ME, "kaufen", BOOK, progressive=True), "I am buying a book.", "Ich kaufe ein Buch."),
        (clause(THEY, "kaufen", BOOK, tense="past"), "They bought a book.", "Sie kauften ein Buch."),
        (clause(ANNA, "kaufen", BOOK, tense="perfect"), "Anna has bought a book.", "Anna hat ein Buch gekauft."),
        (clause(ANNA, "kaufen", BOOK, tense="future"), "Anna will buy a book.", "Anna wird ein Buch kaufen."),
        (clause(HE, "kaufen", phrase("book"), negated=True), "He does not buy the book.", "Er kauft das Buch nicht."),
        (clause(HE, "kaufen", BOOK, modal=MODALS[0]), "He can buy a book.", "Er kann ein Buch kaufen."),
        (clause(HE, "kaufen", BOOK, modal=MODALS[2]), "He wants to buy a book.", "Er will ein Buch kaufen."),
        (clause(SHE, "aufräumen", phrase("kitchen")), "She tidies up the kitchen.", "Sie räumt die Küche auf."),
        (clause(SHE, "aufstehen", tense="perfect"), "She has got up.", "Sie ist aufgestanden."),
        (clause(SHE, "warten", HE, place=PARK), "She waits for him in the park.", "Sie wartet im Park auf ihn."),
        (clause(SHE, "geben", HE, BOOK, time=YESTERDAY, tense="past"), "She gave him a book yesterday.",
         "Sie gab ihm gestern ein Buch."),
        (Clause(phrase("house", plural=True), verb("sehen"), passive=True, tense="perfect"),
         "The houses have been seen.", "Die Häuser sind gesehen worden."),
    ],
)  # fmt: skip
def test_statements(said: Clause, in_english: str, in_german: str) -> None:
    assert said.said() == (in_english, in_german)


def test_questions_and_subordinate_clauses() -> None:
    bought = clause(ANNA, "kaufen", BOOK, tense="past")
    assert bought.said("question", end="?") == ("Did Anna buy a book?", "Kaufte Anna ein Buch?")
    where = Said("where", "wo")
    assert bought.said("question", where, "?") == ("Where did Anna buy a book?", "Wo kaufte Anna ein Buch?")
    assert clause(WHO, "kaufen", BOOK).said(end="?") == ("Who buys a book?", "Wer kauft ein Buch?")
    assert bought.said(front=Said("yesterday,", "gestern")).german == "Gestern kaufte Anna ein Buch."
    assert bought.german("final", "weil") == "weil Anna ein Buch kaufte"
    tidying = clause(ANNA, "aufräumen", phrase("kitchen"))
    assert tidying.german("final", "dass") == "dass Anna die Küche aufräumt"
    assert tidying.english("infinitive", "to") == "to tidy up the kitchen"
    assert tidying.german("infinitive") == "die Küche aufzuräumen"


def test_a_relative_clause_has_commas_in_german() -> None:
    teacher = phrase("teacher", relative=Said("that he helps", ", dem er hilft ,"))
    assert clause(ME, "kennen", teacher).said().german == "Ich kenne den Lehrer, dem er hilft."
    assert clause(teacher, "tanzen").said() == ("The teacher that he helps dances.", "Der Lehrer, dem er hilft, tanzt.")


def test_every_kind_that_goes_with_a_word_is_some_nouns() -> None:
    kinds = {"city"}.union(*(each.kinds for each in words.nouns()))
    wanted = [each.kinds for each in words.adjectives()]
    for each in words.verbs("verb", "state"):
        wanted += [each.kinds, *(marker.kinds for marker in each.frame)]
    assert set().union(*wanted) <= kinds


@pytest.mark.parametrize("topic", ["home", "public"])
@pytest.mark.parametrize("construction", VARIED)
def test_every_construction_makes_many_sentences(construction: str, topic: str) -> None:
    drawer = Drawer(Domain(topic, 1.0, {construction: 1}), Random(construction))
    said = {drawer.sentence() for _ in range(60)}
    assert len(said) > 40
    for text in (text for pair in said for text in pair):
        assert text[0].isupper()
        assert text[-1] in ".?!"
        assert not {"  ", " ,", ",,"} & {text[place : place + 2] for place in range(len(text))}
