"""Of jobs that were submitted together and failed, those that had ended well keep their outputs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from seqpre.cluster import groups


@dataclass
class FakeFile:
    there: bool

    async def exists(self) -> bool:
        return self.there


@dataclass
class FakeJob:
    """A job of a group, whose outputs are there and marked as incomplete, or not."""

    there: bool
    marked: bool
    ends: list[bool] = field(default_factory=list)
    """Whether it was ended as one that had failed."""

    @property
    def output(self) -> list[FakeFile]:
        return [FakeFile(True), FakeFile(self.there)]

    @property
    def dag(self) -> Any:
        async def incomplete(job: FakeJob) -> list[FakeFile]:
            return job.output[:1] if job.marked else []

        return SimpleNamespace(workflow=SimpleNamespace(persistence=SimpleNamespace(incomplete=incomplete)))

    async def postprocess(self, error: bool, **options: Any) -> None:
        self.ends.append(error)


async def never(*_: Any, **options: Any) -> None:
    pytest.fail("Snakemake would delete the outputs of all")


@pytest.fixture
def group() -> Any:
    ended_well, failed, at_work = FakeJob(True, False), FakeJob(False, False), FakeJob(True, True)
    return SimpleNamespace(jobid="group", toposorted=[[ended_well], [failed, at_work]])


def test_only_outputs_that_are_whole_and_all_there_stay(group: Any) -> None:
    asyncio.run(groups._postprocess(group, never, error=True))
    assert [[job.ends for job in level] for level in group.toposorted] == [[[False]], [[True], [True]]]


def test_files_of_what_could_not_be_submitted_are_left_as_they_were(
    group: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "refused", {"group"})
    asyncio.run(groups._postprocess(group, never, error=True))
    assert [job.ends for level in group.toposorted for job in level] == [[], [], []]


def test_a_group_that_ended_well_is_snakemake_s_business(group: Any) -> None:
    called: list[dict[str, Any]] = []

    async def postprocess(group: Any, **options: Any) -> None:
        called.append(options)

    asyncio.run(groups._postprocess(group, postprocess, error=False, ignore_missing_output=True))
    assert called == [{"ignore_missing_output": True}]
