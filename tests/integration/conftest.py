"""What the tests of whole commands share."""

from pathlib import Path

import pytest
from toy_language import make_toy


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a toy bitext, its subwords, token stores and two language models; read it only."""
    folder = tmp_path_factory.mktemp("toy")
    make_toy(folder)
    return folder
