"""CNN/DailyMail from story files: every story of the lists is in the text or counted."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable

import pytest

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.articles.stories import parse_story
from seqpre.corpora.sentences import sentences_of

Tar = Callable[[dict[str, bytes]], bytes]

STORY = """LONDON, England (CNN) -- A ship has sunk. Its captain, Mr. Smith, was saved.

The crew was saved too, police said in a statement that was sent
to reporters on Friday.

@highlight

Ship sinks off Dover

@highlight

Captain and crew
are saved .
"""


def address(name: str) -> str:
    return f"http://web.archive.org/{name}.html"


def file_name(name: str) -> str:
    return f"cnn/stories/{hashlib.sha1(address(name).encode()).hexdigest()}.story"


def story(text: str, *highlights: str) -> bytes:
    return (text + "".join(f"\n\n@highlight\n\n{highlight}" for highlight in highlights)).encode()


def fill(
    corpus, tar: Tar, expected: int, stories: dict[str, bytes], listed: list[str] | None = None, reader: str = "stories"
) -> None:
    """Add a list of addresses and one archive of stories."""
    names = list(stories) if listed is None else listed
    corpus.add("train.txt", "".join(f"{address(name)}\n" for name in names).encode(), f"urls:{expected}")
    archive = {file_name(name): content for name, content in stories.items()}
    corpus.add("stories.tgz", tar({**archive, "cnn/stories/readme": b"x"}), reader, "train,valid,test")


def test_highlights_are_the_sentences_of_the_summary(corpus, tar: Tar) -> None:
    fill(corpus, tar, 1, {"a": STORY.encode()})
    assert corpus.extract() == 1
    assert corpus.lines("summary") == ["ship sinks off dover. ¶ captain and crew are saved ."]
    assert sentences_of(corpus.lines("document")[0]) == [
        "london, england (cnn) -- a ship has sunk.",
        "its captain, mr. smith, was saved.",
        "the crew was saved too, police said in a statement that was sent to reporters on friday.",
    ]


def test_a_model_of_words_can_read_stories_as_tokens(corpus, tar: Tar) -> None:
    fill(corpus, tar, 1, {"a": story('"Hey," he said, "it\'s sunk."', "A ship's sunk")}, reader="stories:tokenized")
    assert corpus.extract() == 1
    assert corpus.lines("document") == ['" hey , " he said , " it \'s sunk . "']
    assert corpus.lines("summary") == ["a ship 's sunk ."]


def test_bylines_go_and_captions_end() -> None:
    byline = "By\nJane Doe\nand John Roe\n\nPUBLISHED:\n\n14:11 EST, 25 October 2013\n|\nUPDATED:\n15:36 EST, 25 May\n"
    article = parse_story(f"{byline}It rains.\n\nA wet cat\n\nNo end in sight\n\n@highlight\nRain".encode(), "x")
    assert article.document == ["It rains.", "A wet cat.", "No end in sight."]
    by = parse_story(b"By Friday it was over.\n\n@highlight\nOver", "x")
    assert by.document == ["By Friday it was over."]


def test_blank_lines_of_a_byline_are_read_in_linear_time() -> None:
    # In squared time, as it was, they take most of an hour; the line after them is too long for an author.
    long = "a" * 100
    article = parse_story(f"By{chr(10) * 1_000_000}{long}\n\n@highlight\n\nRain".encode(), "x")
    assert article.document == [f"By {long}."]
    article = parse_story(f"By {' ' * 1000}\n \n  Jane Doe\n\nIt rains.\n\n@highlight\n\nRain".encode(), "x")
    assert article.document == ["It rains."]


def test_stories_come_in_the_order_of_the_lists(corpus, tar: Tar) -> None:
    stories = {name: story(f"{name} happened.", f"{name}!") for name in "abcd"}
    fill(corpus, tar, 4, stories, listed=["c", "a", "d", "b"])
    corpus.extract()
    assert corpus.lines("summary") == ["c!", "a!", "d!", "b!"]
    assert corpus.lines("document") == ["c happened.", "a happened.", "d happened.", "b happened."]


def test_what_is_missing_is_counted_and_shown(corpus, tar: Tar) -> None:
    stories = {
        "good": story("Text.", "Fact"),
        "no article": story("", "Fact"),
        "no highlight": story("Text."),
        "blank highlight": story("Text.", " "),
        "nothing": b"",
    }
    fill(corpus, tar, 1, stories, listed=[*stories, "good", "unknown"])
    assert corpus.extract() == 1
    assert corpus.reasons() == {"listed_twice": 1, "no_document": 2, "no_summary": 2, "no_story": 1}
    shown = corpus.stats()["reasons"]["no_story"]["examples"][0]["name"]
    assert shown == hashlib.sha1(address("unknown").encode()).hexdigest()
    assert corpus.stats()["lines"] == 7


def test_another_number_than_expected_is_refused_with_both_and_the_reasons(corpus, tar: Tar) -> None:
    fill(corpus, tar, 3, {"a": story("Text.", "Fact"), "b": story("", "Fact")}, listed=["a", "b", "c"])
    with pytest.raises(DataError, match=r"toy/train: expected 3 articles, found 1 \(no_document 1, no_story 1\)"):
        corpus.extract()
    assert not list((corpus.folder / "raw").iterdir())


def test_lists_that_expect_different_numbers_are_refused(corpus, tar: Tar) -> None:
    fill(corpus, tar, 1, {"a": story("Text.", "Fact")})
    corpus.add("more.txt", b"http://x\n", "urls:2")
    with pytest.raises(ConfigError, match=r"different numbers of articles: \[1, 2\]"):
        corpus.extract()


def test_stories_in_other_encodings_are_read_and_counted(corpus, tar: Tar) -> None:
    text = "The café closed: 5 € lost.\n\n@highlight\n\nCafé closes"
    stories = {
        "utf-8": text.encode(),
        "byte order mark": text.encode("utf-8-sig"),
        "windows": text.encode("cp1252"),
        "utf-16": text.encode("utf-16"),
    }
    fill(corpus, tar, 4, stories)
    corpus.extract()
    assert set(corpus.lines("document")) == {"the café closed: 5 € lost."}
    assert set(corpus.lines("summary")) == {"café closes."}
    assert corpus.stats()["repaired"] == {"windows-1252": 1, "utf-16": 1}


def test_one_token_and_a_hundred_thousand_are_documents(corpus, tar: Tar) -> None:
    long = " ".join(f"Word {number} is here." for number in range(25_000))
    fill(corpus, tar, 2, {"short": story("Fire!", "Fire"), "long": story(long, "Words")})
    corpus.extract()
    short, extracted = corpus.lines("document")
    assert short == "fire!"
    assert len(sentences_of(extracted)) == 25_000


def test_a_truncated_archive_is_named(corpus, tar: Tar) -> None:
    fill(corpus, tar, 1, {str(n): story(f"{n} " + hashlib.sha512(str(n).encode()).hexdigest(), "x") for n in range(99)})
    path = corpus.downloads / "h/stories.tgz"
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(DataError, match=r"stories\.tgz: truncated or damaged .* download it again"):
        corpus.extract()
    path.write_bytes(gzip.compress(b"not a tar"))
    with pytest.raises(DataError, match=r"stories\.tgz: truncated or damaged"):
        corpus.extract()
    path.unlink()
    with pytest.raises(DataError, match=r"stories\.tgz: no such file"):
        corpus.extract()


def test_a_side_that_no_row_has_is_refused(corpus, tar: Tar) -> None:
    fill(corpus, tar, 1, {"a": story("Text.", "Fact")})
    with pytest.raises(ConfigError, match=r"no corpus toy/train\.en; did you mean"):
        corpus.extract(sides=("document", "en"))


TABLE = """id,article,highlights
1,"By . Jane Doe . It ""rained"" hard . on Monday . Nobody was hurt.","Rain falls .
Nobody hurt ."
2,,"No article ."
"""


def test_a_table_of_stories_goes_through_the_same_reader(corpus) -> None:
    corpus.add("sample.csv", TABLE.encode(), "csv")
    assert corpus.extract() == 1
    assert corpus.lines("document") == ['it "rained" hard on monday. ¶ nobody was hurt.']
    assert corpus.lines("summary") == ["rain falls. ¶ nobody hurt."]
    assert corpus.reasons() == {"no_document": 1}


def test_a_broken_table_names_file_and_line(corpus) -> None:
    corpus.add("sample.csv", b"id,text\n1,x\n", "csv")
    with pytest.raises(DataError, match=r"no columns `article` and `highlights`; it has \['id', 'text'\]"):
        corpus.extract()
    corpus.rows.clear()
    corpus.add("cut/sample.csv", TABLE.encode()[:-40], "csv")
    with pytest.raises(DataError, match=r"sample\.csv, line \d: unexpected end of data"):
        corpus.extract()


def test_an_address_with_the_mark_in_it_cuts_no_article() -> None:
    article = parse_story(
        b"Write to news@highlight.example or x@highlights.\n\nIt ends.\n\n @highlight \r\n\nFact", "x"
    )
    assert article.document == ["Write to news@highlight.example or x@highlights.", "It ends."]
    assert article.summary == ["Fact."]


def test_one_bad_byte_does_not_spoil_the_others() -> None:
    article = parse_story("Zoë met Jürgen in Köln".encode() + b" \x96 again.\n\n@highlight\n\nThey met", "x")
    assert article.document == ["Zoë met Jürgen in Köln \u2013 again."]
    assert article.repaired == "windows-1252"


@pytest.mark.parametrize(("cells", "line"), [(b"3,Rain fell, then snow.,Snow\n", 5), (b"3,Rain fell.\n", 5)])
def test_a_row_of_more_or_fewer_cells_than_columns_is_refused(corpus, cells: bytes, line: int) -> None:
    corpus.add("sample.csv", TABLE.encode() + cells, "csv")
    with pytest.raises(DataError, match=rf"sample\.csv, line {line}: more or fewer cells than 3 columns"):
        corpus.extract()
