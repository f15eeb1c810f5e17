from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.corpora import wikipedia
from seqpre.corpora.archives import File
from seqpre.corpora.wikipedia import article_paragraphs, read_articles

ARTICLE = """{{Infobox person|name={{lang|de|Bach}}|born=1685}}
'''Johann Sebastian Bach'''<ref name="a/b">Wolff 2000, p. 3.</ref> (31 March 1685 - 28 July 1750) was a German \
[[composer]] of the [[Baroque music|Baroque period]].<ref name=z /> He was born in Eisenach, e.g. near Erfurt.
[[File:Bach.jpg|thumb|A [[portrait]] of Bach. It is old.]]
== Life ==
* a list item that is long enough to be a sentence.
{| class="wikitable"
|-
| cell {{nested|{{template}}}}. This is no sentence.
|}
See [[Star Wars: Episode IV]] and [http://x.org the site] for more&nbsp;details. <!-- Hidden for now. --> Too short.
[[Category:Composers]]
"""


def sentences_of(markup: str) -> Iterator[str]:
    return chain.from_iterable(article_paragraphs(markup))


def test_the_paragraphs_of_running_text_are_kept_and_markup_is_gone() -> None:
    assert list(article_paragraphs(ARTICLE)) == [
        [
            "Johann Sebastian Bach (31 March 1685 - 28 July 1750) was a German composer of the Baroque period.",
            "He was born in Eisenach, e.g. near Erfurt.",
        ],
        ["See Star Wars: Episode IV and the site for more\xa0details."],
    ]


def page(title: str, text: str, namespace: int = 0, redirect: str = "") -> str:
    return f"<page><title>{title}</title><ns>{namespace}</ns>{redirect}<revision><text>{text}</text></revision></page>"


def dump(*pages: str) -> bytes:
    return ('<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">' + "".join(pages) + "</mediawiki>").encode()


Read = Callable[[bytes], list[list[str]]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def articles(content: bytes) -> list[list[str]]:
        (tmp_path / "wiki.xml").write_bytes(content)
        return list(read_articles(File(tmp_path / "wiki.xml")))

    return articles


def test_only_articles_are_read(read: Read) -> None:
    pages = dump(
        page("A", "This is an article."),
        page("Talk:A", "This is mere talk.", namespace=1),
        page("B", "This points elsewhere now.", redirect='<redirect title="A" />'),
        page("C", "Q &amp;amp; A is the second one."),
    )
    assert read(pages) == [["This is an article."], ["Q & A is the second one."]]


def test_a_cut_off_dump_is_an_error_that_names_it(read: Read) -> None:
    whole = dump(page("A", "This is an article."))
    for broken in (whole[:-20], b""):
        with pytest.raises(DataError, match=r"wiki\.xml: not a whole MediaWiki XML dump"):
            read(broken)


def test_templates_and_tables_go_however_they_nest() -> None:
    text = "{{a|{{b|}}|}} One is here now. {|\n| {{c|}}\n| {|\n| {{d}} {{e\n|}}\n|}\n|} Two is here now."
    assert list(sentences_of(text)) == ["One is here now.", "Two is here now."]


def test_what_is_never_closed_does_not_swallow_the_text() -> None:
    for opening in ("<ref>", "<ref name=a", "<!-- ", "{{a", "{|\n", "[http://x"):
        assert list(sentences_of(f"Before it stands this.\n{opening}\nAnd this comes after.")) == [
            "Before it stands this.",
            "And this comes after.",
        ]


# Squared time would be many minutes for each.
@pytest.mark.parametrize(
    "part",
    [
        "<ref>",
        "<ref ",
        "<!--",
        "{{",
        "{|",
        "{{a|",
        "[http:",
        "[http://a b",
        "[[File:[a]",
        "[[a|",
        "<math><ref>",
        "</ref ",
    ],
)
def test_a_long_page_of_markup_that_is_never_closed_takes_no_squared_time(part: str) -> None:
    assert not list(sentences_of(part * 200_000))


@pytest.mark.parametrize(("opening", "closing"), [("{{", "}}"), ("{|", "|}")])
def test_deep_nesting_takes_no_squared_time(opening: str, closing: str) -> None:
    text = f"{opening * 100_000}{closing * 100_000} This is the text."
    assert list(sentences_of(text)) == ["This is the text."]


def test_a_reference_to_a_number_of_thousands_of_digits_is_text() -> None:
    text = f"The number &#{'9' * 5000}; is no character."
    assert list(sentences_of(text)) == [text]


def test_a_page_without_namespace_is_refused(read: Read) -> None:
    with pytest.raises(DataError, match=r"wiki\.xml: a page without <ns>"):
        read(dump(page("A", "This is an article.").replace("<ns>0</ns>", "")))


def test_a_dump_in_which_no_page_ends_is_refused_before_it_fills_the_memory(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wikipedia, "LONGEST_PAGE", 100_000)
    pages = [page(str(number), "This is an article.") for number in range(2000)]
    assert len(read(dump(*pages))) == 2000
    with pytest.raises(DataError, match="no page ends within 100,000 bytes"):
        read(dump(page("A", "a" * 200_000)))


def test_an_encoding_that_the_parser_does_not_know_is_no_dump(read: Read) -> None:
    for encoding in ("utf-7", "x-unknown", "big5"):
        declared = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + dump(page("A", "This is an article."))
        with pytest.raises(DataError, match="not a whole MediaWiki XML dump"):
            read(declared)
