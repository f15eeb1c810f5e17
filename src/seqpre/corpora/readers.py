"""The readers of corpus files, in one table, by the reader name in the corpus list.

<a>, <b>, <k> and <n> are numbers. Readers of text return sentences, readers of pairs return sentences with corrections,
readers of articles return documents, perhaps with summaries. Skipped items are counted by reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

from seqpre.corpora.stats import Stats
from seqpre.corpora.tatoeba import PORTIONS

if TYPE_CHECKING:
    from seqpre.corpora.archives import File

TEXT, PAIRS, ARTICLES = "text", "pairs", "articles"
SIDES = ("source", "target")
"""Sides of pairs."""


class Reader(NamedTuple):
    """A reader: what it returns, its function, and its description.

    The function takes a `File` and the numbers in the reader's name. One that reads several files together takes all of
    them, their split and a folder for temporary files. It is named by its module below `seqpre.corpora`, so that
    reading the corpus list imports none of them.
    """

    gives: str
    function: str
    described: str
    options: Mapping[str, Any] = {}
    together: str = ""
    """Common name of readers whose files are read together."""
    folder: bool = False
    """Whether the licensed copy that it reads is a folder."""

    @property
    def read(self) -> Callable[..., Iterator[Any]]:
        """The function, imported on first use."""
        function: Callable[..., Iterator[Any]] = resolve_name(f"seqpre.corpora.{self.function}")
        return lambda *arguments: function(*arguments, **self.options)


_SAME_LANGUAGES = "the same for documents and summaries in these languages"
_TATOEBA = "of Tatoeba's pairs with English, one language of a portion (see above)"
_SGML = "WMT's test sets: segments of two languages belong together by the ids of document and segment"
_SOME_LINES = "of these, the a-th line to the b-th, from 1; of parallel files that have equally many"
READERS = {
    "lines": Reader(TEXT, "lines:plain", "text, a sentence a line"),
    "lines:<a>-<b>": Reader(TEXT, "lines:some", _SOME_LINES),
    "lowercase": Reader(
        TEXT, "lines:lowercase", "text in lower case, Turkish (`tr`) and Azeri (`az`) by their own rule"
    ),
    "lowercase:az": Reader(TEXT, "lines:lowercase", _SAME_LANGUAGES, {"language": "az"}),
    "lowercase:tr": Reader(TEXT, "lines:lowercase", _SAME_LANGUAGES, {"language": "tr"}),
    "column:<k>": Reader(TEXT, "lines:column", "the k-th of tab-separated columns, from 0"),
    **{f"tatoeba:{one}": Reader(TEXT, "tatoeba:read_portion", _TATOEBA, {"portion": one}) for one in PORTIONS},
    "sgm": Reader(TEXT, "sgml:read_texts", _SGML),
    "bundestag": Reader(TEXT, "bundestag:read_sitting", "a sitting of the Bundestag: the sentences of its speeches"),
    "wiki": Reader(TEXT, "wikipedia:read_sentences", "a MediaWiki dump, its sentences"),
    "wiki:paragraphs": Reader(TEXT, "wikipedia:read_paragraphs", "a MediaWiki dump, its paragraphs, tokenized"),
    "m2": Reader(
        PAIRS, "corrections:read_m2", "M2: a pair an annotator; tokens are parted by U+0020 alone, one at a time"
    ),
    "m2:<k>": Reader(PAIRS, "corrections:read_m2", "M2: the correction of annotator k, who agrees if silent"),
    "pairs": Reader(PAIRS, "corrections:read_columns", "two tab-separated columns, the sentence and its correction"),
    "lang8": Reader(
        PAIRS, "corrections:read_lang8", "`entries.train` of Lang-8: a pair a correction, none without edits"
    ),
    "stories": Reader(
        ARTICLES, "articles.stories:read_stories", "CNN/DailyMail: archives of stories", together="stories"
    ),
    "stories:tokenized": Reader(
        ARTICLES, "articles.stories:read_stories", "these archives, tokenized", together="stories"
    ),
    "urls:<n>": Reader(
        ARTICLES, "articles.stories:read_stories", "lists of addresses of stories, together n", together="stories"
    ),
    "annotations": Reader(
        ARTICLES, "articles.stories:read_stories", "tokens and entities, to anonymise stories", together="stories"
    ),
    "csv": Reader(ARTICLES, "articles.stories:read_table", "stories in the columns `article` and `highlights`"),
    "examples": Reader(ARTICLES, "articles.examples:read_examples", "CNN/DailyMail as TensorFlow records, tokenized"),
    "examples:detokenized": Reader(
        ARTICLES, "articles.examples:read_examples", "the same, put together to text again", {"detokenized": True}
    ),
    "examples:sentences": Reader(TEXT, "articles.examples:read_sentences", "the sentences of their articles"),
    "reuters:pairs": Reader(
        ARTICLES, "articles.reuters:read_reuters", "Reuters-21578 in SGML: body and title", together="pairs"
    ),
    "reuters:unlabelled": Reader(
        ARTICLES, "articles.reuters:read_reuters", "its bodies outside the split", {"of": "unlabelled"}, "unlabelled"
    ),
    "reuters:bodies": Reader(
        ARTICLES, "articles.reuters:read_reuters", "these and those of training pairs", {"of": "bodies"}, "bodies"
    ),
    "reuters:bodies:tokenized": Reader(
        ARTICLES, "articles.reuters:read_reuters", "the same, tokenized", {"of": "bodies", "tokenized": True}, "tokens"
    ),
    "scitldr": Reader(ARTICLES, "articles.scitldr:read_scitldr", "SciTLDR in JSON lines"),
    "gigaword": Reader(
        ARTICLES,
        "articles.gigaword:read_gigaword",
        "a file that names the folder of a licensed copy of Gigaword",
        folder=True,
    ),
}


@cache
def find_reader(name: str) -> tuple[Reader, tuple[int, ...]]:
    """Return the reader with this name and the numbers in the name. Raises KeyError if there is none."""
    for pattern, reader in READERS.items():
        if found := re.fullmatch(re.sub("<.>", "([0-9]{1,12})", pattern), name):
            return reader, tuple(map(int, found.groups()))
    raise KeyError(name)


def described_readers() -> list[tuple[str, str]]:
    """Return readers and their descriptions; readers with the same description are joined."""
    names: dict[str, list[str]] = {}
    for name, reader in READERS.items():
        names.setdefault(reader.described, []).append(f"`{name}`")
    return [(", ".join(same), described) for described, same in names.items()]


def read_sentences(file: File, stats: Stats | None = None) -> Iterator[str]:
    """Yield the sentences of a file, without newline, otherwise unchanged; skipped items are counted in `stats`.

    For corrections these are the sentences of the file's side. Raises DataError, naming file, member and line, for
    bytes that are not UTF-8, a damaged or truncated archive, a missing member and a missing column.
    """
    from seqpre.corpora.articles.article import Skipped

    reader, numbers = find_reader(file.reader)
    if reader.gives == TEXT:
        yield from reader.read(file, *numbers)
        return
    stats = stats or Stats()
    for number, pair in enumerate(reader.read(file, *numbers), start=1):
        if isinstance(pair, Skipped):
            stats.drop(pair.reason, number, [pair.text], name=pair.name)
        else:
            stats.repaired.update(pair.repaired)
            yield pair.source if file.language == SIDES[0] else pair.target
