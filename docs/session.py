#!/usr/bin/env python3
"""Draws docs/session.svg from two real runs of Claude Code: `python3 docs/session.py RECTO UPSTREAM CLAUDE`.

RECTO is the binary (`target/release/recto`), UPSTREAM the scripted model that answers in the place of a provider
(`cargo build -p recto-testkit --features upstream --example upstream`), CLAUDE the program of `@anthropic-ai/claude-code`. The
prompt, the calls and the answer are scripted; every line of a result is what the client sent to its model: left by itself,
right with `plugins/claude-code`. Lines too long for the picture end in an ellipsis.
"""

import html
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "examples" / "pytest.log"
PROMPT = "Which tests failed, and which were skipped?"
COMMAND = "cat pytest.log"
PATTERN = " SKIPPED "
# A build for development, on a busy machine, takes longer than a hook may.
CONFIGURATION = '[hook]\ndeadline = "20s"\n'
COLUMNS, ROWS = 88, 46
VIEW_ROWS, VIEW_END, SEARCH_ROWS = 24, 4, 7
CHAR, LINE, PAD = 7.2, 15, 14
GREY, PLAIN, BLUE, RED, GREEN = "#8b949e", "#d0d7de", "#58a6ff", "#ff7b72", "#7ee787"


def recto(program: str, home: str, arguments: list[str], text: str) -> str:
    run = subprocess.run([program, *arguments], input=text, text=True, capture_output=True, check=True, env=environment(program, home))
    return run.stdout


def environment(program: str, home: str) -> dict:
    return {"HOME": home, "PATH": f"{Path(program).resolve().parent}:{os.environ['PATH']}", "LANG": "C.UTF-8"}


def search(program: str, home: str) -> tuple[str, str]:
    """The ref that the source has, and the lines that the search will find."""
    os.makedirs(f"{home}/.config/recto")
    Path(f"{home}/.config/recto/config.toml").write_text(CONFIGURATION)
    output = {"stdout": SOURCE.read_text(), "stderr": "", "interrupted": False}
    event = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": COMMAND}, "tool_response": output}
    view = recto(program, home, ["hook", "claude", "--recall", "tool"], json.dumps(event))
    ref = "r:" + view.split("recto_expand r:")[1].split("#")[0]
    call = json.dumps({"ref": ref, "pattern": PATTERN})
    found = json.loads(recto(program, home, ["mcp-tools", "--call", "recto_search"], call))
    return ref, found["content"][0]["text"]


