"""Reuters-21578: bodies and titles without the wire's marks, and unlabelled text that no test document is in."""

from __future__ import annotations

import pytest

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.articles.reuters import FIRST_OF_VALIDATION

BODY = """Acme Corp &lt;ACM.N> said it will buy
&lt;Tiny Ltd> for 2.5 mln dlrs in cash, an Acme spokesman told
Reuters.
    "It is a good price," he said.&#127; The U.S.
Government must agree by March 3. Nobody else bid.^M
 REUTER
&#3;"""
TITLE = "ACME &lt;ACM> TO BUY TINY&lt;TNY>\nFOR CASH"


def document(
    number: int, lewis: str = "TRAIN", topics: str = "YES", title: str = TITLE, body: str | None = BODY, kind: str = ""
) -> str:
    text = f"<DATELINE>    NEW YORK, March 1 - </DATELINE><BODY>{body}</BODY>" if body is not None else ""
    return (
        f'<REUTERS TOPICS="{topics}" LEWISSPLIT="{lewis}" CGISPLIT="TRAINING-SET" OLDID="1" NEWID="{number}">\n'
        f"<DATE> 1-MAR-1987</DATE>\n<TEXT{kind}>&#2;\n<TITLE>{title}</TITLE>\n{text}</TEXT>\n</REUTERS>\n"
    )


def about(subject: str, words: int = 40) -> str:
    """A body with word 6-grams of its own."""
    return (
        f"The {subject} report says " + " ".join(f"{subject}{number}" for number in range(words)) + ".\n REUTER\n&#3;"
    )


def fill(corpus, *documents: str, unlabelled: bool = False) -> None:
    content = ('<!DOCTYPE lewis SYSTEM "lewis.dtd">\n' + "".join(documents)).encode("latin-1")
    if unlabelled:
        corpus.add("reut2-000.sgm", content, "reuters:unlabelled", sides="document")
    else:
        corpus.add("reut2-000.sgm", content, "reuters:pairs", "train,valid,test")


def test_what_is_not_news_is_cleaned_away(corpus) -> None:
    fill(corpus, document(1))
    corpus.extract()
    assert corpus.lines("summary") == ["acme to buy tiny for cash"]
    assert corpus.lines("document") == [
        "acme corp said it will buy tiny ltd for 2.5 mln dlrs in cash, an acme spokesman told reuters."
        ' ¶ "it is a good price," he said. ¶ the u.s. government must agree by march 3. ¶ nobody else bid.'
    ]


@pytest.mark.parametrize(
    "gap", ["\n" * 1_000_000, "\t \n" * 300_000, " " * 1_000_000], ids=["lines", "mixed", "spaces"]
)
def test_white_space_is_read_in_linear_time(corpus, gap: str) -> None:
    # In squared time, as it was, a million blank lines take hours.
    fill(
        corpus,
        document(1, title=f"ACME{gap}&lt;ACM>{gap}TO BUY", body=f"Acme said it will buy{gap}\nTiny.\n{gap}REUTER"),
    )
    corpus.extract()
    assert corpus.lines("document") == ["acme said it will buy tiny."]
    assert corpus.lines("summary") == ["acme to buy"]


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_lines_may_end_in_another_way(corpus, end: str) -> None:
    fill(corpus, document(1).replace("\n", end))
    corpus.extract()
    assert corpus.lines("document")[0].startswith("acme corp said it will buy tiny ltd for 2.5 mln dlrs")
    assert corpus.lines("document")[0].endswith("march 3. ¶ nobody else bid.")


@pytest.mark.parametrize(
    ("title", "clean"),
    [
        ("(CORRECTED) - ACME &lt;ACM> BUYS", "acme buys"),
        ("&lt;CORRECTED> - ACME BUYS", "acme buys"),
        ("ACME BUYS (RPT)", "acme buys"),
        ("&lt;ACME GROUP INC> BUYS", "acme group inc buys"),
    ],
)
def test_titles_lose_tickers_and_notes(corpus, title: str, clean: str) -> None:
    fill(corpus, document(1, title=title))
    corpus.extract()
    assert corpus.lines("summary") == [clean]


