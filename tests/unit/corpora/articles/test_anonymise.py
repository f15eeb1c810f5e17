"""Entities become markers, in article and highlights alike."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

import pytest

from seqpre.corpora.articles.anonymise import anonymise, marked, tokenise
from seqpre.corpora.articles.article import Article, Skipped

STORY = """Ann Lee met Bob in Zürich.  Bob “smiled”.

Lee left.

@highlight

Ann Lee meets Bob

@highlight

They smile"""
# A token is a word, a mark or one character of a pair of quotation marks; `@highlight` is two.
TOKEN = re.compile(r"\w+|[^\w\s]")


def places(story: str) -> bytes:
    """Where the tokens are, in bytes: first and length less one."""
    found = []
    for match in TOKEN.finditer(story):
        start, length = len(story[: match.start()].encode()), len(match[0].encode())
        found.append(f"{start},{length - 1}")
    return ";".join(found).encode()


def words(story: str) -> list[str]:
    return TOKEN.findall(story)


def entities(story: str) -> bytes:
    """Ann Lee and Lee are number 0, Bob 1, Zürich 2."""
    tokens, spans = words(story), []
    for position, token in enumerate(tokens):
        if token == "Ann":
            spans.append(f"0,{position},{position + 1}")
        elif token == "Lee" and tokens[position - 1] != "Ann":
            spans.append(f"0,{position},{position}")
        elif token in ("Bob", "Zürich"):
            spans.append(f"{('Bob', 'Zürich').index(token) + 1},{position},{position}")
    return ";".join(reversed(spans)).encode()


def test_tokens_are_places_in_the_bytes_of_the_story() -> None:
    assert tokenise(STORY.encode(), [[0, 2], [4, 2]]) == ["Ann", "Lee"]
    assert STORY.encode()[19:26] == "Zürich".encode()
    assert tokenise(STORY.encode(), [[19, 6]]) == ["Zürich"]
    assert tokenise(STORY.encode(), [[4, 2], [0, 2]]) == ["Ann", "Lee"]


def test_a_span_of_tokens_becomes_one_marker() -> None:
    assert marked(["a", "b", "c", "d"], [[7, 1, 2], [3, 3, 3]]) == ["a", "@entity7", "@entity3"]


def test_article_and_highlights_have_the_same_markers() -> None:
    article = anonymise("x", STORY.encode(), places(STORY), entities(STORY))
    assert isinstance(article, Article)
    assert article.document == [
        "@entity0 met @entity1 in @entity2 .",
        "@entity1 “ smiled ” .",
        "@entity0 left .",
    ]
    assert article.summary == ["@entity0 meets @entity1", "they smile"]


def test_a_story_without_article_has_none_left_over_from_its_highlights() -> None:
    story = "\n\n@highlight\n\nBob is back"
    article = anonymise("x", story.encode(), places(story), entities(story))
    assert isinstance(article, Article)
    assert (article.document, article.summary) == ([], ["@entity1 is back"])


def test_an_address_with_the_mark_in_it_cuts_no_article() -> None:
    story = "Write to news@highlight now.\n\n@highlight\n\nBob is back\n\n@highlight"
    article = anonymise("x", story.encode(), places(story), entities(story))
    assert isinstance(article, Article)
    assert article.document == ["write to news @ highlight now ."]
    assert article.summary == ["@entity1 is back", ""]


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        (None, "no_annotations"),
        (b"0,7;8,2", "annotations_do_not_fit"),
        (b"0,2;9000,4", "annotations_do_not_fit"),
        (b"no numbers", "annotations_do_not_fit"),
        (b"0,2;" + b"9" * 5000 + b",1", "annotations_do_not_fit"),
    ],
)
def test_annotations_that_are_missing_or_of_another_story_are_a_reason(tokens: bytes | None, reason: str) -> None:
    skipped = anonymise("x", STORY.encode(), tokens, b"")
    assert isinstance(skipped, Skipped)
    assert skipped.reason == reason


def test_annotated_stories_are_extracted_without_their_names(corpus, tar: Callable[[dict[str, bytes]], bytes]) -> None:
    name = hashlib.sha1(b"http://a").hexdigest()
    other = hashlib.sha1(b"http://b").hexdigest()
    corpus.add("urls.txt", b"http://a\nhttp://b\n", "urls:1")
    corpus.add("s.tgz", tar({f"cnn/stories/{each}.story": STORY.encode() for each in (name, other)}), "stories")
    annotations = {
        f"data/cnn/tokens/{name}.txt": places(STORY),
        f"data/cnn/entities/{name}.txt": entities(STORY),
        f"data/cnn/tokens/{other}.txt": places(STORY),
    }
    corpus.add("data.tar.gz", tar(annotations), "annotations")
    assert corpus.extract() == 1
    assert corpus.lines("summary") == ["@entity0 meets @entity1 ¶ they smile"]
    assert "lee" not in corpus.lines("document")[0]
    assert corpus.reasons() == {"no_annotations": 1}
