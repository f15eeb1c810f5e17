"""English inflection and word order, against forms and sentences written by hand."""

import re

import pytest

from seqpre.demo.grammar import english
from seqpre.demo.grammar.english_forms import (
    comparative,
    indefinite_article,
    ing_form,
    number_word,
    possessive,
    regular_past,
    regular_plural,
    third_person,
)
from seqpre.demo.grammar.lexicon import Complement, Noun, Pair, Proper, Verb
from seqpre.demo.grammar.meaning import (
    ACCUSATIVE,
    AT,
    BE,
    HE,
    THEY,
    YES_NO,
    YOU,
    Clause,
    Fixed,
    Gap,
    I,
    Interrogative,
    NounPhrase,
    Prepositional,
    Sentence,
)
from seqpre.demo.grammar.tables import LEXICON

ANNA = Proper("Anna", "Anna", "person", gender="f")


def noun(name: str) -> Noun:
    return next(each for each in LEXICON.nouns if each.english == name)


def verb(german: str) -> Verb:
    return next(each for each in LEXICON.verbs if each.german.prefix + each.german.infinitive == german)


IN_BERLIN = ((AT, LEXICON.cities[0]),)
BOOK = ((ACCUSATIVE, NounPhrase(noun("book"), determiner="a")),)


@pytest.mark.parametrize(
    ("base", "third", "ing", "past"),
    [("walk", "walks", "walking", "walked"), ("watch", "watches", "watching", "watched"),
     ("tidy", "tidies", "tidying", "tidied"), ("play", "plays", "playing", "played"),
     ("bake", "bakes", "baking", "baked"), ("stop", "stops", "stopping", "stopped"),
     ("visit", "visits", "visiting", "visited"),
     ("repair", "repairs", "repairing", "repaired"), ("travel", "travels", "travelling", "travelled"),
     ("fix", "fixes", "fixing", "fixed"), ("agree", "agrees", "agreeing", "agreed")],
)  # fmt: skip
def test_regular_verbs(base: str, third: str, ing: str, past: str) -> None:
    assert (third_person(base), ing_form(base), regular_past(base)) == (third, ing, past)


def test_ing_forms_double_and_drop_letters() -> None:
    assert [ing_form(base) for base in ("lie", "swim", "see", "write", "get", "forget", "begin", "eat")] == [
        "lying", "swimming", "seeing", "writing", "getting", "forgetting", "beginning", "eating",
    ]  # fmt: skip


def test_articles_follow_the_sound() -> None:
    assert {indefinite_article(word) for word in ("apple", "hour", "umbrella", "unknown", "old", "honest")} == {"an"}
    assert {indefinite_article(word) for word in ("house", "university", "user", "European", "yellow")} == {"a"}
    small = next(each for each in LEXICON.adjectives if each.english == "small")
    assert english.noun_phrase(NounPhrase(noun("apple"), determiner="a", adjectives=(small,))) == [
        "a",
        "small",
        "apple",
    ]


def test_nouns_adjectives_and_numbers() -> None:
    assert [regular_plural(word) for word in ("dog", "box", "church", "bus")] == ["dogs", "boxes", "churches", "buses"]
    assert [possessive("Anna"), possessive("girls")] == ["Anna's", "girls'"]
    assert [comparative("old"), comparative("wide"), comparative("dangerous")] == ["older", "wider", "more dangerous"]
    assert [number_word(n) for n in (0, 13, 20, 42, 1500)] == ["zero", "thirteen", "twenty", "forty-two", "1,500"]


