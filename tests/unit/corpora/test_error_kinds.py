"""Every kind of error, on sentences whose errors a teacher would name."""

from __future__ import annotations

import pytest

from seqpre.corpora.error_kinds import CLOSED, KINDS, Lexicon, cased
from seqpre.corpora.inflection import Inflector, Verb, with_article, with_s

KNOWN = {
    "walk", "walks", "walked", "walking", "go", "goes", "went", "gone", "going", "build", "builds", "built", "building",
    "stop", "stops", "stopped", "stopping", "try", "tries", "tried", "trying", "hope", "hopes", "hoped", "hoping",
    "eat", "eats", "ate", "eaten", "eating", "discuss", "discussed", "discussing", "dog", "dogs", "idea", "ideas",
    "city", "cities", "bus", "buses", "child", "children", "new", "news", "photo", "photos", "box", "boxes", "red",
    "car", "cars", "need", "needs", "needed", "needing",
}  # fmt: skip
LEXICON = Lexicon(Inflector(KNOWN, CLOSED), {"idea": ("ideea", "idae")})


def errors(kind: str, sentence: str) -> set[str]:
    """Return what becomes of a sentence by every change that a kind could make."""
    tokens = sentence.split()
    return {" ".join([*tokens[:start], *words, *tokens[end:]]) for start, end, words in KINDS[kind][0](tokens, LEXICON)}


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        ("article_missing", "The dog saw a car .", {"Dog saw a car .", "The dog saw car ."}),
        ("article_added", "in town and with my dogs of cars", {
            "in the town and with my dogs of cars", "in town and with the my dogs of cars",
            "in town and with my dogs of a cars"}),
        ("article_wrong", "An idea is the car", {"A idea is the car", "The idea is the car", "An idea is a car"}),
        ("preposition", "We discuss it at noon", {
            "We discuss about it at noon", "We discuss it in noon", "We discuss it on noon", "We discuss it noon"}),
        ("agreement", "She walks and they walk", {"She walk and they walk", "She walks and they walks"}),
        ("agreement", "The dogs are here , I am too", {
            "The dogs is here , I am too", "The dogs are here , I is too", "The dogs are here , I are too"}),
        ("agreement", "He has gone , we have not", {"He have gone , we have not", "He has gone , we has not"}),
        ("agreement", "The dog needs a car", {"The dog need a car"}),
        ("noun_number", "Many red cars and a dog .", {"Many red car and a dog .", "Many red cars and a dogs ."}),
        ("noun_number", "one of my cars , the cars", {"one of my car , the cars"}),
        ("verb_tense", "Yesterday he went , and she ate", {
            "Yesterday he goes , and she ate", "Yesterday he went , and she eats"}),
        ("verb_tense", "Every day she walks", {"Every day she walked"}),
        ("verb_tense", "he went", set()),
        ("verb_form", "He can go", {"He can goes", "He can went", "He can going"}),
        ("verb_form", "She has not gone", {"She has not go", "She has not went"}),
        ("verb_form", "It is going and was built", {"It is go and was built", "It is going and was build"}),
        ("word_order", "They never walk", {"Never they walk", "They walk never"}),
        ("word_order", "What is he eating ?", {"What he is eating ?"}),
        ("word_order", "the red car", {"the car red"}),
        ("punctuation", "I know , that it 's here .", {
            "I know that it 's here .", "I know , that its here .", "I know , that it 's here"}),
        ("punctuation", "They do n't know because its dog", {
            "They dont know because its dog", "They do n't know , because its dog",
            "They do n't know because it 's dog"}),
        ("spelling", "Idea or IDEA", {"Ideea or IDEA", "Idae or IDEA"}),
    ],
)  # fmt: skip
def test_a_kind_makes_the_errors_of_its_name_and_no_others(kind: str, sentence: str, expected: set[str]) -> None:
    assert errors(kind, sentence) == expected


def test_forms_do_not_depend_on_the_order_of_the_words() -> None:
    known = ["bus", "buse", "buses", "work", "worke", "worked", "working", "works"]  # Two share a plural, two a past.
    one, other = Inflector(known), Inflector(known[::-1])
    assert {"bus", "buse"} <= set(one.plurals)
    assert {"work", "worke"} <= set(one.verbs)
    assert all(list(getattr(one, forms).items()) == list(getattr(other, forms).items()) for forms in vars(one))


def test_every_kind_has_a_share_and_they_make_one() -> None:
    assert sum(share for _, share in KINDS.values()) == pytest.approx(1)


@pytest.mark.parametrize("kind", KINDS)
def test_no_change_leaves_a_sentence_as_it_is_and_none_is_outside(kind: str) -> None:
    for sentence in ("", ".", "a", "The", "It 's", "I", "n't", "the the", "He has always been in the the city ."):
        tokens = sentence.split()
        for start, end, words in KINDS[kind][0](tokens, LEXICON):
            assert 0 <= start <= end <= len(tokens)
            assert tuple(tokens[start:end]) != words


def test_forms_are_those_that_the_text_has() -> None:
    forms = LEXICON.forms
    assert forms.verbs["stop"] == Verb("stop", "stops", "stopped", "stopped", "stopping")
    assert forms.verbs["try"] == Verb("try", "tries", "tried", "tried", "trying")
    assert forms.verbs["hope"] == Verb("hope", "hopes", "hoped", "hoped", "hoping")
    assert forms.by_participle["gone"].past == "went"
    assert forms.plurals | {"child": "children", "photo": "photos", "bus": "buses", "city": "cities"} == forms.plurals
    assert "new" not in forms.plurals
    assert "dog" not in forms.verbs  # dogged and dogging are not in the text


def test_regular_endings_articles_and_capitals() -> None:
    assert [with_s(word) for word in ("day", "fly", "watch", "go", "car")] == [
        "days",
        "flies",
        "watches",
        "goes",
        "cars",
    ]
    assert [with_article(word) for word in ("Apple", "old", "yellow", "unit", "one")] == ["an", "an", "a", "a", "a"]
    assert [cased("an", like) for like in ("The", "the", "THE", "A")] == ["An", "an", "AN", "An"]
