"""Decode and translate with models of a toy language."""

import io
import itertools
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from toy_language import RUN, finetune_arguments

from seqpre import decode, finetune, translate
from seqpre.corpora import learn_bpe
from seqpre.corpora.subwords import Subwords
from seqpre.search import Hypothesis
from seqpre.training.checkpoint import load_weights, save_tensors

READS_THREE = {**RUN["settings"]["model"], "max_source": 3}  # type: ignore[index]


def decode_arguments(toy: Path, models: list[Path], output: Path) -> list[str]:
    return [
        "--model", *map(str, models), "--subwords", str(toy / "bpe.model"),
        "--input", f"valid={toy}/valid.en", f"test={toy}/train.en", "--tune", f"valid={toy}/valid.de",
        "--length-penalties", "0", "0.6", "1", "--beam", "3", "--output-dir", str(output), "--n-best", "2",
    ]  # fmt: skip


def test_decoding_chooses_the_penalty_on_validation_and_uses_it_for_the_rest(
    toy: Path, trained: Path, tmp_path: Path
) -> None:
    decode.main(decode_arguments(toy, [trained / "weights/perplexity.safetensors"], tmp_path))
    valid, test = (json.loads((tmp_path / f"{split}.json").read_text()) for split in ("valid", "test"))
    scores = {tried["length_penalty"]: tried["bleu"] for tried in valid["tuned"]}
    assert list(scores) == [0.0, 0.6, 1.0]
    assert scores[valid["length_penalty"]] == max(scores.values())
    assert test["length_penalty"] == valid["length_penalty"]
    assert "tuned" not in test
    assert len((tmp_path / "test.txt").read_text().splitlines()) == 200
    rows = [row.split("\t") for row in (tmp_path / "valid.nbest.tsv").read_text().splitlines()]
    texts = (tmp_path / "valid.txt").read_text().splitlines()
    assert [next(row[3] for row in rows if row[0] == str(n)) for n in range(1, 21)] == texts


def test_outputs_of_the_same_weights_are_taken_and_no_others(toy: Path, trained: Path, tmp_path: Path) -> None:
    def decoded(model: Path, name: str, *more: str) -> str:
        arguments = decode_arguments(toy, [model], tmp_path / name)
        decode.main([*arguments[:-2], *more])  # Without the n best.
        return (tmp_path / name / "test.txt").read_text()

    model = shutil.copyfile(trained / "weights/perplexity.safetensors", tmp_path / "perplexity.safetensors")
    first = decoded(model, "first")
    (tmp_path / "first/test.txt").write_text(first.replace("\n", " taken\n"))
    copy = shutil.copyfile(model, tmp_path / "bleu.safetensors")
    same = ("--same-as", str(tmp_path / "first"))
    assert decoded(copy, "second", *same) == first.replace("\n", " taken\n")
    about = json.loads((tmp_path / "second/test.json").read_text())
    assert (about["model"], about["taken_from"]) == ([str(copy)], str(tmp_path / "first/test.json"))
    (tmp_path / "first/test.txt").write_text("taken\n")
    assert "taken" not in decoded(copy, "cut off", *same)
    (tmp_path / "first/test.txt").write_text(first.replace("\n", " taken\n"))
    assert decoded(copy, "other beam", *same, "--beam", "2") != first.replace("\n", " taken\n")
    assert "taken" not in decoded(copy, "other metric", *same, "--metric", "rouge_1")
    weights, settings = load_weights(copy)
    next(iter(weights.values())).mul_(1.001)
    save_tensors(copy, weights, settings)
    assert "taken" not in decoded(copy, "other weights", *same)
    model.unlink()
    assert "taken" not in decoded(copy, "lost", *same)


