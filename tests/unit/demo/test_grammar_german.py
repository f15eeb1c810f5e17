"""German inflection and word order, against paradigms and sentences written by hand."""

from dataclasses import replace
from typing import Any

import pytest

from seqpre.demo.grammar import german
from seqpre.demo.grammar.german_forms import (
    ACC,
    DAT,
    GEN,
    NOM,
    genitive,
    number_word,
    participle,
    present,
    preterite,
    zu_infinitive,
)
from seqpre.demo.grammar.lexicon import Adjective, Complement, Noun, Pair, Proper, Verb
from seqpre.demo.grammar.meaning import (
    ACCUSATIVE,
    AT,
    BE,
    EXPLETIVE,
    HE,
    SHE,
    TO,
    WE,
    YES_NO,
    YOU,
    YOU_FAMILIAR,
    Clause,
    Comparison,
    Embedded,
    Fixed,
    Gap,
    I,
    Interrogative,
    NounPhrase,
    Prepositional,
    Sentence,
    Titled,
)
from seqpre.demo.grammar.tables import LEXICON, read_english_verb, read_german_verb, read_noun

ANNA = Proper("Anna", "Anna", "person", gender="f")
YESTERDAY = Fixed("time", "yesterday", "gestern")


def noun(english: str) -> Noun:
    return next(each for each in LEXICON.nouns if each.english == english)


def adjective(english: str) -> Adjective:
    return next(each for each in LEXICON.adjectives if each.english == english)


def verb(german: str) -> Verb:
    return next(each for each in LEXICON.verbs if each.german.prefix + each.german.infinitive == german)


BOOKS = ((ACCUSATIVE, NounPhrase(noun("book"), True, "none")),)
AN = Complement("an", "acc", "", "", False)


def declined(phrase: NounPhrase) -> list[str]:
    return [" ".join(german.noun_phrase(phrase, case)) for case in (NOM, ACC, DAT, GEN)]


def buy(**options: Any) -> Clause:
    a_book = (ACCUSATIVE, NounPhrase(noun("book"), determiner="a"))
    return replace(Clause(ANNA, verb("kaufen"), arguments=(a_book,)), **options)


@pytest.mark.parametrize(
    ("english", "paradigm"),
    [
        ("dog", ["der kleine Hund", "den kleinen Hund", "dem kleinen Hund", "des kleinen Hundes"]),
        ("cat", ["die kleine Katze", "die kleine Katze", "der kleinen Katze", "der kleinen Katze"]),
        ("child", ["das kleine Kind", "das kleine Kind", "dem kleinen Kind", "des kleinen Kindes"]),
        ("boy", ["der kleine Junge", "den kleinen Jungen", "dem kleinen Jungen", "des kleinen Jungen"]),
    ],
)
def test_definite_phrases_take_weak_endings(english: str, paradigm: list[str]) -> None:
    assert declined(NounPhrase(noun(english), adjectives=(adjective("small"),))) == paradigm


@pytest.mark.parametrize(
    ("english", "paradigm"),
    [
        ("dog", ["ein kleiner Hund", "einen kleinen Hund", "einem kleinen Hund", "eines kleinen Hundes"]),
        ("cat", ["eine kleine Katze", "eine kleine Katze", "einer kleinen Katze", "einer kleinen Katze"]),
        ("child", ["ein kleines Kind", "ein kleines Kind", "einem kleinen Kind", "eines kleinen Kindes"]),
    ],
)
def test_indefinite_phrases_take_mixed_endings(english: str, paradigm: list[str]) -> None:
    assert declined(NounPhrase(noun(english), determiner="a", adjectives=(adjective("small"),))) == paradigm


