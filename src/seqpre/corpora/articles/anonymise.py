"""Replace entities in stories by markers: @entity7 is entity number 7 of this story.

The annotations of Hermann et al. (2015) give the bytes of a story's tokens and the tokens of its entities. Applied to a
whole story, highlights included, they give the text from which Nallapati et al. (2016) restored the highlights:
lower-cased tokens separated by spaces.
"""

from __future__ import annotations

import re

from seqpre.corpora.articles.article import Article, Skipped

MARK = re.compile(rb"^[^\S\n]*(@)highlight[^\S\n]*$", re.MULTILINE)
HIGHLIGHT = re.compile(r" \n@ ?highlight(?: |$)")  # no token has a newline, the mark gets one
SENTENCE_END = re.compile(r"(?<=[^\s.] [.!?])((?: (?:''|['\"\u2019”)]))*) ")


def anonymise(name: str, story: bytes, tokens: bytes | None, entities: bytes | None) -> Article | Skipped:
    """Return the story with markers for its entities, or the reason why it cannot be made."""
    if tokens is None or entities is None:
        return Skipped("no_annotations", name)
    places, spans = _numbers(tokens), _numbers(entities)
    words = tokenise(story, places) if places is not None else None
    if words is None or spans is None:
        return Skipped("annotations_do_not_fit", name, story[:300].decode("utf-8", "replace"))
    # Unstated: how the scripts that anonymise CNN/Daily Mail were modified (Nallapati et al., 2016). Here the original
    # ones are applied to the highlights as well. The blank in front lets a story without article begin with a
    # highlight.
    article, *highlights = HIGHLIGHT.split(f" {' '.join(marked(words, spans))}".lower())
    document = [sentence.strip() for sentence in SENTENCE_END.sub(r"\1\n", article).split("\n") if sentence.strip()]
    return Article(document, highlights, name)


def tokenise(story: bytes, tokens: list[list[int]]) -> list[str] | None:
    """Return the tokens of a story from their (start, length - 1); None if they belong to another story.

    A token that begins a line `@highlight` starts with a newline; an address that contains the word does not.
    """
    places = sorted((tuple(token) for token in tokens if len(token) == 2), key=sum)
    words = [story[start : start + length + 1] for start, length in places]
    if not words or any(len(word.split()) != 1 or word != word.strip() for word in words):
        return None
    marks = {match.start(1) for match in MARK.finditer(story)}
    texts = (word.decode("utf-8", "replace") for word in words)
    return [f"\n{text}" if start in marks else text for text, (start, _) in zip(texts, places, strict=True)]


def marked(words: list[str], spans: list[list[int]]) -> list[str]:
    """Return the words, with those covered by a span (entity, first, last) replaced by one marker."""
    starts = {span[1]: (span[0], span[2]) for span in spans if len(span) == 3}
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


def _numbers(annotation: bytes) -> list[list[int]] | None:
    """Read groups of numbers, `1,2;3,4`; None if a number has more digits than any position in a story."""
    groups = [re.findall(rb"\d+", group) for group in annotation.split(b";")]
    if any(len(number) > 12 for group in groups for number in group):
        return None
    return [list(map(int, group)) for group in groups if group]
