"""The sentence at the end of the demo is the longest that is right, or the nearest, and says which."""

from seqpre.demo.example import example

SOURCES = ["He eats.", "Who eats the cake?", "She sees a dog."]
REFERENCES = ["Er isst.", "Wer isst den Kuchen?", "Sie sieht einen Hund."]


def test_the_longest_right_translation_is_shown() -> None:
    said = example("test_a", SOURCES, ["Er isst.", "Wer isst den Kuchen?", "Sie sieht."], REFERENCES)
    assert (
        said
        == "2 of 3 sentences of test_a are translated right, one of them: Who eats the cake? → Wer isst den Kuchen?"
    )


def test_without_any_the_nearest_is_shown_with_its_reference() -> None:
    said = example("test_a", SOURCES, ["Sie.", "Wer isst der Kuchen?", "Er sah ein Hund."], REFERENCES)
    assert said.startswith(
        "None of 3 sentences of test_a is translated right; the nearest: Who eats the cake? → Wer isst der"
    )
    assert said.endswith("(not Wer isst den Kuchen?)")