def test_phrases_without_article_take_strong_endings() -> None:
    cold = (adjective("cold"),)
    assert declined(NounPhrase(noun("wine"), determiner="none", adjectives=cold))[:3] == [
        "kalter Wein", "kalten Wein", "kaltem Wein",
    ]  # fmt: skip
    assert declined(NounPhrase(noun("milk"), determiner="none", adjectives=cold))[2] == "kalter Milch"
    assert declined(NounPhrase(noun("beer"), determiner="none", adjectives=cold))[:3] == [
        "kaltes Bier", "kaltes Bier", "kaltem Bier",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("phrase", "paradigm"),
    [
        (NounPhrase(noun("child"), True), ["die Kinder", "die Kinder", "den Kindern", "der Kinder"]),
        (NounPhrase(noun("car"), True), ["die Autos", "die Autos", "den Autos", "der Autos"]),
        (
            NounPhrase(noun("dog"), True, "number", (adjective("old"),), 3),
            ["drei alte Hunde", "drei alte Hunde", "drei alten Hunden", "drei alter Hunde"],
        ),
        (
            NounPhrase(noun("woman"), True, "many", (adjective("old"),)),
            ["viele alte Frauen", "viele alte Frauen", "vielen alten Frauen", "vieler alter Frauen"],
        ),
        (
            NounPhrase(noun("flower"), True, "all", (adjective("red"),)),
            ["alle roten Blumen", "alle roten Blumen", "allen roten Blumen", "aller roten Blumen"],
        ),
        (
            NounPhrase(noun("bag"), False, "owner", (adjective("new"),), owner=WE),
            ["unsere neue Tasche", "unsere neue Tasche", "unserer neuen Tasche", "unserer neuen Tasche"],
        ),
        (
            NounPhrase(noun("car"), False, "owner", (adjective("new"),), owner=ANNA),
            ["Annas neues Auto", "Annas neues Auto", "Annas neuem Auto", "Annas neuen Autos"],
        ),
        (
            NounPhrase(noun("car"), False, "owner", owner=NounPhrase(noun("brother"), determiner="owner", owner=I)),
            [
                "das Auto meines Bruders",
                "das Auto meines Bruders",
                "dem Auto meines Bruders",
                "des Autos meines Bruders",
            ],
        ),
    ],
)
def test_plurals_numbers_and_owners_decline(phrase: NounPhrase, paradigm: list[str]) -> None:
    assert declined(phrase) == paradigm


def test_some_stems_change_before_an_ending() -> None:
    assert (
        declined(NounPhrase(noun("car"), determiner="a", adjectives=(adjective("expensive"),)))[0] == "ein teures Auto"
    )
    assert declined(NounPhrase(noun("kitchen"), adjectives=(adjective("dark"),)))[2] == "der dunklen Küche"
    assert declined(NounPhrase(noun("mountain"), adjectives=(adjective("high"),)))[1] == "den hohen Berg"
    assert declined(NounPhrase(noun("man"), determiner="a", adjectives=(adjective("tired"),)))[0] == "ein müder Mann"


@pytest.mark.parametrize(
    ("nominative", "expected"),
    [("Mann", "Mannes"), ("Haus", "Hauses"), ("Lehrer", "Lehrers"), ("Bus", "Busses"), ("Ergebnis", "Ergebnisses"),
     ("Park", "Parks"), ("Virus", "Virus"), ("Auto", "Autos"), ("Platz", "Platzes"), ("Buch", "Buches")],
)  # fmt: skip
def test_genitives_of_strong_nouns(nominative: str, expected: str) -> None:
    assert genitive(nominative) == expected


