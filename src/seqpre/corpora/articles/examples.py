"""CNN/Daily Mail as TensorFlow records: tokenized, lower-cased, non-anonymised (See et al., 2017).

A file is a sequence of records, each preceded by its length in 8 bytes. A record is a `tf.Example`: a Protocol Buffers
message that maps `article` and `abstract` to one text each. It consists of nested messages only, so a few lines read it
without TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterator

from seqpre.common.errors import DataError
from seqpre.corpora.archives import File
from seqpre.corpora.articles.article import Article

MESSAGE = 2
"""Wire type of a field with a message or a text: its length, then its bytes."""
BEGIN, END = "<s>", "</s>"
"""Marks around each sentence of a summary."""
STOPS, QUOTE = (".", "!", "?"), '"'


def read_examples(file: File, detokenized: bool = False) -> Iterator[Article]:
    """Yield the articles of one file, tokenized or detokenized.

    Raises DataError for a truncated record and for one that is not such a message.
    """
    join = " ".join
    if detokenized:
        from nltk.tokenize.treebank import TreebankWordDetokenizer  # type: ignore[import-untyped]  # takes a second

        join = TreebankWordDetokenizer().detokenize
    content, where = file.whole(), file.where
    start = number = 0
    while start < len(content):
        number += 1
        length = int.from_bytes(content[start : start + 8], "little")
        start += 8
        if start + length > len(content):
            raise DataError(f"{where}: truncated within record {number}; delete {file.path} and download it again")
        try:
            texts = dict(map(_feature, _all(_only(content[start : start + length], 1), 1)))
            document, summary = texts["article"], _marked(texts["abstract"])
        except (ValueError, KeyError, IndexError) as error:
            raise DataError(f"{where}: record {number} is no example with article and abstract ({error!r})") from error
        start += length
        yield Article(
            [join(words) for words in sentences(document.split())],
            [join(sentence.split()) for sentence in summary],
            f"{file.path.name} {number}",
        )


def read_sentences(file: File) -> Iterator[str]:
    """Yield the sentences of all articles, detokenized."""
    for article in read_examples(file, detokenized=True):
        yield from article.document


def _marked(abstract: str) -> list[str]:
    """Return the sentences of a summary, in linear time even if their end marks are missing."""
    parts = (part.partition(BEGIN) for part in abstract.split(END)[:-1])
    return [sentence for _, begun, sentence in parts if begun]


def sentences(words: list[str]) -> list[list[str]]:
    """Split a tokenized text after sentence-final punctuation; a following closing quotation mark stays with it."""
    found, start, quoted = list[list[str]](), 0, False
    for end, word in enumerate(words, start=1):
        quoted ^= word == QUOTE
        ended = word in STOPS and not (quoted and words[end : end + 1] == [QUOTE])
        if ended or (word == QUOTE and not quoted and end > 1 and words[end - 2] in STOPS):
            found.append(words[start:end])
            start = end
    return [*found, words[start:]] if start < len(words) else found


def _feature(entry: bytes) -> tuple[str, str]:
    """Return name and text of one entry of a `Features` map, whose value is a `Feature` with one `BytesList`."""
    return _only(entry, 1).decode("utf-8"), _only(_only(_only(entry, 2), 1), 1).decode("utf-8")


def _only(message: bytes, field: int) -> bytes:
    (content,) = _all(message, field)
    return content


def _all(message: bytes, field: int) -> list[bytes]:
    """Return the contents of all fields of a message with this number."""
    found, place = [], 0
    while place < len(message):
        key, place = _varint(message, place)
        if key % 8 != MESSAGE:
            raise ValueError(f"wire type {key % 8}")
        length, place = _varint(message, place)
        if place + length > len(message):
            raise ValueError(f"a field of {length} bytes is cut off")
        if key >> 3 == field:
            found.append(message[place : place + length])
        place += length
    return found


def _varint(message: bytes, place: int) -> tuple[int, int]:
    """Return the varint at `place` (seven bits a byte, lowest first) and the position after it."""
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
