"""Studies: one paper's grid on one task, as its file declares it, with the runs and LMs that follow from it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal, get_args

from seqpre.study.declarations import FilterSettings, LMDeclaration, NamedVocabulary, VocabularyDeclaration, declared_as
from seqpre.study.fractions import ACCEPTED, ALL, Amount, fraction_of
from seqpre.study.paper import NOTHING, InPaper
from seqpre.study.pretraining import Pretraining
from seqpre.study.pretraining_settings import LMSettings
from seqpre.study.run import REVERSE, Run
from seqpre.study.settings import RunSettings
from seqpre.study.tasks import NO_METRIC, TASKS, published
from seqpre.study.typed import Count, Name, Rule, Seed, Seeds, differences, only, overridden, several, typed

TaskName = Annotated[str, only(TASKS.__contains__, f"one of {', '.join(TASKS)}")]
SeedsDraw = Literal["training", "all"]
Spelling = Literal["none", "symspell"]
VocabularySide = Literal["source", "target"]
SIDES: tuple[VocabularySide, ...] = get_args(VocabularySide)
AS_WRITTEN = "as_written"
"""Another spelling in which a test's sources may be read, besides the splits of its corpus."""
OF_SEED = "/seed"
Member = Annotated[
    str, only(re.compile(rf"[\w.+-]+({OF_SEED}\d+)?").fullmatch, f"a system, or one of its runs, system{OF_SEED}2")
]
Number = Annotated[
    float, Rule(lambda value, where, kind: value if type(value) is int else typed(kind, value, where), "a number")
]
"""A number as it is written: integers stay integers, because they may be counts."""
Values = Annotated[tuple[Number, ...], only(several, "one value or more, each once")]


@dataclass(frozen=True)
class GridSection:
    """Every combination of systems and fractions."""

    systems: tuple[Name, ...]
    """Systems to train."""
    fractions: tuple[Amount, ...]
    """Fractions of the labelled data that each system is trained on."""
    seeds: Seeds = ()
    """Seeds to use, of the scale's; default: all."""


@dataclass(frozen=True)
class EnsembleDeclaration:
    """The `keep` runs of `members` that are best on validation at one fraction."""

    members: tuple[Member, ...]
    """Systems, each with the scale's seeds or with one that it names, like `full/seed2`, whatever the scale has."""
    keep: Count = 5
    """Number of runs in the ensemble."""
    fraction: Amount = ALL
    """Fraction of the labelled data that its runs are trained on."""
    seeds: Seeds = ()
    """Seeds to choose from, of the scale's; default: all."""

    @property
    def systems(self) -> list[str]:
        """The systems of its members."""
        return [member.partition(OF_SEED)[0] for member in self.members]

    def candidates(self, seeds: Sequence[int]) -> list[tuple[str, int]]:
        """Return the (system, seed) pairs that it chooses from, each once, given the scale's seeds."""
        among = [seed for seed in seeds if not self.seeds or seed in self.seeds]
        named = [member.partition(OF_SEED) for member in self.members]
        return list(dict.fromkeys((system, one) for system, _, own in named for one in ([int(own)] if own else among)))


EACH = "each"
"""Stands for every fraction that a system is trained on."""


def _tried(value: Any, where: str, kind: Any) -> str:
    return EACH if value == EACH else fraction_of(value, f"{where} (or {EACH})")


CHOICE, CHOICE_EACH = "tuning/{system}.json", "tuning/{system}/{fraction}.json"
"""The file of a system's tuned settings, for all fractions or for one."""


