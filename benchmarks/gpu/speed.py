"""How fast the papers' updates and searches are here, in each precision, and whether losses fall alike."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gpu.work import (
    PRECISIONS,
    Bench,
    Updates,
    at_least,
    at_most,
    counted,
    cycled,
    full,
    kernels,
    memory,
    products_of_full,
    timed,
)
from seqpre.common.device import compute_in
from seqpre.common.files import read_lines
from seqpre.corpora.learn_bpe import learn_bpe
from seqpre.corpora.subwords import Subwords
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter
from seqpre.demo.generate import SIZES, generate_translation
from seqpre.models.two_tower import ClozeLM
from seqpre.planning.flops import TRAINING
from seqpre.search import Limits, beam_search
from seqpre.study.models.lstm import FirstLayer
from seqpre.study.pretraining_settings import DenoiserSettings, TransformerLMSettings
from seqpre.training.batches import PairBatches, lm_lines
from seqpre.training.batches import Sentences as Lines
from seqpre.training.denoising import DenoisingBatches
from seqpre.training.noise import Unigrams
from seqpre.training.objectives import CrossEntropy, mean_token_loss
from seqpre.training.processes import Processes

TRANSLATION = "ramachandran-translation", "full", "paper"
TFLOPS, IDLE = 200, 10
"""Of a whole `full` update in bf16; per cent of its time in which no kernel runs."""
HOURS = {"PoDA": 60, "cloze LM of 30": 160, "cloze LM of 512": 160}
"""GPU-hours that the papers' pretrainings may take."""
WIDTH, SUBWORDS, HELD_OUT, POINTS = 512, 8_000, 1_000, 10
OUTPUT = 28


def full_update(bench: Bench) -> None:
    """Measure one update of all three losses at the paper's size."""
    settings, vocabulary = bench.settings(*TRANSLATION)
    stores = bench.zipf("translation", vocabulary)
    for variant in PRECISIONS:
        profiled: dict[str, float] = {}

        def measure(variant: str = variant, profiled: dict[str, float] = profiled) -> dict[str, Any]:
            work, counts = full(bench, settings, vocabulary, stores, variant)
            updates, seconds = timed(bench, work, bench.seconds(len(PRECISIONS)), counts.clear)
            tflops = products_of_full(settings, vocabulary, counts, updates) / seconds / 1e12
            found = {"ms": 1e3 * seconds / updates, "target_tokens_per_s": counts["target"] / seconds,
                     "tflops": tflops, **memory(bench), "loss": work.loss}  # fmt: skip
            profiled.update(kernels(bench, work))
            return found | (at_least(tflops, TFLOPS, "TFLOP/s") if variant == "bf16" else {})

        if bench.each("update", measure, precision=variant):
            goal = at_most(profiled["idle_percent"], IDLE, "% idle")
            bench.each("ms by kernel", lambda profiled=profiled, goal=goal: profiled | goal, precision=variant)


def worker(bench: Bench, barrier: Any, answers: Any, seconds: float) -> None:
    """Take updates for so long, beside others."""
    try:
        settings, vocabulary = bench.settings(*TRANSLATION)
        stores = [TokenStore(bench.folder / f"shared.{side}") for side in (0, 1)]
        work, counts = full(bench, settings, vocabulary, stores, "tf32")
        work(2)
        counts.clear()
        barrier.wait(60)
        start, updates = bench.now(), 0
        while updates < 2 or bench.now() - start < seconds:
            work(1)
            updates += 1
        answers.put((updates, counts["target"], bench.now() - start, memory(bench)["memory_gib"]))
    except Exception as error:
        barrier.abort()
        answers.put(f"{type(error).__name__}: {error}"[:300])


