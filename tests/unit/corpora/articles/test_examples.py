"""Records of TensorFlow, written here field by field."""

from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.corpora.archives import File
from seqpre.corpora.articles.article import Article
from seqpre.corpora.articles.examples import read_examples


def varint(number: int) -> bytes:
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + varint(rest) if rest else bytes([low])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def record(**texts: str) -> bytes:
    entries = [
        field(1, field(1, name.encode()) + field(2, field(1, field(1, text.encode())))) for name, text in texts.items()
    ]
    example = field(1, b"".join(entries))
    return len(example).to_bytes(8, "little") + example


def read(path: Path, content: bytes, detokenized: bool = False) -> list[Article]:
    path.write_bytes(content)
    return list(read_examples(File(path), detokenized))


ARTICLE = 'rain fell . " why now ? " she asked . nobody ca n\'t say ! ' + "long " * 100 + "."
ABSTRACT = "<s> rain fell . </s> <s> she asked why . </s>"


def test_articles_come_in_sentences_with_their_highlights(tmp_path: Path) -> None:
    first, second = read(tmp_path / "a", record(article=ARTICLE, abstract=ABSTRACT) * 2)
    assert first.document == second.document
    assert first.document[:3] == ["rain fell .", '" why now ? "', "she asked ."]
    assert first.summary == ["rain fell .", "she asked why ."]


def test_sentences_of_a_summary_that_do_not_end_are_read_in_linear_time(tmp_path: Path) -> None:
    # In squared time, as it was, they take many minutes.
    (article,) = read(tmp_path / "a", record(article=ARTICLE, abstract=f"<s> one . </s> two {'<s>' * 500_000}"))
    assert article.summary == ["one ."]


def test_words_are_put_together_as_people_write_them(tmp_path: Path) -> None:
    (article,) = read(tmp_path / "a", record(article=ARTICLE, abstract=ABSTRACT), detokenized=True)
    assert article.document[0] == "rain fell."
    assert article.document[3] == "nobody can't say!"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (record(article="a", abstract="")[:-1], "truncated within record 1"),
        (
            record(article="a .", abstract="") + record(article="a ."),
            "record 2 is no example with article and abstract",
        ),
        ((3).to_bytes(8, "little") + b"\x08\x01\x01", "record 1 is no example"),
        ((2).to_bytes(8, "little") + b"\x0a\xff", "record 1 is no example"),
        (
            record(article="a", abstract="").replace(b"article", b"\xff\xfe\xff\xff\xff\xff\xff"),
            "record 1 is no example",
        ),
    ],
)
def test_what_is_no_such_record_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path / "a", content)