def test_no_noun_of_the_tables_has_a_plural_in_ys() -> None:
    plurals = [each.english_plural for each in LEXICON.nouns if not each.mass]
    assert [plural for plural in plurals if re.search(r"[^aeiou]ys$", plural)] == []


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (Clause(ANNA, verb("kaufen"), arguments=BOOK), "Anna buys a book."),
        (Clause(THEY, verb("kaufen"), "past", BOOK), "They bought a book."),
        (Clause(ANNA, verb("kaufen"), "perfect", BOOK), "Anna has bought a book."),
        (Clause(ANNA, verb("kaufen"), "future", BOOK), "Anna will buy a book."),
        (Clause(I, verb("kaufen"), arguments=BOOK, progressive=True), "I am buying a book."),
        (Clause(HE, verb("kaufen"), arguments=BOOK, negated=True), "He does not buy a book."),
        (Clause(HE, verb("kaufen"), "past", BOOK, negated=True), "He did not buy a book."),
        (Clause(HE, verb("kaufen"), "present", BOOK, modal="can", negated=True), "He cannot buy a book."),
        (Clause(HE, verb("kaufen"), "present", BOOK, modal="must", negated=True), "He does not have to buy a book."),
        (Clause(HE, verb("kaufen"), "past", BOOK, modal="must"), "He had to buy a book."),
        (Clause(HE, verb("kaufen"), "past", BOOK, modal="want", negated=True), "He did not want to buy a book."),
        (Clause(THEY, verb("kaufen"), "past", BOOK, modal="may"), "They were allowed to buy a book."),
        (
            Clause(ANNA, verb("wohnen"), "since", IN_BERLIN, adverbials=(Fixed("time", "since May", "seit Mai"),)),
            "Anna has lived in Berlin since May.",
        ),
        (
            Clause(HE, verb("kaufen"), arguments=BOOK, adverbials=(Fixed("frequency", "often", "oft"),)),
            "He often buys a book.",
        ),
        (Clause(NounPhrase(noun("house"), True), verb("bauen"), "past", passive=True), "The houses were built."),
        (
            Clause(
                NounPhrase(noun("park"), True, "many"), BE, "past", there_is=True,
                adverbials=(Prepositional("place", AT, LEXICON.cities[0]),),
            ),
            "There were many parks in Berlin.",
        ),
        (Clause(HE, verb("ausschalten"), "past", ((ACCUSATIVE, NounPhrase(noun("lamp"))),)), "He turned off the lamp."),
    ],
)  # fmt: skip
def test_statements(clause: Clause, expected: str) -> None:
    assert english.say(Sentence(clause)) == expected


def test_questions_take_do_or_the_auxiliary_in_front() -> None:
    bought = Clause(ANNA, verb("kaufen"), "past", BOOK)
    assert english.say(Sentence(bought, question=YES_NO)) == "Did Anna buy a book?"
    assert english.say(Sentence(bought, question=Pair("where", "wo"))) == "Where did Anna buy a book?"
    who = Clause(Interrogative(True), verb("kaufen"), "past", BOOK)
    assert english.say(Sentence(who, question=Pair("who", "wer"))) == "Who bought a book?"
    for_whom = (Complement("auf", "acc", "for", "", False), Interrogative(True))
    waits = Clause(ANNA, verb("warten"), arguments=(for_whom,), progressive=True)
    assert english.say(Sentence(waits, question=Pair("who", "wen"))) == "Who is Anna waiting for?"
    assert english.say(Sentence(Clause(YOU, verb("kaufen"), arguments=BOOK), request=True)) == "Please buy a book."


def test_relative_clauses_strand_their_preposition() -> None:
    gap = Gap(noun("teacher"), False)
    waiting = Clause(ANNA, verb("warten"), arguments=((Complement("auf", "acc", "for", "", False), gap),))
    known = Clause(HE, verb("kennen"), arguments=((ACCUSATIVE, NounPhrase(noun("teacher"), relative=waiting)),))
    assert english.say(Sentence(known)) == "He knows the teacher that Anna waits for."
    dancing = NounPhrase(noun("teacher"), relative=Clause(gap, verb("tanzen")))
    assert english.say(Sentence(Clause(dancing, verb("tanzen")))) == "The teacher who dances dances."