def test_the_split_is_modapte_and_validation_its_end(corpus) -> None:
    fill(
        corpus,
        *(
            document(number, lewis, topics, title=f"{subject} report", body=about(subject))
            for number, lewis, topics, subject in (
                (1, "TRAIN", "YES", "wheat"),
                (FIRST_OF_VALIDATION, "TRAIN", "YES", "maize"),
                (20_000, "TEST", "YES", "sugar"),
                (3, "TRAIN", "NO", "cocoa"),
                (4, "TEST", "NO", "steel"),
                (5, "NOT-USED", "YES", "paper"),
            )
        ),
    )
    for split, title in (("train", "wheat report"), ("valid", "maize report"), ("test", "sugar report")):
        assert corpus.extract(split) == 1
        assert corpus.lines("summary", split) == [title]
    with pytest.raises(ConfigError, match=r"no corpus toy/tests\.document; did you mean toy/test"):
        corpus.extract("tests")


def test_what_makes_no_pair_is_counted_by_its_reason(corpus) -> None:
    fill(
        corpus,
        document(1),
        document(2, body=None, kind=' TYPE="BRIEF"'),
        document(3, body=None, kind=' TYPE="UNPROC"'),
        document(4, body="Shr 34 cts vs 1.19 dlrs\n    Net 807,000 vs 2,858,000\n Reuter\n&#3;", title="ACME INC NET"),
        document(5, body=" Reuter\n&#3;"),
        document(6, title="LONDON METALS"),
        document(7, body="The &#127;cme&#127;Corp&#127; said it will buy one for cash.\n Reuter\n&#3;"),
        document(8, topics="NO"),
    )
    assert corpus.extract() == 1
    assert corpus.reasons() == {"brief": 1, "unprocessed": 1, "table": 2, "unrelated_title": 1, "garbled": 1}
    assert corpus.stats()["reasons"]["unrelated_title"]["examples"][0]["name"] == "NEWID 6"


def test_bodies_are_those_of_training_pairs_and_of_unlabelled_text_without_titles(corpus) -> None:
    subjects = {1: ("NO", "TRAIN"), 2: ("YES", "TRAIN"), FIRST_OF_VALIDATION: ("YES", "TRAIN"), 20_000: ("YES", "TEST")}
    texts = [
        document(number, lewis, topics, title=f"report {number} on subject{number}", body=about(f"subject{number}"))
        for number, (topics, lewis) in subjects.items()
    ]
    copy = document(3, title="test report", body=about("subject20000"))
    corpus.add("reut2-000.sgm", "".join([*texts, copy]).encode(), "reuters:bodies", sides="document")
    assert corpus.extract(sides=("document",)) == 2
    assert [line.split()[1] for line in corpus.lines("document")] == ["subject1", "subject2"]
    assert "report 1" not in " ".join(corpus.lines("document"))
    assert corpus.reasons("train.document") == {"near_duplicate": 1}


def test_tokenized_bodies_keep_their_letter_case(corpus) -> None:
    body = document(1, topics="NO", title="oil report", body=about("oil, says J. Smith,", 6))
    corpus.add("reut2-000.sgm", body.encode(), "reuters:bodies:tokenized", sides="document")
    corpus.add("table.csv", b"article,highlights\nRain fell.,Rain.\n", "csv", sides="document")
    assert corpus.extract(sides=("document",)) == 2
    reuters, table = corpus.lines("document")
    assert reuters.startswith("The oil , says J. Smith , report says")
    assert table == "rain fell."


def test_text_of_another_reader_may_follow(corpus) -> None:
    sugar, steel = ({"title": f"{subject} report", "body": about(subject)} for subject in ("sugar", "steel"))
    fill(corpus, document(1, topics="NO", **sugar), document(2, topics="NO", **steel), unlabelled=True)
    tested = document(20_000, "TEST", **sugar).encode()
    corpus.add("reut2-001.sgm", tested, "reuters:unlabelled", sides="document")
    corpus.add("table.csv", b"article,highlights\nRain fell.,Rain.\n", "csv", sides="document")
    assert corpus.extract(sides=("document",)) == 2
    assert [line.split()[:2] for line in corpus.lines("document")] == [["the", "steel"], ["rain", "fell."]]
    assert corpus.reasons("train.document") == {"near_duplicate": 1}  # Files of Reuters are still read together.


