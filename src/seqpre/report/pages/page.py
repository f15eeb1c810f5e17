"""Put a page's markup, style, program and data into one HTML file that needs nothing else, not even a network.

A page `name` is made of `name.html` (what is inside `<body>`), `name.css` and `name.js` in the folder of a package, on
top of the common `shell.html` and `base.css` here. Its data reach the program as JSON in `<script id="data">`.
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
    """Return the page; `body` is its markup where that is made from data, too; `package` has its files.

    Its security policy allows its own style, program and pictures only, and no request to anywhere.
    """
    style, script = template("base.css") + template(f"{name}.css", package), template(f"{name}.js", package)
    # `<` could end the element that holds the JSON.
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
    """Return a text as pages show it: where its sentences are marked, each is a line."""
    return "\n".join(sentences_of(text))


def template(file: str, package: str = HERE) -> str:
    """Return the text of a file in the folder of a package, this one's if none is named."""
    return files(package).joinpath(file).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
