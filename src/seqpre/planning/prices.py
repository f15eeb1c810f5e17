"""The work and output sizes of each rule's jobs: one function a rule, from its wildcards and the study's settings."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from seqpre.common.errors import ConfigError
from seqpre.corpora.catalog import REFERENCES, SEGMENTS, Row, select
from seqpre.planning import flops
from seqpre.planning.dag import Node
from seqpre.planning.texts import TextSize, TextSizes
from seqpre.planning.work import START, Products, Work
from seqpre.study.fractions import count_of
from seqpre.study.models.model import FLOAT, logits_at_once
from seqpre.study.pretraining import Pretraining
from seqpre.study.pretraining_settings import AnyPretraining, DenoiserSettings, LMSettings, TransformerLMSettings
from seqpre.study.run import CELL, Run, folder_of
from seqpre.study.settings import OptimizerSettings, RunSettings
from seqpre.study.study import SIDES, Study, VocabularySide, all_runs, lm_and_seed
from seqpre.study.tasks import TASKS, VALIDATION

# Speed of jobs that train nothing, measured on one core of an AMD EPYC and right within a factor of two:
# lines a second whose language is identified, and MB a second that the other steps read or write.
IDENTIFIED = {"fasttext+py3langid": 8_000.0, "langdetect": 25_000.0, "py3langid": 13_000.0, "none": float("inf")}
EXTRACTED, CLEANED, ENCODED, LEARNED = 30.0, 10.0, 5.0, 1.0
EXTRACTED_WIKI = 1.0
GENERATED, START_MODEL, DRAWN = 3.0, 3.0, 8.0
"""Core seconds: to generate all demo text, until a model starts to compute, and to draw all figures."""
SPOILT, SPOILT_BYTES = 0.2, 4
"""MB of text a core second that get synthetic errors, and the size of the pairs (M2 included) relative to the text."""
CORRUPTED = 0.5
"""Share of the words in a denoiser's sequences that its loss scores, with the paper's noise."""
FIGURES = 1e6
"""Bytes of all figures of a study."""

# Unstated: after how many updates early stopping ends a training; plans need it. A model is taken to be at its best
# after 13 passes over its training text, and not before twice the updates of its warm-up, within which a small text is
# read many times. Then training waits out its patience. The paper's learning rate is first cut after 400,000 updates,
# 12.8 passes of 4.0 M pairs in batches of 128. Runs of the small scale, 46 of them, were at their best after 5 to 15
# passes.
EXPECTED_PASSES = 13

MOMENTS = {"adam": 2, "adagrad": 1, "nag": 1}
"""Numbers that an optimiser keeps for each parameter."""
STATES = 3
"""Training states on disk at a time: the last two, and the one being written."""


@dataclass(frozen=True)
class Setting:
    """What a price depends on besides the job: the study or pretraining, and the sizes of its texts."""

    owner: Study | Pretraining
    rows: list[Row]
    sizes: TextSizes

    @property
    def study(self) -> Study:
        """The study that the runs belong to."""
        assert isinstance(self.owner, Study)
        return self.owner

    @cached_property
    def runs(self) -> dict[str, Run]:
        """The runs by folder, relative to the study's."""
        return {run.path: run for run in all_runs(self.study)}

    def run(self, node: Node) -> Run:
        """Return the run that a job trains."""
        return self.runs[folder_of(**{noun: node.wildcards[noun] for noun in CELL})]

    def text(self, corpus: str, split: str, language: str) -> TextSize:
        """Return the size of a text."""
        return self.sizes.of(self.owner.name, corpus, split, language, self.encoding(language))

    def encoding(self, language: str) -> str:
        """Return the encoding of its text; if there are several, that of its first system."""
        owner = self.owner
        if not isinstance(owner, Study):
            return owner.name
        side: VocabularySide = "target" if language == owner.target else "source"
        return owner.vocabulary(next(iter(owner.systems.values())), side).encoding(owner.name)

    def vocabulary_size(self, settings: RunSettings) -> int:
        """Return the size of the vocabulary of a run's softmax; if there are two, the target's."""
        return self.study.vocabulary(settings, "target").size

    def pair(self, split: str) -> tuple[TextSize, TextSize]:
        """Return the sizes of a split of the bitext, source and target."""
        bitext, split = self.study.corpora["bitext"], self.study.respelled.get(split, split)
        return self.text(bitext, split, self.study.source), self.text(bitext, split, self.study.target)

    def lengths(self, settings: RunSettings, split: str) -> tuple[float, float]:
        """Return the mean tokens of a split's sources, at most the source limit of the model, and of its targets."""
        source, target = self.pair(split)
        return min(source.length, settings.model.max_source or math.inf), target.length

    def labelled(self, run: Run) -> int:
        """Return the number of labelled pairs that a run is trained on."""
        return count_of(run.fraction, self.pair("train")[0].lines, f"{self.study.name}: {run.path}")

    def synthetic(self, run: Run) -> int:
        """Return the number of synthetic pairs that are added to a run's."""
        added = run.settings.backtranslation
        if not added.system:
            return 0
        text = self.text(self.study.corpora[added.corpus], "train", self.study.target)
        return min(text.lines, added.wanted(self.labelled(run), text.lines))

    def written(self, settings: RunSettings, splits: Iterable[str], beam: int) -> float:
        """Return the FLOPs of decoding some splits; outputs are assumed to be as long as the references."""
        return sum(
            self.pair(split)[0].lines
            * settings.model.sentence(self.vocabulary_size(settings), *self.lengths(settings, split), beam)
            for split in splits
        )


