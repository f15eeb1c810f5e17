"""Studies: one paper's grid on one task, as its file declares it, and the runs and LMs that follow from it."""

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
"""How a test's sources may be read once more, beside what else its corpus has."""
OF_SEED = "/seed"
Member = Annotated[
    str, only(re.compile(rf"[\w.+-]+({OF_SEED}\d+)?").fullmatch, f"a system, or one of its runs, system{OF_SEED}2")
]
Number = Annotated[
    float, Rule(lambda value, where, kind: value if type(value) is int else typed(kind, value, where), "a number")
]
"""A number as it is written: a whole one may count something."""
Values = Annotated[tuple[Number, ...], only(several, "one value or more, each once")]


@dataclass(frozen=True)
class GridSection:
    """Systems crossed with fractions."""

    systems: tuple[Name, ...]
    """Systems that are trained."""
    fractions: tuple[Amount, ...]
    """Fractions of the labelled data that each of them is trained with."""
    seeds: Seeds = ()
    """Those of the scale's seeds that it takes; none named: all."""


@dataclass(frozen=True)
class EnsembleDeclaration:
    """The `keep` runs of `members` that are best on validation at one fraction."""

    members: tuple[Member, ...]
    """Systems, each with the scale's seeds, or with the one that it names, `full/seed2`, whatever the scale has."""
    keep: Count = 5
    """Runs that are in the ensemble."""
    fraction: Amount = ALL
    """Fraction of the labelled data that they are trained with."""
    seeds: Seeds = ()
    """Those of the scale's seeds that it chooses from; none named: all."""

    @property
    def systems(self) -> list[str]:
        """The systems of its members."""
        return [member.partition(OF_SEED)[0] for member in self.members]

    def candidates(self, seeds: Sequence[int]) -> list[tuple[str, int]]:
        """Return what it chooses from, (system, seed), each once, where the scale has these seeds."""
        among = [seed for seed in seeds if not self.seeds or seed in self.seeds]
        named = [member.partition(OF_SEED) for member in self.members]
        return list(dict.fromkeys((system, one) for system, _, own in named for one in ([int(own)] if own else among)))


EACH = "each"
"""Stands for every fraction that a system is trained with."""


def _tried(value: Any, where: str, kind: Any) -> str:
    return EACH if value == EACH else fraction_of(value, f"{where} (or {EACH})")


CHOICE, CHOICE_EACH = "tuning/{system}.json", "tuning/{system}/{fraction}.json"
"""Where what a system has chosen is, for all fractions or for one."""


@dataclass(frozen=True)
class Tuning:
    """Settings that every system chooses for itself on validation text, all from the same few values.

    A system is trained once with each combination, with one fraction (or each that it has) and one seed that no final
    run has, and takes the one that scores best by the study's selection. A system whose line sets one of these settings
    keeps it.
    """

    grid: Annotated[dict[str, Values], only(len, "one setting or more, each with its values")]
    """Settings of a run, each with the values that are tried in every combination."""
    fraction: Annotated[str, Rule(_tried, f"{ACCEPTED}, or {EACH}")]
    """With which fraction of the labelled data candidates are trained; `each`: with every one that a system has."""
    seed: Seed
    """Seed of the candidates, which no final run has."""
    same_as: dict[Name, Name] = dataclasses.field(default_factory=dict)
    """Systems that take what another one has chosen; a variant of another (`variant_of`) takes that one's."""
    more: dict[Name, dict[str, Values]] = dataclasses.field(default_factory=dict)
    """Settings that one system chooses beside those of `grid`."""

    def tried(self, system: str) -> dict[str, tuple[float, ...]]:
        """Return the settings that a system chooses, each with its values."""
        return self.grid | self.more.get(system, {})

    def choice_file(self, system: str, fraction: str) -> str:
        """Return where a system's choice is, below its study's folder."""
        return (CHOICE_EACH if self.fraction == EACH else CHOICE).format(system=system, fraction=fraction)

    def candidates(self, system: str) -> dict[str, dict[str, Any]]:
        """Return the combinations by the name of the run that tries each, like `full@lr=0.004,dropout=0.2`."""
        tried = self.tried(system)
        combinations = [dict(zip(tried, values, strict=True)) for values in product(*tried.values())]
        return {f"{system}@{_named(values)}": values for values in combinations}


def _named(values: Mapping[str, Any]) -> str:
    return ",".join(f"{key.rpartition('.')[2]}={value:g}" for key, value in values.items())


