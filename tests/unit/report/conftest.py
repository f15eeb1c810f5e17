"""Results trees for the tests of the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from study_tree import PUBLISHED, SUMMARIZATION, Tree, fill, fill_summarization

from seqpre.report.published import PublishedNumber, load_published


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Return an empty tree at the scale `small`."""
    return Tree(tmp_path)


@pytest.fixture
def full_tree(tmp_path: Path) -> Tree:
    """Return a complete study at the scale `small`."""
    return fill(Tree(tmp_path))


@pytest.fixture
def summaries(tmp_path: Path) -> Tree:
    """Return a complete summarization study at the scale `small`."""
    return fill_summarization(Tree(tmp_path, study=SUMMARIZATION, tests=("test",)))


@pytest.fixture
def make_tree(tmp_path: Path) -> Callable[..., Tree]:
    """Make a tree of another scale."""
    return lambda **options: Tree(tmp_path, **options)


@pytest.fixture(scope="session")
def published() -> list[PublishedNumber]:
    """Return the project's table of published numbers."""
    return load_published(PUBLISHED)
