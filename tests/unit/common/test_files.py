"""Text is read strictly: nothing lost or glued in silence, one line for what is no text."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import LONGEST_LINE, atomic_write, named_paths, read_json, read_lines

COMMAND = """
import sys
from seqpre.common.errors import command

@command
def main(argv=None):
    {body}

main()
"""


def written(folder: Path, content: bytes, name: str = "a.txt") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def test_a_byte_order_mark_at_the_start_is_no_text(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffEin Satz.\n\ufeffnoch einer\n".encode())
    assert list(read_lines(path)) == ["Ein Satz.", "\ufeffnoch einer"]


def test_a_nul_keeps_its_neighbours_apart(tmp_path: Path) -> None:
    assert list(read_lines(written(tmp_path, b"some words\none\0two\n"))) == ["some words", "one two"]


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"one\rtwo", 1), (b"one\rtwo\r", 1), (b"one\ntwo\r\n" + b"three\r" * 30, 3)],
    ids=["two lines", "the last ended", "a part of the file"],
)
def test_lines_that_end_in_cr_alone_are_refused(tmp_path: Path, content: bytes, line: int) -> None:
    with pytest.raises(DataError, match=rf"a\.txt, line {line}: \d+ carriage returns inside it; lines must end in LF"):
        list(read_lines(written(tmp_path, content)))


def test_a_carriage_return_here_and_there_ends_no_line(tmp_path: Path) -> None:
    content = b"one\rmore\ntwo\r\nthree\r\r\nfour\r"
    assert list(read_lines(written(tmp_path, content))) == ["one\rmore", "two", "three\r", "four"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_mark_is_refused(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(DataError, match=r"a\.txt, line 1: not UTF-8 but UTF-16"):
        list(read_lines(written(tmp_path, "Ein Satz.\nNoch einer.\n".encode(encoding))))


def test_a_compressed_file_of_zeros_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"text\n" + bytes(LONGEST_LINE + 1), 1), "a.gz")
    with pytest.raises(DataError, match=r"a\.gz, line 2: longer than 16,777,216 bytes"):
        list(read_lines(path))


@pytest.mark.parametrize("name", ["a folder", "nothing"])
def test_what_is_no_file_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "a folder").mkdir()
    with pytest.raises(DataError, match=rf"{name}: cannot be read \("):
        list(read_lines(tmp_path / name))


@pytest.mark.parametrize("content", [b'{"a": ', b"\xff", b"[" * 100_000, b"9" * 5000])
def test_json_that_python_cannot_read_is_named(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError, match=r"x\.json: not valid JSON"):
        read_json(written(tmp_path, content, "x.json"))


def test_words_of_an_option_name_paths() -> None:
    assert named_paths(["a=x", "b=y=z"], "--input") == {"a": Path("x"), "b": Path("y=z")}


def test_a_name_and_a_path_may_have_an_equals_sign_each(tmp_path: Path) -> None:
    (tmp_path / "lr=0.004").mkdir()
    file = written(tmp_path, b"", "lr=0.004/test.txt")
    named = {"rate=0.1, dropout=0.3": file, "full": file}
    assert named_paths([f"{name}={path}" for name, path in named.items()], "--outputs") == named


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x"], "--input wants name=path, got 'x'"),
        (["=x"], "--input wants name=path, got '=x'"),
        (["a="], "--input wants name=path, got 'a='"),
        (["a=x", "a=y"], "--input: 'a' is given twice"),
    ],
)
def test_a_word_that_names_none_or_one_again_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        named_paths(words, "--input")


def ran(body: str, **environment: str) -> subprocess.Popen[bytes]:
    """Start a command that has this body."""
    words = [sys.executable, "-c", COMMAND.format(body=body)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment})


@pytest.mark.parametrize(
    ("output", "says"),
    [("folder", "folder: is a directory"), ("file/x", "file: file exists"), ("file/x/y", "file/x: not a directory")],
)
def test_an_output_that_cannot_be_written_is_one_line(
    output: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()

    @command
    def main(argv: object = None) -> None:
        with atomic_write(tmp_path / output) as file:
            file.write("text")

    with pytest.raises(SystemExit) as stopped:
        main()
    assert (stopped.value.code, capsys.readouterr().err) == (2, f"DataError: {tmp_path}/{says}\n")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(("lines", "unbuffered"), [(1, ""), (1, "1"), (100_000, "")])
def test_a_command_whose_output_nobody_reads_ends_silently(stream: str, lines: int, unbuffered: str) -> None:
    process = ran(f"for _ in range({lines}): print('a line', file=sys.{stream})", PYTHONUNBUFFERED=unbuffered)
    closed, other = (process.stdout, process.stderr) if stream == "stdout" else (process.stderr, process.stdout)
    assert closed
    assert other
    closed.close()
    assert (other.read(), process.wait()) == (b"", 141)


def test_what_the_encoding_of_a_terminal_lacks_is_shown_as_an_escape() -> None:
    out, err = ran("print('✓ schön')", PYTHONIOENCODING="latin-1").communicate()
    assert (out, err) == ("\\u2713 schön\n".encode("latin-1"), b"")
