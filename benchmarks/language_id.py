"""The language filter beside the identifiers alone: sentences per CPU second.

    python benchmarks/language_id.py [--text train.de]

The filter reads, normalises, drops duplicates and implausible lines, shuffles, and asks the identifier; the ceiling is
the identifier alone on the same lines. Beside them the library langdetect as it comes, with all of its languages.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import langdetect  # type: ignore[import-untyped]
from side_by_side import WORK, Tool, measure, report, table
from text import LANGUAGE, first_lines, prepare, text_arguments
from worker import Answers

from seqpre.corpora.filter import Rules, filter_corpus
from seqpre.corpora.langid import Identifier


def work(name: str, how: str, text: Path, count: int) -> None:
    """Answer requests for windows of `count` lines."""
    lines = first_lines(text, count)
    answers = Answers()
    if how == "filter":
        source, output = WORK / f"{name}.lines", WORK / f"{name}.kept"
        source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        rules = Rules((LANGUAGE,), name)

        def window() -> float:
            return filter_corpus([source], [output], rules).lines

    elif how == "library":

        def window() -> float:
            for line in lines:
                with suppress(langdetect.LangDetectException):  # a line without letters
                    langdetect.detect(line)
            return count

    else:
        identifier = Identifier(name, [LANGUAGE])

        def window() -> float:
            for line in lines:
                identifier.wrong(identifier.evidence([line]))
            return count

    answers.ready(tool=name)
    answers.serve(window)


def main() -> None:
    parser = text_arguments(__doc__, windows=5, work=2000)
    parser.add_argument("--how", help=parser.epilog)
    args = parser.parse_args()
    text, about = prepare(args.text)
    if args.worker:
        return work(args.worker, args.how, text, args.work)

    def tool(title: str, name: str, how: str, times: float, *, ceiling: bool = False) -> Tool:
        command = [sys.executable, Path(__file__), "--worker", name, "--how", how, "--work", int(times * args.work)]
        return Tool(title, [*command, "--text", text], ceiling=ceiling)

    tools = [
        tool("seqpre filter, fasttext+py3langid", "fasttext+py3langid", "filter", 25),
        tool("fasttext+py3langid alone", "fasttext+py3langid", "alone", 25, ceiling=True),
        tool("seqpre filter, py3langid", "py3langid", "filter", 50),
        tool("py3langid alone", "py3langid", "alone", 50, ceiling=True),
        tool("seqpre filter, langdetect", "langdetect", "filter", 50),
        tool("langdetect alone", "langdetect", "alone", 50, ceiling=True),
        tool("the library langdetect", "langdetect", "library", 0.25),
    ]
    measure(tools, args.windows)
    report("language_id", "Language identification", table(tools, "sentences"), NOTES.format(about, args.work // 4))


NOTES = """
Text: {}, one side. A window is {:,} different lines, 100 or 200 times as many for ours. Every
identifier compares all its languages. All work line by line in shards, one process a core: cores add up.
"""

if __name__ == "__main__":
    main()
