// recto for opencode: large tool results become views; the rest of each is one recto_expand away.
// Installed by `recto hook install opencode --write`. Needs `recto` on the PATH.
import { execFile } from "node:child_process";

type Answer = { texts?: (string | null)[]; deny?: string };

const TIMEOUT_MS = 5_000;

/** Asks recto; undefined if it fails in any way: then everything stays as it is. */
function ask(question: object): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: 64 << 20 };
    const child = execFile("recto", ["hook", "opencode"], options, (error, stdout) => {
      if (error || !stdout) return resolve(undefined);
      try {
        resolve(JSON.parse(stdout) as Answer);
      } catch {
        resolve(undefined);
      }
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(JSON.stringify(question));
  });
}

export const Recto = async () => ({
  "tool.execute.before": async (
    input: { tool: string; sessionID: string },
    output: { args: unknown },
  ) => {
    if (!JSON.stringify(output.args ?? {}).match(/\u2026|\\u2026|\[recto: /)) return;
    const answer = await ask({ tool: input.tool, input: output.args, session: input.sessionID });
    if (answer?.deny) throw new Error(answer.deny);
  },
  "tool.execute.after": async (
    input: { tool: string; sessionID: string; args?: unknown },
    output: { title: string; output: string; metadata: Record<string, unknown> },
  ) => {
    if (typeof output.output !== "string") return;
    const path = output.metadata?.outputPath;
    const answer = await ask({
      tool: input.tool,
      input: input.args,
      texts: [output.output],
      persisted: typeof path === "string" ? { path, text: 0 } : undefined,
      session: input.sessionID,
    });
    const view = answer?.texts?.[0];
    if (typeof view === "string") output.output = view;
  },
});
