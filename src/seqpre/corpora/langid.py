"""Language identification, one line at a time, restricted to a few languages, the same answer on every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory  # type: ignore[import-untyped]
from langdetect.lang_detect_exception import LangDetectException  # type: ignore[import-untyped]
from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

from seqpre.errors import ConfigError

NAMES = ("langdetect", "py3langid", "none")
UNKNOWN = "unknown"

Identify = Callable[[str], str]


def build_identifier(name: str, languages: Sequence[str], seed: int) -> Identify:
    """Return a function from a line to one of `languages`, or UNKNOWN if nothing in the line tells.

    `langdetect` draws random n-grams: its generator is seeded anew for every line, so the answer depends on nothing
    but line, languages and seed. Its speed falls with the number of languages.
    """
    if len(set(languages)) < 2:
        raise ConfigError(f"language identification needs at least two languages to tell apart, got {languages}")
    if name == "langdetect":
        return _langdetect(sorted(set(languages)), seed)
    if name == "py3langid":
        return _py3langid(sorted(set(languages)))
    raise ConfigError(f"identifier {name!r}; accepted: {', '.join(NAMES)}")


def identifier_version(name: str) -> str:
    """Return the installed version of an identifier; empty for `none`."""
    return "" if name == "none" else version(name)


def _langdetect(languages: list[str], seed: int) -> Identify:
    # Unstated: the paper's "language detection system"; langdetect is a common choice.
    profiles = []
    for language in languages:
        path = Path(PROFILES_DIRECTORY, language)
        if not path.is_file():
            known = " ".join(sorted(file.name for file in Path(PROFILES_DIRECTORY).iterdir()))
            raise ConfigError(f"langdetect has no language {language!r}; it has {known}")
        profiles.append(path.read_text(encoding="utf-8"))
    factory = DetectorFactory()
    factory.load_json_profile(profiles)
    factory.set_seed(seed)

    def identify(line: str) -> str:
        detector = factory.create()
        detector.append(line)
        try:
            return str(detector.detect())
        except LangDetectException:  # no letters: numbers, punctuation, an address
            return UNKNOWN

    return identify


def _py3langid(languages: list[str]) -> Identify:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    missing = sorted(set(languages) - set(identifier.labels))
    if missing:
        raise ConfigError(f"py3langid has no language {missing[0]!r}; it has {' '.join(sorted(identifier.labels))}")
    identifier.set_languages(languages)

    def identify(line: str) -> str:
        # Without a letter there is no evidence, and the library would answer with the first language.
        return str(identifier.classify(line)[0]) if any(map(str.isalpha, line)) else UNKNOWN

    return identify