@pytest.mark.parametrize(
    ("entry", "forms"),
    [
        ("kaufen", "kaufe kaufst kauft kaufen kaufte kauften gekauft"),
        ("arbeiten", "arbeite arbeitest arbeitet arbeiten arbeitete arbeiteten gearbeitet"),
        ("öffnen", "öffne öffnest öffnet öffnen öffnete öffneten geöffnet"),
        ("lernen", "lerne lernst lernt lernen lernte lernten gelernt"),
        ("behandeln", "behandle behandelst behandelt behandeln behandelte behandelten behandelt"),
        ("bellen", "belle bellst bellt bellen bellte bellten gebellt"),
        ("feiern", "feiere feierst feiert feiern feierte feierten gefeiert"),
        ("reparieren", "repariere reparierst repariert reparieren reparierte reparierten repariert"),
        ("übersetzen", "übersetze übersetzt übersetzt übersetzen übersetzte übersetzten übersetzt"),
        ("reisen*", "reise reist reist reisen reiste reisten gereist"),
        ("geben gibt gab gegeben", "gebe gibst gibt geben gab gaben gegeben"),
        ("lesen liest las gelesen", "lese liest liest lesen las lasen gelesen"),
        ("halten hält hielt gehalten", "halte hältst hält halten hielt hielten gehalten"),
        ("laden lädt lud geladen", "lade lädst lädt laden lud luden geladen"),
        ("finden fand gefunden", "finde findest findet finden fand fanden gefunden"),
        ("bringen brachte gebracht", "bringe bringst bringt bringen brachte brachten gebracht"),
        ("wissen weiß wusste gewusst", "weiß weißt weiß wissen wusste wussten gewusst"),
        ("haben", "habe hast hat haben hatte hatten gehabt"),
        ("sein ist war gewesen", "bin bist ist sind war waren gewesen"),
    ],
)
def test_verbs_conjugate(entry: str, forms: str) -> None:
    read = read_german_verb(entry)
    singular = [present(read, person, False) for person in (1, 2, 3)]
    rest = [present(read, 3, True), preterite(read, 3, False), preterite(read, 3, True)]
    assert " ".join([*singular, *rest, participle(read)]) == forms


def test_zu_goes_between_a_separable_prefix_and_its_verb() -> None:
    assert zu_infinitive(read_german_verb("an+rufen rief gerufen")) == "anzurufen"
    assert zu_infinitive(read_german_verb("besuchen")) == "zu besuchen"
    assert participle(read_german_verb("vor+bereiten")) == "vorbereitet"
    assert participle(read_german_verb("ein+schalten")) == "eingeschaltet"


def test_number_words() -> None:
    assert [number_word(n) for n in (1, 12, 16, 21, 30, 76, 1500)] == [
        "eins", "zwölf", "sechzehn", "einundzwanzig", "dreißig", "sechsundsiebzig", "1.500",
    ]  # fmt: skip


def test_prepositions_contract_with_their_article() -> None:
    def where(english: str) -> str:
        return " ".join(german.complement(AT, NounPhrase(noun(english))))

    def whither(english: str) -> str:
        return " ".join(german.complement(TO, NounPhrase(noun(english))))

    assert [where("garden"), where("kitchen"), where("station"), where("market")] == [
        "im Garten", "in der Küche", "am Bahnhof", "auf dem Markt",
    ]  # fmt: skip
    assert [whither("garden"), whither("cinema"), whither("station"), whither("sea"), whither("border")] == [
        "in den Garten", "ins Kino", "zum Bahnhof", "ans Meer", "an die Grenze",
    ]  # fmt: skip
    by = Complement("von", "dat", "by", "", False)
    assert german.complement(by, NounPhrase(noun("doctor"))) == ["vom", "Arzt"]
    switzerland = next(each for each in LEXICON.countries if each.english == "Switzerland")
    assert german.complement(TO, switzerland) == ["in", "die", "Schweiz"]
    assert german.complement(AT, switzerland) == ["in", "der", "Schweiz"]
    assert german.complement(TO, LEXICON.cities[0]) == ["nach", "Berlin"]


