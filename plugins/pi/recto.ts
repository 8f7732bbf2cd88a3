// recto for Pi: large tool results become views; the rest of each is one recto_expand away.
// Installed by `recto hook install pi --write`, or tried with `pi -e recto.ts`. Needs `recto` on the PATH.
import { execFile, execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { basename, dirname } from "node:path";

type Answer = { texts?: (string | null)[]; deny?: string };
type Tool = { name: string; description: string; inputSchema: Record<string, unknown> };

const TIMEOUT_MS = 5_000;

/** Runs recto with `input` on its stdin; undefined if it fails in any way: then everything stays as it is. */
function recto(args: string[], input: string, signal?: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: 64 << 20, signal };
    const child = execFile("recto", args, options, (error, stdout) => resolve(error ? undefined : stdout));
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

async function ask(question: object, signal?: AbortSignal): Promise<Answer | undefined> {
  const answer = await recto(["hook", "pi", "--recall", "tool"], JSON.stringify(question), signal);
  if (!answer) return undefined;
  try {
    return JSON.parse(answer) as Answer;
  } catch {
    return undefined;
  }
}

/** recto's tools, as its own server defines them; none where recto is not there. */
function tools(): Tool[] {
  try {
    const listed = execFileSync("recto", ["mcp-tools", "--list"], { timeout: TIMEOUT_MS, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return (JSON.parse(listed) as { tools: Tool[] }).tools;
  } catch {
    return [];
  }
}

/** How a shell command ended, where it failed: the last line of what Pi makes of it. */
const STATUS = /\n\n(Command (?:exited with code \d+|aborted|timed out after \S+ seconds))$/;
/** What Pi says above that where it has cut the output. */
const CUT = /\n\n\[Showing [^\n]* Full output: ([^\n]+)\]$/;

/** Takes apart the text of a failed command: its details do not reach an extension. */
function failed(text: string): { output: string; status: string; path?: string } {
  const status = text.match(STATUS)?.[0] ?? "";
  const output = text.slice(0, text.length - status.length);
  const path = output.match(CUT)?.[1];
  // Output may look like that line: only a file that Pi writes is read.
  const isOwn = path && dirname(path) === tmpdir() && /^pi-bash-\w+\.log$/.test(basename(path));
  return { output, status, path: isOwn ? path : undefined };
}

// biome-ignore lint/suspicious/noExplicitAny: Pi's types are not needed to run, and an extension is one file.
export default function (pi: any) {
  const offered = tools();
  for (const tool of offered) {
    pi.registerTool({
      name: tool.name,
      label: tool.name,
      description: tool.description,
      parameters: tool.inputSchema,
      async execute(_id: string, input: unknown, signal?: AbortSignal) {
        const answer = await recto(["mcp-tools", "--call", tool.name], JSON.stringify(input), signal);
        if (answer === undefined) throw new Error(`${tool.name} could not be run: is recto on the PATH?`);
        const { content, isError } = JSON.parse(answer);
        // Pi takes a thrown error for a result that failed.
        if (isError) throw new Error(content.map((block: { text: string }) => block.text).join("\n"));
        return { content, details: {} };
      },
    });
  }
  // Without its tools a view could not be opened.
  if (offered.length === 0) return;

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const session = (ctx: any): string => ctx?.sessionManager?.getSessionFile?.() ?? "";

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  pi.on("tool_result", async (event: any, ctx: any) => {
    const texts: number[] = [];
    event.content?.forEach((block: { type: string }, index: number) => block.type === "text" && texts.push(index));
    if (texts.length === 0) return undefined;
    // How a command ended is no part of its output, and stays below the view.
    const failure = event.isError && event.toolName === "bash" && texts.length === 1 ? failed(event.content[texts[0]].text) : undefined;
    const path = event.details?.fullOutputPath ?? failure?.path;
    const answer = await ask(
      {
        tool: event.toolName,
        input: event.input,
        texts: failure ? [failure.output] : texts.map((index) => event.content[index].text),
        persisted: path ? { path, text: 0 } : undefined,
        session: session(ctx),
      },
      ctx?.signal,
    );
    if (!answer?.texts?.some((text) => typeof text === "string")) return undefined;
    const content = [...event.content];
    answer.texts.forEach((text, at) => {
      if (typeof text === "string") content[texts[at]] = { ...content[texts[at]], text: text + (failure?.status ?? "") };
    });
    return { content };
  });

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  pi.on("tool_call", async (event: any, ctx: any) => {
    if (!JSON.stringify(event.input ?? {}).match(/\u2026|\\u2026|\[recto: /)) return undefined;
    const answer = await ask({ tool: event.toolName, input: event.input, session: session(ctx) }, ctx?.signal);
    return answer?.deny ? { block: true, reason: answer.deny } : undefined;
  });

  pi.registerCommand("recto", {
    description: "What recto has saved: recto stats",
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    handler: async (_args: string, ctx: any) => {
      ctx.ui.notify((await recto(["stats"], "")) ?? "recto stats could not be run", "info");
    },
  });
}
