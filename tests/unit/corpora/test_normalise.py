import unicodedata

import pytest

from seqpre.corpora.normalise import normalise


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