@dataclass(frozen=True)
class Tuning:
    """Settings that every system tunes on validation text, all over the same few values.

    A system is trained once with each combination, on one fraction (or each of its own), with a seed that no final run
    has. It takes the combination with the best score by the study's selection. A system that sets one of these settings
    itself keeps its value.
    """

    grid: Annotated[dict[str, Values], only(len, "one setting or more, each with its values")]
    """Settings of a run, each with the values to try; all combinations are trained."""
    fraction: Annotated[str, Rule(_tried, f"{ACCEPTED}, or {EACH}")]
    """Fraction of the labelled data that candidates are trained on; `each`: every fraction of the system."""
    seed: Seed
    """Seed of the candidates; no final run has it."""
    same_as: dict[Name, Name] = dataclasses.field(default_factory=dict)
    """Systems that take another one's choice; a variant (`variant_of`) takes that of its system."""
    more: dict[Name, dict[str, Values]] = dataclasses.field(default_factory=dict)
    """Settings that one system tunes besides those of `grid`."""

    def tried(self, system: str) -> dict[str, tuple[float, ...]]:
        """Return the settings that a system tunes, each with its values."""
        return self.grid | self.more.get(system, {})

    def choice_file(self, system: str, fraction: str) -> str:
        """Return the file of a system's choice, relative to its study's folder."""
        return (CHOICE_EACH if self.fraction == EACH else CHOICE).format(system=system, fraction=fraction)

    def candidates(self, system: str) -> dict[str, dict[str, Any]]:
        """Return the combinations by the name of the run that tries each, like `full@lr=0.004,dropout=0.2`."""
        tried = self.tried(system)
        combinations = [dict(zip(tried, values, strict=True)) for values in product(*tried.values())]
        return {f"{system}@{_named(values)}": values for values in combinations}


def _named(values: Mapping[str, Any]) -> str:
    return ",".join(f"{key.rpartition('.')[2]}={value:.12g}" for key, value in values.items())


@dataclass(frozen=True)
class Restored:
    """What `python -m seqpre.restore` has restored of a study that was run elsewhere; it is not run here."""

    runs: frozenset[tuple[str, str, int]] = frozenset()
    """(system, fraction, seed)."""
    others: frozenset[str] = frozenset()
    """Names of ensembles and trivial baselines."""
    choices: frozenset[str] = frozenset()
    """Files of tuned settings, relative to the study's folder."""


