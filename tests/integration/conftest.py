"""What the tests of whole commands share."""

from pathlib import Path

import pytest
from toy_language import finetune_arguments, make_toy

from seqpre import finetune


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a toy bitext, its subwords, token stores and two language models; read it only."""
    folder = tmp_path_factory.mktemp("toy")
    make_toy(folder)
    return folder


@pytest.fixture(scope="session")
def trained(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody interrupted; read it only."""
    output = tmp_path_factory.mktemp("trained")
    finetune.main(finetune_arguments(toy, output))
    return output
