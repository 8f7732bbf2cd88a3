// recto for opencode: large tool results become views; the rest of each is one recto_expand away. What `recto session prune --log-only`
// decided of older results stands in every request from then on.
// Installed by `recto hook install opencode --write`. Needs `recto` on the PATH.
import { execFile } from "node:child_process";

type Answer = { texts?: (string | null)[]; deny?: string; results?: { at: number; texts: (string | null)[] }[] };
type Part = { type: string; callID?: string; state?: { status: string; output?: unknown } };
type Message = { info: { sessionID?: string }; parts: Part[] };

const TIMEOUT_MS = 5_000;
/** Sessions that are remembered. */
const MOST_SESSIONS = 64;

/** Asks recto; undefined if it fails in any way: then everything stays as it is. */
function ask(question: object, ...flags: string[]): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: 64 << 20 };
    const child = execFile("recto", ["hook", "opencode", ...flags], options, (error, stdout) => {
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

/** What stands in the place of results, by sessions and keys of results: it stays the same where recto fails. */
const stands = new Map<string, Map<string, { from: string; text: string }>>();

/** The memory of a session; the oldest one is dropped. */
function memory(session: string) {
  const known = stands.get(session) ?? new Map<string, { from: string; text: string }>();
  stands.delete(session);
  stands.set(session, known);
  if (stands.size > MOST_SESSIONS) stands.delete(stands.keys().next().value as string);
  return known;
}

/** Puts what was decided in the place of results; the messages are opencode's own copies for one request. */
async function project(messages: Message[]): Promise<void> {
  const session = messages.find((message) => message.info?.sessionID)?.info.sessionID;
  if (!session) return;
  const seen = new Map<string, number>();
  const found: { part: Part; parts: Part[]; place: number; key: string; id: string; text: string }[] = [];
  for (const { parts } of messages) {
    parts?.forEach((part, place) => {
      if (part.type !== "tool" || part.state?.status !== "completed" || typeof part.state.output !== "string") return;
      const id = part.callID ?? "";
      const nth = seen.get(id) ?? 0;
      seen.set(id, nth + 1);
      found.push({ part, parts, place, key: `${nth} ${id}`, id, text: part.state.output });
    });
  }
  if (found.length === 0) return;
  const known = memory(session);
  const question = { session, results: found.map(({ id, text }) => ({ id, texts: [text] })) };
  // An answer that came too late is asked for again: what was decided should stand in every request.
  const answer = (await ask(question, "--context")) ?? (await ask(question, "--context"));
  for (const { at, texts } of answer?.results ?? []) {
    if (typeof texts[0] === "string") known.set(found[at].key, { from: found[at].text, text: texts[0] });
  }
  for (const { part, parts, place, key, text } of found) {
    const standing = known.get(key);
    if (standing?.from === text) parts[place] = { ...part, state: { ...part.state, output: standing.text } } as Part;
  }
}

export const Recto = async () => ({
  "experimental.chat.messages.transform": async (_input: unknown, output: { messages: Message[] }) => {
    try {
      await project(output.messages);
    } catch {
      // The request goes out as it is.
    }
  },
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
