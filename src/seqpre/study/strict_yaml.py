"""Strict YAML: an error names its file, and a repeated key is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from seqpre.common.errors import ConfigError


def read_yaml(path: Path | str) -> Any:
    """Return the content of a YAML file. Raises ConfigError, naming it, and the line if known, if it is not valid."""
    path = Path(path)
    try:
        with path.open(encoding="utf-8") as file:
            loader = yaml.CSafeLoader(file)
            node = loader.get_single_node()
        _refuse_repeated_keys(node, path)
        return loader.construct_document(node) if node else None
    except (yaml.YAMLError, ValueError, AttributeError) as error:  # the last two: of values like 2024-13-45
        raise ConfigError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def _refuse_repeated_keys(root: yaml.Node | None, path: Path) -> None:
    """Raise ConfigError if a mapping repeats a key; PyYAML would silently keep the last one."""
    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:  # an alias
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            lines: dict[str, int] = {}
            for key, value in node.value:
                line = key.start_mark.line + 1
                if isinstance(key, yaml.ScalarNode) and key.value in lines:
                    before = lines[key.value]
                    raise ConfigError(
                        f"{path}, line {line}: {key.value!r} is given twice, before in line {before}; keep one"
                    )
                lines[str(key.value)] = line
                waiting.append(value)
        elif isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)