@dataclass(frozen=True)
class Restored:
    """What `python -m seqpre.restore` has put back of a study that ran elsewhere: in tables, and not run here."""

    runs: frozenset[tuple[str, str, int]] = frozenset()
    """(system, fraction, seed)."""
    others: frozenset[str] = frozenset()
    """Ensembles, and what nobody trains."""
    choices: frozenset[str] = frozenset()
    """Files of choices of settings, below the study's folder."""


@dataclass(frozen=True)
class Study:
    """One paper's grid on one task, resolved at one scale; what its file says is described in `load.StudyText`."""

    name: str
    published_as: str
    """The name its published numbers have: its own, or that of the study it extends."""
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
    """0: as many as usual at the scale."""
    tuning: Tuning | None = None
    tuned: dict[str, str] = dataclasses.field(default_factory=dict)
    """Whose choice each system that is tuned takes: its own, or that of another system."""
    by_fraction: dict[str, dict[str, RunSettings]] = dataclasses.field(default_factory=dict)
    """Fractions that have another schedule than `base`, and the systems with it."""
    left_out: dict[str, EnsembleDeclaration] = dataclasses.field(default_factory=dict)
    """Ensembles that the configured seeds are too few for."""
    reference: str = "full"
    variant_of: dict[str, str] = dataclasses.field(default_factory=dict)
    trivial: tuple[str, ...] = ()
    tuned_on: dict[str, str] = dataclasses.field(default_factory=dict)
    spelling: Spelling = "none"
    spellings: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    tables: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    """Of tables and figures, in order; none: what is usual for its paper."""
    in_paper: InPaper = NOTHING
    """What its paper prints of it."""
    more_vocabularies: dict[str, VocabularyDeclaration] = dataclasses.field(default_factory=dict)
    """Others of its own beside the usual one; and that one, without a name, if it is a finished model."""
    pretraining: Pretraining | None = None
    """Models that it shares with other studies."""
    other_scales: tuple[str, ...] = ()
    """The scales of its own file where it takes this one from the study that it extends."""

    def settings(self, system: str, fraction: str) -> RunSettings:
        """Return what a system's runs with a fraction of the pairs are told."""
        return self.by_fraction.get(fraction, self.systems)[system]

    @property
    def vocabularies(self) -> dict[str, NamedVocabulary]:
        """What a run's `vocabulary` may name: those of its own, and by the pretraining's name the one of that."""
        usual = {"": VocabularyDeclaration(self.vocab_size)} if self.vocab_size else {}
        own = {name: NamedVocabulary(self.name, name, one) for name, one in {**usual, **self.more_vocabularies}.items()}
        return own | ({self.pretraining.name: self.pretraining.vocabularies[""]} if self.pretraining else {})

    def vocabulary(self, settings: RunSettings, side: VocabularySide = "source") -> NamedVocabulary:
        """Return the vocabulary of a side of a run; most have one for both."""
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
        """The splits beside `valid` that settle the search of some tests."""
        return tuple(dict.fromkeys(self.tuned_on.values()))

    @property
    def decoded(self) -> tuple[str, ...]:
        """What is decoded: the splits that settle how to search, then the tests, then these in other spellings."""
        return (*self.published, *self.respelled)

    @property
    def published(self) -> tuple[str, ...]:
        """The splits of the corpus that validate and test."""
        return published(self.tests, self.tuned_on)

    @property
    def kept_out(self) -> tuple[str, ...]:
        """The splits of the corpus whose lines unlabelled text may not have."""
        return self.published if self.filter.with_pairs else ("train", *self.published)

    @property
    def trivial_labels(self) -> dict[str, str]:
        """The systems that nobody trains, and what tables call them: copied sources by what spelled them."""
        labels = {name: TASKS[self.task].all_trivial[name] for name in self.trivial}
        copied = labels.get("copied_source")
        if copied and self.spelling != "none":
            labels["copied_source"] = f"{copied} (spelling: {self.spelling})"
        return labels

    @property
    def respelled(self) -> dict[str, str]:
        """Tests in another spelling, like `test_as_written`, and which test each is."""
        return {split: test for test, ways in self.spelled.items() for split in ways.values()}

    @property
    def spelled(self) -> dict[str, dict[str, str]]:
        """The names of tests in another spelling, by test and by spelling."""
        return {test: {how: f"{test}_{how}" for how in ways} for test, ways in self.spellings.items()}

    @property
    def owners(self) -> list[Study | Pretraining]:
        """The study, and what it shares with others."""
        return [self, *([self.pretraining] if self.pretraining else [])]

    def owner_of(self, lm: str) -> Study | Pretraining:
        """Return whose LM it is that a run starts from or whose text it reads."""
        return self.pretraining if self.pretraining and declared_as(lm) in self.pretraining.lms else self

    def declaration_of(self, lm: str) -> LMDeclaration:
        """Return which text an LM reads that a run starts from."""
        return self.owner_of(lm).lms[declared_as(lm)]

    @property
    def metric(self) -> str | None:
        """What scores greedy outputs while runs train and chooses a checkpoint beside that of perplexity; or None."""
        return None if self.base.train.metric == NO_METRIC else self.base.train.metric

    @property
    def average_last(self) -> int:
        """Of how many last validations the weights are averaged, into a checkpoint beside the chosen ones; 0: none."""
        return self.base.train.average_last

    def remarks(self) -> list[str]:
        """Return a word about ensembles that are left out, text that may not be meant, and runs that were put back."""
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
            remarks.append(f"{self.name}: of {back} of {len(declared)} runs there are records; run here: {len(here)}")
        return remarks

    def texts(self) -> list[tuple[str, str, str]]:
        """Return (corpus, split, language) of every text that the study reads."""
        labelled = self.corpora["bitext"]
        others = [split for ways in self.spelled.values() for how, split in ways.items() if how != AS_WRITTEN]
        texts = [(labelled, split, side) for split in ("train", *self.published, *others) for side in self.sides]
        texts += [(self.corpora[lm.corpus], "train", lm.language) for lm in self.lms.values()]
        added = dict.fromkeys(settings.backtranslation.corpus for settings in self.systems.values())
        texts += [(self.corpora[role], "train", self.target) for role in added if role]
        return list(dict.fromkeys([*texts, *(self.pretraining.texts() if self.pretraining else ())]))


