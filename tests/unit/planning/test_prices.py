"""What the jobs of a study take: how long they train, and what waits for what."""

import dataclasses
import re
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.planning import planner
from seqpre.planning.dag import Node
from seqpre.planning.planner import Plan, check_memory, make_plan
from seqpre.planning.prices import PRICES, Setting, expected_updates, plateaus, work_of
from seqpre.planning.texts import TextSizes
from seqpre.study.configuration import configured_rows, configured_studies, read_configuration
from seqpre.study.load import read_study_file
from seqpre.study.models.lstm import LSTMSettings
from seqpre.study.pretraining_settings import TransformerLMSettings
from seqpre.study.settings import OptimizerSettings

ROOT = Path(__file__).parents[3]


def configuration(scale: str, **changes: object) -> dict[str, object]:
    return read_configuration(ROOT / "config.yaml") | {"scale": scale, "results": "none/yet", **changes}


def plan(scale: str, at_hand: int = 8, **changes: object) -> Plan:
    """Return a plan of the jobs that a scale has without the changes."""
    nodes = planner.resolved(configuration(scale), ROOT)
    return make_plan(configuration(scale, **changes), ROOT, at_hand, 32, nodes=nodes)


def setting(scale: str, name: str) -> Setting:
    """Return what the prices of a study's jobs depend on."""
    config = configuration(scale, studies=[name])
    owners = configured_studies(config, ROOT)
    rows = configured_rows(config, ROOT, owners)
    return Setting(owners[name], rows, TextSizes(ROOT / "workflow/sizes.tsv", rows, Path("none/yet")))


@pytest.mark.parametrize(
    ("per_pass", "limit", "expected"),
    [(100.0, 10_000, 1300 + 50), (100.5, 10_000, 1310 + 50), (100.0, 1320, 1320), (0.1, 10_000, 10 + 50)],
)
def test_training_is_best_after_thirteen_passes_and_then_waits_out_its_patience(
    per_pass: float, limit: int, expected: int
) -> None:
    assert expected_updates(per_pass, limit, validate_every=10, patience=5) == expected


def test_training_is_not_best_within_its_warm_up() -> None:
    assert expected_updates(10.0, 100_000, validate_every=10, patience=5, warmup=4_000) == 8_000 + 50


def test_a_rate_that_falls_on_plateaus_ends_a_training_after_so_many() -> None:
    falling = OptimizerSettings(name="nag", lr=2e-3, schedule="plateau", decay=0.5, lr_end=1e-4)
    assert plateaus(falling) == 5  # 2e-3 / 2**5 is the first below 1e-4
    assert plateaus(OptimizerSettings()) == 0
    assert plateaus(OptimizerSettings(schedule="plateau", decay=0.5)) == 0  # it may fall for ever


def test_every_job_comes_after_those_it_waits_for() -> None:
    seen: set[str] = set()
    for job in plan("paper").jobs:
        assert job.name not in seen
        assert seen.issuperset(job.after)
        assert len(set(job.after)) == len(job.after)
        seen.add(job.name)


def test_a_run_without_pretraining_waits_for_no_language_model_but_for_its_text() -> None:
    jobs = {job.name: job for job in plan("demo").jobs}
    study = "ramachandran-translation"
    full = set(jobs[f"finetune {study}/full/100pct/1"].after)
    random = set(jobs[f"finetune {study}/no_pretraining/100pct/1"].after)
    without = set(jobs[f"finetune {study}/no_pretraining_no_lm_objective/100pct/1"].after)
    lms = {f"pretrain {study}/monolingual_{language}" for language in ("en", "de")}
    texts = {f"encode {study}/demo_monolingual/train/{language}" for language in ("en", "de")}
    assert lms | texts < full
    assert texts < random
    assert not lms & random
    assert not (lms | texts) & without


