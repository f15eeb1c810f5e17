"""A job with its work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["pretraining", "fine-tuning", "decoding", "other"]
"""What a job's time goes into: the matrix products of a model, or (other) whatever else a processor does."""
Products = Literal[
    "LSTM in float32",
    "LSTM in tf32",
    "LSTM in bf16",
    "Transformer in float32",
    "Transformer in tf32",
    "Transformer in bf16",
]
"""Whose matrix products they are, and in which precision: what the speed of a GPU depends on."""
START = 0.2
"""Core seconds until a command begins."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a job computes and writes. Operations are those of matrix products, as in `seqpre.planning.operations`."""

    kind: Kind = "other"
    products: Products = "LSTM in float32"
    operations: float = 0.0
    """Expected."""
    most_operations: float = 0.0
    """If early stopping never came."""
    lm_losses: float = 0.0
    """Share of the operations that are LM losses of a fine-tuning."""
    core_seconds: float = START
    """Beside the operations."""
    updates: int = 0
    """Expected, where it trains."""
    update: float = 0.0
    """Operations of one of them, without a share of the validations."""
    kept: float = 0.0
    """Bytes that it leaves on disk."""
    scratch: float = 0.0
    """Bytes beside them while it runs."""
    states: float = 0.0
    """Bytes in memory of weights, their gradients and what the optimiser keeps, in each process that trains."""
    batch: float = 0.0
    """Bytes in memory of a batch, in all processes together; 0: not estimated."""


@dataclass(frozen=True, kw_only=True)
class PricedJob(Work):
    """One job, as Snakemake resolves it, with its work."""

    rule: str
    name: str
    """Unique; what `after` refers to."""
    owner: str
    """What it is done for: `text`, an LM, a system, an ensemble or `report`."""
    study: str
    """Or the pretraining. Of several that it is done for, the first."""
    threads: int = 1
    """Those that its rule asks for."""
    after: tuple[str, ...] = ()
    record: str = ""
    """The file that says what it took: a training's summary, else Snakemake's benchmark."""
    left: bool = True
    """Whether it is still to be done."""
