"""YAML as people write it: a mistake names its file and line, and a key that is given twice is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from seqpre.common.errors import ConfigError


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader keeps the last of several values of a key, and says nothing."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value in lines:
                before = lines[key.value]
                raise ConfigError(
                    f"{self.name}, line {line}: {key.value!r} is given twice, before in line {before}; keep one"
                )
            lines[str(key.value)] = line
        return node


def read_yaml(path: Path | str) -> Any:
    """Return the content of a YAML file; ConfigError that names file and line where it cannot be read."""
    path = Path(path)
    try:
        with path.open(encoding="utf-8") as file:
            return yaml.load(file, _Loader)  # a safe one
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
