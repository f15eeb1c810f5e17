"""The jobs of a study: how long they train, and what waits for what."""

from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.planning import operations
from seqpre.planning.plan import Plan, make_plan
from seqpre.planning.study_jobs import expected_updates
from seqpre.study.configuration import read_configuration
from seqpre.study.settings import FirstLayer, ModelSettings

ROOT = Path(__file__).parents[3]


def plan(scale: str, tmp_path: Path, gpus: int = 8) -> Plan:
    config = read_configuration(ROOT / "config.yaml") | {"scale": scale, "results": str(tmp_path)}
    return make_plan(config, ROOT, gpus, 4)


@pytest.mark.parametrize(
    ("per_pass", "limit", "expected"),
    [(100.0, 10_000, 1300 + 50), (100.5, 10_000, 1310 + 50), (100.0, 1320, 1320), (0.1, 10_000, 10 + 50)],
)
def test_training_is_best_after_thirteen_passes_and_then_waits_out_its_patience(
    per_pass: float, limit: int, expected: int
) -> None:
    assert expected_updates(per_pass, limit, validate_every=10, patience=5) == expected


def test_every_job_comes_after_those_it_waits_for(tmp_path: Path) -> None:
    seen: set[str] = set()
    for job in plan("paper", tmp_path).jobs:
        assert job.name not in seen
        assert seen.issuperset(job.after)
        assert len(set(job.after)) == len(job.after)
        seen.add(job.name)


def test_a_run_without_pretraining_waits_for_no_language_model_but_for_its_text(tmp_path: Path) -> None:
    jobs = {job.name: job for job in plan("demo", tmp_path).jobs}
    study = "ramachandran-translation"
    full = set(jobs[f"finetune {study}/runs/full/100pct/seed1"].after)
    random = set(jobs[f"finetune {study}/runs/no_pretraining/100pct/seed1"].after)
    without = set(jobs[f"finetune {study}/runs/no_pretraining_no_lm_objective/100pct/seed1"].after)
    lms = {f"pretrain_lm {study}/monolingual_{language}" for language in ("en", "de")}
    texts = {f"encode {study}/demo_monolingual/train.{language}" for language in ("en", "de")}
    assert lms | texts < full
    assert texts < random
    assert not lms & random
    assert not (lms | texts) & without


def test_the_paper_scale_trains_as_long_as_its_budget_and_passes_say(tmp_path: Path) -> None:
    """4.0 M pairs in batches of 128: 13 passes end in update 406,250, in the validation after it; patience is 100,000.

    Language models: 5 G tokens in updates of 128 streams of 20; News Crawl is longer than 5 G / 13.
    """
    jobs = {job.name: job for job in plan("paper", tmp_path).jobs}
    run = jobs["finetune ramachandran-translation/runs/full/100pct/seed1"]
    lm = jobs["pretrain_lm ramachandran-translation/monolingual_en"]
    assert run.updates == 410_000 + 100_000
    assert lm.updates == 5_000_000_000 // 2560
    assert run.most_operations / run.operations == pytest.approx(10_000_000 / 510_000)
    assert lm.most_operations == lm.operations


def test_documents_count_as_far_as_they_are_read_and_fill_batches_of_tokens(tmp_path: Path) -> None:
    """287,113 articles of 1,000 subwords, cut to 600, with summaries of 75: 94.8 pairs fill 64,000 tokens.

    13 passes end in update 39,367; 20 validations of 5,000 updates follow the one after it.
    """
    config = read_configuration(ROOT / "config.yaml") | {"scale": "paper", "results": str(tmp_path)}
    jobs = make_plan(config | {"studies": ["ramachandran-summarization"]}, ROOT, 8, 4).jobs
    (run,) = (job for job in jobs if job.name == "finetune ramachandran-summarization/runs/full/100pct/seed1")
    assert run.updates == 40_000 + 100_000


def test_models_and_their_states_take_the_room_of_their_parameters(tmp_path: Path) -> None:
    jobs = {job.name: job for job in plan("paper", tmp_path).jobs}
    run = jobs["finetune ramachandran-translation/runs/full/100pct/seed1"]
    parameters = operations.seq2seq_parameters(90_000, FirstLayer(), ModelSettings())
    assert run.kept == 2 * 4 * parameters  # the checkpoints chosen by perplexity and by BLEU
    assert run.scratch == 3 * 4 * 3 * parameters  # weights and Adam's two moments, three times


def test_training_jobs_of_more_processes_than_are_at_hand_are_refused(tmp_path: Path) -> None:
    config = read_configuration(ROOT / "config.yaml") | {"scale": "paper", "results": str(tmp_path), "gpus": 4}
    with pytest.raises(ConfigError, match=r"2 GPUs are at hand, and each training job has 4 processes: lower `gpus`"):
        make_plan(config, ROOT, 2, 32)
    four, one = make_plan(config, ROOT, 8, 32), plan("paper", tmp_path)
    assert four.hours(four.jobs, "gpus") == pytest.approx(one.hours(one.jobs, "gpus"))
    assert four.least_wall_hours() < 0.4 * one.least_wall_hours()


def test_disk_holds_the_states_of_as_many_trainings_as_run_at_a_time(tmp_path: Path) -> None:
    one, eight = (plan("paper", tmp_path, gpus) for gpus in (1, 8))
    state = max(job.scratch for job in one.jobs if job.updates)
    assert eight.kept() == one.kept()
    assert eight.disk() - eight.kept() == pytest.approx(8 * state)