def no_work(node: Node, at: Setting) -> Work:
    """Price a job that only writes settings."""
    return Work(core_seconds=0.0)


def start(node: Node, at: Setting) -> Work:
    """Price a command that does almost nothing."""
    return Work()


def download(node: Node, at: Setting) -> Work:
    """Price a download; waiting for it is free."""
    row = next(row for row in at.rows if str(row.relative_path) == node.wildcards["file"])
    return Work(kept=at.sizes.download(row))


def generate(node: Node, at: Setting) -> Work:
    """Price the generation of demo text."""
    rows = [row for row in at.rows if row.url.startswith(f"{node.wildcards['generator']}:")]
    return Work(core_seconds=GENERATED, kept=sum(map(at.sizes.download, rows)))


def extract(node: Node, at: Setting) -> Work:
    """Price the extraction of one language of a split; references are small and free."""
    corpus, split, language = (node.wildcards[name] for name in ("corpus", "split", "language"))
    if split.endswith(REFERENCES):
        return Work()
    raw = at.text(corpus, split, language).raw_bytes
    files = select(at.rows, corpus, split, language)
    speed = EXTRACTED_WIKI if any(row.reader.startswith("wiki") for row in files) else EXTRACTED
    return Work(core_seconds=START + raw / 1e6 / speed, kept=raw)


def make_errors(node: Node, at: Setting) -> Work:
    """Price the generation of pairs with synthetic errors."""
    raw = at.text(node.wildcards["corpus"], "train", "target").raw_bytes
    return Work(core_seconds=START + raw / 1e6 / SPOILT, kept=SPOILT_BYTES * raw)


def correct_spelling(node: Node, at: Setting) -> Work:
    """Price the spelling correction of sources."""
    return Work(core_seconds=START_MODEL, kept=at.pair(node.wildcards["split"])[0].bytes)


def clean(node: Node, at: Setting) -> Work:
    """Price the filtering of a training text."""
    texts = [at.text(node.wildcards["corpus"], "train", one) for one in node.wildcards["languages"].split("_")]
    raw, lines = sum(text.raw_bytes for text in texts), sum(text.raw_lines for text in texts)
    return Work(
        core_seconds=START + lines / IDENTIFIED[at.owner.filter.identifier] + raw / 1e6 / CLEANED,
        kept=sum(text.bytes for text in texts),
        scratch=raw,
    )


def learn(node: Node, at: Setting) -> Work:
    """Price learning a vocabulary, or checking a finished one, which encodes the texts."""
    speed = ENCODED if node.rule == "take_subwords" else LEARNED
    if isinstance(at.owner, Study):
        vocabularies = {one.key: one.declaration.learned_from for one in at.owner.vocabularies.values()}
        learned_from = vocabularies[node.wildcards["vocabulary"]]
        texts = [text for text, side in zip(at.pair("train"), SIDES, strict=True) if learned_from in ("both", side)]
    else:
        texts = [at.text(*text) for text in at.owner.read()]
    return Work(core_seconds=START + sum(text.bytes for text in texts) / 1e6 / speed)


