"""The jobs of one study after its text is clean: subwords, language models, runs, ensembles, report."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator

from seqpre.corpora.catalog import Row
from seqpre.lead import LEADS
from seqpre.planning import operations
from seqpre.planning.jobs import ENCODED, LEARNED, START, Job, extracted, filtered, text_jobs
from seqpre.planning.texts import Sizes, Text
from seqpre.study.fractions import count_of
from seqpre.study.settings import RANDOM, Run, RunSettings
from seqpre.study.study import Study, declared_runs, lm_of, tuning_runs

# Unstated: how many updates early stopping leaves. A model is taken to be at its best after 13 passes over its training
# text: the paper's learning rate is first cut after 400,000 updates, 12.8 passes of 4.0 M pairs in batches of 128; 46
# runs of the small scale were at their best after 5 to 15. Then training waits out its patience.
EXPECTED_PASSES = 13

FLOAT = 4
MOMENTS = {"adam": 2, "adagrad": 1}
"""Numbers that an optimiser keeps for each parameter."""
STATES = 3
"""Training states on disk at a time: the last two, and the one that is being written."""
START_MODEL, DRAWN = 3.0, 8.0
"""Core seconds until a model computes; of drawing all figures."""
SCORED = {"translation": 1_000, "summarization": 300}
"""Sentences or documents that are scored, with bootstrap intervals, in a core second."""
FIGURES = 1e6
"""Bytes of all figures of a study."""


def planned_jobs(studies: Iterable[Study], rows: list[Row], sizes: Sizes) -> list[Job]:
    """Return all jobs of the studies, each once however many studies share it; those it waits for come first."""
    studies = list(studies)
    bitexts = {study.corpora["bitext"] for study in studies}
    jobs: dict[str, Job] = {}
    for study in studies:
        for job in (*text_jobs(study, bitexts, rows, sizes), *StudyJobs(study, bitexts, sizes).all()):
            jobs.setdefault(job.name, job)
    return list(jobs.values())


def expected_updates(per_pass: float, limit: int, validate_every: int, patience: int) -> int:
    """Return how many updates a training is expected to take until early stopping, if any, or `limit` ends it."""
    if not patience:
        return limit
    best = math.ceil(EXPECTED_PASSES * per_pass / validate_every) * validate_every
    return min(limit, best + patience * validate_every)


class StudyJobs:
    """The jobs of one study, stage by stage."""

    def __init__(self, study: Study, bitexts: Collection[str], sizes: Sizes) -> None:
        self.study, self.bitexts, self.sizes = study, bitexts, sizes
        self.runs = declared_runs(study)
        self.tuning = tuning_runs(study)
        self.folder = f"{study.scale}/{study.name}"
        self.languages = (study.source, study.target)
        self.splits = ("valid", *study.tests)
        self.selections = (
            "perplexity",
            *filter(None, [study.metric]),
        )  # What chose the checkpoints that are kept and decoded.
        self.leads = LEADS if study.task == "summarization" else {}

    def all(self) -> Iterator[Job]:
        """Yield every job, after those that it waits for."""
        study = self.study
        yield from self.subwords()
        for lm in dict.fromkeys(lm for run in (*self.tuning, *self.runs) for lm in self._initial_lms(run)):
            yield from self.language_model(lm)
        for run in self.tuning:
            yield from self.training(run)
        for system in dict.fromkeys(study.tuned.values()):
            yield self.choice(system)
        for run in self.runs:
            yield from self.training(run)
            yield from self.outputs(run)
        for ensemble in self.study.ensembles:
            yield from self.ensemble(ensemble)
        for lead in self.leads:
            yield from self.lead(lead)
        yield from self.report()

    def subwords(self) -> Iterator[Job]:
        """Yield the jobs that learn the vocabulary and encode every text that a model reads."""
        study, bitext = self.study, self.study.corpora["bitext"]
        cleaned = sum(self._text(bitext, "train", language).bytes for language in self.languages)
        learn = f"learn_bpe {study.name}"
        yield Job(
            rule="learn_bpe",
            name=learn,
            owner="text",
            study=study.name,
            after=(filtered(study.name, bitext, self.languages),),
            core_seconds=START + cleaned / 1e6 / LEARNED,
            record=f"{study.scale}/subwords/{study.name}/learn_bpe.benchmark.tsv",
        )
        texts = dict.fromkeys(text for run in (*self.tuning, *self.runs) for text in self._texts_of(run))
        for corpus, split, language in texts:
            text = self._text(corpus, split, language)
            languages = self.languages if corpus in self.bitexts else (language,)
            source = extracted(corpus, split, languages)
            if split == "train":
                source = filtered(study.name, corpus, languages)
            yield Job(
                rule="encode",
                name=self._store(corpus, split, language),
                owner="text",
                study=study.name,
                after=(learn, source),
                core_seconds=START + text.bytes / 1e6 / ENCODED,
                kept=text.tokens * (2 if study.vocab_size <= 65_536 else 4) + 8 * (text.lines + 1),
                record=f"{study.scale}/tokens/{study.name}/{corpus}/{split}.{language}.benchmark.tsv",
            )

    def language_model(self, lm: str) -> Iterator[Job]:
        """Yield the jobs of one language model."""
        study, settings = self.study, self.study.lm_settings
        name = lm.partition("/")[0]
        train, declaration = settings.train, study.lms[name]
        corpus = study.corpora[declaration.corpus]
        text = self._text(corpus, "train", declaration.language)
        per_update = train.streams * train.bptt
        most = max(1, train.max_tokens // per_update)
        read = count_of(declaration.fraction, text.lines, f"{study.name}: lms.{name}.fraction of {corpus}")
        per_pass = text.tokens * read / text.lines / per_update
        expected = expected_updates(per_pass, most, train.validate_every, train.patience)
        an_update = float(per_update * operations.lm_training(study.vocab_size, settings))
        validation = train.held_out * text.length * operations.lm_token(study.vocab_size, settings.first_layer)
        an_update += validation / train.validate_every
        size = FLOAT * operations.lm_parameters(study.vocab_size, settings.first_layer)
        resolve = f"resolve_lm {study.name}/{lm}"
        yield Job(rule="resolve_lm", name=resolve, owner=f"LM {name}", study=study.name, core_seconds=0.0)
        yield Job(
            rule="pretrain_lm",
            name=self._pretrained(lm),
            owner=f"LM {name}",
            study=study.name,
            after=(resolve, self._store(corpus, "train", declaration.language)),
            kind="pretraining",
            operations=expected * an_update,
            most_operations=most * an_update,
            core_seconds=START_MODEL,
            updates=expected,
            kept=size,
            scratch=STATES * size * (1 + MOMENTS[settings.optimizer.name]),
            record=f"{study.scale}/lms/{study.name}/{lm}/summary.json",
        )

    def choice(self, system: str) -> Job:
        """Return the job that chooses a system's settings."""
        study = self.study
        return Job(
            rule="choose_settings",
            name=f"choose_settings {study.name}/{system}",
            owner=system,
            study=study.name,
            after=tuple(self._finetuned(run) for run in tuning_runs(study, system)),
            core_seconds=START,
        )

    def training(self, run: Run) -> Iterator[Job]:
        """Yield the jobs that train one run."""
        study, settings, train = self.study, run.settings, run.settings.train
        name, folder = f"{study.name}/{run.path}", f"{self.folder}/{run.path}"
        pairs = count_of(run.fraction, self._pair("train")[0].lines, f"{study.name}: {run.path}")
        lengths = self._lengths(settings, "train")
        per_pass = pairs / operations.pairs_of_batch(settings, *lengths)
        most, every = train.updates(per_pass)
        expected = expected_updates(per_pass, most, every, train.patience)
        an_update = operations.update(study.vocab_size, settings, *lengths)
        validation = self._written(settings, ["valid"], beam=1)
        an_update += (
            (2 if study.metric else 1) * validation / every
        )  # Its loss and, if they are scored, greedy outputs.
        size = FLOAT * operations.seq2seq_parameters(study.vocab_size, settings.first_layer, settings.model)
        resolve, finetune = f"resolve_run {name}", self._finetuned(run)
        chosen = study.tuned.get(run.system)
        yield Job(
            rule="resolve_tuned_run" if study.tuning else "resolve_run",
            name=resolve,
            owner=run.system,
            study=study.name,
            after=(f"choose_settings {study.name}/{chosen}",) if chosen else (),
            core_seconds=0.0,
        )
        lms = map(self._pretrained, self._initial_lms(run))
        yield Job(
            rule=self._rule("finetune") if study.metric else "finetune_unscored",
            name=finetune,
            owner=run.system,
            study=study.name,
            after=(resolve, *lms, *(self._store(*text) for text in self._texts_of(run))),
            kind="fine-tuning",
            operations=expected * an_update,
            most_operations=most * an_update,
            core_seconds=START_MODEL,
            updates=expected,
            kept=len(self.selections) * size,
            scratch=STATES * size * (1 + MOMENTS[settings.optimizer.name]),
            record=f"{folder}/summary.json",
        )

    def outputs(self, run: Run) -> Iterator[Job]:
        """Yield the jobs that decode and score one run."""
        name, folder = f"{self.study.name}/{run.path}", f"{self.folder}/{run.path}"
        settings, finetune = run.settings, self._finetuned(run)
        decoded = [f"decode {name} {selection}" for selection in self.selections]
        yield self._resolving("resolve_decoding", name, run.system)
        for selection, decode in zip(self.selections, decoded, strict=True):
            yield self._decoding("decode", decode, run.system, finetune, settings, 1, f"{folder}/decode.{selection}")
        yield self._scoring("score", f"score {name}", run.system, decoded, f"{folder}/score", outputs=len(decoded))

    def ensemble(self, ensemble: str) -> Iterator[Job]:
        """Yield the jobs of one ensemble."""
        study, declared = self.study, self.study.ensembles[ensemble]
        name, folder = f"{study.name}/{ensemble}", f"{self.folder}/ensembles/{ensemble}"
        candidates = [run for run in self.runs if run.system in declared.members and run.fraction == declared.fraction]
        select, decode = f"select_ensemble {name}", f"decode_ensemble {name}"
        yield Job(
            rule="select_ensemble",
            name=select,
            owner=ensemble,
            study=study.name,
            after=tuple(map(self._finetuned, candidates)),
            record=f"{folder}/select_ensemble.benchmark.tsv",
        )
        yield self._resolving("resolve_ensemble_decoding", name, ensemble)
        keep = declared.keep
        yield self._decoding("decode_ensemble", decode, ensemble, select, study.base, keep, f"{folder}/decode")
        yield self._scoring("score_ensemble", f"score {name}", ensemble, [decode], f"{folder}/score", outputs=1)

    def lead(self, lead: str) -> Iterator[Job]:
        """Yield the jobs that take the first sentences of documents, and score them against the full system."""
        study, bitext, folder = self.study, self.study.corpora["bitext"], f"{self.folder}/leads/{lead}"
        taken = {split: f"{lead} {study.name}/{split}" for split in self.splits}
        for split, name in taken.items():
            yield Job(
                rule="lead",
                name=name,
                owner=lead,
                study=study.name,
                after=(extracted(bitext, split, self.languages),),
                core_seconds=START,
                kept=self._pair(split)[1].bytes,
                record=f"{folder}/lead.{split}.benchmark.tsv",
            )
        full = [run for run in self.runs if (run.system, run.fraction, run.seed) == ("full", "100pct", study.seeds[0])]
        decoded = [f"decode {study.name}/{run.path} perplexity" for run in full]
        after = [*taken.values(), *decoded]
        yield self._scoring("score_lead", f"score {study.name}/{lead}", lead, after, f"{folder}/score", outputs=1)

    def report(self) -> Iterator[Job]:
        """Yield the jobs that write tables, figures and the summary."""
        study = self.study
        scores = tuple(f"score {study.name}/{run.path}" for run in self.runs)
        scores += tuple(f"score {study.name}/{name}" for name in (*study.ensembles, *self.leads))
        write, draw = self._rule("write_tables"), self._rule("draw_figures")
        listed, tables, figures = (f"{rule} {study.name}" for rule in ("list_runs", write, draw))
        yield Job(rule="list_runs", name=listed, owner="report", study=study.name, core_seconds=0.0)
        for rule, record, after in (
            (write, "tables", (listed, *scores)),
            (draw, "figures", (listed, *scores)),
            ("summarise", "summary", (tables, figures)),
        ):
            yield Job(
                rule=rule,
                name=f"{rule} {study.name}",
                owner="report",
                study=study.name,
                after=after,
                core_seconds=DRAWN if rule == draw else START,
                kept=FIGURES if rule == draw else 0,
                record=f"{self.folder}/{record}.benchmark.tsv",
            )

    def _rule(self, rule: str) -> str:
        """Return what a rule is called for this task, as `named_for` of the workflow does."""
        return rule if self.study.task == "translation" else f"{rule}_{self.study.task}"

    def _resolving(self, rule: str, name: str, owner: str) -> Job:
        return Job(rule=rule, name=f"resolve {name}", owner=owner, study=self.study.name, core_seconds=0.0)

    def _decoding(
        self, rule: str, name: str, owner: str, after: str, settings: RunSettings, models: int, record: str
    ) -> Job:
        searches = len(settings.decode.min_lengths) * len(settings.decode.no_repeat_ngrams)  # Of the validation text.
        splits = ["valid"] * (searches - 1) + [*self.splits]
        searched = models * self._written(settings, splits, settings.decode.beam)
        return Job(
            rule=rule,
            name=name,
            owner=owner,
            study=self.study.name,
            after=(after, f"resolve {name.split(' ')[1]}"),
            kind="decoding",
            operations=searched,
            most_operations=searched,
            core_seconds=START_MODEL,
            kept=sum(self._pair(split)[1].bytes for split in self.splits),
            record=f"{record}.benchmark.tsv",
        )

    def _scoring(self, rule: str, name: str, owner: str, after: list[str], record: str, outputs: int) -> Job:
        items = sum(self._pair(split)[1].lines for split in self.splits)
        return Job(
            rule=rule,
            name=name,
            owner=owner,
            study=self.study.name,
            after=tuple(after),
            core_seconds=START + outputs * items / SCORED[self.study.task],
            record=f"{record}.benchmark.tsv",
        )

    def _written(self, settings: RunSettings, splits: Iterable[str], beam: int) -> float:
        """Return the operations of writing the outputs of some splits, taken to be as long as the references."""
        return sum(
            self._pair(split)[0].lines
            * operations.sentence(self.study.vocab_size, settings, *self._lengths(settings, split), beam)
            for split in splits
        )

    def _texts_of(self, run: Run) -> Iterator[tuple[str, str, str]]:
        """Yield corpus, split and language of the texts that a run, or an LM that it starts from, reads."""
        bitext = self.study.corpora["bitext"]
        texts = [(bitext, split, language) for split in ("train", "valid") for language in self.languages]
        texts += [(self.study.corpora[lm.corpus], "train", lm.language) for lm in run.lms.values()]
        yield from dict.fromkeys(texts)

    def _pair(self, split: str) -> tuple[Text, Text]:
        """Return a split of the bitext, source and target."""
        source, target = (self._text(self.study.corpora["bitext"], split, language) for language in self.languages)
        return source, target

    def _lengths(self, settings: RunSettings, split: str) -> tuple[float, float]:
        """Return the mean tokens of a split's sources, at most those that the model reads, and of its targets."""
        source, target = self._pair(split)
        return min(source.length, settings.model.max_source or math.inf), target.length

    def _text(self, corpus: str, split: str, language: str) -> Text:
        return self.sizes.of(self.study.name, corpus, split, language)

    def _store(self, corpus: str, split: str, language: str) -> str:
        return f"encode {self.study.name}/{corpus}/{split}.{language}"

    def _pretrained(self, lm: str) -> str:
        return f"pretrain_lm {self.study.name}/{lm}"

    def _finetuned(self, run: Run) -> str:
        return f"finetune {self.study.name}/{run.path}"

    def _initial_lms(self, run: Run) -> list[str]:
        """Return the LMs that a run starts from; one whose text alone is read is not trained."""
        names = dict.fromkeys((run.settings.init.encoder, run.settings.init.decoder))
        return [lm_of(self.study, name, run.seed) for name in names if name != RANDOM]
