"""From work to hours, and back from what jobs took to a speed."""

import json
from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.planning.costs import Machine, Record, measured_rates, read_record, records
from seqpre.planning.work import Kind, PricedJob

RATES: dict[Kind, float] = {"pretraining": 2e12, "fine-tuning": 1e12, "decoding": 5e11}


def job(kind: Kind = "fine-tuning", flops: float = 3.6e15, **others: object) -> PricedJob:
    values = {"rule": "finetune", "name": "a", "owner": "full", "study": "s", "core_seconds": 0.0, **others}
    return PricedJob(kind=kind, flops=flops, most_flops=2 * flops, **values)  # type: ignore[arg-type]


def test_hours_are_flops_by_speed() -> None:
    machine = Machine(gpus=8, cores=4, processes=2, rates=RATES)
    assert machine.hours(job()) == 1.0
    assert machine.hours(job(), most=True) == 2.0
    assert machine.hours(job("pretraining")) == 0.5
    assert machine.hours(job("decoding", core_seconds=3600.0)) == 3.0
    assert machine.hours(job("other", core_seconds=1800.0)) == 0.5


def test_a_gpus_default_speed_is_that_of_a_model_in_a_precision() -> None:
    gpu, core = Machine(gpus=1, cores=4, processes=1, rates={}), Machine(gpus=0, cores=4, processes=1, rates={})
    assert gpu.rate(job(products="LSTM in tf32")) == pytest.approx(41.5e12)
    assert gpu.rate(job(products="Transformer in bf16")) == pytest.approx(300e12)
    assert core.rate(job(products="Transformer in bf16")) == core.rate(job())


def test_runs_that_share_a_gpu_fill_most_of_what_one_leaves_idle() -> None:
    alone, two = (Machine(gpus=1, cores=4, processes=1, rates={}, sharing=runs) for runs in (1, 2))
    for products, gained in (("LSTM in float32", 0.9 / 0.65), ("LSTM in tf32", 0.9 * 2), ("Transformer in bf16", 1.0)):
        one = job(products=products)
        assert alone.hours(one) / two.hours(one) == pytest.approx(gained)
        assert two.seconds(one) / alone.seconds(one) == pytest.approx(2 / gained)
    text = job("other", core_seconds=5.0)
    assert two.seconds(text) == alone.seconds(text) == 5.0
    assert two.places() == {"gpus": 2, "cores": 4}


def test_lm_losses_of_a_fine_tuning_go_at_a_pace_of_their_own() -> None:
    machine = Machine(gpus=1, cores=4, processes=1, rates={})
    half = job(products="LSTM in tf32", flops=166e12 * 3600, lm_losses=0.5)
    assert machine.hours(half) == pytest.approx(83 / 41.5 + 1)


def test_models_hold_gpus_where_there_are_any_and_all_else_cores() -> None:
    with_gpus, without = (Machine(gpus, 4, 2, RATES) for gpus in (8, 0))
    text = job("other", rule="filter", threads=16)
    assert [with_gpus.resource(j) for j in (job(), job("decoding"), text)] == ["gpus", "gpus", "cores"]
    assert [with_gpus.amount(j) for j in (job(), job("decoding"), text)] == [2, 1, 4]
    assert without.resource(job()) == "cores"


def test_a_trainings_record_is_its_summary(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text(json.dumps({"seconds": 7200.0, "cpu_seconds": 900.0, "steps": 10, "processes": 4}))
    record = read_record(path)
    assert record == Record(7200.0, 900.0, 10, 4)
    (shared,) = records([job(record=path.name)], tmp_path, sharing=2).values()
    assert shared.hours("gpus") == 4.0
    assert (record.hours("gpus"), record.hours("cores")) == (8.0, 0.25)


@pytest.mark.parametrize(("cpu_time", "core_seconds"), [("33.5", 33.5), ("NA", 40.0), ("0.00", 40.0)])
def test_another_jobs_record_is_snakemakes_benchmark_file(tmp_path: Path, cpu_time: str, core_seconds: float) -> None:
    path = tmp_path / "score.benchmark.tsv"
    path.write_text(f"s\th:m:s\tcpu_time\n40.0\t0:00:40\t{cpu_time}\n")
    assert read_record(path) == Record(40.0, core_seconds)


def test_a_missing_record_is_none_and_a_damaged_one_named(tmp_path: Path) -> None:
    damaged = tmp_path / "score.benchmark.tsv"
    assert read_record(tmp_path / "summary.json") is None
    for rows in ("", "40.0\n"):
        damaged.write_text(f"s\tcpu_time\n{rows}")
        with pytest.raises(DataError, match=r"score.benchmark.tsv: not a benchmark file"):
            records([job(record="score.benchmark.tsv")], tmp_path)
    (tmp_path / "summary.json").write_text("{}\n")
    with pytest.raises(DataError, match=r"summary.json: not the summary of a training \(KeyError\('seconds'\)\)"):
        read_record(tmp_path / "summary.json")


def test_the_measured_speed_is_work_done_by_time_taken() -> None:
    jobs = [job(name="whole", updates=100), job(name="half", updates=100), job("decoding", 8e15, name="decoded")]
    done = {"whole": Record(0, 1000.0, 100), "half": Record(0, 800.0, 50), "decoded": Record(0, 400.0)}
    assert measured_rates(jobs, done, gpu=False) == {"fine-tuning": (5.4e15 / 1800, 2), "decoding": (8e15 / 400, 1)}


def test_on_gpus_the_measured_speed_is_that_of_one_gpu() -> None:
    done = {"a": Record(seconds=500.0, core_seconds=1.0, updates=100, processes=4)}
    assert measured_rates([job(updates=100)], done, gpu=True) == {"fine-tuning": (3.6e15 / 2000, 1)}


def test_a_job_that_is_mostly_start_up_tells_no_speed() -> None:
    done = {"a": Record(5.0, 5.0)}
    assert measured_rates([job("decoding", core_seconds=3.0)], done, gpu=False) == {}


def test_a_training_of_no_update_tells_no_speed() -> None:
    only_validated, trained = job("decoding", update=1e9, name="no_finetuning"), job(updates=100)
    done = {"no_finetuning": Record(0, 500.0), "a": Record(0, 1000.0, 100)}
    assert measured_rates([only_validated], done, gpu=False) == {}
    assert measured_rates([only_validated, trained], done, gpu=False) == {"fine-tuning": (3.6e12, 1)}