def test_a_restrictive_relative_clause_keeps_preposition_and_article_apart() -> None:
    house = NounPhrase(noun("house"), relative=Clause(Gap(noun("house"), False), BE, predicate=adjective("old")))
    assert " ".join(german.complement(AT, house)) == "in dem Haus , das alt ist ,"


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (buy(), "Anna kauft ein Buch."),
        (buy(tense="past"), "Anna kaufte ein Buch."),
        (buy(tense="past", subject=I), "Ich habe ein Buch gekauft."),
        (buy(tense="past", subject=I, fronted=YESTERDAY), "Gestern habe ich ein Buch gekauft."),
        (buy(tense="past", fronted=YESTERDAY), "Gestern kaufte Anna ein Buch."),
        (buy(tense="past", adverbials=(YESTERDAY,)), "Anna kaufte gestern ein Buch."),
        (buy(tense="future"), "Anna wird ein Buch kaufen."),
        (buy(tense="perfect"), "Anna hat ein Buch gekauft."),
        (buy(negated=True), "Anna kauft kein Buch."),
        (buy(negated=True, arguments=((ACCUSATIVE, NounPhrase(noun("book"))),)), "Anna kauft das Buch nicht."),
        (buy(modal="want"), "Anna will ein Buch kaufen."),
        (buy(modal="must", tense="past", subject=WE), "Wir mussten ein Buch kaufen."),
        (buy(modal="would like", subject=I), "Ich möchte ein Buch kaufen."),
        (buy(modal="like", arguments=BOOKS), "Anna kauft gern Bücher."),
        (Clause(HE, verb("aufstehen"), "present"), "Er steht auf."),
        (Clause(HE, verb("aufstehen"), "past"), "Er stand auf."),
        (Clause(HE, verb("aufstehen"), "perfect"), "Er ist aufgestanden."),
        (Clause(HE, verb("aufstehen"), modal="must"), "Er muss aufstehen."),
        (Clause(I, verb("erinnern"), arguments=((AN, ANNA),)), "Ich erinnere mich an Anna."),
        (Clause(NounPhrase(noun("man")), verb("erinnern"), "past", ((AN, ANNA),), fronted=YESTERDAY),
         "Gestern erinnerte sich der Mann an Anna."),
        (
            Clause(NounPhrase(noun("house")), verb("bauen"), "past", passive=True, adverbials=(YESTERDAY,)),
            "Das Haus wurde gestern gebaut.",
        ),
        (Clause(NounPhrase(noun("house")), verb("bauen"), "perfect", passive=True), "Das Haus ist gebaut worden."),
        (Clause(ANNA, BE, predicate=NounPhrase(noun("nurse"), determiner="a")), "Anna ist Krankenschwester."),
        (
            Clause(NounPhrase(noun("dog")), BE, predicate=Comparison(adjective("big"), NounPhrase(noun("cat")))),
            "Der Hund ist größer als die Katze.",
        ),
        (
            Clause(
                NounPhrase(noun("park"), determiner="a"),
                BE,
                there_is=True,
                fronted=Prepositional("place", AT, NounPhrase(noun("town"))),
            ),
            "In der Stadt gibt es einen Park.",
        ),
    ],
)  # fmt: skip
def test_main_clauses_have_their_finite_verb_second(clause: Clause, expected: str) -> None:
    assert german.say(Sentence(clause)) == expected


def test_subordinate_clauses_end_in_their_finite_verb() -> None:
    because = Pair("because", "weil")
    getting_up = Clause(HE, verb("aufstehen"))
    assert german.say(Sentence(buy(), after=(because, getting_up))) == "Anna kauft ein Buch, weil er aufsteht."
    assert german.say(Sentence(buy(), before=(because, getting_up))) == "Weil er aufsteht, kauft Anna ein Buch."
    modal = replace(getting_up, modal="must", tense="past")
    assert german.say(Sentence(buy(), after=(because, modal))) == "Anna kauft ein Buch, weil er aufstehen musste."
    perfect = buy(subject=SHE, tense="perfect")
    assert german.say(Sentence(getting_up, after=(because, perfect))) == "Er steht auf, weil sie ein Buch gekauft hat."
    rain = Clause(EXPLETIVE, replace(verb("aufstehen"), german=read_german_verb("regnen")))
    knows = replace(verb("kennen"), german=read_german_verb("wissen weiß wusste gewusst"))
    that = Embedded(rain, Pair("that", "dass"))
    assert german.say(Sentence(Clause(I, knows, embedded=that))) == "Ich weiß, dass es regnet."


