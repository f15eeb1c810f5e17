"""English inflection: verb forms, articles, pronouns, number words."""

from __future__ import annotations

import re

from seqpre.demo.grammar import words

# subject: (object, possessive, reflexive is not needed)
PRONOUNS = {
    "I": ("me", "my"),
    "you": ("you", "your"),
    "he": ("him", "his"),
    "she": ("her", "her"),
    "it": ("it", "its"),
    "we": ("us", "our"),
    "they": ("them", "their"),
}

SMALL_NUMBERS = words.ENGLISH_NUMBERS.split()
TENS = ["", "", *words.ENGLISH_TENS.split()]


def number_word(number: int) -> str:
    """A number from 0 to 99 in words, larger ones in digits with commas."""
    if number < 20:
        return SMALL_NUMBERS[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens] + (f"-{SMALL_NUMBERS[ones]}" if ones else "")
    return f"{number:,}"


def indefinite_article(following: str) -> str:
    """`a` or `an`, by the sound that the following word begins with: an hour, a user, a university."""
    vowel_sound = following[0].lower() in "aeiou" and not following.lower().startswith(("uni", "use", "eu", "one"))
    return "an" if vowel_sound or following.startswith(("hour", "honest")) else "a"


def third_person(base: str) -> str:
    """`he ...s` of a verb."""
    if base in ("be", "have"):
        return {"be": "is", "have": "has"}[base]
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ies"
    return base + ("es" if re.search(r"(s|x|z|ch|sh|o)$", base) else "s")


def ing_form(base: str) -> str:
    """The present participle."""
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and base != "be" and not base.endswith("ee"):
        return base[:-1] + "ing"
    return doubled(base) + "ing"


def possessive(noun: str) -> str:
    """The genitive with apostrophe: Anna's, the girls'."""
    return noun + ("'" if noun.endswith("s") else "'s")


def regular_plural(noun: str) -> str:
    """The plural of an English noun by rule."""
    return noun + "es" if re.search(r"(s|x|z|ch|sh)$", noun) else noun + "s"


def doubled(base: str) -> str:
    """The base with its last consonant doubled where a vowel ending asks for it: stop, stopp-."""
    return (
        base + base[-1]
        if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]|begin|forget|travel|cancel|program", base)
        else base
    )


def regular_past(base: str) -> str:
    """The past of an English verb by rule."""
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    return doubled(base) + "ed"


def comparative(adjective: str) -> str:
    """The comparative of an English adjective by rule: -er for one syllable, else with `more`."""
    if len(re.findall(r"[aeiouy]+", adjective.removesuffix("e"))) > 1:
        return "more " + adjective
    return adjective + ("r" if adjective.endswith("e") else "er")
