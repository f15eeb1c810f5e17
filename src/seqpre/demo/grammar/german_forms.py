"""German inflection: articles, adjective endings, noun cases, pronouns, verb forms, contractions, number words.

A paradigm has four forms, in the order nominative, accusative, dative, genitive. Genders are m, f, n; p is the plural
of all of them.
"""

from __future__ import annotations

import re
from functools import cache

from seqpre.demo.grammar import words
from seqpre.demo.grammar.lexicon import GermanVerb, Noun

NOM, ACC, DAT, GEN = range(4)


def _paradigms(**rows: str) -> dict[str, tuple[str, ...]]:
    return {gender: tuple(form.strip("-") for form in row.split()) for gender, row in rows.items()}


DEFINITE = _paradigms(m="der den dem des", f="die die der der", n="das das dem des", p="die die den der")
# dieser, jeder, welcher
DER_ENDINGS = _paradigms(m="er en em es", f="e e er er", n="es es em es", p="e e en er")
# ein, kein and the possessives
EIN_ENDINGS = _paradigms(m="- en em es", f="e e er er", n="- - em es", p="e e en er")

WEAK = _paradigms(m="e en en en", f="e e en en", n="e e en en", p="en en en en")
MIXED = _paradigms(m="er en en en", f="e e en en", n="es es en en", p="en en en en")
STRONG = _paradigms(m="er en em en", f="e e er er", n="es es em en", p="e e en er")

RELATIVE = _paradigms(m="der den dem dessen", f="die die der deren", n="das das dem dessen", p="die die denen deren")
WHO = ("wer", "wen", "wem", "wessen")

# pronoun: (accusative, dative, possessive stem, reflexive accusative)
PRONOUNS = {
    "ich": ("mich", "mir", "mein", "mich"),
    "du": ("dich", "dir", "dein", "dich"),
    "er": ("ihn", "ihm", "sein", "sich"),
    "sie": ("sie", "ihr", "ihr", "sich"),
    "es": ("es", "ihm", "sein", "sich"),
    "wir": ("uns", "uns", "unser", "uns"),
    "sie (they)": ("sie", "ihnen", "ihr", "sich"),
    "Sie": ("Sie", "Ihnen", "Ihr", "sich"),
}

CONTRACTIONS = {
    ("in", "dem"): "im", ("an", "dem"): "am", ("zu", "dem"): "zum", ("zu", "der"): "zur", ("von", "dem"): "vom",
    ("bei", "dem"): "beim", ("in", "das"): "ins", ("an", "das"): "ans",
}  # fmt: skip

SEIN = {
    "present": ("bin", "bist", "ist", "sind", "sind"),
    "preterite": ("war", "warst", "war", "waren", "waren"),
}
HABEN = {
    "present": ("habe", "hast", "hat", "haben", "haben"),
    "preterite": ("hatte", "hattest", "hatte", "hatten", "hatten"),
}
WERDEN = {
    "present": ("werde", "wirst", "wird", "werden", "werden"),
    "preterite": ("wurde", "wurdest", "wurde", "wurden", "wurden"),
}
_IRREGULAR = {"sein": SEIN, "haben": HABEN, "werden": WERDEN}
# Verbs whose singular has no endings: (stem of the singular, infinitive, preterite)
_PRETERITE_PRESENTS = {
    "können": ("kann", "konnte"),
    "müssen": ("muss", "musste"),
    "wollen": ("will", "wollte"),
    "sollen": ("soll", "sollte"),
    "dürfen": ("darf", "durfte"),
    "mögen": ("mag", "mochte"),
    "wissen": ("weiß", "wusste"),
}

VOWEL_GROUP = re.compile(r"[aeiouyäöü]+")

SMALL_NUMBERS = words.GERMAN_NUMBERS.split()
TENS = ["", "", *words.GERMAN_TENS.split()]