def test_infinitives_with_zu_and_um_zu_come_last() -> None:
    forget = replace(verb("vergessen"), complements=())
    inner = Clause(HE, verb("anrufen"), arguments=((ACCUSATIVE, ANNA),))
    assert german.say(Sentence(Clause(HE, forget, "past", embedded=Embedded(inner)))) == "Er vergaß, Anna anzurufen."
    go = Clause(
        HE, verb("gehen"), arguments=((TO, NounPhrase(noun("market"))),), embedded=Embedded(buy(), purpose=True)
    )
    assert german.say(Sentence(go)) == "Er geht auf den Markt, um ein Buch zu kaufen."


def test_relative_clauses_agree_with_their_noun_and_follow_the_bracket() -> None:
    def friend(clause: Clause) -> NounPhrase:
        return NounPhrase(noun("teacher"), relative=clause)

    gap = Gap(noun("teacher"), False)
    waiting = Clause(SHE, verb("warten"), arguments=((Complement("auf", "acc", "for", "", False), gap),))
    knows = Clause(HE, verb("kennen"), arguments=((ACCUSATIVE, friend(waiting)),))
    assert german.say(Sentence(knows)) == "Er kennt den Lehrer, auf den sie wartet."
    meets = Clause(I, verb("treffen"), "past", ((ACCUSATIVE, friend(Clause(gap, verb("tanzen")))),))
    assert german.say(Sentence(meets)) == "Ich habe den Lehrer getroffen, der tanzt."
    subject = Clause(friend(Clause(HE, verb("kennen"), arguments=((ACCUSATIVE, gap),))), verb("tanzen"))
    assert german.say(Sentence(subject)) == "Der Lehrer, den er kennt, tanzt."


def test_questions_and_requests_have_their_verb_in_front() -> None:
    assert german.say(Sentence(buy(tense="past"), question=YES_NO)) == "Hat Anna ein Buch gekauft?"
    assert german.say(Sentence(buy(), question=Pair("where", "wo"))) == "Wo kauft Anna ein Buch?"
    assert german.say(Sentence(buy(subject=Interrogative(True)), question=Pair("who", "wer"))) == "Wer kauft ein Buch?"
    asked = buy(arguments=((ACCUSATIVE, Interrogative(True)),))
    assert german.say(Sentence(asked, question=Pair("who", "wen"))) == "Wen kauft Anna?"
    assert german.say(Sentence(Clause(YOU, verb("aufstehen")), request=True)) == "Bitte stehen Sie auf!"
    familiar = Sentence(buy(subject=YOU_FAMILIAR), question=YES_NO, vocative=ANNA)
    assert german.say(familiar) == "Anna, kaufst du ein Buch?"


def test_titles_decline() -> None:
    mister = Titled("Weber", woman=False)
    assert german.nominal(mister, NOM) == ["Herr", "Weber"]
    assert german.nominal(mister, DAT) == ["Herrn", "Weber"]


def test_genders_and_plurals_follow_the_endings_that_decide_them() -> None:
    for each in LEXICON.nouns:
        if each.weak:
            assert each.gender == "m"
            assert each.german_plural.endswith("n"), each.german
        if each.german.endswith(("ung", "heit", "keit", "schaft", "ion")) and each.german != "Stadion":
            assert each.gender == "f", each.german
        if each.german.endswith(("mädchen", "ötchen", "ärchen", "inchen", "örnchen")):
            assert (each.gender, each.german_plural) == ("n", each.german)
        if each.german.endswith("in") and each.kind == "person":
            assert (each.gender, each.german_plural) == ("f", each.german + "nen")


def test_a_noun_entry_is_read_whole() -> None:
    mouse = read_noun("mouse/mice = Maus f Mäuse", "animal", "nature", 3)
    assert (mouse.english_plural, mouse.german_plural, mouse.weak, mouse.place) == ("mice", "Mäuse", False, None)
    with pytest.raises(ValueError, match="Maus"):
        read_noun("mouse = Maus Mäuse", "animal", "nature", 3)
    assert read_english_verb("turn +off").particle == "off"
