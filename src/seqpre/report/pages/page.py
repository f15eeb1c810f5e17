"""Combine a page's markup, style, program and data into one self-contained HTML file.

A page `name` is made of `name.html` (the content of `<body>`), `name.css` and `name.js` in a package's folder, with the
common `shell.html` and `base.css` here. The program reads its data as JSON from `<script id="data">`.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from string import Template
from typing import Any

from seqpre.corpora.sentences import sentences_of

HERE = "seqpre.report.pages"


def self_contained(name: str, title: str, data: Any, body: str | None = None, package: str = HERE) -> str:
    """Return the page; `body` is its markup if that is generated; `package` has its files.

    Its security policy allows only its own style, program and pictures, and no network requests.
    """
    style, script = template("base.css") + template(f"{name}.css", package), template(f"{name}.js", package)
    # `<` could end the element with the JSON.
    content = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return Template(template("shell.html")).substitute(
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'",
        title=html.escape(title),
        style=style,
        body=template(f"{name}.html", package) if body is None else body,
        data=content,
        script=script,
    )


def in_lines(text: str) -> str:
    """Return a text as pages show it, with one sentence a line where sentences are marked."""
    return "\n".join(sentences_of(text))


def template(file: str, package: str = HERE) -> str:
    """Return the text of a file in a package's folder; default: this package."""
    return files(package).joinpath(file).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