def number_word(number: int) -> str:
    """A number from 0 to 99 in words, larger ones in digits with points."""
    if number < 20:
        return SMALL_NUMBERS[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return (("ein" if ones == 1 else SMALL_NUMBERS[ones]) + "und" if ones else "") + TENS[tens]
    return f"{number:,}".replace(",", ".")


@cache
def inflect_noun(noun: Noun, plural: bool, case: int) -> str:
    """The noun in its case: des Mannes, den Kindern, den Studenten."""
    if plural:
        form = noun.german_plural
        return form + "n" if case == DAT and not form.endswith(("n", "s")) else form
    if noun.weak and case != NOM:
        return noun.german_plural
    if case == GEN and noun.gender != "f":
        return genitive(noun.german)
    return noun.german


def genitive(noun: str) -> str:
    """The genitive of a strong masculine or neuter noun, with -es where it is usual."""
    if noun.endswith("nis"):
        return noun + "ses"
    if noun.endswith(("us", "os")) and len(VOWEL_GROUP.findall(noun.lower())) > 1:
        return noun
    if noun == "Bus":
        return "Busses"
    short = len(VOWEL_GROUP.findall(noun.lower())) == 1 and re.search(r"(?<!e)[bdfglmnrt]$|ch$", noun.lower())
    if noun.endswith(("s", "ß", "x", "z", "sch")) or (short and noun not in _PLAIN_S):
        return noun + "es"
    return noun + "s"


# Short words that take a plain -s all the same.
_PLAIN_S = frozenset({"Park", "Chef", "Team", "Film", "Gen", "Wal", "Arm", "Chor", "Koch"})


def name_genitive(name: str) -> str:
    """The genitive of a name in front of its noun: Annas, Thomas'."""
    return name + ("'" if name.endswith(("s", "ß", "x", "z")) else "s")


def adjective(stem: str, ending: str) -> str:
    """An attributive adjective: schön + e, müde + e."""
    return stem.removesuffix("e") + ending


# A prefix that is never split off and leaves no room for ge-: besuchen, besucht.
_INSEPARABLE = re.compile(r"(be|ge|er|ver|zer|ent|emp|über|unter|wieder|durch|inter)[^aeiouäöü]*[aeiouäöü].*")
_NEEDS_E = re.compile(r".*([dt]|ch[nm]|[^aeiouäöülrhmn][nm])")


def german_stem(infinitive: str) -> str:
    """The infinitive without -en or -n."""
    return infinitive.removesuffix("en") if infinitive.endswith("en") else infinitive.removesuffix("n")


def weak_parts(infinitive: str) -> tuple[str, str, str]:
    """Third person, preterite and participle of a weak verb: arbeitet, arbeitete, gearbeitet."""
    stem = german_stem(infinitive)
    stem += "e" if _NEEDS_E.fullmatch(stem) else ""
    without_ge = _INSEPARABLE.fullmatch(german_stem(infinitive)) or infinitive.endswith("ieren")
    return stem + "t", stem + "te", ("" if without_ge else "ge") + stem + "t"


def person_index(person: int, plural: bool) -> int:
    """Position in a row of verb forms: ich, du, er, wir, sie."""
    return (3 if person == 1 else 4) if plural else person - 1


@cache
def present(verb: GermanVerb, person: int, plural: bool) -> str:
    """The present tense, without the separable prefix."""
    infinitive = verb.infinitive
    if infinitive in _IRREGULAR:
        return _IRREGULAR[infinitive]["present"][person_index(person, plural)]
    if plural:
        return infinitive
    stem = german_stem(infinitive)
    if infinitive in _PRETERITE_PRESENTS:
        form = _PRETERITE_PRESENTS[infinitive][0]
        return form if person != 2 else form + ("t" if form.endswith("ß") or form.endswith("ss") else "st")
    if person == 1:
        return (stem[:-2] + "l" if stem.endswith("el") else stem) + "e"
    if person == 3:
        return verb.third
    ends_bare = stem.endswith("t") and not verb.third.endswith("et")  # er hält, du hältst
    base = verb.third if ends_bare else verb.third.removesuffix("t")
    return base + ("t" if base.endswith(("s", "ß", "z", "x")) else "st")


@cache
def preterite(verb: GermanVerb, person: int, plural: bool) -> str:
    """The simple past, without the separable prefix."""
    infinitive = verb.infinitive
    if infinitive in _IRREGULAR:
        return _IRREGULAR[infinitive]["preterite"][person_index(person, plural)]
    form = _PRETERITE_PRESENTS[infinitive][1] if infinitive in _PRETERITE_PRESENTS else verb.preterite
    weak = form.endswith("te")
    if plural:
        return form + ("n" if weak else "en")
    if person == 2:
        return form + ("est" if not weak and form.endswith(("t", "d", "s", "ß", "z")) else "st")
    return form


def participle(verb: GermanVerb) -> str:
    """The past participle with its prefix: eingekauft."""
    return verb.prefix + verb.participle


def infinitive(verb: GermanVerb) -> str:
    """The infinitive with its prefix: einkaufen."""
    return verb.prefix + verb.infinitive


def zu_infinitive(verb: GermanVerb) -> str:
    """The infinitive with `zu`: zu kaufen, einzukaufen."""
    return f"{verb.prefix}zu{verb.infinitive}" if verb.prefix else f"zu {verb.infinitive}"
