"""Train with fairseq's own command, and answer for windows of updates.

    .peers/fairseq/bin/python peers/fairseq_training.py FOLDER lm|seq2seq|transformer UPDATES_A_WINDOW

FOLDER is what corpus.py wrote. The sizes are those of lstm_lm_training.py, lstm_seq2seq_training.py and
transformer_training.py; the LSTM's attention is fairseq's own. An LM reads blocks of 16 tokens of running text, 64 of
them an update, without carried state.
"""

from __future__ import annotations

import dataclasses
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from worker import Answers

np.float = float  # A name that numpy has given up.


DATACLASS = dataclasses.dataclass


def hashable(cls: type | None = None, **options: Any) -> Any:
    """Make a dataclass whose values can be hashed: others cannot be defaults in Python 3.11, and fairseq's are."""
    if cls is None:
        return lambda cls: hashable(cls, **options)
    return DATACLASS(cls, **options if cls.__dict__.get("__hash__") else {"unsafe_hash": True, **options})


dataclasses.dataclass = hashable  # type: ignore[assignment]
from fairseq.trainer import Trainer  # noqa: E402
from fairseq_cli import preprocess, train  # noqa: E402

dataclasses.dataclass = DATACLASS

COMMON = (
    "--cpu --optimizer adam --adam-betas (0.9,0.98) --lr 1e-3 --lr-scheduler fixed --clip-norm 1.0 "
    "--dropout 0.1 --batch-size 64 --max-epoch 1000 --seed 1 "
    "--no-save --disable-validation --num-workers 0 --log-format none"
)
SIZES = {
    "lm": "--criterion cross_entropy --task language_modeling --arch lstm_lm "
    "--sample-break-mode none --tokens-per-sample 16 "
    "--decoder-embed-dim 512 --decoder-hidden-size 512 --decoder-layers 1 --decoder-out-embed-dim 512",
    "seq2seq": "--criterion cross_entropy --task translation --arch lstm --source-lang source --target-lang target "
    "--encoder-embed-dim 256 --encoder-hidden-size 512 --encoder-layers 2 "
    "--decoder-embed-dim 256 --decoder-hidden-size 512 --decoder-layers 2 --decoder-out-embed-dim 512",
    "transformer": "--criterion label_smoothed_cross_entropy --label-smoothing 0.1 "
    "--task translation --arch transformer --source-lang source --target-lang target --share-all-embeddings "
    "--encoder-embed-dim 256 --encoder-ffn-embed-dim 1024 --encoder-layers 3 --encoder-attention-heads 4 "
    "--decoder-embed-dim 256 --decoder-ffn-embed-dim 1024 --decoder-layers 3 --decoder-attention-heads 4 "
    "--encoder-normalize-before --decoder-normalize-before",
}


def binarised(folder: Path, what: str) -> Path:
    """Let fairseq turn the text into its own files."""
    data = folder / f"fairseq-{what}"
    shutil.rmtree(data, ignore_errors=True)
    dictionary = folder / "fairseq.dict"
    dictionary.write_text((folder / "vocabulary.txt").read_text().replace("\t", " "))
    texts = folder / "fairseq.text"
    texts.mkdir(exist_ok=True)
    for side in ("source", "target"):
        lines = (folder / f"{side}.txt").read_text().splitlines(keepends=True)
        (texts / f"train.{side}").write_text("".join(lines))
        (texts / f"valid.{side}").write_text("".join(lines[:64]))  # It must be there; it is not used.
    options = ["--destdir", str(data), "--srcdict", str(dictionary), "--workers", "1"]
    if what == "lm":
        options += ["--only-source"]
    else:
        options += ["--source-lang", "source", "--target-lang", "target", "--tgtdict", str(dictionary)]
    for split in ("train", "valid"):
        options += [f"--{split}pref", str(texts / f"{split}.target" if what == "lm" else texts / split)]
    preprocess.main(preprocess.options.get_preprocessing_parser().parse_args(options))
    return data


def main() -> None:
    folder, what, updates = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    torch.set_num_threads(1)
    answers = Answers()
    original = Trainer.train_step
    done = tokens = 0
    said = False

    def train_step(trainer: Trainer, samples: list[dict[str, Any]], raise_oom: bool = False) -> object:
        nonlocal done, tokens, said
        if not said:
            answers.ready(tool="fairseq", parameters=sum(p.numel() for p in trainer.model.parameters()))
            said = True
        if done == 0 and not answers.wait():
            raise SystemExit
        result = original(trainer, samples, raise_oom)
        done, tokens = done + 1, tokens + sum(sample["ntokens"] for sample in samples)
        if done == updates:
            answers.done(tokens)
            done = tokens = 0
        return result

    Trainer.train_step = train_step
    sys.argv = ["fairseq-train", str(binarised(folder, what)), *f"{COMMON} {SIZES[what]}".split()]
    train.cli_main()


if __name__ == "__main__":
    main()
