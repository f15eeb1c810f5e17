"""What a start costs: CPU seconds of every script until its first useful work, and of a dry run of all studies.

    python benchmarks/startup.py

A script is given so little to do that starting is nearly all it does. OpenNMT-py's training command only says its help.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

from corpus import prepare as prepare_pairs
from scaling import MEASURED
from side_by_side import OPENNMT, ROOT, WORK, arguments, machine, occasion, versions, write_result
from text import LANGUAGE, first_lines, prepare

from seqpre.common.errors import ConfigError
from seqpre.corpora import encode, learn_words
from seqpre.study.load import load_study

FOLDER = WORK / "startup"
LM = {
    "first_layer": {"embedding_dim": 8, "hidden_dim": 8, "projection_dim": 0},
    "train": {"streams": 4, "bptt": 4, "max_tokens": 16, "held_out": 4},
}


def commands() -> dict[str, list[str]]:
    """Return the command of each row."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    prepare_pairs(WORK / "pairs")
    text, lines = prepare(None)[0], FOLDER / "lines"
    lines.write_text("".join(f"{line}\n" for line in first_lines(text, 20)), encoding="utf-8")
    (FOLDER / "lm.json").write_text(json.dumps({"name": "lm", "settings": LM, "fraction": "100pct"}))
    python = [sys.executable, "-m"]
    kept = ["--output", str(FOLDER / "kept"), "--stats", str(FOLDER / "stats.json"), "--languages", LANGUAGE]
    filtering = [*python, "seqpre.corpora.filter", "--input", str(lines), *kept, "--identifier"]
    words, train, output = FOLDER / "words.tsv", FOLDER / "tokens", FOLDER / "lm"
    sentences = str(WORK / "pairs/target.txt")
    learn_words.main(["--input", sentences, "--vocab-size", "7900", "--output", str(words)])
    encode.main(["--input", sentences, "--subwords", str(words), "--output", str(train)])
    training = f"rm -rf {output}; {sys.executable} -m seqpre.pretrain --settings {FOLDER / 'lm.json'}"
    paper = [path.stem for path in sorted((ROOT / "workflow/studies").glob("*.yaml")) if has_paper_scale(path)]
    dry = [*python, "snakemake", "-n", "-q", "--directory", str(ROOT), "--snakefile", str(ROOT / "Snakefile")]
    return {
        "filter 20 lines, py3langid": [*filtering, "py3langid"],
        "filter 20 lines, langdetect": [*filtering, "langdetect"],
        "pretrain: one update of a tiny LM": [
            "sh", "-c", f"{training} --train {train} --vocabulary {words} --output-dir {output}",
        ],
        "finetune --help": [*python, "seqpre.finetune", "--help"],
        "decode --help": [*python, "seqpre.decode", "--help"],
        "score --help": [*python, "seqpre.score", "--help"],
        f"dry run of {len(paper)} studies, scale paper": [
            *dry, "--config", "scale=paper", f"studies=[{','.join(paper)}]",
        ],
    } | ({"onmt_train --help (OpenNMT-py 3.5.1)": [str(OPENNMT.with_name("onmt_train")), "--help"]}
         if OPENNMT.exists() else {})  # fmt: skip


def has_paper_scale(study: Path) -> bool:
    try:
        load_study(study, "paper")
    except ConfigError:
        return False
    return True


def main() -> None:
    args = arguments(__doc__, windows=3, work=1, what="starts").parse_args()
    taken: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(args.windows):
        for name, command in commands().items():
            done = subprocess.run(
                [sys.executable, "-c", MEASURED, "/usr/bin/env", *command], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
            cpu, wall, kib = json.loads(done.stdout.splitlines()[-1])
            taken.setdefault(name, []).append((cpu, wall, kib / 1024))
    rows = [
        "| what | CPU seconds: median [min, max] | wall seconds | peak memory, MiB |",
        "| --- | --- | ---: | ---: |",
    ]
    for name, values in taken.items():
        cpu, wall, memory = zip(*values, strict=True)
        spread = f"{statistics.median(cpu):.2f} [{min(cpu):.2f}, {max(cpu):.2f}]"
        rows.append(f"| {name} | {spread} | {statistics.median(wall):.2f} | {max(memory):,.0f} |")
    table = "\n".join(rows)
    write_result(
        "startup",
        f"""# Starting

{table}

- Machine: {machine()}.
- Versions: {versions("torch", "snakemake")}.
- {occasion()}
""",
    )


if __name__ == "__main__":
    main()
