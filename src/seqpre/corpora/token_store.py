"""Token stores: a split's subword ids in one flat file, read through memory maps and never loaded as a whole.

A store is a directory: `tokens.bin` (all ids concatenated, each sentence ending with eos, so that a language model's
text is a plain slice), `offsets.npy` (sentence i is tokens[offsets[i]:offsets[i + 1]]) and `store.json`, which has the
checksum of all three.
"""

# Shape suffixes: N sentences, P pieces of them, B sentences of a batch, L tokens of those sentences together.

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from copy import copy
from functools import cached_property
from pathlib import Path
from tokenize import TokenError
from types import TracebackType
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from seqpre.common.errors import DataError
from seqpre.common.files import file_hash, read_json, write_json

Tokens = NDArray[np.unsignedinteger[Any]]
TOKENS, OFFSETS, ABOUT = "tokens.bin", "offsets.npy", "store.json"
KEYS = {"dtype": str, "sentences": int, "tokens": int, "fingerprint": str}
"""Keys of `store.json` besides the checksum."""
CHECKSUM = "xxh3_128"
REMEDY = "delete the folder and encode again"


def token_dtype(vocabulary_size: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the type of tokens: two bytes if the ids fit, four otherwise."""
    return np.dtype("<u2") if vocabulary_size <= 65536 else np.dtype("<u4")


def read_about(path: Path) -> dict[str, Any]:
    """Return the content of a store's `store.json`. Raises DataError if it is missing or invalid."""
    if not (path / ABOUT).is_file():
        raise DataError(f"{path}: not a token store (no {ABOUT}); make it with seqpre.corpora.encode")
    about = read_json(path / ABOUT)
    kinds = {key: type(value) for key, value in about.items()} if isinstance(about, dict) else {}
    if kinds not in (KEYS, {**KEYS, CHECKSUM: str}):
        raise DataError(f"{path / ABOUT}: says something else than {', '.join(KEYS)}; {REMEDY}")
    return dict(about)


def checksum(path: Path, about: dict[str, Any]) -> str:
    """Return the XXH3-128 of a store's metadata `about` and of the two files beside it."""
    digest = xxhash.xxh3_128(json.dumps([about[key] for key in KEYS]).encode())
    for name in (TOKENS, OFFSETS):
        with (path / name).open("rb") as file:
            hashlib.file_digest(file, lambda: digest)
    return digest.hexdigest()


class TokenStore:
    """Read-only, memory-mapped view of a verified store; it takes no memory, whatever its size.

    Opening one reads it once: 10 GB/s on one core, if the disk is as fast. Old stores without checksums are accepted.
    Raises DataError for a damaged store.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        about = read_about(self.path)
        self.fingerprint: str = about["fingerprint"]
        self.num_tokens: int = about["tokens"]
        try:
            if CHECKSUM in about and about[CHECKSUM] != checksum(self.path, about):
                raise ValueError("its content is not what its checksum says")
            # Plain arrays over the maps: slicing `np.memmap` is slow.
            self.offsets_N1: NDArray[np.int64] = np.asarray(np.load(self.path / OFFSETS, mmap_mode="r"))
            dtype = np.dtype(about["dtype"])
            size = (self.path / TOKENS).stat().st_size
            if size != self.num_tokens * dtype.itemsize or self.offsets_N1.shape != (about["sentences"] + 1,):
                raise ValueError(f"{TOKENS} or {OFFSETS} does not fit {ABOUT}")
            # An empty file cannot be mapped.
            self.tokens: Tokens = (
                np.asarray(np.memmap(self.path / TOKENS, dtype=dtype, mode="r")) if size else np.zeros(0, dtype=dtype)
            )
        except (OSError, EOFError, ValueError, TypeError, SyntaxError, TokenError) as error:
            raise DataError(f"{self.path}: damaged ({error}); {REMEDY}") from error

    def __len__(self) -> int:
        return len(self.offsets_N1) - 1

    def __getitem__(self, index: int) -> Tokens:
        """Return the ids of one sentence."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self.path}: sentence {index} of {len(self)}")
        index %= len(self)
        return self.tokens[self.offsets_N1[index] : self.offsets_N1[index + 1]]

    def pieces(self, longest: int) -> TokenStore:
        """Return the same tokens in sentences of at most `longest`; longer ones are cut into several."""
        counts_N = np.maximum(-(-self.lengths // longest), 1)
        if len(self) == counts_N.sum():
            return self
        ends_N = np.cumsum(counts_N)
        steps_P = np.arange(ends_N[-1]) - np.repeat(ends_N - counts_N, counts_N)
        cut = copy(self)
        cut.__dict__.pop("lengths")
        cut.offsets_N1 = np.append(np.repeat(self.offsets_N1[:-1], counts_N) + longest * steps_P, self.num_tokens)
        return cut

    @cached_property
    def content(self) -> str:
        """A short hash of the tokens, including the eos of each sentence. Reads them all."""
        return file_hash(self.path / TOKENS)

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Number of tokens in every sentence, [N]."""
        return np.diff(self.offsets_N1).astype(np.int32)

    def gather(
        self, indices_B: Sequence[int] | NDArray[np.integer[Any]], limit: int = 0
    ) -> tuple[Tokens, NDArray[np.int64]]:
        """Return the concatenated tokens of some sentences, [L], in the given order, and their lengths, [B].

        With `limit`, only the first `limit` tokens of each sentence; 0: all. No Python loop over sentences: a token's
        position is its sentence's start plus its distance from it.
        """
        chosen_B = np.asarray(indices_B, dtype=np.int64)
        starts_B = self.offsets_N1[chosen_B]
        lengths_B = self.offsets_N1[chosen_B + 1] - starts_B
        if limit:
            lengths_B = np.minimum(lengths_B, limit)
        ends_B = np.cumsum(lengths_B)
        shift_B = starts_B - ends_B + lengths_B
        places_L = np.repeat(shift_B, lengths_B) + np.arange(ends_B[-1] if len(ends_B) else 0)
        return self.tokens[places_L], lengths_B


class TokenStoreWriter:
    """Writes a store by sentences or chunks; the directory appears only when it is complete."""

    def __init__(self, path: Path | str, vocabulary_size: int, fingerprint: str) -> None:
        self.path = Path(path)
        self.partial = self.path.with_name(f".{self.path.name}.partial")
        self.dtype = token_dtype(vocabulary_size)
        self.fingerprint = fingerprint
        self.sentences = self.num_tokens = 0

    def __enter__(self) -> TokenStoreWriter:
        shutil.rmtree(self.partial, ignore_errors=True)  # left by a killed run
        self.partial.mkdir(parents=True)
        self._tokens = (self.partial / TOKENS).open("wb")
        # Offsets are written immediately: a billion sentences would need 8 GB of memory.
        self._offsets = (self.partial / "offsets.raw").open("w+b")
        self._offsets.write(np.zeros(1, dtype="<i8").tobytes())
        return self

    def add(self, tokens_L: NDArray[Any], lengths_B: NDArray[Any]) -> None:
        """Append sentences given as concatenated tokens, [L], and their lengths, [B]."""
        assert int(lengths_B.sum()) == len(tokens_L)
        offsets_B = self.num_tokens + np.cumsum(lengths_B, dtype="<i8")
        self._tokens.write(np.ascontiguousarray(tokens_L, dtype=self.dtype).tobytes())
        self._offsets.write(offsets_B.tobytes())
        self.sentences += len(lengths_B)
        self.num_tokens += len(tokens_L)

    def append(self, ids: Sequence[int]) -> None:
        """Append one sentence."""
        self.add(np.asarray(ids, dtype=self.dtype), np.asarray([len(ids)], dtype=np.int64))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with ExitStack() as ends:  # On a full disk even closing fails.
            ends.callback(shutil.rmtree, self.partial, ignore_errors=True)
            ends.enter_context(self._tokens)
            ends.enter_context(self._offsets)
            if error is None:
                self._finish()

    def _finish(self) -> None:
        self._tokens.flush()
        os.fsync(self._tokens.fileno())
        header = {"descr": "<i8", "fortran_order": False, "shape": (self.sentences + 1,)}
        self._offsets.seek(0)
        with (self.partial / OFFSETS).open("wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            shutil.copyfileobj(self._offsets, file)
            file.flush()
            os.fsync(file.fileno())
        (self.partial / "offsets.raw").unlink()
        about = {
            "dtype": self.dtype.str,
            "sentences": self.sentences,
            "tokens": self.num_tokens,
            "fingerprint": self.fingerprint,
        }
        write_json(self.partial / ABOUT, {**about, CHECKSUM: checksum(self.partial, about)})
        if self.path.exists():
            shutil.rmtree(self.path)
        self.partial.rename(self.path)