@dataclass(frozen=True)
class Study:
    """One paper's grid on one task, resolved at one scale; `load.StudyText` describes its file."""

    name: str
    published_as: str
    """Its name in the published numbers: its own, or that of the study it extends."""
    scale: str
    paper: str
    task: TaskName
    source: str
    target: str
    corpora: dict[str, str]
    tests: tuple[str, ...]
    filter: FilterSettings
    lms: dict[str, LMDeclaration]
    lm_settings: LMSettings
    base: RunSettings
    systems: dict[str, RunSettings]
    labels: dict[str, str]
    grid: dict[str, GridSection]
    ensembles: dict[str, EnsembleDeclaration]
    seeds: tuple[int, ...]
    vocab_size: int = 0
    """0: there is no usual vocabulary."""
    restored: Restored = Restored()
    # Unstated: how many LMs of a kind there were. One for all seeds unless a study asks, so that a deviation over seeds
    # is that of fine-tuning alone.
    seeds_draw: SeedsDraw = "training"
    selection: str = "perplexity"
    rated_documents: int = 0
    """0: the scale's default."""
    tuning: Tuning | None = None
    tuned: dict[str, str] = dataclasses.field(default_factory=dict)
    """For each tuned system, the system whose choice it takes, which may be itself."""
    by_fraction: dict[str, dict[str, RunSettings]] = dataclasses.field(default_factory=dict)
    """Systems with another schedule, by fraction."""
    left_out: dict[str, EnsembleDeclaration] = dataclasses.field(default_factory=dict)
    """Ensembles that need more seeds than are configured."""
    reference: str = "full"
    variant_of: dict[str, str] = dataclasses.field(default_factory=dict)
    compared: dict[str, str] = dataclasses.field(default_factory=dict)
    trivial: tuple[str, ...] = ()
    tuned_on: dict[str, str] = dataclasses.field(default_factory=dict)
    spelling: Spelling = "none"
    spellings: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    tables: tuple[str, ...] | None = None
    figures: tuple[str, ...] | None = None
    """Figures, in order, and likewise `tables`; None: the default ones of its paper."""
    in_paper: InPaper = NOTHING
    """What its paper prints about it."""
    more_vocabularies: dict[str, VocabularyDeclaration] = dataclasses.field(default_factory=dict)
    """Vocabularies of its own besides the usual one; with the empty name the usual one, if it is a finished model."""
    pretraining: Pretraining | None = None
    """Models that it shares with other studies."""
    other_scales: tuple[str, ...] = ()
    """The scales of its own file, if it takes this scale from the study that it extends."""

    def settings(self, system: str, fraction: str) -> RunSettings:
        """Return the settings of a system's runs on a fraction of the pairs."""
        return self.by_fraction.get(fraction, self.systems)[system]

    @property
    def vocabularies(self) -> dict[str, NamedVocabulary]:
        """The vocabularies that a run may name: the study's own, and the pretraining's under that one's name."""
        usual = {"": VocabularyDeclaration(self.vocab_size)} if self.vocab_size else {}
        own = {name: NamedVocabulary(self.name, name, one) for name, one in {**usual, **self.more_vocabularies}.items()}
        return own | ({self.pretraining.name: self.pretraining.vocabularies[""]} if self.pretraining else {})

    def vocabulary(self, settings: RunSettings, side: VocabularySide = "source") -> NamedVocabulary:
        """Return the vocabulary of one side of a run; most runs have one for both."""
        return self.vocabularies[getattr(settings.vocabulary, side)]

    @property
    def pretrained_names(self) -> list[str]:
        """The pretrained models that a run may start from, checkpoints included."""
        names = list[str]()
        for owner in self.owners:
            kept = (f"{name}@{update}" for name in owner.lms for update in owner.lm_settings.train.keep)
            names += [*owner.lms, *kept]
        return names

    @property
    def sides(self) -> tuple[str, str]:
        """The languages, or sides, of its pairs."""
        return self.source, self.target

    @property
    def more_validation(self) -> tuple[str, ...]:
        """The splits besides `valid` that tune the decoding of some tests."""
        return tuple(dict.fromkeys(self.tuned_on.values()))

    @property
    def decoded(self) -> tuple[str, ...]:
        """The splits to decode: those that tune decoding, then the tests, then tests in other spellings."""
        return (*self.published, *self.respelled)

    @property
    def published(self) -> tuple[str, ...]:
        """The splits of the corpus used for validation and test."""
        return published(self.tests, self.tuned_on)

    @property
    def kept_out(self) -> tuple[str, ...]:
        """The splits of the corpus whose lines are removed from unlabelled text."""
        return self.published if self.filter.with_pairs else ("train", *self.published)

    @property
    def trivial_labels(self) -> dict[str, str]:
        """The trivial baselines and their labels; copied sources are labelled with how they were spelled."""
        labels = {name: TASKS[self.task].all_trivial[name] for name in self.trivial}
        copied = labels.get("copied_source")
        if copied and self.spelling != "none":
            labels["copied_source"] = f"{copied} (spelling: {self.spelling})"
        return labels

    @property
    def respelled(self) -> dict[str, str]:
        """Names of tests in another spelling, like `test_as_written`, and the test of each."""
        return {split: test for test, ways in self.spelled.items() for split in ways.values()}

    @property
    def spelled(self) -> dict[str, dict[str, str]]:
        """Names of tests in another spelling, {test: {spelling: name}}."""
        return {test: {how: f"{test}_{how}" for how in ways} for test, ways in self.spellings.items()}

    @property
    def read_alone(self) -> list[tuple[str, str]]:
        """Corpus and language of each training text that its language models read, or that is translated back."""
        texts = [(self.corpora[lm.corpus], lm.language) for lm in self.lms.values()]
        added = (settings.backtranslation for settings in self.systems.values())
        texts += [(self.corpora[one.corpus], self.target) for one in added if one.system]
        return list(dict.fromkeys(texts))

    def filtered_together(self, corpus: str, language: str) -> tuple[str, ...]:
        """Return the languages in which a training text is filtered: both of its own pairs, otherwise one."""
        return self.sides if corpus == self.corpora["bitext"] and language in self.sides else (language,)

    @property
    def owners(self) -> list[Study | Pretraining]:
        """The study itself and its pretraining, if it has one."""
        return [self, *([self.pretraining] if self.pretraining else [])]

    def owner_of(self, lm: str) -> Study | Pretraining:
        """Return the owner of an LM: the study or its pretraining."""
        return self.pretraining if self.pretraining and declared_as(lm) in self.pretraining.lms else self

    def declaration_of(self, lm: str) -> LMDeclaration:
        """Return the declaration of an LM that a run starts from."""
        return self.owner_of(lm).lms[declared_as(lm)]

    @property
    def metric(self) -> str | None:
        """The metric of greedy outputs in training, which selects a checkpoint besides perplexity's, or None."""
        return None if self.base.train.metric == NO_METRIC else self.base.train.metric

    @property
    def average_last(self) -> int:
        """Number of last validations whose weights are averaged into another checkpoint; 0: none."""
        return self.base.train.average_last

    def remarks(self) -> list[str]:
        """Return remarks on skipped ensembles, text that may not be intended, and restored runs."""
        remarks = [
            f"{name} is left out: it is made of {ensemble.keep} runs, with these seeds there are "
            f"{len(ensemble.candidates(self.seeds))}"
            for name, ensemble in self.left_out.items()
        ]
        if self.other_scales:
            remarks.append(
                f"{self.name}: its file has {', '.join(self.other_scales)} and not {self.scale}, so its text is "
                "that of the study it extends"
            )
        pairs = self.corpora["bitext"]
        remarks += [
            f"{self.name}: corpora.{role} is {pairs!r}, the pairs, whose training text its language models read"
            for role in dict.fromkeys(lm.corpus for lm in self.lms.values())
            if role != "bitext" and self.corpora[role] == pairs
        ]
        if self.restored.runs:
            declared, here = declared_runs(self), runs_here(self)
            back = len(declared) - len(here)
            remarks.append(f"{self.name}: {back} of {len(declared)} runs are from records; run here: {len(here)}")
        return remarks

    def texts(self) -> list[tuple[str, str, str]]:
        """Return (corpus, split, language) of every text that the study reads."""
        labelled = self.corpora["bitext"]
        others = [split for ways in self.spelled.values() for how, split in ways.items() if how != AS_WRITTEN]
        texts = [(labelled, split, side) for split in ("train", *self.published, *others) for side in self.sides]
        texts += [(corpus, "train", language) for corpus, language in self.read_alone]
        return list(dict.fromkeys([*texts, *(self.pretraining.texts() if self.pretraining else ())]))


