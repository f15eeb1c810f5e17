"""Ensembles are chosen on validation text alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seqpre.select_ensemble import main


def candidate(folder: Path, system: str, seed: int, perplexity: float) -> Path:
    run = folder / system / f"seed{seed}"
    run.mkdir(parents=True)
    summary = {"system": system, "fraction": "100pct", "seed": seed, "best_valid_perplexity": perplexity}
    (run / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    return run


def test_the_runs_of_lowest_validation_perplexity_are_taken(tmp_path: Path) -> None:
    perplexities = {("a", 1): 9.5, ("a", 2): 10.5, ("b", 1): 9.0, ("b", 2): 100.0}
    runs = [candidate(tmp_path, system, seed, value) for (system, seed), value in perplexities.items()]
    output, models = tmp_path / "ensemble.json", tmp_path / "members.txt"
    main(["--candidates", *map(str, runs), "--keep", "2", "--output", str(output), "--models", str(models)])
    assert models.read_text(encoding="utf-8") == "".join(
        f"{runs[member]}/weights/perplexity.safetensors\n" for member in (2, 0)
    )
    listed = json.loads(output.read_text(encoding="utf-8"))["candidates"]
    assert [(c["system"], c["seed"], c["member"]) for c in listed] == [
        ("b", 1, True),
        ("a", 1, True),
        ("a", 2, False),
        ("b", 2, False),
    ]


@pytest.mark.parametrize("keep", ["0", "3"])
def test_more_members_than_candidates_are_refused(
    tmp_path: Path, keep: str, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [candidate(tmp_path, "a", seed, 9.0) for seed in (1, 2)]
    with pytest.raises(SystemExit):
        main(
            [
                "--candidates",
                *map(str, runs),
                "--keep",
                keep,
                "--output",
                str(tmp_path / "e"),
                "--models",
                str(tmp_path / "m"),
            ]
        )
    assert f"--keep is {keep}, but there are 2 candidates" in capsys.readouterr().err
