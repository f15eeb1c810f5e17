"""The only text normalisation of the pipeline: for training text, model inputs, and scored text."""

from __future__ import annotations

import unicodedata

import regex  # type: ignore[import-untyped]

NORMAL_FORM = "nfc"
"""Name in signatures of scores. Changed rules below need a new name."""

# Format characters beyond the BMP lay out music and shorthand, or are tags; a few others hold numbers and are visible.
_INVISIBLE = regex.compile(
    r"(?V1)[\p{Cc}\p{Cs}[\p{Cf}--\p{Prepended_Concatenation_Mark}"
    r"--[\u180e\u200c\u200d\U00010000-\U0010ffff]]--[\s\x1c-\x1f]]"
)
_SEVERAL_JOINERS = regex.compile("([\u180e\u200c\u200d])[\u180e\u200c\u200d]+")
_BEFORE, _AFTER = r"[\p{jt=D}\p{jt=L}]\p{jt=T}*", r"\p{jt=T}*[\p{jt=D}\p{jt=R}]"  # cursive letters that join
_SHAPING = regex.compile(
    rf"""(?V1x)(?P<kept>
      (?<={_BEFORE}) [\u180e\u200c] (?={_AFTER})    # parts cursive letters (RFC 5892, A.1)
    | (?<={_BEFORE}) \u200d (?!{_AFTER}) | (?<!{_BEFORE}) \u200d (?={_AFTER})    # joins one to nothing
    | (?<=\p{{ccc=9}}) [\u200c\u200d]    # beside the sign that takes an Indic letter's vowel away (RFC 5892, A.2)
    | (?<=[\p{{L}}\p{{M}}&&\P{{InSC=Other}}]) [\u200c\u200d] (?=\p{{M}})    # between an Indic letter and a mark
    | (?<=\p{{ExtPict}}[\p{{Emoji_Modifier}}\ufe0f]*) \u200d (?=\p{{ExtPict}})    # makes one emoji of several
    | (?<=\U0001f3f4) [\U000e0030-\U000e0039\U000e0061-\U000e007a]+ \U000e007f    # says of what region a flag is
    ) | [\u180e\u200c\u200d\U000e0001\U000e0020-\U000e007f]"""
)


def normalise(text: str) -> str:
    """Return `text` in Unicode NFC, without control characters, with single spaces between words and none at the ends.

    A NUL is whitespace, so that it does not join its neighbours. Invisible format characters (soft hyphen, zero-width
    space, byte order mark, text direction marks) are removed: they would split words into subwords that look alike.
    Joiners and non-joiners stay where they change the shape of letters or emoji, and so do the tags of flags. Visibly,
    only the order of mixed-direction text can change, if marks alone determine it. Normalising twice changes nothing.
    """
    if not text.isprintable():
        text, before = _INVISIBLE.sub("", text.replace("\0", " ")), ""
        while text != before:  # A removal can make other characters neighbours.
            before, text = text, _SEVERAL_JOINERS.sub(r"\1", unicodedata.normalize("NFC", text))
            text = _SHAPING.sub(lambda found: found["kept"] or "", text)
    return " ".join(unicodedata.normalize("NFC", text).split())