def encode(node: Node, at: Setting) -> Work:
    """Price the encoding of a token store."""
    corpus, split, language, encoding = (node.wildcards[name] for name in ("corpus", "split", "language", "encoding"))
    # A denoiser's segments have the same total length as the text they were cut from.
    text = at.sizes.of(at.owner.name, corpus, "train" if split == SEGMENTS else split, language, encoding)
    size = next(one.size for one in at.owner.vocabularies.values() if one.encoding(at.owner.name) == encoding)
    return Work(
        core_seconds=START + text.bytes / 1e6 / ENCODED,
        kept=_stored(text.tokens, text.lines, size),
    )


def _stored(tokens: float, lines: int, size: int) -> float:
    """Return the bytes of a token store: ids of a vocabulary of `size`, and where each line begins."""
    return tokens * (2 if size <= 65_536 else 4) + 8 * (lines + 1)


def cut_segments(node: Node, at: Setting) -> Work:
    """Price cutting a text into a denoiser's sequences."""
    text = at.text(node.wildcards["corpus"], "train", node.wildcards["language"])
    return Work(core_seconds=START + text.bytes / 1e6 / CLEANED, kept=text.bytes)


def pretrain(node: Node, at: Setting) -> Work:
    """Price a pretraining by its kind."""
    price = {LMSettings: language_model, TransformerLMSettings: transformer_lm, DenoiserSettings: denoiser}
    return price[type(at.owner.lm_settings)](node, at)


def language_model(node: Node, at: Setting) -> Work:
    """Price an LSTM language model."""
    owner, settings, vocabulary = at.owner, at.owner.lm_settings, at.owner.vocabularies[""].size
    assert isinstance(settings, LMSettings)
    name, _ = lm_and_seed(node.wildcards["lm"])
    train, declaration = settings.train, owner.lms[name]
    corpus = owner.corpora[declaration.corpus]
    text = at.text(corpus, "train", declaration.language)
    per_update = train.streams * train.bptt
    most = train.max_updates
    read = count_of(declaration.fraction, text.lines, f"{owner.name}: lms.{name}.fraction of {corpus}")
    per_pass = text.tokens * read / text.lines / per_update
    expected = expected_updates(per_pass, most, train.validate_every, train.patience)
    token, shape = settings.first_layer.token(vocabulary), settings.first_layer
    an_update = float(per_update * flops.TRAINING * token)
    validation = train.held_out * text.length * token / train.validate_every
    batch = FLOAT * (per_update * shape.kept() + logits_at_once(per_update * vocabulary))
    size, kept = shape.parameters(vocabulary), 1 + len(train.keep)
    return _training("lstm", settings, size, an_update, validation, expected, most, batch, kept=kept)


def transformer_lm(node: Node, at: Setting) -> Work:
    """Price a Transformer language model, assuming that every batch is full."""
    owner, settings, vocabulary = at.owner, at.owner.lm_settings, at.owner.vocabularies[""].size
    assert isinstance(settings, TransformerLMSettings)
    train, declaration = settings.train, owner.lms[node.wildcards["lm"]]
    text = at.text(owner.corpora[declaration.corpus], "train", declaration.language)
    length = min(text.length, train.max_length)  # Longer texts are read in pieces.
    direction = declaration.objective or "causal"
    sentence = settings.shape.sentence(vocabulary, direction, length)
    an_update = flops.TRAINING * max(train.batch_tokens, train.tokens_per_update) / length * sentence
    validation = train.held_out * sentence / train.validate_every
    size, most, kept = settings.shape.parameters(vocabulary, direction), train.max_updates, 1 + len(train.keep)
    return _training("transformer", settings, size, an_update, validation, most, most, kept=kept)