def test_no_test_document_is_in_unlabelled_text_not_even_reworded(corpus) -> None:
    reworded = about("sugar").replace("sugar20", "honey").replace("The sugar", "A second sugar")
    fill(
        corpus,
        document(20_000, "TEST", body=about("sugar"), title="sugar report"),
        document(FIRST_OF_VALIDATION, body=about("maize"), title="maize report"),
        document(1, topics="NO", body=about("steel"), title="steel report"),
        document(2, topics="NO", body=reworded, title="sugar report"),
        document(3, topics="NO", body=about("maize"), title="maize report"),
        document(4, topics="NO", body=about("sugar", 4) + about("paper"), title="paper report"),
        unlabelled=True,
    )
    assert corpus.extract(sides=("document",)) == 2
    assert [line.split()[1] for line in corpus.lines("document")] == ["steel", "sugar"]
    assert corpus.reasons("train.document") == {"near_duplicate": 2}
    assert "steel report" not in " ".join(corpus.lines("document")).replace("the steel report says", "")


def test_no_held_out_document_stands_inside_a_longer_one(corpus) -> None:
    whole = about("maize").replace("\n REUTER", "")
    fill(
        corpus,
        document(FIRST_OF_VALIDATION, body=about("maize"), title="maize report"),
        document(1, topics="NO", body=f"{whole} {about('paper', 400)}", title="paper report"),
        document(2, topics="NO", body=f"{' '.join(whole.split()[:20])} {about('steel', 400)}", title="steel report"),
        unlabelled=True,
    )
    assert corpus.extract(sides=("document",)) == 1
    assert "steel399" in corpus.lines("document")[0]
    assert corpus.reasons("train.document") == {"near_duplicate": 1}


def test_training_pairs_are_apart_from_validation_and_test(corpus) -> None:
    fill(
        corpus,
        document(1, body=about("sugar"), title="sugar report"),
        document(2, body=about("wheat"), title="wheat report"),
        document(FIRST_OF_VALIDATION, body=about("sugar"), title="sugar report"),
        document(20_000, "TEST", body=about("sugar"), title="sugar report"),
        document(20_001, "TEST", body=about("maize"), title="maize report"),
    )
    assert [corpus.extract(split) for split in ("train", "test")] == [1, 2]
    assert corpus.lines("summary") == ["wheat report"]
    with pytest.raises(DataError, match=r"toy/valid: no articles \(near_duplicate 1\)"):
        corpus.extract("valid")


def test_a_file_that_breaks_off_is_named(corpus) -> None:
    fill(corpus, document(1), document(2))
    path = corpus.downloads / "h/reut2-000.sgm"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match=r"reut2-000\.sgm: truncated or damaged \(2 documents begin, 1 end\)"):
        corpus.extract()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('NEWID="1"', "", "document 1: damaged .*NEWID"),
        ('NEWID="1"', 'NEWID="one"', "document 1: damaged .*'one'"),
        ('NEWID="1"', f'NEWID="{"9" * 5000}"', "document 1: damaged .*digits"),
        ('TOPICS="YES"', "", "document 1: damaged .*TOPICS"),
        ("</BODY>", "", "document 1: damaged .*<BODY> does not end"),
        ("</TITLE>", "", "document 1: damaged .*<TITLE> does not end"),
        ("</REUTERS>\n", "</REUTERS>\nlost text\n", "document 2: damaged .*'lost text' stands before it"),
        ("</REUTERS>", "", "2 documents begin, 1 end"),
        ("<REUTERS ", "", "1 documents begin, 2 end"),
    ],
)
def test_a_damaged_document_is_named(corpus, old: str, new: str, message: str) -> None:
    fill(corpus, document(1).replace(old, new, 1), document(2))
    with pytest.raises(DataError, match=rf"reut2-000\.sgm.*{message}"):
        corpus.extract()


def test_a_reference_of_thousands_of_digits_is_no_character(corpus) -> None:
    fill(corpus, document(1, body=f"{BODY[:-10]} and &#{'9' * 5000}; too. It is good.\n REUTER\n&#3;"))
    corpus.extract()
    assert f"&#{'9' * 5000};" in corpus.lines("document")[0]
