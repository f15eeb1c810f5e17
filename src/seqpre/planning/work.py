"""A job with its work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["pretraining", "fine-tuning", "decoding", "other"]
"""What dominates a job's time: a model's matrix products, or (other) anything else that a processor does."""
Products = Literal[
    "LSTM in float32",
    "LSTM in tf32",
    "LSTM in bf16",
    "Transformer in float32",
    "Transformer in tf32",
    "Transformer in bf16",
]
"""The model and the precision of matrix products: what the speed of a GPU depends on."""
START = 0.2
"""Core seconds to start a command."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a job computes and writes. FLOPs are those of matrix products, as in `seqpre.planning.flops`."""

    kind: Kind = "other"
    products: Products = "LSTM in float32"
    flops: float = 0.0
    """Expected number."""
    most_flops: float = 0.0
    """Number without early stopping."""
    lm_losses: float = 0.0
    """Share of the FLOPs that belongs to the LM losses of a fine-tuning."""
    core_seconds: float = START
    """Core seconds besides the FLOPs."""
    updates: int = 0
    """Expected updates of a training; 0 for other jobs."""
    update: float = 0.0
    """FLOPs of one update of a training, without validations."""
    kept: float = 0.0
    """Bytes left on disk."""
    scratch: float = 0.0
    """Further bytes on disk while it runs."""
    states: float = 0.0
    """Bytes of memory for weights, gradients and optimiser states in each training process."""
    batch: float = 0.0
    """Bytes of memory for a batch, in all processes together; 0: not estimated."""


@dataclass(frozen=True, kw_only=True)
class PricedJob(Work):
    """A job, as Snakemake resolves it, with its work."""

    rule: str
    name: str
    """Unique; `after` refers to it."""
    owner: str
    """What it is done for: `text`, an LM, a system, an ensemble or `report`."""
    study: str
    """The study or pretraining; if several need the job, the first."""
    threads: int = 1
    """Threads that its rule requests."""
    after: tuple[str, ...] = ()
    record: str = ""
    """File with its measured cost: a training's summary, else Snakemake's benchmark."""
    left: bool = True
    """Whether it still has to run."""
