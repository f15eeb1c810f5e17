"""A model card: what a model is, how to use it, its scores with signatures, and its training text.

It begins with the metadata that the Hugging Face Hub reads (https://huggingface.co/docs/hub/model-cards).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from seqpre.corpora.catalog import Row
from seqpre.report.licences import OPEN, corpora
from seqpre.report.outcome import Outcome
from seqpre.report.table import Table, number_cell, to_markdown
from seqpre.study.fractions import of_labelled
from seqpre.study.reported import ReportedStudy
from seqpre.study.run import run_from_json

PIPELINES = {"translation": "translation", "summarization": "summarization", "correction": "text2text-generation"}
"""The Hub's names of our tasks."""


def model_card(of: Outcome, study: ReportedStudy, selection: str, rows: Sequence[Row], use: str) -> str:
    """Return the README.md of an exported run.

    `selection` is what selected its checkpoint, `rows` are the files of its texts, `use` says how to translate with it.
    """
    run, made_by = run_from_json(of.said), of.made_by
    label = study.labels.get(run.system, run.system)
    scores = [one for one in of.scores if one["selection"] == selection]
    own = sorted(study.corpora - {row.name for row in rows})
    sides = ", ".join(study.languages)
    updates, pairs = of.summary.get("best_step", {}).get(selection), of.summary.get("train_pairs")
    facts = {
        "task": f"{study.task}: {study.languages[0]} to {study.languages[1]}",
        "model": run.settings.model.kind,
        "parameters": f"{of.summary.get('parameters', 0):,}",
        "study": f"{study.name}, scale {study.scale}, {of_labelled(run.fraction)}, seed {run.seed}",
        "training pairs": f"{pairs:,}" if pairs else "not recorded",
        "checkpoint": f"chosen by {selection}" + (f", after {updates:,} updates" if updates else ""),
        "made by": f"seqpre {made_by.get('seqpre', '')}, commit {made_by.get('commit', 'not recorded')}",
        "trained on": str(made_by.get("device", "not recorded")),
        "settings": f"`run.json` (SHA-256 {of.settings_sha256}); what it lacks has its default",
    }
    about = Table({"what": "", "said": ""}, [{"what": what, "said": said} for what, said in facts.items()])
    parts = [
        metadata(f"{study.name}-{run.system}", study, run.settings.model.kind, scores, rows),
        f"# {label}: {sides}",
        f"This model was trained and scored by seqpre, in the study `{study.name}`.",
        "## How to use it",
        use,
        "## What it is",
        _table(about),
        "## Scores",
        _table(scored(scores)) if scores else "It was not scored.",
        "## Data and licence",
        _table(corpora(rows, ())) if rows else "",
        *([f"{OPEN} origin and licence of the text {', '.join(own)}"] if own else []),
        f"{OPEN} the licence of these weights. `license: other` stands above; compare the terms of the texts. The code "
        "of seqpre is under the MIT licence.",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def metadata(name: str, study: ReportedStudy, kind: str, scores: Sequence[dict[str, Any]], rows: Sequence[Row]) -> str:
    """Return the YAML that the Hub reads."""
    languages = [side for side in study.languages if len(side) <= 3]  # sides of monolingual pairs are no language codes
    results = [
        {
            "task": {"type": PIPELINES[study.task]},
            "dataset": {"name": study.corpus, "type": study.corpus, "split": split},
            "metrics": [
                {"type": _family(one["metric"]), "name": one["metric"], "value": round(one["score"], 2),
                 "args": {"signature": one["signature"]}}
                for one in scores
                if one["split"] == split
            ],
        }
        for split in dict.fromkeys(one["split"] for one in scores)
    ]  # fmt: skip
    said = {
        **({"language": languages} if languages else {}),
        "license": "other",
        "library_name": "seqpre",
        "pipeline_tag": PIPELINES[study.task],
        "tags": ["seqpre", kind],
        "datasets": list(dict.fromkeys((study.corpus, *(row.name for row in rows)))),
        "metrics": list(dict.fromkeys(_family(one["metric"]) for one in scores)),
        "model-index": [{"name": name, "results": results}],
    }
    return f"---\n{yaml.safe_dump(said, sort_keys=False, allow_unicode=True)}---"


def _family(metric: str) -> str:
    """Return the Hub's name of a metric: bleu, chrf, rouge."""
    return metric.partition("_")[0].rstrip("0123456789") or metric


def scored(scores: Sequence[dict[str, Any]]) -> Table:
    """Return a table of scores with their intervals and signatures."""
    rows = [
        {
            "split": one["split"], "metric": one["metric"],
            "score": number_cell(one["score"], ".1f"), "interval": f"{one['low']:.1f} to {one['high']:.1f}",
            "signature": one["signature"],
        }
        for one in scores
    ]  # fmt: skip
    columns = {"split": "split", "metric": "metric", "score": "score", "interval": "95 % interval, bootstrap",
               "signature": "signature"}  # fmt: skip
    return Table(columns, rows)


def _table(table: Table) -> str:
    """Return a table without its title."""
    return "\n".join(line for line in to_markdown(table).splitlines() if line.startswith("|"))