def lm_of(study: Study, name: str, seed: int) -> str:
    """Return the LM that a run with this seed starts from: `name`, or `name/seed3` if each seed has its own.

    Checkpoints are ignored. Models shared between studies exist once for all seeds.
    """
    own = study.seeds_draw == "all" and study.owner_of(name) is study
    return f"{declared_as(name)}{OF_SEED}{seed}" if own else declared_as(name)


def lm_and_seed(lm: str) -> tuple[str, int | None]:
    """Return the LM and seed in a result of `lm_of`; None if all seeds share the LM."""
    name, _, seed = lm.partition(OF_SEED)
    return name, int(seed) if seed else None


def lm_to_json(owner: Study | Pretraining, lm: str) -> dict[str, Any]:
    """Return the content of `lm.json`: the text that the LM reads, and its non-default settings.

    LMs with identical declarations get different seeds.
    """
    name, seed = lm_and_seed(lm)
    settings = owner.lm_settings if seed is None else dataclasses.replace(owner.lm_settings, seed=seed)
    alike = [other for other, declaration in owner.lms.items() if declaration == owner.lms[name]]
    settings = dataclasses.replace(settings, seed=settings.seed + SEEDS_APART * alike.index(name))
    said = {"name": name, **owner.lms[name].to_json(), "settings": differences(settings, LMSettings())}
    usual = owner.vocabularies.get("")
    return said | ({"vocabulary_sha256": usual.sha256} if usual and usual.sha256 else {})


