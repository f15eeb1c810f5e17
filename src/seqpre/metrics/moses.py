"""The languages for which Moses' tokenizer has rules: which full stops belong to an abbreviation."""

from __future__ import annotations

LANGUAGES = frozenset((
    "as", "bn", "ca", "cs", "de", "el", "en", "es", "et", "fi", "fr", "ga", "gu", "hi", "hu", "is", "it", "kn",
    "lt", "lv", "ml", "mni", "mr", "nl", "or", "pa", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "ta", "tdt", "te",
    "yue", "zh",
))  # fmt: skip


def rules_for(language: str) -> str:
    """Return the language whose rules tokenize a text: its own, else English, as in `tokenizer.perl`."""
    return language if language in LANGUAGES else "en"