def test_the_paper_scale_trains_as_long_as_its_budget_and_passes_say() -> None:
    """4.0 M pairs in batches of 128: 13 passes end in update 406,250, in the validation after it; patience is 100,000.

    Language models: 5 G tokens in updates of 128 streams of 20; News Crawl is longer than 5 G / 13.
    """
    jobs = {job.name: job for job in plan("paper").jobs}
    run = jobs["finetune ramachandran-translation/full/100pct/1"]
    lm = jobs["pretrain ramachandran-translation/monolingual_en"]
    assert run.updates == 410_000 + 100_000
    assert lm.updates == 5_000_000_000 // 2560
    assert run.most_flops / run.flops == pytest.approx(10_000_000 / 510_000)
    assert lm.most_flops == lm.flops


@pytest.mark.parametrize(
    ("study", "updates"),
    [
        # 13 passes over 287,113 pairs, 128 an update, end in update 29,160. A validation is every two passes, 4,487
        # updates; 20 follow the one after it.
        ("ramachandran-summarization", (7 + 20) * 4_487),
        # Articles of 781 words with summaries of 56: 20 pairs fill 16,800 tokens. 18 passes.
        ("poda-summarization", 18 * 14_305),
    ],
)
def test_a_training_lasts_as_long_as_its_batches_and_its_patience_say(study: str, updates: int) -> None:
    jobs = make_plan(configuration("paper", studies=[study]), ROOT, 8, 4).jobs
    (run,) = (job for job in jobs if job.name == f"finetune {study}/full/100pct/1")
    assert run.updates == updates


@pytest.mark.parametrize(("name", "read"), [("poda-summarization", 400), ("edunov-summarization", 400)])
def test_a_transformer_s_documents_count_as_far_as_it_reads_them(name: str, read: int) -> None:
    at = setting("small", name)
    assert at.pair("train")[0].length > read
    assert at.lengths(at.study.base, "train")[0] == read


def test_a_language_model_s_documents_count_in_the_pieces_that_it_reads() -> None:
    at = setting("small", "edunov-headlines")
    assert at.study.pretraining
    at = dataclasses.replace(at, owner=at.study.pretraining)
    assert isinstance(at.owner.lm_settings, TransformerLMSettings)
    node = Node("pretrain", {"owner": at.owner.name, "lm": "cloze_news"}, [], "", 1, [], left=True)
    piece = at.owner.lm_settings.shape.sentence(8_000, "cloze", 64)
    assert work_of(node, at).update == pytest.approx(3 * 4_000 / 64 * piece)


def test_models_and_their_states_take_the_room_of_their_parameters() -> None:
    jobs = {job.name: job for job in plan("paper").jobs}
    run = jobs["finetune ramachandran-translation/full/100pct/1"]
    parameters = LSTMSettings().parameters(90_000)
    assert run.kept == 2 * 4 * parameters  # the checkpoints chosen by perplexity and by BLEU
    assert run.scratch == 3 * 4 * 3 * parameters  # weights and Adam's two moments, three times


def test_a_job_is_of_the_first_study_that_leads_to_it_and_done_for_what_its_wildcards_name() -> None:
    studies = ["ramachandran-summarization", "ramachandran-translation"]
    jobs = {job.name: job for job in make_plan(configuration("demo", studies=studies), ROOT, 0, 2).jobs}
    owners = {
        "generate news": (studies[0], "text"),
        "generate grammar": (studies[1], "text"),
        f"learn_bpe {studies[1]}": (studies[1], "text"),
        f"pretrain {studies[1]}/parallel_en": (studies[1], "LM parallel_en"),
        f"score {studies[1]}/runs/full/100pct/seed1": (studies[1], "full"),
        f"decode {studies[1]}/ensembles/ensemble_5/bleu": (studies[1], "ensemble_5"),
        f"write_baseline {studies[0]}/lead_1": (studies[0], "lead_1"),
        f"summarise {studies[0]}": (studies[0], "report"),
    }
    assert {name: (jobs[name].study, jobs[name].owner) for name in owners} == owners


def test_a_rule_that_nothing_prices_is_refused() -> None:
    name = "ramachandran-translation"
    node = Node("translate_back", {"study": name}, ["back.txt"], "", 1, [], left=True)
    with pytest.raises(ConfigError, match="no price for the rule translate_back: add a function"):
        work_of(node, setting("demo", name))


