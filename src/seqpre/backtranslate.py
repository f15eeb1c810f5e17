"""Translate target-language text with a model of the other direction, and add it to a run's pairs.

    python -m seqpre.backtranslate --run RUN/run.json --model REVERSE/weights/bleu.safetensors --subwords bpe.model \\
        --source tokens/train.en --target tokens/train.de --text tokens/news.de --output-dir RUN/pairs

Writes the token stores source/ and target/: the run's pairs, then as many synthetic ones as its `backtranslation.ratio`
says, machine-translated source with real target (Sennrich et al., 2016). Prints the first few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from seqpre.common.arguments import parser_of
from seqpre.common.device import add_device_argument, device_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import read_json
from seqpre.corpora.progress import Progress
from seqpre.corpora.subwords import EOS
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter
from seqpre.corpora.vocabulary import check_encoded, load_vocabularies, source_vocabulary
from seqpre.decode import hypotheses_of, load_model
from seqpre.models.family import Seq2SeqModel
from seqpre.search import best
from seqpre.study.fractions import count_of
from seqpre.study.run import run_from_json
from seqpre.study.settings import BacktranslationSettings
from seqpre.training.batches import order_of

CHUNK = 4_096
"""Sentences that are sorted by length and translated together before they are written."""
SHOWN = 5


def translations(
    model: Seq2SeqModel, sentences: Sequence[NDArray[np.int64]], beam: int, device: torch.device
) -> Iterator[list[int]]:
    """Yield the translation of each sentence, in the given order; both are ids that end with EOS."""
    # Unstated: how backtranslation decodes. With the beam of the run's own outputs; the output with the best log p /
    # length is kept.
    with Progress("backtranslate", len(sentences)) as progress:
        for start in range(0, len(sentences), CHUNK):
            ids = [sentence.tolist() for sentence in sentences[start : start + CHUNK]]
            for options in hypotheses_of([model], ids, beam, 64, device, progress):
                yield [*best(options, 1.0).ids, EOS]


def chosen(
    text: TokenStore, settings: BacktranslationSettings, pairs: int, longest: int, seed: int
) -> list[NDArray[np.int64]]:
    """Return the sentences to translate, drawn by the seed; none are empty or longer than training pairs."""
    fitting = np.flatnonzero((text.lengths > 1) & (text.lengths <= longest))
    wanted = settings.wanted(pairs, len(fitting))
    if wanted > len(fitting):
        raise DataError(
            f"{text.path}: {len(fitting):,} sentences of at most {longest} subwords, {wanted:,} asked for; lower "
            "backtranslation.ratio, 0 for all"
        )
    drawn = np.random.default_rng(seed).permutation(fitting)[:wanted]
    return [np.asarray(text[index], np.int64) for index in np.sort(drawn)]


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Write the real and the synthetic pairs of a run."""
    parser = parser_of(__doc__)
    add = parser.add_argument
    add("--run", type=Path, required=True, help="run.json of the run that is trained with the pairs")
    add("--model", type=Path, required=True, help="weights of the model that translates, target to source")
    add("--subwords", type=Path, nargs="+", required=True, help="its vocabulary; or two: that it reads, that it writes")
    add("--source", type=Path, required=True, help="token store of the training bitext's source side")
    add("--target", type=Path, required=True, help="token store of its target side")
    add("--text", type=Path, required=True, help="token store of the target text that is translated")
    add("--beam", type=int, default=5, help="hypotheses kept of each sentence (default: 5)")
    add("--output-dir", type=Path, required=True, help="folder of the token stores source/ and target/")
    add_device_argument(parser)
    args = parser.parse_args(argv)
    run, device = run_from_json(read_json(args.run)), device_of(args.device)
    if args.beam < 1:
        raise ConfigError(f"--beam is {args.beam}; it must be at least 1")
    settings, train = run.settings.backtranslation, run.settings.train
    if not settings.system:
        raise ConfigError(f"{args.run}: backtranslation.system is empty; this run reads its pairs alone")
    source, target, text = TokenStore(args.source), TokenStore(args.target), TokenStore(args.text)
    writing = load_vocabularies(args.subwords)
    reading = source_vocabulary(writing)
    for store, its in ((source, writing), (target, reading), (text, reading)):
        check_encoded(store, its)
    model = load_model(args.model, writing).to(device)

    count = count_of(run.fraction, len(source), f"{args.run}: fraction")
    order = order_of(source, train.subset, run.seed)
    pairs = np.arange(count) if order is None else order[:count]
    real = chosen(text, settings, count, min(train.max_length, model.max_source or train.max_length), run.seed)
    with (
        TokenStoreWriter(args.output_dir / "source", writing.size, source.fingerprint) as sources,
        TokenStoreWriter(args.output_dir / "target", reading.size, target.fingerprint) as targets,
    ):
        for writer, store in ((sources, source), (targets, target)):
            writer.add(*store.gather(pairs))
        translated = translations(model, real, args.beam, device)
        for number, (synthetic, sentence) in enumerate(zip(translated, real, strict=True)):
            sources.append(synthetic)
            targets.append(sentence.tolist())
            if number < SHOWN:
                print(f"{writing.decode(synthetic[:-1])} <- {reading.decode(sentence[:-1].tolist())}")
    print(f"{count:,} pairs and {len(real):,} synthetic ones")


if __name__ == "__main__":
    main()
