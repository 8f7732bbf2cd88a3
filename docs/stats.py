#!/usr/bin/env python3
"""Draws docs/stats.svg: `python3 docs/stats.py target/release/recto SESSION.jsonl...`.

Plays every tool result of real sessions of Claude Code through the hook, in a home of its own, as the client would have; then draws
what `recto stats` prints.
"""

import html
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHAR, LINE, PAD = 7.2, 16, 16


def events(session: Path):
    """The events of a session's results, in order."""
    calls = {}
    for line in session.read_text(errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        message = entry.get("message") if isinstance(entry, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_use":
                calls[block.get("id")] = block
            call = calls.get(block.get("tool_use_id"))
            if block.get("type") == "tool_result" and call:
                output = entry.get("toolUseResult")
                # What failed raises another event.
                if output is not None and not isinstance(output, str):
                    yield {
                        "session_id": session.stem,
                        "hook_event_name": "PostToolUse",
                        "tool_name": call.get("name"),
                        "tool_input": call.get("input"),
                        "tool_response": output,
                    }


def main() -> None:
    recto = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"]}
        for session in map(Path, sys.argv[2:]):
            for event in events(session):
                subprocess.run([recto, "hook", "claude"], input=json.dumps(event).encode(), env=environment, check=True, capture_output=True)
        shown = subprocess.run([recto, "stats"], env=environment, check=True, capture_output=True).stdout.decode()
    lines = ["$ recto stats"] + shown.splitlines()
    width = max(map(len, lines)) * CHAR + 2 * PAD
    height = (len(lines) + 1) * LINE + PAD
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-family="monospace" font-size="12">']
    out.append(f'<title>What recto stats prints</title>\n<rect width="{width:.0f}" height="{height}" rx="8" fill="#1b1f24"/>')
    for row, line in enumerate(lines):
        colour = "#8b949e" if row == 0 else "#58a6ff" if row == 1 else "#d0d7de"
        out.append(f'<text x="{PAD}" y="{(row + 1.5) * LINE}" fill="{colour}" xml:space="preserve">{html.escape(line)}</text>')
    out.append("</svg>\n")
    (ROOT / "docs" / "stats.svg").write_text("\n".join(out))
    print(shown)


if __name__ == "__main__":
    main()
