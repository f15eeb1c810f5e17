"""Whether a rebuilding moves a result: this working tree beside a commit of before.

python tests/gate.py main~3              files and settings of every study; the committed tables from their records; the
                                         demo's weights and outputs, and that a finished demo needs nothing
python tests/gate.py main~3 files        one of the three: files, tables, demo

Nothing here imports the package: what it asks for, it asks of Snakemake, once in each checkout, so that modules, rules
and options may be renamed between the two. What is made at the earlier commit is kept in --keep for the next time.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from safetensors.numpy import load_file

ROOT = Path(__file__).parents[1]
SCALES = ("demo", "small", "paper")
SETTINGS = ("run.json", "lm.json", "study.json")
PARTS = ("files", "tables", "demo")
CHOICE = '{"settings": {}}\n'
"""What stands in for a choice on validation text, which would have to be trained for."""
DEMO = "studies=[ramachandran-translation,ramachandran-summarization]"
COMMITTED = "tests/unit/report/test_records.py::test_the_committed_tables_are_of_the_committed_records"
Found = dict[str, str]
"""What a check compares: {name: digest or text}."""


class Checkout:
    """The files of the project at one time, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        """Take the folder as it is."""
        self.folder = folder

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a Python module here, with the package of this checkout."""
        environment = os.environ | {"PYTHONPATH": str(self.folder / "src")}
        return subprocess.run(
            [sys.executable, "-m", *command], cwd=self.folder, env=environment, text=True, capture_output=True
        )

    def snakemake(self, *arguments: str) -> str:
        """Run Snakemake here; return what it printed to standard output. Raises RuntimeError if it fails."""
        done = self.run("snakemake", "--cores", "2", *arguments)
        if done.returncode:
            raise RuntimeError(f"snakemake {' '.join(arguments)} in {self.folder}:\n{done.stdout}{done.stderr}"[-4000:])
        return done.stdout

    def outputs(self, *config: str) -> list[tuple[str, str]]:
        """Return (rule, file) of everything that a configuration leads to."""
        rows = csv.DictReader(io.StringIO(self.snakemake("--summary", "--config", *config)), delimiter="\t")
        return [(row["rule"], row["output_file"]) for row in rows]


def digest(path: Path) -> str:
    """Return the SHA-256 of a file; of weights, that of names and values without what is said about them."""
    found = sha256()
    if path.suffix != ".safetensors":
        found.update(path.read_bytes())
    else:
        for name, values in sorted(load_file(path).items()):
            found.update(f"{name} {values.dtype} {values.shape}".encode() + values.tobytes())
    return found.hexdigest()


def files(checkout: Checkout, study: str, scale: str) -> Found:
    """Return the files that one study leads to at one scale, and what the settings among them hold."""
    config = (f"scale={scale}", f"studies=[{study}]")
    if (done := checkout.run("snakemake", "--summary", "--config", *config)).returncode:
        return {"refused": " ".join(done.stderr.split())}
    outputs = checkout.outputs(*config)
    for _, path in outputs:
        if "/tuning/" in path and path.endswith(".json"):
            (checkout.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (checkout.folder / path).write_text(CHOICE, encoding="utf-8")
    settings = {path: rule for rule, path in outputs if Path(path).name in SETTINGS}
    checkout.snakemake(*settings, "--allowed-rules", *set(settings.values()), "--config", *config)
    return {path: digest(checkout.folder / path) if path in settings else "planned" for _, path in outputs}


def trained(checkout: Checkout) -> Found:
    """Return weights and outputs of the demo, trained if they are not there."""
    checkout.snakemake("--config", "scale=demo", DEMO)
    results = checkout.folder / "results/demo"
    made = [*results.rglob("*.safetensors"), *results.glob("**/hypotheses/**/*.txt")]
    return {str(path.relative_to(checkout.folder)): digest(path) for path in made}


def differences(before: Found, after: Found) -> Iterator[str]:
    """Say what is there no longer, is new, or is another."""
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            how = "gone" if name not in after else "new" if name not in before else "differs"
            yield f"{how}: {name}"


def main() -> int:
    """Compare; return 1 if anything has moved."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="a commit from before the rebuilding")
    parser.add_argument("parts", nargs="*", default=PARTS, metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--keep", type=Path, default=Path.home() / ".cache/seqpre-gate", help="folder for what is kept")
    args = parser.parse_args()
    if unknown := set(args.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.run([*git, "rev-parse", args.commit], text=True, capture_output=True, check=True).stdout.strip()
    before = Checkout(args.keep / commit[:12])
    if not before.folder.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(before.folder)], check=True)
        subprocess.run(["git", "-C", str(before.folder), "checkout", "--quiet", commit], check=True)

    moved = 0

    def compare(what: str, one: Found, other: Found) -> None:
        nonlocal moved
        found = list(differences(one, other))
        moved += len(found)
        print(f"{'✗' if found else '✓'} {what}: {len(one)}", *found[:20], sep="\n    ", flush=True)
        if len(found) > 20:
            print(f"    and {len(found) - 20} more")

    with TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        after = Checkout(Path(folder) / "after")
        listed = subprocess.run(
            [*git, "ls-files", "-co", "--exclude-standard"], text=True, capture_output=True, check=True
        )
        for name in filter(None, listed.stdout.splitlines()):
            if (ROOT / name).exists():
                (after.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, after.folder / name, follow_symlinks=False)
        studies = sorted(path.stem for path in (before.folder / "workflow/studies").glob("*.yaml"))
        for study, scale in product(studies, SCALES if "files" in args.parts else ()):
            one, other = pool.map(files, (before, after), (study, study), (scale, scale))
            if "refused" not in one:
                compare(f"files of {study} at {scale}", one, other)
        if "tables" in args.parts:
            rebuilt = after.run("pytest", "-q", COMMITTED)
            compare("committed tables from their records", {"rc": "0"}, {"rc": str(rebuilt.returncode)})
        if "demo" in args.parts:
            shutil.rmtree(after.folder / "results/demo", ignore_errors=True)
            shutil.rmtree(after.folder / ".snakemake", ignore_errors=True)
            earlier = trained(before)
            for part in ("results/demo", ".snakemake"):
                shutil.copytree(before.folder / part, after.folder / part, symlinks=True)
            left = after.run("snakemake", "--cores", "1", "-n", "--config", "scale=demo", DEMO)
            done = "Nothing to be done" in left.stdout + left.stderr
            compare("a finished demo needs nothing", {"left": ""}, {"left": "" if done else left.stdout})
            shutil.rmtree(after.folder / "results/demo")
            compare("weights and outputs of the demo", earlier, trained(after))
    return int(moved > 0)


if __name__ == "__main__":
    raise SystemExit(main())