def denoiser(node: Node, at: Setting) -> Work:
    """Price a denoiser, assuming that every batch is full."""
    settings, vocabulary = at.owner.lm_settings, at.owner.vocabularies[""].size
    assert isinstance(settings, DenoiserSettings)
    train, model = settings.train, settings.model
    length = settings.segment + 1  # The last token is EOS. Noise deletes a few words of the source.
    masked, whole = (model.sentence(vocabulary, length, length, scored=share) for share in (CORRUPTED, 1))
    an_update = flops.TRAINING * train.batch_tokens / (2 * length) * masked
    validation = train.held_out * (masked + whole) / train.validate_every
    batch = model.memory(vocabulary, train.batch_tokens / 2, train.batch_tokens / 2, CORRUPTED)
    size, most, kept = model.parameters(vocabulary), train.max_updates, 1 + len(train.keep)
    return _training("transformer", settings, size, an_update, validation, most, most, batch, kept=kept)


def finetune(node: Node, at: Setting) -> Work:
    """Price the training of one run."""
    study, run = at.study, at.run(node)
    settings, train = run.settings, run.settings.train
    pairs = at.labelled(run) + at.synthetic(run)
    lengths = at.lengths(settings, "train")
    per_pass = pairs / flops.pairs_of_update(settings, *lengths)
    most, every = train.updates(per_pass)
    patience, warmup = train.patience or plateaus(settings.optimizer), settings.optimizer.warmup
    expected = expected_updates(per_pass, most, every, patience, warmup)
    vocabulary = at.vocabulary_size(settings)
    an_update = flops.update(vocabulary, settings, *lengths)
    passes = 2 if study.metric else 1  # The loss and, if scored, greedy outputs.
    valid = at.pair(VALIDATION)[0].lines
    share = min(train.validate_pairs or valid, valid) / valid
    validated = passes * share * at.written(settings, [VALIDATION], beam=1)
    validation = validated / every
    tokens = (flops.pairs_of_batch(settings, *lengths) * length for length in lengths)
    batch = settings.model.memory(vocabulary, *tokens)
    size, kept = settings.model.parameters(vocabulary), 1 + bool(study.metric) + bool(study.average_last)
    work = _training(settings.model.kind, settings, size, an_update, validation, expected, most, batch, kept=kept)
    if not most:  # It validates once, and has the speed of decoding.
        return dataclasses.replace(work, kind="decoding", flops=validated, most_flops=validated)
    lm_losses = flops.lm_losses(vocabulary, settings)
    return dataclasses.replace(work, lm_losses=lm_losses / (an_update + validation))


def backtranslate(node: Node, at: Setting) -> Work:
    """Price the back-translation of a text, and the token stores of real and synthetic pairs."""
    run = at.run(node)
    settings, lengths, size = run.settings, at.lengths(run.settings, "train"), at.vocabulary_size(run.settings)
    sentence = settings.model.sentence(size, *lengths[::-1], settings.decode.beam)
    synthetic = at.synthetic(run)
    pairs = at.labelled(run) + synthetic
    return _decoding(settings, synthetic * sentence, kept=sum(_stored(pairs * one, pairs, size) for one in lengths))


def _training(
    model: str,
    settings: RunSettings | AnyPretraining,
    parameters: int,
    an_update: float,
    validation: float,
    expected: int,
    most: int,
    batch: float = 0.0,
    *,
    kept: int,
) -> Work:
    """Price a training from the FLOPs of an update and the number of parameters.

    `validation` is the FLOPs of validations divided by the updates; `kept` is the number of weights files kept.
    """
    size, optimizer = FLOAT * parameters, settings.optimizer
    own = size * (1 + MOMENTS[optimizer.name] + (optimizer.average > 0))
    return Work(
        kind="fine-tuning" if isinstance(settings, RunSettings) else "pretraining",
        products=products_of(model, settings.train.precision),
        flops=expected * (an_update + validation),
        most_flops=most * (an_update + validation),
        core_seconds=START_MODEL,
        updates=expected,
        update=an_update,
        kept=size * kept,
        scratch=STATES * own,
        states=own + size,
        batch=batch,
    )


def _decoding(settings: RunSettings, work: float, kept: float) -> Work:
    """Price the decoding of a model."""
    return Work(
        kind="decoding",
        products=products_of(settings.model.kind, "float32"),
        flops=work,
        most_flops=work,
        core_seconds=START_MODEL,
        kept=kept,
    )


