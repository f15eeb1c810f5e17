import io

import pytest

from seqpre.corpora.wikipedia import article_sentences, read_articles
from seqpre.errors import DataError

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


def test_running_text_is_kept_and_markup_is_gone() -> None:
    assert list(article_sentences(ARTICLE)) == [
        "Johann Sebastian Bach (31 March 1685 - 28 July 1750) was a German composer of the Baroque period.",
        "He was born in Eisenach, e.g. near Erfurt.",
        "See Star Wars: Episode IV and the site for more\xa0details.",
    ]


def page(title: str, text: str, namespace: int = 0, redirect: str = "") -> str:
    return f"<page><title>{title}</title><ns>{namespace}</ns>{redirect}<revision><text>{text}</text></revision></page>"


def dump(*pages: str) -> bytes:
    return ('<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">' + "".join(pages) + "</mediawiki>").encode()


def test_only_articles_are_read() -> None:
    stream = io.BytesIO(
        dump(
            page("A", "This is an article."),
            page("Talk:A", "This is mere talk.", namespace=1),
            page("B", "This points elsewhere now.", redirect='<redirect title="A" />'),
            page("C", "Q &amp;amp; A is the second one."),
        )
    )
    assert list(read_articles(stream, "x")) == ["This is an article.", "Q & A is the second one."]


def test_a_cut_off_dump_is_an_error_that_names_it() -> None:
    whole = dump(page("A", "This is an article."))
    for broken in (whole[:-20], b""):
        with pytest.raises(DataError, match=r"wiki\.xml\.bz2: not a whole MediaWiki XML dump"):
            list(read_articles(io.BytesIO(broken), "wiki.xml.bz2"))