def test_limits_are_chosen_together_with_the_penalty(toy: Path, trained: Path, tmp_path: Path) -> None:
    limits = ["--min-lengths", "12", "0", "--no-repeat-ngrams", "2", "0", "--max-length", "14", "--metric", "rouge_1"]
    decode.main([*decode_arguments(toy, [trained / "weights/perplexity.safetensors"], tmp_path), *limits])
    valid, test = (json.loads((tmp_path / f"{split}.json").read_text()) for split in ("valid", "test"))
    names = ("min_length", "no_repeat_ngram", "length_penalty")
    scores = {tuple(tried[name] for name in names): tried["rouge_1"] for tried in valid["tuned"]}
    assert list(scores) == list(itertools.product((12, 0), (2, 0), (0.0, 0.6, 1.0)))
    chosen = tuple(valid[name] for name in names)
    assert scores[chosen] == max(scores.values()) > scores[12, 2, 1.0]
    assert tuple(test[name] for name in names) == chosen
    assert {tried["max_length"] for tried in (valid, test, *valid["tuned"])} == {14}
    # The outputs are those of the choice, and a search for it alone finds them again.
    shortest, size, penalty = map(str, chosen)
    alone = ["--min-lengths", shortest, "--no-repeat-ngrams", size, "--length-penalties", penalty, "--max-length", "14"]
    decode.main([*decode_arguments(toy, [trained / "weights/perplexity.safetensors"], tmp_path / "alone"), *alone])
    for file in ("valid.txt", "test.txt", "valid.nbest.tsv"):
        assert (tmp_path / file).read_text() == (tmp_path / "alone" / file).read_text()