def products_of(model: str, precision: str) -> Products:
    """Return the key of a GPU's speed: model and precision."""
    return cast(Products, f"{'LSTM' if model == 'lstm' else 'Transformer'} in {precision}")


def expected_updates(per_pass: float, limit: int, validate_every: int, patience: int, warmup: int = 0) -> int:
    """Return the expected number of updates until early stopping, if any, or `limit` ends a training."""
    if not patience:
        return limit
    best = math.ceil(max(EXPECTED_PASSES * per_pass, 2 * warmup) / validate_every) * validate_every
    return min(limit, best + patience * validate_every)


def plateaus(optimizer: OptimizerSettings) -> int:
    """Return after how many validations without a lower loss a `plateau` schedule ends training; 0: never."""
    if optimizer.schedule != "plateau" or not optimizer.lr_end:
        return 0
    return math.floor(math.log(optimizer.lr_end / optimizer.lr) / math.log(optimizer.decay)) + 1


def decode(node: Node, at: Setting) -> Work:
    """Price the decoding of a run or of an ensemble."""
    if run := at.runs.get(node.wildcards["outputs"]):
        settings, models = run.settings, 1
    else:
        ensemble = at.study.ensembles[node.wildcards["outputs"].partition("/")[2]]
        vocabulary = at.study.systems[ensemble.systems[0]].vocabulary
        settings, models = dataclasses.replace(at.study.base, vocabulary=vocabulary), ensemble.keep
    searches = len(settings.decode.min_lengths) * len(settings.decode.no_repeat_ngrams)  # on the validation text
    splits = [VALIDATION] * (searches - 1) + [*at.study.decoded]
    searched = models * at.written(settings, splits, settings.decode.beam)
    return _decoding(settings, searched, kept=_targets(at.study.decoded, at))


def write_baseline(node: Node, at: Setting) -> Work:
    """Price a trivial baseline; outputs are assumed to be as long as the references."""
    return Work(kept=_targets(at.study.decoded, at))


def _targets(splits: Iterable[str], at: Setting) -> float:
    return sum(at.pair(split)[1].bytes for split in splits)


def score(node: Node, at: Setting) -> Work:
    """Price scoring; a run may have more checkpoints than the one chosen by perplexity."""
    more = bool(at.study.metric) + bool(at.study.average_last)
    outputs = 1 + more if node.wildcards["outputs"] in at.runs else 1
    items = sum(at.pair(split)[1].lines for split in at.study.decoded)
    return Work(core_seconds=START + outputs * items / TASKS[at.study.task].scored_a_second)


def draw_figures(node: Node, at: Setting) -> Work:
    """Price drawing all figures of a study."""
    return Work(core_seconds=DRAWN, kept=FIGURES)


PRICES: dict[str, Callable[[Node, Setting], Work]] = {
    "resolve": no_work,
    "describe_study": no_work,
    "download": download,
    "generate": generate,
    "extract": extract,
    "make_errors": make_errors,
    "correct_spelling": correct_spelling,
    "filter": clean,
    "learn": learn,
    "take_subwords": learn,
    "encode": encode,
    "cut_segments": cut_segments,
    "pretrain": pretrain,
    "finetune": finetune,
    "backtranslate": backtranslate,
    "choose_settings": start,
    "decode": decode,
    "select_ensemble": start,
    "write_baseline": write_baseline,
    "score": score,
    "write_tables": start,
    "draw_figures": draw_figures,
    "summarise": start,
    "write_samples": start,
    "make_human_study": start,
    "write_report": start,
}
"""Prices by a rule's name, or by the beginning that several share (`resolve`, `learn`)."""


def priced_as(rule: str) -> str:
    """Return the key of a rule in PRICES. Raises ConfigError for a rule without a price."""
    beginning = max((name for name in PRICES if rule.startswith(name)), key=len, default=None)
    if beginning is None:
        raise ConfigError(f"no price for the rule {rule}: add a function for it to seqpre/planning/prices.py")
    return beginning


def work_of(node: Node, at: Setting) -> Work:
    """Return the work of a job. Raises ConfigError for a rule without a price."""
    return PRICES[priced_as(node.rule)](node, at)
