import random
import unicodedata

import pytest

from seqpre.corpora.normalise import normalise

MOTHER_AND_CHILD = "\N{WOMAN}\u200d\N{GIRL}"
SCOTLAND = "\N{WAVING BLACK FLAG}\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plain text.", "plain text."),
        ("", ""),
        ("  two\t words\u00a0here \r", "two words here"),
        ("u\u0308ber", "über"),  # combining diaeresis
        ("Donau\u00addampf", "Donaudampf"),  # soft hyphen
        ("\ufeffstart\u200b of\u200e text", "start of text"),
        ("bell\x07 null\x00", "bell null"),
        ("one\x00two", "one two"),
        ("line\u2028separator\x85next", "line separator next"),
        ("① ½ ﬁ", "① ½ ﬁ"),  # NFC, not NFKC: what is visible stays
    ],
)
def test_examples_worked_out_by_hand(raw: str, clean: str) -> None:
    assert normalise(raw) == clean


def test_applying_it_twice_changes_nothing_and_no_tab_or_newline_survives() -> None:
    everything = [chr(code) for code in range(0x3000) if unicodedata.category(chr(code)) != "Cs"]
    texts = [f"a{character}\u0301 {character}b{character}" for character in everything]
    for text in texts:
        once = normalise(text)
        assert normalise(once) == once
        assert unicodedata.is_normalized("NFC", once)
        assert not any(character in once for character in "\t\n\r\x00\u2028")


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, I want: yeh and khah would join
        "\u0647\u200d.",  # Persian, an abbreviation: the form that heh has before another letter
        "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",  # Devanagari: a half form; a virama that is seen
        "\u09b0\u200d\u09cd\u09af\u09be\u09ac",  # Bengali: the joiner is before the virama
        "\u0d9a\u0dca\u200d\u0dc2",  # Sinhala
        MOTHER_AND_CHILD,
        "\N{WOMAN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}\u200d\N{ROCKET}",
        "\N{HEAVY BLACK HEART}\ufe0f\u200d\N{FIRE}",
        SCOTLAND,
        "\u0600\u0661\u0662",  # Arabic number sign: a format character that is seen
    ],
)
def test_format_characters_that_change_what_is_seen_stay(text: str) -> None:
    assert normalise(text) == text
    assert normalise(f" {text}\u200b\u00a0x") == f"{text} x"


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("auf\u200clage Auf\u200dlage", "auflage Auflage"),  # Latin letters do not join
        ("\u06a9\u0627\u0631\u200c\u0647\u0627", "\u06a9\u0627\u0631\u0647\u0627"),  # reh joins nothing after it
        ("\u0645\u200d\u06cc", "\u0645\u06cc"),  # they join without it
        ("\u0645\u200c\u200e\u200c\u06cc", "\u0645\u200c\u06cc"),  # of several one
        ("\u0928\u200c\u092e", "\u0928\u092e"),
        ("\N{WOMAN}\u200d x", "\N{WOMAN} x"),
        ("a\U000e0067\U000e0062\U000e007f", "a"),  # tags of no flag
        (SCOTLAND.removesuffix("\U000e007f"), "\N{WAVING BLACK FLAG}"),  # without an end
    ],
)
def test_joiners_and_tags_that_change_nothing_go(raw: str, clean: str) -> None:
    assert normalise(raw) == clean


def test_applying_it_twice_changes_nothing_however_joiners_marks_and_tags_meet() -> None:
    generator = random.Random(1)
    alphabet = "a \u0301\u0645\u062e\u0627\u0631\u064b\u0915\u094d\u093f\u09b0\u09cd\u09c7\u09be\u1820\u0654" + SCOTLAND
    alphabet += MOTHER_AND_CHILD + "\ufe0f\u200b\u200c\u200c\u200d\u200d\u180e\u200e\u00ad\0\t"
    for _ in range(20_000):
        once = normalise("".join(generator.choices(alphabet, k=generator.randint(2, 9))))
        assert normalise(once) == once
        assert unicodedata.is_normalized("NFC", once)
