"""The languages that Moses' tokenizer has rules for: which full stops belong to an abbreviation."""

from __future__ import annotations

LANGUAGES = frozenset((
    "as", "bn", "ca", "cs", "de", "el", "en", "es", "et", "fi", "fr", "ga", "gu", "hi", "hu", "is", "it", "kn",
    "lt", "lv", "ml", "mni", "mr", "nl", "or", "pa", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "ta", "tdt", "te",
    "yue", "zh",
))  # fmt: skip


def rules_for(language: str) -> str:
    """Return the language whose rules a text is tokenized with: its own, else English, as `tokenizer.perl` does it."""
    return language if language in LANGUAGES else "en"