def test_each_validation_set_settles_the_search_of_its_own_tests(
    toy: Path, trained: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    arguments = decode_arguments(toy, [trained / "weights/perplexity.safetensors"], tmp_path)
    decode.main([*arguments, "--min-lengths", "25", "--max-length", "30", "--output-dir", str(tmp_path / "long")])
    long = tmp_path / "long" / "valid.txt"  # References that only a search for long outputs finds.
    start, end = arguments.index("--input"), arguments.index("--length-penalties")
    arguments[start:end] = [
        "--input", *(f"{split}={toy}/valid.en" for split in ("valid", "other", "a", "b")),
        "--tune", f"valid={toy}/valid.de", f"other={long}", "--tuned-on", "b=other", "--min-lengths", "0", "25",
    ]  # fmt: skip
    decode.main([*arguments, "--max-length", "30", "--metric", "rouge_1"])
    about = {split: json.loads((tmp_path / f"{split}.json").read_text()) for split in ("valid", "other", "a", "b")}
    assert {split: found["min_length"] for split, found in about.items()} == {"valid": 0, "a": 0, "other": 25, "b": 25}
    assert [split for split, found in about.items() if "tuned" in found] == ["valid", "other"]
    for wrong, message in (("b=oter", "did you mean 'other'"), ("valid=other", "'valid', which is no --input, or one")):
        arguments[arguments.index("--tuned-on") + 1] = wrong
        assert message in refused(decode.main, arguments)


def test_settings_of_a_file_are_those_of_the_options_and_an_option_goes_before(
    toy: Path, trained: Path, tmp_path: Path
) -> None:
    arguments = decode_arguments(toy, [trained / "weights/perplexity.safetensors"], tmp_path / "options")
    decode.main([*arguments, "--min-lengths", "0", "12", "--max-length", "14", "--batch-sentences", "7"])
    about = {"beam": 8, "batch_sentences": 7, "min_lengths": [0, 12], "max_length": 14}  # Of penalties the default.
    (tmp_path / "decode.json").write_text(json.dumps(about))
    start = arguments.index("--length-penalties")
    without = [*arguments[:start], "--output-dir", str(tmp_path / "file"), "--n-best", "2"]
    decode.main([*without, "--settings", str(tmp_path / "decode.json"), "--beam", "3"])
    for file in ("valid.txt", "test.txt", "valid.nbest.tsv", "test.nbest.tsv"):
        assert (tmp_path / "file" / file).read_bytes() == (tmp_path / "options" / file).read_bytes()
    tried = [json.loads((tmp_path / folder / "valid.json").read_text())["tuned"] for folder in ("file", "options")]
    assert tried[0] == tried[1]


def test_a_wrong_setting_of_a_file_is_named_with_the_file(
    toy: Path, trained: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    (tmp_path / "decode.json").write_text('{"bean": 3}')
    arguments = decode_arguments(toy, [trained / "weights/perplexity.safetensors"], tmp_path)
    said = refused(decode.main, [*arguments, "--settings", str(tmp_path / "decode.json")])
    assert f"{tmp_path}/decode.json has no key 'bean'; did you mean 'beam'?" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--min-lengths", "5", "--max-length", "4"], "decode.max_length is 4; it must be 0"),
        (["--no-repeat-ngrams", "1"], "no_repeat_ngrams is 1; it must be 0 (off) or at least 2"),
        (["--min-lengths", "-1"], "min_lengths is -1; it must be 0 (off) or more"),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(
    toy: Path, trained: Path, tmp_path: Path, refused: Callable[..., str], options: list[str], message: str
) -> None:
    arguments = decode_arguments(toy, [trained / "weights/perplexity.safetensors"], tmp_path)
    assert message in refused(decode.main, [*arguments, *options])


def test_several_limits_need_a_text_to_choose_on(
    toy: Path, trained: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    arguments = decode_arguments(toy, [trained / "weights/perplexity.safetensors"], tmp_path)
    place = arguments.index("--tune")
    untuned = [*arguments[:place], *arguments[place + 2 :], "--length-penalties", "1", "--min-lengths", "0", "5"]
    assert "--min-lengths has several values: choosing one needs --tune" in refused(decode.main, untuned)


def test_a_source_is_read_as_far_as_in_training(
    toy: Path, trained: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    finetune.main(finetune_arguments(toy, tmp_path, model=READS_THREE, train={"max_updates": 10}))
    lines = ["the big dog sleeps today and runs", "the big dog sleeps today and a child plays"]

    def found(run: Path) -> list[list[Hypothesis]]:
        subwords = Subwords(toy / "bpe.model")
        model = decode.load_model(run / "weights/perplexity.safetensors", subwords)
        return decode.decode_lines([model], subwords, lines, 3, 1, torch.device("cpu"))

    one, other = found(tmp_path)
    assert one == other
    one, other = found(trained)
    assert one != other
    models = [trained / "weights/perplexity.safetensors", tmp_path / "weights/perplexity.safetensors"]
    said = refused(decode.main, decode_arguments(toy, models, tmp_path))
    assert "--model: max_source is [0, 3]; models that decode together must read alike" in said


def test_a_model_with_other_subwords_is_refused(
    toy: Path, trained: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    learn_bpe.main(
        ["--input", str(toy / "train.en"), "--vocab-size", "40", "--seed", "1", "--output", str(tmp_path / "bpe.model")]
    )
    arguments = decode_arguments(toy, [trained / "weights/perplexity.safetensors"], tmp_path)
    arguments[arguments.index("--subwords") + 1] = str(tmp_path / "bpe.model")
    assert "was trained with another vocabulary" in refused(decode.main, arguments)


def test_translate_searches_as_validation_chose(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "weights").mkdir()
    shutil.copy(trained / "weights/perplexity.safetensors", tmp_path / "weights")
    arguments = ["--run", str(tmp_path), "--beam", "3", "--subwords", str(toy / "bpe.model"), "a dog sleeps"]
    decoded = tmp_path / "hypotheses/perplexity/valid.json"
    decoded.parent.mkdir(parents=True)
    found = []
    for chosen in ({}, {"max_length": 2}):  # Before there were limits; with one.
        decoded.write_text(json.dumps({"length_penalty": 0.6, **chosen}))
        translate.main(arguments)
        found.append(Subwords(toy / "bpe.model").encode(capsys.readouterr().out.strip()))
    assert len(found[1]) <= 2 < len(found[0])


def test_translate_takes_the_beam_of_the_run_unless_it_is_told_another(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], refused: Callable[..., str]
) -> None:
    shutil.copytree(trained / "weights", tmp_path / "weights")
    (tmp_path / "decode.json").write_text(json.dumps({"beam": 2}))
    arguments = ["--run", str(tmp_path), "--subwords", str(toy / "bpe.model"), "a dog sleeps", "--n-best", "2"]
    translate.main(arguments)
    own = capsys.readouterr().out
    translate.main([*arguments, "--beam", "2"])
    assert capsys.readouterr().out == own
    assert own.count("\n") == 2
    assert "--n-best is 3; it must be between 1 and --beam (2)" in refused(translate.main, [*arguments[:-1], "3"])
    (tmp_path / "lines").write_text("a dog sleeps\n\na cat sleeps\n")
    translate.main([*arguments[:4], "--n-best", "2", "--input", str(tmp_path / "lines")])
    assert capsys.readouterr().out.splitlines()[2:4] == ["", ""]  # two outputs of the empty line


def test_a_kept_checkpoint_is_not_one_that_a_score_chose(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    for name in ("1000", "250", "perplexity"):
        (tmp_path / f"weights/{name}.safetensors").touch()
    assert translate.checkpoint_of(tmp_path, None)[1] == "perplexity"


def test_translate_takes_the_checkpoint_of_the_best_score_and_its_search(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], refused: Callable[..., str]
) -> None:
    arguments = ["--run", str(tmp_path), "--beam", "3", "--subwords", str(toy / "bpe.model"), "a dog sleeps"]
    shutil.copytree(trained / "weights", tmp_path / "weights")
    for selection, length in (("perplexity", 0), ("bleu", 2)):
        chosen = tmp_path / "hypotheses" / selection / "valid.json"
        chosen.parent.mkdir(parents=True)
        chosen.write_text(json.dumps({"length_penalty": 0.6, "max_length": length}))
    (tmp_path / "weights/perplexity.safetensors").write_bytes(b"of no use")
    translate.main(arguments)
    assert len(Subwords(toy / "bpe.model").encode(capsys.readouterr().out.strip())) <= 2
    for selection, message in (
        ("perplexity", "weights/perplexity.safetensors"),
        ("rouge_1", "it has those by bleu, perplexity"),
    ):
        assert message in refused(translate.main, [*arguments, "--selection", selection])


def test_translate_reads_lines_files_and_ensembles(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["--run", str(trained), "--subwords", str(toy / "bpe.model"), "--beam", "3"]
    translate.main(["a dog sleeps", "a cat", *base])
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 2
    (tmp_path / "in.en").write_text("a dog sleeps\na cat\n")
    translate.main([*base, "--input", str(tmp_path / "in.en"), "--output", str(tmp_path / "out.de")])
    assert (tmp_path / "out.de").read_text().splitlines() == printed
    translate.main(["a dog sleeps", "--run", str(trained), "--run", str(trained), *base[2:]])
    assert capsys.readouterr().out.splitlines() == printed[:1]
    translate.main([*base, "a dog sleeps", "a cat"])  # as the docs have it: the run first, then the text
    assert capsys.readouterr().out.splitlines() == printed


def test_translate_writes_a_line_for_every_line_empty_or_long_and_none_for_none(
    toy: Path, trained: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["--run", str(trained), "--subwords", str(toy / "bpe.model"), "--beam", "1"]
    translate.main([*base, "--run", str(trained), "", "a dog sleeps " * 30])  # 390 bytes: no file has so long a name
    said = capsys.readouterr()
    assert (said.out.count("\n"), said.out[0]) == (2, "\n")  # Nothing is made up for an empty line.
    assert "translate: 1 of 2 sources are empty, and so are their outputs\n" in said.err
    for given, count in ((b"", 0), (b"\n", 1), ("a dog\u2028sleeps\n".encode(), 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        translate.main(base)
        assert capsys.readouterr().out.count("\n") == count


def test_translate_refuses_what_is_not_utf_8(
    toy: Path, trained: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    given = io.TextIOWrapper(io.BytesIO(b"a dog\na caf\xe9\n"), errors="surrogateescape")  # as the C locale reads it
    monkeypatch.setattr(sys, "stdin", given)
    said = refused(translate.main, ["--run", str(trained), "--subwords", str(toy / "bpe.model")])
    assert "DataError: standard input, line 2: not valid UTF-8" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x", "--run", "NOWHERE"], "has no weights/perplexity.safetensors"),
        (["--run", "RUN", "NOWHERE"], "is a folder, not a sentence; an ensemble is --run RUN --run "),
        (["--run", "RUN", "--input", "NOWHERE/text"], "text: no such file"),
        (["--run", "RUN", "x", "--beam", "0"], "--beam is 0; it must be at least 1"),
        (["--run", "RUN", "x", "--n-best", "4"], "--n-best is 4; it must be between 1 and --beam (3)"),
        (["--run", "RUN", "x", "--subwords", "NOWHERE/bpe.model"], "no such SentencePiece model"),
    ],
)
def test_translate_refuses_what_it_cannot_do_in_one_line(
    trained: Path, tmp_path: Path, toy: Path, refused: Callable[..., str], arguments: list[str], message: str
) -> None:
    words = [word.replace("NOWHERE", str(tmp_path)).replace("RUN", str(trained)) for word in arguments]
    (line,) = refused(translate.main, ["--subwords", str(toy / "bpe.model"), "--beam", "3", *words]).splitlines()
    assert message in line