def test_every_rule_that_studies_lead_to_has_a_price() -> None:
    rules = [
        rule
        for file in (ROOT / "workflow/rules").glob("*.smk")
        for rule in re.findall(r"^(?:use rule \w+ as|rule) (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    on_demand = {"write_samples", "make_human_study", "write_report"}
    assert {"decode", "choose_settings", *on_demand} < set(rules)
    assert [rule for rule in rules if rule not in on_demand and not rule.startswith(tuple(PRICES))] == []


@pytest.mark.parametrize("scale", ["demo", "small", "paper"])
def test_how_large_the_texts_of_every_study_are_can_be_told(scale: str) -> None:
    studies = (ROOT / "workflow/studies").glob("*.yaml")
    names = [path.stem for path in studies if read_study_file(path, path.parent)[0]["scales"].get(scale)]
    assert len(names) > 5
    config = configuration(scale, studies=names)
    owners = configured_studies(config, ROOT)
    rows = configured_rows(config, ROOT, owners)
    sizes = TextSizes(ROOT / "workflow/sizes.tsv", rows, Path("none/yet"))
    for study in owners.values():
        for text in study.texts():
            assert sizes.of(study.name, *text).tokens > 0


def test_training_jobs_of_more_processes_than_are_at_hand_are_refused() -> None:
    config = configuration("paper", gpus=4)
    with pytest.raises(ConfigError, match=r"2 GPUs are at hand, and each training job has 4 processes: lower `gpus`"):
        make_plan(config, ROOT, 2, 32)
    four, one = plan("paper", gpus=4), plan("paper")
    assert four.hours(four.jobs, "gpus") == pytest.approx(one.hours(one.jobs, "gpus"))
    assert four.least_wall_hours() < 0.4 * one.least_wall_hours()


def test_runs_that_share_a_gpu_have_to_fit_into_its_memory() -> None:
    two = plan("paper", runs_per_gpu=2)
    check_memory(two, 80)
    with pytest.raises(
        ConfigError,
        match=r"runs_per_gpu is 2, but finetune \S+ is planned to take 1\d\.\d GB of a GPU, and 2 such runs do not fit "
        r"into gpu_memory_gb \(20\): set runs_per_gpu to 1",
    ):
        check_memory(two, 20)
    check_memory(plan("paper"), 20)
    assert two.hours(two.jobs, "gpus") < 0.8 * plan("paper").hours(plan("paper").jobs, "gpus")


def test_disk_holds_the_states_of_as_many_trainings_as_run_at_a_time() -> None:
    one, eight = (plan("paper", at_hand) for at_hand in (1, 8))
    state = max(job.scratch for job in one.jobs if job.updates)
    assert eight.kept() == one.kept()
    assert eight.disk() - eight.kept() == pytest.approx(8 * state)


def test_the_stores_of_pairs_hold_what_is_translated_back_beside_what_is_not() -> None:
    at = setting("small", name := "ramachandran-backtranslation")
    for system, times in (("backtranslation", 2), ("backtranslation_10", 11)):
        run = next(run for run in at.runs.values() if run.system == system)
        wildcards = {"study": name, "system": system, "fraction": run.fraction, "seed": str(run.seed)}
        kept = work_of(Node("backtranslate", wildcards, [], "", 1, [], left=True), at).kept
        assert at.synthetic(run) == (times - 1) * at.labelled(run)
        ids, ends = 2 * sum(at.lengths(run.settings, "train")), 2 * 8
        assert kept == pytest.approx(times * at.labelled(run) * (ids + ends), rel=1e-3)


def test_a_training_of_no_update_takes_its_validation() -> None:
    at = setting("small", name := "poda-correction")
    wildcards = {"study": name, "system": "no_finetuning", "fraction": "100pct", "seed": "1"}
    node = Node("finetune", wildcards, [], "", 1, [], left=True)
    found, loss_and_outputs = work_of(node, at), 2
    assert found.flops == loss_and_outputs * at.written(at.run(node).settings, ["valid"], beam=1) > 0
    assert (found.most_flops, found.kind, found.updates) == (found.flops, "decoding", 0)
