"""The page of decisions is what the code says."""

from pathlib import Path

from seqpre.report.departures import Departure, departures, page

ROOT = Path(__file__).parents[3]


def test_comments_are_collected_with_their_following_lines(tmp_path: Path) -> None:
    file = tmp_path / "src/a.py"
    file.parent.mkdir()
    mark = "# Unstated"
    file.write_text(f"x = 1  {mark}: the size.\n{mark}: the rate. It is\n# chosen by hand.\ny = 2\n# not this\n")
    assert departures(tmp_path) == [
        Departure("Unstated", "src/a.py", 1, "the size."),
        Departure("Unstated", "src/a.py", 2, "the rate. It is chosen by hand."),
    ]


def test_the_page_in_the_docs_is_up_to_date() -> None:
    expected = page(departures(ROOT))
    assert (ROOT / "docs/departures.md").read_text() == expected, (
        "run: python -m seqpre.report.departures --output docs/departures.md"
    )
