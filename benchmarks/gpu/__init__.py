"""The pieces of `gpu.py`. A checkout is enough: the package is read from `src`, and xxhash may be missing."""

import hashlib
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))
if find_spec("xxhash") is None:  # It makes checksums of this process's own files, of 128 bits as those of MD5.
    sys.modules["xxhash"] = SimpleNamespace(xxh3_128=hashlib.md5)  # type: ignore[assignment]
