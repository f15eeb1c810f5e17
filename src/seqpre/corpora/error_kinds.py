"""Kinds of errors that teachers of English mark, and where each could be made in a correct sentence.

A kind is a function from the tokens of a sentence to all changes that it could make. The words below belong to closed
classes; `Lexicon` has the forms of other words that occur in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from seqpre.corpora.inflection import Inflector, with_article

ARTICLES = ("a", "an", "the")
PREPOSITIONS = {
    "in": ("on", "at"), "on": ("in", "at"), "at": ("in", "on"), "for": ("to", "since"), "since": ("for", "from"),
    "from": ("of", "since"), "of": ("from", "for"), "with": ("by", "to"), "by": ("with", "from"),
    "about": ("of", "on"), "into": ("to", "in"), "during": ("while", "in"), "among": ("between",),
    "between": ("among",), "until": ("to", "by"), "through": ("by", "over"), "against": ("to", "with"),
}  # fmt: skip
NEEDLESS = {
    "discuss": "about", "mention": "about", "describe": "about", "enter": "into", "contact": "with", "marry": "with",
    "reach": "to", "visit": "to", "answer": "to", "call": "to", "tell": "to", "ask": "to", "emphasize": "on",
}  # fmt: skip
"""Verbs whose object takes no preposition, and the one that learners add."""
THIRD, OTHERS, RELATIVE = {"he", "she", "it"}, {"i", "you", "we", "they"}, {"who", "which"}
OBJECTS = {"me", "him", "us", "them", "her"}
POSSESSIVES = {"my", "your", "his", "her", "its", "our", "their"}
MODALS = {"can", "could", "may", "might", "must", "shall", "should", "will", "would", "ca", "wo"}
BE, HAVE, DO = (
    {"am", "is", "are", "was", "were", "be", "been", "being"}, {"have", "has", "had", "having"}, {"do", "does", "did"}
)  # fmt: skip
NEGATIONS = {"not", "n't"}
ONE = {"a", "an", "this", "each", "every", "another", "one"}
MANY = {
    "many", "several", "few", "these", "those", "both", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "various", "numerous",
}  # fmt: skip
CONJUNCTIONS = {"and", "or", "but", "because", "if", "when", "while", "although", "that", "than", "as", "so"}
QUESTIONS = {"what", "where", "why", "how", "when", "who"}
ADVERBS = {
    "always", "often", "never", "also", "already", "just", "still", "only", "usually", "sometimes", "really", "soon",
    "now", "then", "here", "there", "very", "too", "quite", "even", "ever", "again", "later",
}  # fmt: skip
MOVABLE = {"always", "often", "never", "also", "already", "still", "usually", "sometimes", "really", "just"}
OTHER_WORDS = {"to", "no", "all", "some", "any", "more", "most", "much", "such", "own", "other", "same", "up", "out"}
CLOSED = frozenset({
    *ARTICLES, *PREPOSITIONS, *THIRD, *OTHERS, *RELATIVE, *OBJECTS, *POSSESSIVES, *MODALS, *BE, *HAVE, *DO,
    *NEGATIONS, *ONE, *MANY, *CONJUNCTIONS, *QUESTIONS, *ADVERBS, *OTHER_WORDS,
})  # fmt: skip
PAST_WORDS, PRESENT_WORDS = {"yesterday", "ago", "last"}, {"now", "today", "every", "usually", "always", "often"}
TENSES = {"was": ("is", "is"), "were": ("are", "are"), "had": ("has", "have"), "did": ("does", "do")}
"""Past auxiliaries, and their singular and plural present forms."""
NUMBERS = {"is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "does": "do"}
STOPS = (".", "?", "!")


class Change(NamedTuple):
    """Tokens `start` up to `end` of a correct sentence become `words`."""

    start: int
    end: int
    words: tuple[str, ...]


class Lexicon(NamedTuple):
    """Words of open classes: their forms, and their misspellings."""

    forms: Inflector
    misspellings: Mapping[str, Sequence[str]]


Kind = Callable[[Sequence[str], Lexicon], Iterator[Change]]


def cased(word: str, like: str) -> str:
    """Return `word` capitalised, or in capitals, if `like` is."""
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def _lower(tokens: Sequence[str]) -> list[str]:
    """Return the words as in the lists: in lower case, except names within the sentence."""
    return [
        token.lower() if place == 0 or token == "I" or token.islower() else token for place, token in enumerate(tokens)
    ]


def _at(words: Sequence[str], place: int) -> str:
    return words[place] if 0 <= place < len(words) else ""


def _replace(tokens: Sequence[str], place: int, *words: str) -> Iterator[Change]:
    """Yield a change for each of `words` other than the token itself."""
    for word in words:
        if (new := cased(word, tokens[place])) != tokens[place]:
            yield Change(place, place + 1, tuple(new.split()))


def _open(word: str) -> bool:
    """Return whether a word belongs to an open class and is not a name."""
    return word.isalpha() and word.islower() and len(word) > 1 and word not in CLOSED


def article_missing(tokens: Sequence[str], _: Lexicon) -> Iterator[Change]:
    """The dog -> Dog, a dog -> dog."""
    for place, word in enumerate(_lower(tokens)[:-1]):
        if word in ARTICLES and tokens[place + 1].isalpha():
            following = tokens[place + 1]
            yield Change(place, place + 2, (cased(following, tokens[place]) if place == 0 else following,))


def article_added(tokens: Sequence[str], lexicon: Lexicon) -> Iterator[Change]:
    """In general -> in the general, of dogs -> of a dogs, with my friend -> with the my friend."""
    words = _lower(tokens)
    for place, word in enumerate(words):
        if _at(words, place - 1) not in PREPOSITIONS:
            continue
        if word in lexicon.forms.singulars:
            yield Change(place, place, (with_article(word),))
        elif word in POSSESSIVES or (_open(word) and word not in lexicon.forms.by_gerund):
            yield Change(place, place, ("the",))


def article_wrong(tokens: Sequence[str], _: Lexicon) -> Iterator[Change]:
    """A -> an or the, the -> a."""
    for place, word in enumerate(_lower(tokens)[:-1]):
        if word in ("a", "an"):
            yield from _replace(tokens, place, "the", "an" if word == "a" else "a")
        elif word == "the":
            yield from _replace(tokens, place, with_article(tokens[place + 1]))


def preposition(tokens: Sequence[str], lexicon: Lexicon) -> Iterator[Change]:
    """In Monday, listen music, discuss about it."""
    words = _lower(tokens)
    for place, word in enumerate(words):
        if word in PREPOSITIONS:
            yield from _replace(tokens, place, *PREPOSITIONS[word])
            if place > 0 and _at(words, place + 1)[:1].isalpha():
                yield Change(place, place + 1, ())
        verb = _verb_of(word, lexicon)
        following = _at(words, place + 1)
        if verb in NEEDLESS and following in {*ARTICLES, *POSSESSIVES, *OBJECTS, "it", "this", "these", "those"}:
            yield Change(place + 1, place + 1, (NEEDLESS[verb],))


def _verb_of(word: str, lexicon: Lexicon) -> str:
    forms = lexicon.forms
    tables = (forms.verbs, forms.by_third, forms.by_past, forms.by_gerund)
    return next((table[word].base for table in tables if word in table), word)


def agreement(tokens: Sequence[str], lexicon: Lexicon) -> Iterator[Change]:
    """He go, they goes, the dogs is."""
    forms, words = lexicon.forms, _lower(tokens)
    for place, word in enumerate(words):
        before, following = _at(words, place - 1), _at(words, place + 1)
        noun = place == 1 or _at(words, place - 2) in CLOSED  # the word before it is not an adjective
        begins_object = following in CLOSED or following in (*STOPS, ",")
        many = before in OTHERS or (noun and before in forms.singulars)
        one = before in THIRD or before in RELATIVE or (noun and before in forms.plurals)
        if word == "am":
            yield from _replace(tokens, place, "is", "are")
        elif word in NUMBERS:
            yield from _replace(tokens, place, NUMBERS[word])
        elif word in ("have", "do") and many:
            yield from _replace(tokens, place, {"have": "has", "do": "does"}[word])
        elif word in forms.by_third and one and (before in THIRD or begins_object):
            yield from _replace(tokens, place, forms.by_third[word].base)
        elif word in forms.verbs and word not in forms.by_past and many and (before in OTHERS or begins_object):
            yield from _replace(tokens, place, forms.verbs[word].third)


def noun_number(tokens: Sequence[str], lexicon: Lexicon) -> Iterator[Change]:
    """Many dog, a dogs, one of my friend."""
    forms, words = lexicon.forms, _lower(tokens)
    for place, word in enumerate(words):
        following = _at(words, place + 1)
        if not _open(word) or _open(following) or following[:1].isupper() or following == "'s":
            continue  # not a noun, or not the last word of its phrase
        start = place - 1  # of the phrase, with up to two adjectives before the noun
        while place - start < 3 and _open(_at(words, start)):
            start -= 1
        first = _at(words, start)
        of_several = words[max(start - 2, 0) : start] == ["one", "of"]
        if word in forms.singulars and (first in MANY or first.isdecimal() or of_several):
            yield from _replace(tokens, place, forms.singulars[word])
        elif word in forms.plurals and first in ONE:
            yield from _replace(tokens, place, forms.plurals[word])


def verb_tense(tokens: Sequence[str], lexicon: Lexicon) -> Iterator[Change]:
    """Yesterday he goes; only if another word of the sentence determines the tense."""
    forms, words = lexicon.forms, _lower(tokens)
    past, present = set[int](), set[int]()  # positions of verbs
    for place, word in enumerate(words):
        before = _at(words, place - 1)
        subject = before in THIRD | OTHERS | RELATIVE or before in forms.plurals or before in forms.singulars
        if word in TENSES or (word in forms.by_past and word not in forms.verbs and subject):
            past.add(place)
        elif (
            word in ("is", "are", "am")
            or (word in forms.by_third and before in THIRD | RELATIVE)
            or (word in forms.verbs and word not in forms.by_past and before in OTHERS)
        ):
            present.add(place)
    for place in sorted(past):
        if past != {place} or PAST_WORDS & set(words):
            before, word = _at(words, place - 1), words[place]
            many = before in OTHERS or before in forms.singulars
            if word in TENSES:
                yield from _replace(tokens, place, TENSES[word][many])
            else:
                verb = forms.by_past[word]
                yield from _replace(tokens, place, verb.base if many else verb.third)
    for place in sorted(present):
        if present != {place} or PRESENT_WORDS & set(words):
            word = words[place]
            known = forms.by_third.get(word) or forms.verbs.get(word)
            yield from _replace(tokens, place, known.past if known else "were" if word == "are" else "was")


def verb_form(tokens: Sequence[str], lexicon: Lexicon) -> Iterator[Change]:
    """Can goes, to went, has went, is go, was build."""
    forms, words = lexicon.forms, _lower(tokens)
    for place, word in enumerate(words):
        helper = place - 1
        while _at(words, helper) in NEGATIONS or _at(words, helper) in MOVABLE:
            helper -= 1
        before = _at(words, helper)
        if before in MODALS | {"to"} | DO and word in forms.verbs:
            verb = forms.verbs[word]
            yield from _replace(tokens, place, verb.third, verb.past, verb.gerund)
        elif before in HAVE and word in forms.by_participle:
            verb = forms.by_participle[word]
            yield from _replace(tokens, place, *dict.fromkeys((verb.base, verb.past)))
        elif before in BE and word in forms.by_gerund:
            yield from _replace(tokens, place, forms.by_gerund[word].base)
        elif before in BE and word in forms.by_participle:
            yield from _replace(tokens, place, forms.by_participle[word].base)


def word_order(tokens: Sequence[str], _: Lexicon) -> Iterator[Change]:
    """Always has been, what is he doing -> what he is doing, red car -> car red."""
    words = _lower(tokens)
    for place, (word, following) in enumerate(pairwise(words)):
        pair = {word, following}
        asked = place > 0 and words[place - 1] in QUESTIONS
        moved = pair & MOVABLE and all(each.isalpha() for each in pair)
        inverted = asked and pair & (THIRD | OTHERS) and pair & (BE | HAVE | DO | MODALS)
        if word != following and (moved or inverted or (_open(word) and _open(following))):
            first, second = tokens[place + 1], tokens[place]
            if place == 0:
                first, second = cased(first, second), second if second == "I" else second[:1].lower() + second[1:]
            yield Change(place, place + 2, (first, second))


def punctuation(tokens: Sequence[str], _: Lexicon) -> Iterator[Change]:
    """A missing comma or stop, a superfluous comma, dont, it's -> its."""
    words = _lower(tokens)
    for place, word in enumerate(words):
        before, following = _at(words, place - 1), _at(words, place + 1)
        if word == "," or (word in STOPS and place == len(words) - 1 and place > 0):
            yield Change(place, place + 1, ())
        elif word in (";", ":"):
            yield Change(place, place + 1, (",",))
        elif word in ("that", "because", "if") and before.isalpha():
            yield Change(place, place, (",",))
        elif word == "n't" and before.isalpha():
            yield Change(place - 1, place + 1, (f"{tokens[place - 1]}nt",))
        elif word == "it" and following == "'s":
            yield Change(place, place + 2, (f"{tokens[place]}s",))
        elif word == "its" and following.isalpha():
            yield Change(place, place + 1, (tokens[place][:2], "'s"))


def spelling(tokens: Sequence[str], lexicon: Lexicon) -> Iterator[Change]:
    """Attested misspellings of words."""
    for place, word in enumerate(_lower(tokens)):
        yield from _replace(tokens, place, *lexicon.misspellings.get(word, ()))


KINDS: Mapping[str, tuple[Kind, float]] = {
    "article_missing": (article_missing, 0.13),
    "article_added": (article_added, 0.05),
    "article_wrong": (article_wrong, 0.05),
    "preposition": (preposition, 0.14),
    "agreement": (agreement, 0.09),
    "noun_number": (noun_number, 0.10),
    "verb_tense": (verb_tense, 0.06),
    "verb_form": (verb_form, 0.08),
    "word_order": (word_order, 0.05),
    "punctuation": (punctuation, 0.10),
    "spelling": (spelling, 0.15),
}
"""The kinds by name, each with its share of the errors."""
