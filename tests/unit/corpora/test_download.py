"""Downloads against a real HTTP server on this machine, with the faults real servers have."""

import bz2
import errno
import gzip
import hashlib
import json
import random
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora import download
from seqpre.corpora.catalog import Row
from seqpre.corpora.download import check_mirror, fetch, verify

CONTENT = bytes(range(256)) * 4000  # about 1 MB
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves `files`; `faults` are used up one a request: a status code, or after how many bytes to hang up."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.etags: dict[str, str] = {}
        self.faults: list[tuple[str, int]] = []
        self.requests: list[tuple[str, str | None]] = []
        self.ranges = True

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.requests.append((self.path, wanted))
        kind, number = self.server.faults.pop(0) if self.server.faults else ("", 0)
        content = self.server.files.get(self.path)
        if kind == "status" or content is None:
            self.send_response(number if kind == "status" else 404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        etag = self.server.etags.get(self.path, "")
        same = self.headers.get("If-Range", etag) == etag
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.server.ranges and same else 0
        if wanted and start >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if etag:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end = start + number if kind == "hang_up" else len(content)
        self.wfile.write(content[start:end])
        if kind == "hang_up":
            self.wfile.flush()
            self.connection.close()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        running.files["/data/text.txt"] = CONTENT
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def row(server: Server | None = None, sha256: str = SHA256, size: int | None = len(CONTENT), url: str = "") -> Row:
    url = url or f"{server.base if server else 'http://127.0.0.1:1'}/data/text.txt"
    return Row("toy", "train", "en", "lines", "", url, sha256, size, "MIT", "")


def test_a_file_arrives_whole_and_is_not_fetched_twice(server: Server, tmp_path: Path) -> None:
    path = fetch(row(server), tmp_path)
    assert path == tmp_path / row(server).relative_path
    assert path.read_bytes() == CONTENT
    assert sorted(file.name for file in path.parent.iterdir()) == ["text.txt"]
    assert fetch(row(server), tmp_path) == path
    assert len(server.requests) == 1


def test_a_path_longer_than_a_name_may_be_is_locked_too(server: Server, tmp_path: Path) -> None:
    path = f"/{'/'.join(['folder' * 20] * 4)}/{'x' * 240}"
    server.files[path] = CONTENT
    long = row(url=f"{server.base}{path}")
    assert fetch(long, tmp_path).read_bytes() == CONTENT


def test_a_broken_transfer_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    server.faults = [("hang_up", 300_000), ("status", 503), ("hang_up", 200_000)]
    assert fetch(row(server), tmp_path, back_off=0).read_bytes() == CONTENT
    starts = [wanted for _, wanted in server.requests]
    assert starts == [None, "bytes=300000-", "bytes=300000-", "bytes=500000-"]


def test_a_later_run_resumes_what_an_earlier_one_left(server: Server, tmp_path: Path) -> None:
    server.faults = [("hang_up", 100_000)] + [("status", 500)] * download.RETRIES
    with pytest.raises(DataError, match="HTTP 500 after 6 attempts; what has arrived is kept"):
        fetch(row(server), tmp_path, back_off=0)
    assert not (tmp_path / row(server).relative_path).exists()
    assert fetch(row(server), tmp_path).read_bytes() == CONTENT
    assert server.requests[-1][1] == "bytes=100000-"


def test_a_server_without_ranges_starts_over(server: Server, tmp_path: Path) -> None:
    server.ranges = False
    server.faults = [("hang_up", 100_000)]
    assert fetch(row(server), tmp_path, back_off=0).read_bytes() == CONTENT


def test_a_new_version_at_the_address_is_not_glued_to_the_old_one(server: Server, tmp_path: Path) -> None:
    unpinned = row(server, sha256="", size=None)
    server.etags["/data/text.txt"] = '"one"'
    server.faults = [("hang_up", 100_000)] + [("status", 500)] * download.RETRIES
    with pytest.raises(DataError):
        fetch(unpinned, tmp_path, back_off=0)
    server.files["/data/text.txt"] = CONTENT[::-1]
    server.etags["/data/text.txt"] = '"two"'
    assert fetch(unpinned, tmp_path).read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_without_a_version_a_file_is_requested_whole(server: Server, tmp_path: Path, tag: str) -> None:
    unpinned = row(server, sha256="", size=None)
    server.etags["/data/text.txt"] = tag
    server.faults = [("hang_up", 100_000)] + [("status", 500)] * download.RETRIES
    with pytest.raises(DataError):
        fetch(unpinned, tmp_path, back_off=0)
    server.files["/data/text.txt"] = CONTENT[::-1]
    assert fetch(unpinned, tmp_path).read_bytes() == CONTENT[::-1]


def test_a_partial_file_of_other_content_is_replaced(server: Server, tmp_path: Path) -> None:
    for rest in (b"x" * 1000, b"x" * len(CONTENT), b"x" * (len(CONTENT) + 5)):
        part = tmp_path / f"{row(server).relative_path}.part"
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(rest)
        path = fetch(row(server), tmp_path)
        assert path.read_bytes() == CONTENT
        path.unlink()


def test_a_wrong_file_is_fetched_again_once_however_often_its_transfers_break(server: Server, tmp_path: Path) -> None:
    server.files["/data/text.txt"] = CONTENT[:-1] + b"!"
    server.faults = [("hang_up", 1000), ("", 0)] * 4
    with pytest.raises(DataError, match="no source gave the right file"):
        fetch(row(server), tmp_path, back_off=0)
    assert len(server.requests) == 4


def test_a_whole_partial_file_needs_no_transfer_to_be_accepted(server: Server, tmp_path: Path) -> None:
    part = tmp_path / f"{row(server).relative_path}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT)
    assert fetch(row(server, size=None), tmp_path).read_bytes() == CONTENT
    assert server.requests == [("/data/text.txt", f"bytes={len(CONTENT)}-")]  # answered with 416


def test_a_wrong_checksum_names_file_expected_got_and_fix_and_leaves_nothing(server: Server, tmp_path: Path) -> None:
    server.files["/data/text.txt"] = CONTENT[:-1] + b"!"
    got = hashlib.sha256(server.files["/data/text.txt"]).hexdigest()
    with pytest.raises(DataError) as caught:
        fetch(row(server), tmp_path)
    target = tmp_path / row(server).relative_path
    for part in (f"{target}: checksum differs", f"expected sha256 {SHA256}", f"got {got}", "delete the file"):
        assert part in str(caught.value)
    assert list(target.parent.iterdir()) == []


def test_a_file_of_wrong_size_is_refused_with_both_sizes(server: Server, tmp_path: Path) -> None:
    server.files["/data/text.txt"] = CONTENT[:1000]
    with pytest.raises(DataError, match=r"expected 1,024,000 bytes \(the list of corpora\), got 1,000"):
        fetch(row(server), tmp_path)


def test_a_damaged_file_in_place_is_reported_not_overwritten(server: Server, tmp_path: Path) -> None:
    path = fetch(row(server), tmp_path)
    path.write_bytes(b"edited by hand")
    with pytest.raises(DataError, match="size differs"):
        fetch(row(server), tmp_path)
    assert path.read_bytes() == b"edited by hand"


def test_a_mirror_folder_comes_first(server: Server, tmp_path: Path) -> None:
    copy = tmp_path / "mirror" / row(server).relative_path
    copy.parent.mkdir(parents=True)
    copy.write_bytes(CONTENT)
    assert fetch(row(server), tmp_path / "downloads", str(tmp_path / "mirror")).read_bytes() == CONTENT
    assert server.requests == []
    assert copy.exists()


def test_a_mirror_without_the_file_or_with_a_bad_copy_gives_way_to_the_address(server: Server, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    assert fetch(row(server), tmp_path / "a", str(mirror)).read_bytes() == CONTENT
    copy = mirror / row(server).relative_path
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"bad copy")
    assert fetch(row(server), tmp_path / "b", str(mirror)).read_bytes() == CONTENT


def test_a_mirror_address_is_laid_out_by_host_and_path(server: Server, tmp_path: Path) -> None:
    original = row(url="http://127.0.0.1:1/some%20where/text.txt")
    server.files["/base/127.0.0.1%3A1/some%20where/text.txt"] = CONTENT
    assert fetch(original, tmp_path, f"{server.base}/base/").read_bytes() == CONTENT
    assert (tmp_path / "127.0.0.1:1" / "some where" / "text.txt").exists()


def test_a_bad_copy_at_a_mirror_address_is_named_by_its_address(server: Server, tmp_path: Path) -> None:
    original = row(url=f"{server.base}/gone.txt")
    server.files[f"/base/{original.relative_path}".replace(":", "%3A")] = CONTENT[::-1]
    with pytest.raises(DataError) as caught:
        fetch(original, tmp_path, f"{server.base}/base")
    assert f"{server.base}/base/" in str(caught.value)
    assert f"{tmp_path / original.relative_path}: checksum differs" in str(caught.value)
    assert "http:/1" not in str(caught.value)  # an address is no path


def test_when_every_source_fails_each_is_listed_with_its_reason(server: Server, tmp_path: Path) -> None:
    missing = row(url=f"{server.base}/nowhere.gz")
    with pytest.raises(DataError) as caught:
        fetch(missing, tmp_path, str(tmp_path / "mirror"))
    assert f"{tmp_path / 'mirror' / missing.relative_path}: no such file" in str(caught.value)
    assert f"{missing.url}: HTTP 404" in str(caught.value)
    assert "set `mirror`" in str(caught.value)
    assert len(server.requests) == 1  # 404 is not worth retrying


def test_a_row_without_checksum_is_pinned_once_and_held_to_it(server: Server, tmp_path: Path) -> None:
    unpinned = row(server, sha256="", size=None)
    path = fetch(unpinned, tmp_path)
    assert json.loads((tmp_path / "pins.json").read_text()) == {unpinned.url: {"sha256": SHA256, "bytes": len(CONTENT)}}
    path.unlink()
    server.files["/data/text.txt"] = CONTENT[::-1]
    pins = tmp_path / "pins.json"
    with pytest.raises(DataError, match=rf'checksum differs: expected sha256 .*remove "{unpinned.url}" from {pins} if'):
        fetch(unpinned, tmp_path)
    pins.write_text("{}")
    changed = fetch(unpinned, tmp_path)
    assert changed.read_bytes() == CONTENT[::-1]
    verify(unpinned, tmp_path)
    changed.write_bytes(CONTENT)  # before it is read, long after its download
    with pytest.raises(DataError, match="checksum differs"):
        verify(unpinned, tmp_path)


def packed(folder: Path, name: str, text: bytes = CONTENT) -> bytes:
    """Return a file of this name that holds a text, packed as the name says."""
    content = {"text.gz": gzip.compress, "text.bz2": bz2.compress}.get(name, bytes)(text)
    if "zip" in name or "tar" in name or "tgz" in name:
        (folder / "text").write_bytes(text)
        kind = {"text.zip": "zip", "text.tar": "tar"}.get(name, "gztar")
        content = Path(shutil.make_archive(f"{folder}/archive", kind, folder, "text")).read_bytes()
    return content


SIGN_IN = b"\xef\xbb\xbf<!-- --> \n<!DOCTYPE HTML><title>Sign in</title>"
PACKED = ("text.gz", "text.bz2", "text.zip", "text.tar", "text.tar.gz", "text.tgz")


@pytest.mark.parametrize("name", [*PACKED, "text.txt"])
def test_a_web_page_or_nothing_in_place_of_the_file_is_not_pinned(server: Server, tmp_path: Path, name: str) -> None:
    unpinned = row(url=f"{server.base}/{name}", sha256="", size=None)
    server.files[f"/{name}"] = SIGN_IN
    with pytest.raises(DataError, match=rf"{name}: a web page came in place of the file"):
        fetch(unpinned, tmp_path)
    server.files[f"/{name}"] = b""
    with pytest.raises(DataError, match=f"{name}: (empty|truncated or damaged)"):
        fetch(unpinned, tmp_path)
    assert not list(tmp_path.rglob("*.json"))
    server.files[f"/{name}"] = right = packed(tmp_path, name)
    assert fetch(unpinned, tmp_path).read_bytes() == right
    assert json.loads((tmp_path / "pins.json").read_text())[unpinned.url]["bytes"] == len(right)


@pytest.mark.parametrize("name", PACKED)
def test_an_archive_is_tested_whole_before_it_is_pinned(server: Server, tmp_path: Path, name: str) -> None:
    right = packed(tmp_path, name, text=random.Random(1).randbytes(100_000))
    middle = len(right) // 2
    flipped = right[:middle] + bytes([right[middle] ^ 1]) + right[middle + 1 :]
    server.files[f"/{name}"] = right[:-60_000] if name == "text.tar" else flipped  # A plain tar has no checksum of it.
    with pytest.raises(DataError, match=rf"{name}: truncated or damaged .*; put a whole copy there"):
        fetch(row(url=f"{server.base}/{name}", sha256="", size=None), tmp_path)
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("name", ["text.gz", "text.bz2"])
def test_a_web_page_that_the_server_has_packed_is_not_pinned(server: Server, tmp_path: Path, name: str) -> None:
    server.files[f"/{name}"] = packed(tmp_path, name, text=b"<html>Sign in</html>")
    with pytest.raises(DataError, match="a web page came in place of the file"):
        fetch(row(url=f"{server.base}/{name}", sha256="", size=None), tmp_path)


def test_a_file_that_was_put_there_by_hand_is_tested_before_it_is_pinned(tmp_path: Path) -> None:
    unpinned = row(url="https://h/text.tgz", sha256="", size=None)
    target = tmp_path / unpinned.relative_path
    target.parent.mkdir()
    target.write_bytes(SIGN_IN)
    with pytest.raises(DataError, match="a web page"):
        fetch(unpinned, tmp_path)
    assert target.exists()
    assert not (tmp_path / "pins.json").exists()


def test_a_web_page_is_called_one_whatever_was_expected(server: Server, tmp_path: Path) -> None:
    server.files["/data/text.txt"] = SIGN_IN
    with pytest.raises(DataError, match="a web page came in place of the file"):
        fetch(row(server), tmp_path)


@pytest.mark.parametrize(
    "start",
    [b"<!DOCTYPE lewis SYSTEM>", b"<header>", b"<mediawiki>", b"The tag <html> comes first.", b"<!----"],
)
def test_other_text_with_tags_is_no_web_page(server: Server, tmp_path: Path, start: bytes) -> None:
    server.files["/data/text.txt"] = start + b"<!---->" * 1000
    assert fetch(row(server, sha256="", size=None), tmp_path).exists()


def _pin(index: int, folder: Path) -> None:
    content = str(index).encode()
    url = f"http://127.0.0.1:1/{index}.txt"
    copy = folder / "mirror" / "127.0.0.1:1" / f"{index}.txt"
    copy.write_bytes(content)
    fetch(row(url=url, sha256="", size=None), folder / "downloads", str(folder / "mirror"))


def test_jobs_that_pin_at_the_same_time_lose_no_pin(tmp_path: Path) -> None:
    (tmp_path / "mirror" / "127.0.0.1:1").mkdir(parents=True)
    processes = [get_context("fork").Process(target=_pin, args=(index, tmp_path)) for index in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert len(json.loads((tmp_path / "downloads" / "pins.json").read_text())) == 8


def test_a_full_disk_gives_one_clear_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    copy = tmp_path / "mirror" / row().relative_path
    copy.parent.mkdir(parents=True)
    copy.write_bytes(CONTENT)
    monkeypatch.setattr(download, "_copy", full)
    with pytest.raises(DataError, match=r"no space left on the disk \(the file has 1,024,000 bytes\)"):
        fetch(row(), tmp_path / "downloads", str(tmp_path / "mirror"))


def test_generated_text_is_not_downloaded(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is not downloaded: snakemake .*grammar/demo/train\.en writes it"):
        fetch(row(url="grammar:demo/train.en", sha256=""), tmp_path)


def licensed() -> Row:
    note = "News; without it, use another"
    return Row("toy", "train", "document", "gigaword", "", "licensed:LDC", "", None, "LDC agreement", note)


def test_text_that_needs_a_licence_is_asked_for_with_the_place_and_the_way_around_it(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        fetch(licensed(), tmp_path / "downloads", str(tmp_path / "mirror"))
    message = str(caught.value)
    assert "\n" not in message
    for part in ("News; without it, use another", "LDC agreement", f"echo /path/to/your/copy > {tmp_path}/downloads/"):
        assert part in message


def test_where_a_licensed_copy_is_may_stand_in_the_downloads_or_in_the_mirror(tmp_path: Path) -> None:
    for folder in ("downloads", "mirror"):
        pointer = tmp_path / folder / "licensed/LDC"
        pointer.parent.mkdir(parents=True)
        pointer.write_text("/corpora/LDC\n")
        found = fetch(licensed(), tmp_path / f"{folder}-there", str(tmp_path / folder))
        assert found.read_text() == "/corpora/LDC\n"
    assert fetch(licensed(), tmp_path / "downloads") == tmp_path / "downloads/licensed/LDC"
    assert not (tmp_path / "downloads/pins.json").exists()


def test_a_mirror_folder_that_is_not_there_is_refused_before_anything_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    monkeypatch.setenv("SEQPRE_MIRROR", str(tmp_path / "gone"))
    monkeypatch.setattr(download, "fetch", lambda *arguments: pytest.fail("was tried"))
    said = refused(download.main, ["--corpora", "x", "--url", "https://h/x", "--downloads", str(tmp_path)])
    assert f"the mirror {tmp_path}/gone is no folder; correct SEQPRE_MIRROR" in said
    with pytest.raises(ConfigError, match="the mirror ~nobody-of-this-name/texts is no folder"):
        check_mirror("~nobody-of-this-name/texts")
    for mirror in (None, "", str(tmp_path), "https://mirror.test"):
        check_mirror(mirror)


def test_a_file_of_one_s_own_is_not_downloaded(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is used where it is"):
        fetch(row(url="text.en"), tmp_path)


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    wanted = row(url="https://h/a.txt")
    (tmp_path / wanted.relative_path).mkdir(parents=True)
    with pytest.raises(DataError, match=r"a\.txt: a folder in place of a file"):
        fetch(wanted, tmp_path)


@pytest.mark.parametrize("content", ["null", "[]", '{"https://h/x": null}', '{"https://h/x": {"bytes": 1}}'])
def test_damaged_pins_are_found_before_anything_is_transferred(server: Server, tmp_path: Path, content: str) -> None:
    (tmp_path / "pins.json").write_text(content)
    with pytest.raises(DataError, match=r"pins\.json: no sizes and checksums by address"):
        fetch(row(server, sha256=""), tmp_path)
    assert not list(tmp_path.rglob("*.part"))