def session(programs: tuple[str, str, str], folder: str, script: list[dict], arguments: list[str]) -> dict:
    """The last request that the client sent."""
    program, upstream, claude = programs
    home, work = f"{folder}/home", f"{folder}/work"
    os.makedirs(f"{home}/.config/recto")
    os.makedirs(work)
    Path(f"{home}/.config/recto/config.toml").write_text(CONFIGURATION)
    Path(f"{work}/pytest.log").write_bytes(SOURCE.read_bytes())
    Path(f"{folder}/script.json").write_text(json.dumps(script))
    model = subprocess.Popen([upstream, f"{folder}/script.json", f"{folder}/log"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    variables = environment(program, home) | {
        "ANTHROPIC_BASE_URL": model.stdout.readline().strip(),
        "ANTHROPIC_API_KEY": "sk-test-dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }
    command = [claude, "-p", PROMPT, "--dangerously-skip-permissions", "--output-format", "json", *arguments]
    done = subprocess.run(command, cwd=work, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=120)
    assert not json.loads(done.stdout)["is_error"], done.stdout
    model.communicate("")
    requests = [json.loads(line) for line in Path(f"{folder}/log/requests.jsonl").read_text().splitlines()]
    assert not any(request["complaints"] for request in requests), requests
    return json.loads(Path(f"{folder}/log/{requests[-1]['number']:04}.json").read_bytes())


def results(request: dict) -> list[str]:
    found = []
    for message in request["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block["type"] == "tool_result":
                content = block["content"]
                found.append(content if isinstance(content, str) else content[0]["text"])
    return found


def tokens(program: str, home: str, text: str) -> int:
    counted = recto(program, home, ["compress", "--max-tokens", "1000000", "--count", "--no-store", "--format", "json"], text)
    return json.loads(counted)["tokens"]["original"]


def shown(lines: list[str], most: int, what: str, end: int = 0) -> list[tuple[str, str]]:
    """The first lines of a text and the last ones, each with its colour."""
    left_out = len(lines) - most - end
    if left_out > 0:
        more = (f"  ({left_out} more lines of the {what})", GREY)
        return coloured(lines[:most]) + [more] + coloured(lines[len(lines) - end :])
    return coloured(lines)


def coloured(lines: list[str]) -> list[tuple[str, str]]:
    out = []
    for line in lines:
        colour = PLAIN
        if line.startswith("[\u2026"):
            colour = BLUE
        elif " FAILED" in line or line.startswith(("FAILED", "E  ", ">  ")):
            colour = RED
        out.append((f"  {line}", colour))
    return out


def pane(x: float, title: str, lines: list[tuple[str, str]], foot: str) -> str:
    out = [f'<g transform="translate({x},0)">']
    out.append(f'<rect width="{COLUMNS * CHAR + 2 * PAD}" height="{(ROWS + 4) * LINE}" rx="8" fill="#1b1f24"/>')
    out.append(f'<text x="{PAD}" y="{1.6 * LINE}" fill="{GREY}">{html.escape(title)}</text>')
    for row, (line, colour) in enumerate(lines[:ROWS]):
        line = line.expandtabs(4)
        text = line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "\u2026"
        out.append(f'<text x="{PAD}" y="{(row + 3) * LINE}" fill="{colour}" xml:space="preserve">{html.escape(text)}</text>')
    out.append(f'<text x="{PAD}" y="{(ROWS + 3.4) * LINE}" fill="{GREY}">{html.escape(foot)}</text></g>')
    return "\n".join(out)


def failed(text: str) -> int:
    """How many failed tests a text names."""
    lines = (line.split() for line in text.splitlines() if "::" in line and "FAILED" in line)
    return len({word for line in lines for word in line if "::" in word})


def main() -> None:
    programs = tuple(str(Path(path).absolute()) for path in sys.argv[1:4])
    program = programs[0]
    with tempfile.TemporaryDirectory() as folder:
        ref, found = search(program, folder)
        skipped = len(found.splitlines())
        source = SOURCE.read_text()
        answer = f"{failed(source)} tests failed, {skipped} were skipped: ..."
        run = {"say": "I look at the log.", "call": {"name": "Bash", "input": {"command": COMMAND, "description": "Shows the log"}}}
        look = {"call": {"name": "mcp__plugin_recto_recto__recto_search", "input": {"ref": ref, "pattern": PATTERN}}}
        plugin = ["--plugin-dir", str(ROOT / "plugins" / "claude-code")]
        without = results(session(programs, f"{folder}/without", [run, {"say": "..."}], []))
        with_recto = results(session(programs, f"{folder}/with", [run, look, {"say": answer}], plugin))
        assert f"recto_expand {ref}#1" in with_recto[0] and with_recto[1].strip() == found.strip(), with_recto[1]
        # The name of the client's file is another one each time.
        without[0] = re.sub(r"saved to: \S+", "saved to: ~/.claude/projects/\u2026", without[0])
        counts = [tokens(program, folder, text) for text in (source, without[0], with_recto[0])]

    begin = [(f"> {PROMPT}", GREEN), ("", PLAIN), (f"Bash({COMMAND})", BLUE)]
    left = begin + shown(without[0].splitlines(), ROWS - 4, "result")
    right = begin + shown(with_recto[0].splitlines(), VIEW_ROWS, "view", VIEW_END)
    right += [("", PLAIN), (f'recto_search(ref: "{ref}", pattern: "{PATTERN}")', BLUE)]
    right += shown(found.splitlines(), SEARCH_ROWS, "answer")
    right += [("", PLAIN), (answer, GREEN)]
    assert len(right) <= ROWS, len(right)
    width = COLUMNS * CHAR + 2 * PAD
    foot = f"the model reads {{:,}} of {counts[0]:,} tokens: {{}} of {failed(source)} failed tests are named"
    panes = [
        pane(0, "Claude Code", left, foot.format(counts[1], failed(without[0]))),
        pane(width + PAD, "Claude Code with recto (what the model says and calls is scripted)", right, foot.format(counts[2], failed(with_recto[0]))),
    ]
    body = "\n".join(panes)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * width + PAD} {(ROWS + 4) * LINE}" font-family="monospace" font-size="12">'
        f"<title>What a model reads in Claude Code, without recto and with it</title>\n{body}\n</svg>\n"
    )
    (ROOT / "docs" / "session.svg").write_text(svg)


if __name__ == "__main__":
    main()