def processes(bench: Bench) -> None:
    """Measure one, two and three such trainings at a time. This process must not have used the GPU: it forks."""
    bench.zipf("shared", bench.settings(*TRANSLATION)[1])
    context, alone = multiprocessing.get_context("fork"), dict[str, float]()
    for count in (1, 2, 3):

        def measure(count: int = count) -> dict[str, Any]:
            barrier, answers = context.Barrier(count), context.Queue()
            arguments = bench, barrier, answers, bench.seconds(3)
            children = [context.Process(target=worker, args=arguments) for _ in range(count)]
            for child in children:
                child.start()
            found = [answers.get(timeout=90) for _ in children]
            for child in children:
                child.join(10)
            if failed := [answer for answer in found if isinstance(answer, str)]:
                raise RuntimeError(failed[0])
            speed = sum(tokens / seconds for _, tokens, seconds, _ in found)
            return {"target_tokens_per_s": speed, "of_one_process": speed / alone.setdefault("speed", speed),
                    "memory_gib_each": max(most for *_, most in found),
                    "mps": "CUDA_MPS_PIPE_DIRECTORY" in os.environ}  # fmt: skip

        bench.each("trainings at a time, tf32", measure, processes=count)


Made = tuple[Updates, CrossEntropy, Counter[str], Callable[[float, float, float], float]]
"""Updates, their loss, its counts, and the FLOPs of a pair with such a source, target and share scored."""


