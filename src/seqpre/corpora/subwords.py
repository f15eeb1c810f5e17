"""Subwords: text to ids and back, with fixed ids for the special symbols."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import sentencepiece

from seqpre.common.errors import DataError
from seqpre.corpora.normalise import normalise

PAD, UNK, BOS, EOS = 0, 1, 2, 3
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")

# SentencePiece uses ▁ for a space, and ignores lines with ▅ in training. Private-use characters replace these two
# in text that has them.
_ESCAPES = {"▁": "\U000f2581", "▅": "\U000f2585"}
_ESCAPED = str.maketrans(_ESCAPES)
_UNESCAPED = str.maketrans({escape: character for character, escape in _ESCAPES.items()})


def escaped(text: str) -> str:
    """Return normalised text for SentencePiece, with its own meta characters replaced."""
    return normalise(text).translate(_ESCAPED)


class Subwords:
    """A learned SentencePiece model. It normalises text itself, so no caller can forget to."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise DataError(f"{self.path}: no such SentencePiece model; make it with seqpre.corpora.learn_bpe")
        content = self.path.read_bytes()
        self.fingerprint = hashlib.sha256(content).hexdigest()[:16]
        self._processor = sentencepiece.SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(content)
            ids = tuple(self._processor.piece_to_id(list(SPECIALS)))
        except RuntimeError as error:
            raise DataError(
                f"{self.path}: not a SentencePiece model, or damaged ({error}); copy it, or learn it, again"
            ) from error
        if ids != (PAD, UNK, BOS, EOS):
            raise DataError(
                f"{self.path}: {' '.join(SPECIALS)} have the ids {ids}, not {(PAD, UNK, BOS, EOS)}; train it with"
                f" spm_train --pad_id={PAD} --unk_id={UNK} --bos_id={BOS} --eos_id={EOS}, or seqpre.corpora.learn_bpe"
            )
        self.size = self.ids_below = int(self._processor.get_piece_size())
        """Number of subwords, special symbols included."""
        self.copies = 0
        """No id copies a word."""

    def encode(self, text: str) -> list[int]:
        """Return the ids of one line, without bos or eos."""
        return list(self._processor.encode(escaped(text)))

    def encode_lines(self, lines: Sequence[str], sources: Sequence[str] | None = None) -> list[list[int]]:
        """Return the ids of many lines, each ending with eos, in one call of the library on one thread."""
        return list(self._processor.encode([escaped(line) for line in lines], add_eos=True, num_threads=1))

    def decode(self, ids: Sequence[int], source: str = "") -> str:
        """Return the text of `ids`; special symbols other than <unk> are dropped."""
        return str(self._processor.decode([int(index) for index in ids])).translate(_UNESCAPED)

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """Return the subwords as strings, for tables and figures."""
        return [str(self._processor.id_to_piece(int(index))) for index in ids]
