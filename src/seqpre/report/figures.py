"""Draw every figure of a study, with the published numbers, as pdf and png.

    python -m seqpre.report.figures results/small/ramachandran-translation

Draws the figures of the study (`study/displays.py`). What has not been run is left out or marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.errors import command
from seqpre.report.style import save, styled
from seqpre.report.tables import made, read_arguments


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read what the runs left, draw, say where the figures are."""
    parser = parser_of(__doc__)
    parser.add_argument("--output-dir", type=Path, help="default: figures/ in the study's folder")
    args, results = read_arguments(parser, argv)
    folder = args.output_dir or args.study_dir / "figures"
    folder.mkdir(parents=True, exist_ok=True)  # The workflow expects it, even if it is empty.
    for display in results.figures:
        with styled():
            save(made(display, results), folder, display.name)
    names = [display.name for display in results.figures]
    print(f"{len(names)} figures in {folder}: {', '.join(names)} (.pdf, .png)")


if __name__ == "__main__":
    main()
