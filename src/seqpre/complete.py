"""Complete incomplete sentences by sampling from a denoiser (PoDA, Wang et al., 2019, Table 12).

    python -m seqpre.complete --vocabulary words.tsv --model weights/perplexity.safetensors "the meaning of life is ."

Words are sampled one by one from the model's output distribution; the same seed gives the same words.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from seqpre.common.arguments import parser_of
from seqpre.common.device import add_device_argument, device_of
from seqpre.common.errors import ConfigError, command
from seqpre.common.files import decoded
from seqpre.corpora.subwords import EOS
from seqpre.corpora.vocabulary import load_vocabulary
from seqpre.decode import load_model
from seqpre.models.family import Seq2SeqModel
from seqpre.search import DEFAULT_LIMITS


@torch.inference_mode()
def sampled(model: Seq2SeqModel, source: Sequence[int], count: int, generator: torch.Generator) -> list[list[int]]:
    """Return `count` outputs sampled for one source; unfinished ones are cut at the search's length limit."""
    device = next(model.parameters()).device
    read = [*source, EOS][: model.max_source or None]
    source_BS = torch.tensor(read, device=device).expand(count, -1)
    lengths_B = torch.full((count,), len(read), device=device)
    stepper = model.stepper(source_BS, lengths_B)
    ids_R, rows_R = torch.full_like(lengths_B, stepper.start_id), torch.arange(count, device=device)
    ended_R, outputs = torch.zeros_like(rows_R, dtype=torch.bool), []
    for _ in range(int(DEFAULT_LIMITS.lengths(lengths_B)[0])):
        logs_RX = stepper.step(ids_R)
        logs_RX[:, list(stepper.suppressed_ids)] = float("-inf")
        # sampled on the CPU, so that every device draws the same
        ids_R = torch.multinomial(logs_RX.exp().cpu(), 1, generator=generator)[:, 0].to(device)
        ids_R[ended_R] = EOS
        ended_R = ended_R | (ids_R == EOS)
        if bool(ended_R.all()):
            break
        outputs.append(ids_R)
        stepper.select(rows_R, rows_R)
    rows = torch.stack(outputs, dim=1).tolist() if outputs else [[]] * count
    return [[index for index in row if index != EOS] for row in rows]


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Print every sentence and its completions."""
    parser = parser_of(__doc__)
    parser.add_argument("text", nargs="*", help="incomplete sentences, words between spaces (default: standard input)")
    parser.add_argument("--model", type=Path, required=True, help="a denoiser, or any other trained run's weights")
    parser.add_argument("--vocabulary", type=Path, required=True, help="words.tsv it was trained with")
    parser.add_argument("--samples", type=int, default=4, help="completions of each (default: 4, as in the paper)")
    parser.add_argument("--seed", type=int, default=1, help="of the draws (default: 1)")
    add_device_argument(parser)
    args = parser.parse_args(argv)
    if args.samples < 1:
        raise ConfigError(f"--samples is {args.samples}; it must be at least 1")
    vocabulary = load_vocabulary(args.vocabulary)
    model = load_model(args.model, vocabulary).to(device_of(args.device))
    generator = torch.Generator().manual_seed(args.seed)
    for line in args.text or decoded(sys.stdin.buffer, "standard input"):
        print(line)
        for ids in sampled(model, vocabulary.encode(line), args.samples, generator):
            print(f"    {vocabulary.decode(ids, line)}")


if __name__ == "__main__":
    main()
