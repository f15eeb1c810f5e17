"""Stories with their entities replaced by markers: @entity7 is whoever is number 7 in this story.

The annotations of Hermann et al. (2015) place tokens in the bytes of a story and entities in its tokens. Applying them
to a whole story, highlights included, gives the text that Nallapati et al. (2016) restored the highlights in: tokens
between spaces, in lower case.
"""

from __future__ import annotations

import re

from seqpre.corpora.articles.article import Article, Skipped

HIGHLIGHT = " @ highlight "
SENTENCE_END = re.compile(r"(?<=[^\s.] [.!?])((?: (?:''|['\"\u2019”)]))*) ")


def anonymise(name: str, story: bytes, tokens: bytes | None, entities: bytes | None) -> Article | Skipped:
    """Return the story with markers for its entities, or why that cannot be done."""
    if tokens is None or entities is None:
        return Skipped("no_annotations", name)
    words = tokenise(story, tokens)
    if words is None:
        return Skipped("annotations_do_not_fit", name, story[:300].decode("utf-8", "replace"))
    # The blank in front lets a story without article begin with a highlight.
    article, *highlights = f" {' '.join(marked(words, entities))}".lower().split(HIGHLIGHT)
    document = [sentence.strip() for sentence in SENTENCE_END.sub(r"\1\n", article).split("\n") if sentence.strip()]
    return Article(document, highlights, name)


def tokenise(story: bytes, tokens: bytes) -> list[str] | None:
    """Return the tokens that `first,last;first,last;...` places in the story; None if it is of another story.

    The second number is the token's length less one.
    """
    places = [tuple(map(int, place.split(b","))) for place in tokens.split(b";") if place.strip()]
    words = [story[start : start + length + 1] for start, length in sorted(places, key=sum)]
    if not all(words) or any(len(word.split()) != 1 or word != word.strip() for word in words):
        return None
    return [word.decode("utf-8", "replace") for word in words]


def marked(words: list[str], entities: bytes) -> list[str]:
    """Return the words with those that `entity,first,last;...` spans replaced by one marker each."""
    spans = [tuple(map(int, span.split(b","))) for span in entities.split(b";") if span.strip()]
    starts = {first: (entity, last) for entity, first, last in spans}
    result, position = [], 0
    while position < len(words):
        if position in starts:
            entity, last = starts[position]
            result.append(f"@entity{entity}")
            position = max(last, position) + 1
        else:
            result.append(words[position])
            position += 1
    return result