SEEDS_APART = 1000
"""Difference between the seeds of two LMs with identical declarations."""


def runs_here(study: Study) -> list[Run]:
    """Return the study's runs except the restored ones."""
    return [run for run in declared_runs(study) if (run.system, run.fraction, run.seed) not in study.restored.runs]


def declared_runs(study: Study) -> list[Run]:
    """Return the study's runs, each once, in the order of its grid; ensemble members included."""
    cells: dict[tuple[str, str], set[int]] = {}
    for section in study.grid.values():
        for cell in product(section.systems, section.fractions):
            cells.setdefault(cell, set()).update(set(section.seeds or study.seeds) & set(study.seeds))
    for ensemble in study.ensembles.values():
        for system, seed in ensemble.candidates(study.seeds):
            cells.setdefault((system, ensemble.fraction), set()).add(seed)
    runs = []
    for (system, fraction), seeds in cells.items():
        ordered = (*study.seeds, *sorted(seeds - set(study.seeds)))
        runs += [_run(study, system, fraction, seed) for seed in ordered if seed in seeds]
    return runs


def _run(study: Study, system: str, fraction: str, seed: int) -> Run:
    settings = study.settings(system, fraction)
    lms = {name: study.declaration_of(name) for name in settings.needed_lms}
    finished = {str(side): study.vocabulary(settings, side).sha256 for side in SIDES}
    checksums = {side: sha256 for side, sha256 in finished.items() if sha256}
    return Run(study.name, study.scale, system, fraction, seed, settings, lms, checksums)


def tuning_runs(study: Study, system: str | None = None, fraction: str | None = None) -> list[Run]:
    """Return the tuning runs: of one system, or of all that tune for themselves; for one fraction, or for all."""
    tuning = study.tuning
    if tuning is None:
        return []
    runs = []
    for name in [system] if system else dict.fromkeys(study.tuned.values()):
        for (candidate, values), at in product(tuning.candidates(name).items(), _chosen_at(study, tuning, name)):
            if fraction in (None, at):
                run = _run(study, name, at, tuning.seed)
                settings = overridden(run.settings, values, candidate)
                runs.append(dataclasses.replace(run, system=candidate, settings=settings))
    return runs


def reverse_runs(study: Study) -> list[Run]:
    """Return the runs that back-translate for others, each once: the same pairs and seed, with the sides exchanged."""
    translators = {
        (run.settings.backtranslation.system, run.fraction, run.seed)
        for run in (*tuning_runs(study), *runs_here(study))
        if run.settings.backtranslation.system
    }
    return [
        Run(study.name, study.scale, f"{system}{REVERSE}", fraction, seed, study.settings(system, fraction), {})
        for system, fraction, seed in sorted(translators)
    ]


def all_runs(study: Study) -> list[Run]:
    """Return every run that is trained here: tuning runs, back-translation runs, and the study's own."""
    return [*tuning_runs(study), *reverse_runs(study), *runs_here(study)]


def _chosen_at(study: Study, tuning: Tuning, system: str) -> list[str]:
    """Return the fractions for which a system tunes, for itself and for the systems that take its choice."""
    if tuning.fraction != EACH:
        return [tuning.fraction]
    found = (run.fraction for run in declared_runs(study) if study.tuned.get(run.system) == system)
    return list(dict.fromkeys(found))
