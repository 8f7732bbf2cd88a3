#!/usr/bin/env python3
"""Draws docs/before-after.svg from a real run: `python3 docs/picture.py target/release/recto`.

Left the source as a model would have got it, right the view that recto makes of it. Every line is what the programs print; lines
too long for the picture end in an ellipsis, and what the left side leaves out is counted at its foot.
"""

import html
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "examples" / "pytest.log"
BUDGET = 600
COLUMNS, ROWS = 88, 44
CHAR, LINE, PAD = 7.2, 15, 14


def view(recto: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        command = [recto, "compress", str(SOURCE), "--max-tokens", str(BUDGET), "--count", "--format", "json"]
        command += ["--store", f"{folder}/recto.db"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def pane(x: float, title: str, lines: list[str], foot: str) -> str:
    width = COLUMNS * CHAR + 2 * PAD
    out = [f'<g transform="translate({x},0)">']
    out.append(f'<rect width="{width}" height="{(ROWS + 4) * LINE}" rx="8" fill="#1b1f24"/>')
    out.append(f'<text x="{PAD}" y="{1.6 * LINE}" fill="#8b949e">{html.escape(title)}</text>')
    for row, line in enumerate(lines[:ROWS]):
        text = line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "\u2026"
        colour = "#d0d7de"
        if line.startswith("[\u2026"):
            colour = "#58a6ff"
        elif "FAILED" in line or line.startswith(("E  ", ">  ")):
            colour = "#ff7b72"
        out.append(f'<text x="{PAD}" y="{(row + 3) * LINE}" fill="{colour}" xml:space="preserve">{html.escape(text)}</text>')
    out.append(f'<text x="{PAD}" y="{(ROWS + 3.4) * LINE}" fill="#8b949e">{html.escape(foot)}</text></g>')
    return "\n".join(out)


def main() -> None:
    result = view(sys.argv[1])
    before = SOURCE.read_text().splitlines()
    after = result["rendered"].splitlines()
    tokens = result["tokens"]
    width = COLUMNS * CHAR + 2 * PAD
    total = 2 * width + PAD
    left = pane(0, "$ pytest -v", before, f"... and {len(before) - ROWS} more lines: {tokens['original']:,} tokens in all")
    more = f" (the first {ROWS} lines)" if len(after) > ROWS else ""
    right = pane(
        width + PAD, f"$ recto compress examples/pytest.log --max-tokens {BUDGET}", after, f"{tokens['rendered']:,} tokens, all bytes kept{more}"
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {(ROWS + 4) * LINE}" font-family="monospace" font-size="12">'
        f"<title>A test log before and after recto</title>\n{left}\n{right}\n</svg>\n"
    )
    (ROOT / "docs" / "before-after.svg").write_text(svg)


if __name__ == "__main__":
    main()
