"""Export a trained run: a folder for translating elsewhere or uploading, or a model for CTranslate2.

    python -m seqpre.export results/small/edunov-headlines/runs/src_elmo/100pct/seed1 --to folder --output my-model
    python -m seqpre.export RUN --to ctranslate2 --output my-model [--int8]

`folder` is for models of every kind: weights (safetensors), vocabulary, settings, and the tuned search settings.
`python -m seqpre.translate --run my-model` then gives the outputs of the run. `ctranslate2` is for plain Transformers.
It needs the package ctranslate2 (`pip install 'seqpre[export]'`) and writes weights for its `Translator`, less than
half as large with `--int8`. In both cases README.md is a model card. It has metadata of the Hugging Face Hub: language,
data, licences, and metrics with signatures. Questions that only a person can answer begin with TO ANSWER.

Start this in the folder of the Snakefile, or name that with --checkout.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import write_json
from seqpre.corpora.catalog import read_catalog
from seqpre.corpora.vocabulary import load_vocabularies
from seqpre.decode import Choice, load_model
from seqpre.exporting.card import model_card
from seqpre.exporting.for_ctranslate2 import write_ctranslate2
from seqpre.report.licences import OPEN
from seqpre.report.outcome import Outcome
from seqpre.study.declarations import WEIGHTS
from seqpre.study.reported import FILE, read_reported
from seqpre.study.run import run_from_json
from seqpre.study.settings import DecodeSettings
from seqpre.study.typed import differences
from seqpre.translate import checkpoint_of, choice_of, search_of, subwords_of

WITH_SEQPRE = """\
Install seqpre, and run in this folder:

```sh
python -m seqpre.translate --run . "{sentence}"
```

Beam ({beam}), length penalty and limits of outputs are those that validation chose (`decode.json`)."""
WITH_CTRANSLATE2 = """\
Install `ctranslate2` and `sentencepiece`, and run in this folder:

```python
import unicodedata

import ctranslate2
import sentencepiece

source = sentencepiece.SentencePieceProcessor(model_file="{source}")
target = sentencepiece.SentencePieceProcessor(model_file="{target}")
translator = ctranslate2.Translator(".")
sentences = ["{sentence}"]
pieces = [source.encode(unicodedata.normalize("NFC", " ".join(one.split())), out_type=str) for one in sentences]
found = translator.translate_batch(
    pieces, beam_size={beam}, length_penalty={penalty}, no_repeat_ngram_size={ngram}, min_decoding_length={shortest},
    max_decoding_length={longest}, disable_unk=True, suppress_sequences=[["<pad>"], ["<s>"]],
)
print([target.decode(one.hypotheses[0]) for one in found])
```

Beam and length penalty are those that validation chose. With a beam of 1 outputs are those of seqpre, but for rounding
and for outputs so long that seqpre cuts them, at twice the source's subwords and 10. A larger beam is not narrowed
there by hypotheses that have ended, so some outputs differ."""


def decided(beam: int, choice: Choice) -> DecodeSettings:
    """Return the chosen search settings, with one value each."""
    limits = choice.limits
    return DecodeSettings(
        beam=beam,
        length_penalties=(choice.length_penalty,),
        min_lengths=(limits.min_length,),
        no_repeat_ngrams=(limits.no_repeat_ngram,),
        max_length=limits.max_length,
    )


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Check, copy or convert the run, and describe it."""
    parser = parser_of(__doc__)
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a trained run")
    parser.add_argument("--to", choices=("folder", "ctranslate2"), required=True, help="what to make")
    parser.add_argument("--output", type=Path, required=True, help="the folder to write, which is not there yet")
    parser.add_argument("--selection", help="what chose the checkpoint (default: as seqpre.translate)")
    parser.add_argument("--int8", action="store_true", help="of ctranslate2: weights in 8 bits")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the checkout (default: the working directory)")
    args = parser.parse_args(argv)
    run: Path = args.run
    if args.output.exists():
        raise ConfigError(f"--output {args.output} is there already; name a new folder")
    if args.int8 and args.to == "folder":
        raise ConfigError("--int8 is of --to ctranslate2; the weights of a folder are float32")
    weights, selection = checkpoint_of(run, args.selection)
    described = run.resolve() / f"../../../../{FILE}"
    if not described.is_file():
        raise DataError(f"{described.resolve()} is not there; it says which texts the run read. Finish the study first")
    study, of = read_reported(described), Outcome(run)
    rows = [row for row in read_catalog(args.checkout / "workflow/corpora.tsv") if row.name in study.corpora]
    files = subwords_of(run)
    vocabulary = load_vocabularies(files)
    model = load_model(weights, vocabulary)
    search = decided(search_of(run).beam, choice_of(run, selection))

    names = ["vocabulary"] if len(files) == 1 else ["source", "target"]
    args.output.parent.mkdir(parents=True, exist_ok=True)
    # Written under a temporary name, so that an existing folder is complete.
    with TemporaryDirectory(prefix=f".{args.output.name}-", dir=args.output.parent) as scratch:
        partial = Path(scratch, args.output.name)
        partial.mkdir()
        copies = [partial / f"{name}{file.suffix}" for name, file in zip(names, files, strict=True)]
        for file, copy in zip(files, copies, strict=True):
            shutil.copyfile(file, copy)
        shutil.copyfile(run / "run.json", partial / "run.json")
        sentence = "Two dogs run." if "en" in study.languages[:1] else "..."
        if args.to == "folder":
            (partial / WEIGHTS).mkdir()
            shutil.copyfile(weights, partial / WEIGHTS / weights.name)
            write_json(partial / "decode.json", differences(search, DecodeSettings()))
            use = WITH_SEQPRE.format(sentence=sentence, beam=search.beam)
        else:
            write_ctranslate2(model, run_from_json(of.said).settings.model.kind, vocabulary, partial, int8=args.int8)
            use = WITH_CTRANSLATE2.format(
                source=copies[0].name, target=copies[-1].name, sentence=sentence, beam=search.beam,
                penalty=search.length_penalties[0], ngram=search.no_repeat_ngrams[0], shortest=search.min_lengths[0],
                longest=search.max_length or 256,
            )  # fmt: skip
        card = model_card(of, study, selection, rows, use)
        (partial / "README.md").write_text(card, encoding="utf-8")
        partial.rename(args.output)
    print(f"{args.output}: README.md has {card.count(OPEN)} questions to answer")


if __name__ == "__main__":
    main()
