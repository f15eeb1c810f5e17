"""Bring committed records to today's settings, once: python tools/convert_records.py results/small/*/records.zip

Of `run.json`, `lm.json` and choices the settings alone change, not their meaning: `model: {kind: ...}` says what `family`,
`first_layer`, `transformer` and `representations` said. Every other member stays as it is, byte for byte.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

EPOCH = (1980, 1, 1, 0, 0, 0)


def run_settings(said: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a run of before as they are now."""
    said = dict(said)
    family, shape = said.pop("family", "lstm"), said.pop("transformer", {})
    first, representations = said.pop("first_layer", None), said.pop("representations", {})
    reads = {representations.get(side, "none") for side in ("source", "target")} != {"none"}
    if family == "lstm":
        model = {**({"first_layer": first} if first else {}), **said.pop("model", {})}
    elif shape.pop("pointer", False):
        model = {"kind": "pointer_generator", **shape}
    elif reads:
        model = {"kind": "augmented_transformer", **shape, "representations": representations}
    else:
        model = {"kind": "transformer", **shape}
    return {**({"model": model} if model else {}), **said}


def lm_settings(declared: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a pretrained model of before as they are now."""
    said = declared["settings"]
    if "transformer" in said:
        return {"kind": "denoiser", **{"model" if key == "transformer" else key: value for key, value in said.items()}}
    return {"kind": "transformer_lm", **said} if "objective" in declared else said


def converted(name: str, data: bytes) -> bytes:
    """Return what a member holds now."""
    file = Path(name)
    if file.name not in ("run.json", "lm.json") and file.parts[-2] != "tuning" and file.parts[-3] != "tuning":
        return data
    content = json.loads(data)
    if file.name == "run.json":
        content["settings"] = run_settings(content["settings"])
    elif file.name == "lm.json":
        content["settings"] = lm_settings(content)
    else:
        content["settings"] = {
            key.replace("transformer.", "model."): value for key, value in content["settings"].items()
        }
    return (json.dumps(content, indent=2) + "\n").encode()


def main() -> None:
    for archive in map(Path, sys.argv[1:]):
        with zipfile.ZipFile(archive) as packed:
            members = {name: packed.read(name) for name in packed.namelist()}
        new = {name: converted(name, data) for name, data in members.items()}
        changed = [name for name, data in new.items() if data != members[name]]
        if changed:
            with zipfile.ZipFile(archive, "w") as packed:
                for name, data in new.items():
                    packed.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)
        print(f"{archive}: {len(changed)} of {len(members)} members")


if __name__ == "__main__":
    main()