def denoiser(bench: Bench, precision: Any) -> Made:
    settings, vocabulary = bench.pretraining("poda")
    assert isinstance(settings, DenoiserSettings)
    (store,) = bench.zipf("segments", vocabulary + vocabulary // 50, (settings.segment * 0.8,), 0.2)
    train, unigrams = settings.train, Unigrams.of(np.arange(vocabulary, 4, -1))
    data = DenoisingBatches(store, unigrams, vocabulary, np.arange(len(store)), 1, 1, train.max_length,
                            budget=train.batch_tokens)  # fmt: skip
    model: Any = bench.built(settings.model, vocabulary)
    counts = counted(data)
    objective = CrossEntropy(model, data, Processes(device=bench.device), 0, precision)
    return (
        Updates(model, [objective], settings.optimizer), objective, counts,
        lambda source, target, scored: settings.model.sentence(vocabulary, source, target, scored=scored),
    )  # fmt: skip


def cloze(bench: Bench, precision: Any, length: float) -> Made:
    settings, vocabulary = bench.pretraining("edunov")
    assert isinstance(settings, TransformerLMSettings)
    (store,) = bench.zipf(f"cloze{length:.0f}", vocabulary, (length,), 0.5 if length < 100 else 0.01)
    train = settings.train
    data = lm_lines(Lines(store, 0, len(store)), 1, train.batch_tokens, 1)
    torch.manual_seed(1)
    with bench.device:
        model = ClozeLM(vocabulary, settings.shape)
    counts = counted(data)
    objective = CrossEntropy(model, data, Processes(device=bench.device), 0, precision)
    return (
        Updates(model, [objective], settings.optimizer), objective, counts,
        lambda source, target, scored: settings.shape.sentence(vocabulary, "cloze", target),
    )  # fmt: skip


def big(bench: Bench, precision: Any) -> Made:
    settings, vocabulary = bench.settings("edunov-translation", "baseline", "paper")
    train = settings.train
    data = PairBatches(*bench.zipf("big", vocabulary, lines=16_000), train.batch_sentences, 1,
                       max_length=train.max_length, budget=train.batch_tokens)  # fmt: skip
    model: Any = bench.built(settings.model, vocabulary)
    model.label_smoothing = train.label_smoothing
    counts = counted(data)
    objective = CrossEntropy(model, data, Processes(device=bench.device), 0, precision)
    return (
        Updates(model, [objective], settings.optimizer), objective, counts,
        lambda source, target, scored: settings.model.sentence(vocabulary, source, target),
    )  # fmt: skip


def transformers(bench: Bench) -> None:
    """Measure one batch of each at the paper's size, with its assembly and on batches that are there."""
    made: dict[str, Callable[[Any], Made]] = {
        "PoDA": lambda precision: denoiser(bench, precision),
        "cloze LM of 30": lambda precision: cloze(bench, precision, 30.0),
        "cloze LM of 512": lambda precision: cloze(bench, precision, 500.0),
        "Transformer big": lambda precision: big(bench, precision),
    }
    budgets = {}
    poda, edunov = bench.pretraining("poda")[0].train, bench.pretraining("edunov")[0].train
    budgets["PoDA"] = poda.max_updates * poda.batch_tokens / 2
    budgets |= dict.fromkeys(("cloze LM of 30", "cloze LM of 512"), edunov.max_updates * edunov.tokens_per_update)
    for precision in reversed(PRECISIONS):  # bf16 first: it is what they are planned in.
        for name, make in made.items():

            def measure(
                name: str = name, make: Callable[[Any], Made] = make, precision: str = precision
            ) -> dict[str, Any]:
                compute_in(precision)
                work, objective, counts, sentence = make(precision)
                share = bench.seconds(2 * len(made) * len(PRECISIONS))
                updates, seconds = timed(bench, work, share, counts.clear)
                pairs, speed = counts["pairs"], counts["target"] / seconds
                products = sentence(counts["source"] / pairs, counts["target"] / pairs,
                                    counts["scored"] / counts["target"])  # fmt: skip
                found = {"words_a_batch": counts["target"] / updates, "tokens_per_s": speed,
                         "tflops": TRAINING * pairs * products / seconds / 1e12, **memory(bench)}  # fmt: skip
                there = [objective.data.next() for _ in range(4)]
                words = sum(int((batch.targets_BT != 0).sum()) for batch in there) / len(there)
                batches = cycled([batch.to(bench.device) for batch in there])
                objective.data.next = lambda: next(batches)  # type: ignore[method-assign]
                updates, seconds = timed(bench, work, share, dict)
                found |= {"tokens_per_s_assembled": words * updates / seconds, "loss": work.loss}
                if name in HOURS and precision == "bf16":
                    return found | at_least(speed, budgets[name] / HOURS[name] / 3600, "tokens/s")
                return found

            bench.each("one batch an update", measure, model=name, precision=precision)


def encoded(bench: Bench, texts: tuple[Path, Path]) -> tuple[list[TokenStore], int]:
    """Learn subwords of both texts and encode them."""
    vocabulary = 500 if bench.tiny else SUBWORDS
    path = bench.folder / "bpe.model"
    path.write_bytes(learn_bpe(texts, vocabulary))
    subwords = Subwords(path)
    stores = []
    for side, text in enumerate(texts):
        with TokenStoreWriter(bench.folder / f"text.{side}", subwords.size, subwords.fingerprint) as store:
            for ids in subwords.encode_lines(list(read_lines(text))):
                store.append(ids)
        stores.append(TokenStore(bench.folder / f"text.{side}"))
    return stores, subwords.size


def curves(bench: Bench) -> None:
    """Train on real text in each precision from the same weights, in float32 with a second seed, too."""
    texts = bench.text
    if texts is None and bench.tiny:
        generate_translation(bench.folder, 1, {**SIZES, "monolingual": 10, "other_domain": 10})
        texts = (bench.folder / "demo_ende/train.en", bench.folder / "demo_ende/train.de")
    if texts is None:
        return bench.say("curve", skipped="no text was given with --text SOURCE TARGET")
    stores, vocabulary = encoded(bench, texts)
    held_out = min(HELD_OUT, len(stores[0]) // 20)
    valid = PairBatches(*stores, 64, 0, max_length=100, order=np.arange(len(stores[0]) - held_out, len(stores[0])))
    lstm = bench.settings("ramachandran-translation", "full", "small")[0]
    if not bench.tiny:  # A width at which precision matters, and the rate divided by how much wider it is.
        wider = WIDTH / lstm.model.upper_dim
        shape = dataclasses.replace(lstm.model, upper_dim=WIDTH, first_layer=FirstLayer(WIDTH, WIDTH, 0))
        optimizer = dataclasses.replace(lstm.optimizer, lr=lstm.optimizer.lr / wider)
        lstm = dataclasses.replace(lstm, model=shape, optimizer=optimizer)
    transformer = bench.settings("transformer-translation", "transformer", "small")[0]
    kept = [_without_last(store, held_out) for store in stores]

    def lstm_updates(precision: str, seed: int, of: int) -> Updates:
        return full(bench, lstm, vocabulary, kept, precision, seed=seed, of=of)[0]

    def transformer_updates(precision: Any, seed: int, of: int) -> Updates:
        compute_in(precision)
        model: Any = bench.built(transformer.model, vocabulary, seed)
        data = PairBatches(*kept, transformer.train.batch_sentences, seed, max_length=100)
        return Updates(model, [CrossEntropy(model, data, Processes(device=bench.device), 0, precision)],
                       transformer.optimizer, of)  # fmt: skip

    for family, make in (("lstm", lstm_updates), ("transformer", transformer_updates)):
        make("float32", 1, 10)(5)
        start = bench.now()
        make("float32", 1, 10)(10)
        pace = (bench.now() - start) / 10
        updates = 10 if bench.tiny else max(50, int(0.8 * bench.share / 2 / (len(PRECISIONS) + 1) / pace))
        losses: dict[tuple[str, int], float] = {}
        for precision, seed in [("float32", 1), ("float32", 2), *((other, 1) for other in PRECISIONS[1:])]:

            def measure(precision: str = precision, seed: int = seed, make: Any = make, updates: int = updates,
                        losses: dict[tuple[str, int], float] = losses) -> dict[str, Any]:  # fmt: skip
                work, means = make(precision, seed, updates), []
                for point in range(POINTS):
                    count, total = (point + 1) * updates // POINTS - point * updates // POINTS, 0.0
                    for _ in range(count):
                        work(1)
                        total += work.loss
                    means.append(round(total / count, 4))
                model = work.objectives[-1].model.eval()
                losses[precision, seed] = loss = mean_token_loss(model, valid, Processes(device=bench.device))
                found = {"updates": updates, "train_loss": means, "valid_loss": loss}
                if precision == "float32" or len(losses) < 2:
                    return found
                band = abs(losses["float32", 1] - losses["float32", 2])
                differs = abs(loss - losses["float32", 1])
                return found | {"differs": differs} | at_most(differs, max(round(band, 4), 0.01), "(two seeds' band)")

            bench.each(f"curve of {family}", measure, precision=precision, seed=seed)


def _without_last(store: TokenStore, count: int) -> TokenStore:
    """Return the store without its last sentences."""
    cut = TokenStore(store.path)
    cut.offsets_N1 = cut.offsets_N1[: len(store) - count + 1]
    cut.tokens = cut.tokens[: cut.offsets_N1[-1]]
    return cut


def search(bench: Bench) -> None:
    """Search with the paper's model and beam for outputs as long as references are on average."""
    settings, vocabulary = bench.settings(*TRANSLATION)
    limits = Limits(min_length=OUTPUT, max_length=OUTPUT)
    stores = bench.zipf("searched", vocabulary)
    for sentences in (4, 8) if bench.tiny else (64, 256):
        for precision in ("float32", "tf32"):

            def measure(sentences: int = sentences, precision: str = precision) -> dict[str, Any]:
                compute_in(precision)
                model: Any = bench.built(settings.model, vocabulary).eval()
                data = PairBatches(*stores, sentences, 1, max_length=100)
                if bench.device.type == "cuda":
                    torch.cuda.reset_peak_memory_stats(bench.device)
                start, found, source = 0.0, 0, 0
                ends = time.monotonic() + bench.seconds(4)
                while found < 2 or time.monotonic() < ends:
                    batch = data.next().to(bench.device)
                    beam_search([model], batch.source_BS, batch.lengths_B, settings.decode.beam, limits)
                    start, found = start or bench.now(), found + 1  # The first one warms up.
                    source += int(batch.lengths_B.sum())
                seconds, read = bench.now() - start, (found - 1) * sentences
                mean = source / found / sentences
                products = settings.model.sentence(vocabulary, mean, OUTPUT, settings.decode.beam)
                return {"sentences_per_s": read / seconds, "tokens_per_s": read * OUTPUT / seconds,
                        "tflops": read * products / seconds / 1e12, **memory(bench)}  # fmt: skip

            bench.each("beam search", measure, sentences=sentences, precision=precision)
