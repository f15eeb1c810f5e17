"""The languages with rules of their own are those of the tokenizer."""

from sacremoses.corpus import NonbreakingPrefixes

from seqpre.metrics.moses import LANGUAGES, rules_for


def test_the_languages_are_those_that_the_tokenizer_has_rules_for() -> None:
    names = NonbreakingPrefixes().available_langs
    assert {code for name, code in names.items() if name == code} == LANGUAGES


def test_another_language_takes_the_rules_of_english() -> None:
    assert (rules_for("de"), rules_for("tr")) == ("de", "en")