def lm_of(study: Study, name: str, seed: int) -> str:
    """Return which LM a run with this seed starts from: `name`, or `name/seed3` if seeds have own; checkpoint aside.

    What studies share is there once for all seeds.
    """
    own = study.seeds_draw == "all" and study.owner_of(name) is study
    return f"{declared_as(name)}{OF_SEED}{seed}" if own else declared_as(name)


def lm_and_seed(lm: str) -> tuple[str, int | None]:
    """Return the parts of what `lm_of` returns; no seed where all have the same LM."""
    name, _, seed = lm.partition(OF_SEED)
    return name, int(seed) if seed else None


def lm_to_json(owner: Study | Pretraining, lm: str) -> dict[str, Any]:
    """Return what `lm.json` holds: which text the LM reads and how its settings differ from the defaults.

    LMs that are declared alike are those of different seeds.
    """
    name, seed = lm_and_seed(lm)
    settings = owner.lm_settings if seed is None else dataclasses.replace(owner.lm_settings, seed=seed)
    alike = [other for other, declaration in owner.lms.items() if declaration == owner.lms[name]]
    settings = dataclasses.replace(settings, seed=settings.seed + SEEDS_APART * alike.index(name))
    said = {"name": name, **owner.lms[name].to_json(), "settings": differences(settings, LMSettings())}
    usual = owner.vocabularies.get("")
    return said | ({"vocabulary_sha256": usual.sha256} if usual and usual.sha256 else {})


SEEDS_APART = 1000
"""What the seeds of two LMs that are declared alike differ by."""


def runs_here(study: Study) -> list[Run]:
    """Return the study's runs but for those whose records were put back."""
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
    """Return the runs that choose settings: of one system, or of all that choose for themselves; for one fraction."""
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
    """Return the runs whose models translate for others, each once: those of the same pairs and seed, exchanged."""
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
    """Return every run that is trained here: those that choose settings, that translate for others, and the study's."""
    return [*tuning_runs(study), *reverse_runs(study), *runs_here(study)]


def _chosen_at(study: Study, tuning: Tuning, system: str) -> list[str]:
    """Return the fractions with which a system chooses, for itself and for those that take its choice."""
    if tuning.fraction != EACH:
        return [tuning.fraction]
    found = (run.fraction for run in declared_runs(study) if study.tuned.get(run.system) == system)
    return list(dict.fromkeys(found))
