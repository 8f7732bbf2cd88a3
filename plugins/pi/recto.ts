// recto for Pi: large tool results become views; the rest of each is one recto_expand away. Before Pi compacts, old results are made
// smaller first, in its requests only: the session's file stays as it is.
// Installed by `recto hook install pi --write`, or tried with `pi -e recto.ts`. Needs `recto` on the PATH.
import { execFile, execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { basename, dirname } from "node:path";

type Answer = { texts?: (string | null)[]; deny?: string };
type Tool = { name: string; description: string; inputSchema: Record<string, unknown> };

/** A result in a request: the id of its call, which of that id it is, the places of its texts among its blocks, and the texts. */
type Result = { message: Message; key: string; id: string; nth: number; places: number[]; texts: string[] };
/** What stands in the place of texts: `null` for one that stands, an empty one for a block that goes. */
type Standing = { from: string[]; texts: (string | null)[] };
/** What is known of a session. */
type Session = {
  file: string;
  /** Nothing was decided in it: nobody needs to be asked. */
  isUndecided: boolean;
  /** Texts that were asked about since something was decided, by keys of results. */
  asked: Map<string, string[]>;
  /** What stands, by keys of results: it stays the same where recto fails. */
  stands: Map<string, Standing>;
  /** What stood in the last request. */
  sent: Map<string, Standing>;
  /** Whether Pi itself may be about to compact, not the person. */
  mayBeAutomatic: boolean;
  /** Where compaction was cancelled last, and how often. */
  cancelled: { leaf: string; times: number };
};
// biome-ignore lint/suspicious/noExplicitAny: Pi's types are not needed to run, and an extension is one file.
type Message = any;

const TIMEOUT_MS = 5_000;
/** How long a session may take to be pruned: Pi waits for it before it compacts. */
const PRUNE_TIMEOUT_MS = 60_000;
/** Pi need not compact if no more than this share is left of what made it begin. */
const SAFE_SHARE = 0.6;
/** Cancels at one place of a session: when the agent ends, and again before the next prompt, as no request was sent between. */
const MOST_CANCELS = 2;
/** Pi's own estimate. It is low for logs and JSON, so that what is saved is not said to be more than it is. */
const CHARS_PER_TOKEN = 4;

/** Runs recto with `input` on its stdin; undefined if it fails in any way: then everything stays as it is. */
function recto(args: string[], input: string, signal?: AbortSignal, timeout = TIMEOUT_MS): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout, maxBuffer: 64 << 20, signal };
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

/** The results among messages. */
function results(messages: Message[]): Result[] {
  const seen = new Map<string, number>();
  const found: Result[] = [];
  for (const message of messages) {
    if (message?.role !== "toolResult" || !Array.isArray(message.content)) continue;
    const nth = seen.get(message.toolCallId) ?? 0;
    seen.set(message.toolCallId, nth + 1);
    const places: number[] = [];
    message.content.forEach((block: { type: string }, index: number) => block.type === "text" && places.push(index));
    const texts = places.map((index) => message.content[index].text as string);
    found.push({ message, key: `${nth} ${message.toolCallId}`, id: message.toolCallId, nth, places, texts });
  }
  return found;
}

const isOf = (texts: string[], result: Result) =>
  texts.length === result.texts.length && texts.every((text, at) => text === result.texts[at]);

/** What stands for a result, if anything was put in its place. */
function standing(result: Result, of: Map<string, Standing>): Standing | undefined {
  const known = of.get(result.key);
  return known && isOf(known.from, result) ? known : undefined;
}

/** Characters of a result as it stands. */
function length(result: Result, of: Map<string, Standing>): number {
  const known = standing(result, of);
  return result.texts.reduce((sum, text, at) => sum + (known?.texts[at] ?? text).length, 0);
}

/** A copy of a result's message as it stands; itself if nothing was put in its place. */
function shown(result: Result, of: Map<string, Standing>): Message {
  const known = standing(result, of);
  if (!known) return result.message;
  const content = [...result.message.content];
  known.texts.forEach((text, at) => {
    const place = result.places[at];
    if (typeof text === "string") content[place] = text === "" ? undefined : { ...content[place], text };
  });
  return { ...result.message, content: content.filter((block) => block !== undefined) };
}

/** Asks what was decided of results that were not asked about, and remembers it. */
async function look(session: Session, all: Result[], signal?: AbortSignal): Promise<void> {
  if (session.isUndecided) return;
  const isAsked = (result: Result) => {
    const texts = session.asked.get(result.key);
    return texts !== undefined && isOf(texts, result);
  };
  const found = all.filter((result) => !isAsked(result));
  if (found.length === 0) return;
  const question = JSON.stringify({ session: session.file, results: found.map(({ id, nth, texts }) => ({ id, nth, texts })) });
  const once = () => recto(["hook", "pi", "--context"], question, signal);
  // An answer that came too late is asked for again: what was decided should stand in every request.
  const answer = (await once()) || (await once());
  if (!answer) return;
  try {
    const { results, decided } = JSON.parse(answer) as { results: { at: number; texts: (string | null)[] }[]; decided: number };
    for (const { at, texts } of results) session.stands.set(found[at].key, { from: found[at].texts, texts });
    for (const { key, texts } of found) session.asked.set(key, texts);
    session.isUndecided = decided === 0 && session.stands.size === 0;
  } catch {
    // What is remembered stands.
  }
}

/** Entries of a session that Pi shows the model: those since its last compaction, and those that this one kept. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
function current(entries: any[]): Message[] {
  const last = entries.findLastIndex((entry) => entry.type === "compaction");
  const kept = last < 0 ? 0 : entries.findIndex((entry) => entry.id === entries[last].firstKeptEntryId);
  return entries.slice(kept < 0 ? last + 1 : kept).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
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

  let known: Session | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const knownOf = (ctx: any): Session | undefined => {
    const file = session(ctx);
    if (!file) return undefined;
    if (known?.file !== file) {
      known = { file, isUndecided: false, asked: new Map(), stands: new Map(), sent: new Map(), mayBeAutomatic: false, cancelled: { leaf: "", times: 0 } };
    }
    return known;
  };

  // Decides what of a session's old results is to stand, once and for all requests to come.
  const prune = async (own: Session, leaf?: string, signal?: AbortSignal): Promise<string | undefined> => {
    const args = ["session", "prune", own.file, "--log-only", "--recall", "tool", ...(leaf ? ["--leaf", leaf] : [])];
    const report = await recto(args, "", signal, PRUNE_TIMEOUT_MS);
    if (report !== undefined) {
      own.isUndecided = false;
      own.asked.clear();
    }
    return report;
  };

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  pi.on("context", async (event: any, ctx: any) => {
    const own = knownOf(ctx);
    if (!own) return undefined;
    const found = results(event.messages);
    await look(own, found, ctx?.signal);
    own.sent = new Map(own.stands);
    if (own.stands.size === 0) return undefined;
    const copies = new Map(found.map((result) => [result.message, shown(result, own.stands)]));
    return { messages: event.messages.map((message: Message) => copies.get(message) ?? message) };
  });

  // Pi looks whether it is to compact after these; what comes at another time was asked for by the person.
  for (const moment of ["agent_end", "input"]) {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    pi.on(moment, async (_event: any, ctx: any) => {
      const own = knownOf(ctx);
      if (own) own.mayBeAutomatic = true;
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  pi.on("session_before_compact", async (event: any, ctx: any) => {
    const own = knownOf(ctx);
    if (!own) return undefined;
    const { preparation, branchEntries } = event;
    // In a run without a terminal Pi may end while this is at work: then its context is no longer to be had.
    const ui = ctx.ui;
    const last = branchEntries[branchEntries.length - 1];
    const most = (ctx.model?.contextWindow ?? 0) - preparation.settings.reserveTokens;
    // After an error Pi would not go on by itself if it were stopped here.
    const isError = last?.type === "message" && last.message.role === "assistant" && last.message.stopReason === "error";
    const isAutomatic = own.mayBeAutomatic && preparation.tokensBefore > most && !isError;
    own.mayBeAutomatic = false;

    await prune(own, last?.id, event.signal);
    const found = results(current(branchEntries));
    await look(own, found, event.signal);
    const saved = found.reduce((sum, result) => sum + length(result, own.sent) - length(result, own.stands), 0);
    const left = preparation.tokensBefore - Math.floor(saved / CHARS_PER_TOKEN);
    const isEnough = left <= SAFE_SHARE * Math.min(preparation.tokensBefore, most);
    const times = own.cancelled.leaf === last?.id ? own.cancelled.times : 0;
    // Once a request was sent, what it was spared counts no more: each cancel needs results that became smaller since.
    if (isAutomatic && isEnough && times < MOST_CANCELS) {
      own.cancelled = { leaf: last?.id, times: times + 1 };
      const words = `recto: old tool results take about ${Math.floor(saved / CHARS_PER_TOKEN)} tokens less from now on; nothing was compacted`;
      ui?.notify?.(words, "info");
      return { cancel: true };
    }
    // The summary is made of what the model reads.
    const copies = new Map(found.map((result) => [result.message, shown(result, own.stands)]));
    for (const list of [preparation.messagesToSummarize, preparation.turnPrefixMessages]) {
      list?.forEach((message: Message, at: number) => {
        list[at] = copies.get(message) ?? message;
      });
    }
    return undefined;
  });

  pi.registerCommand("recto", {
    description: "What recto has saved; /recto prune: make old tool results smaller in the requests to come",
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    handler: async (args: string, ctx: any) => {
      const own = knownOf(ctx);
      if (args.trim() === "prune" && own) {
        const report = await prune(own, ctx.sessionManager.getLeafId() ?? undefined);
        ctx.ui.notify(report ?? "recto session prune failed: the session stays as it is", "info");
        return;
      }
      ctx.ui.notify((await recto(["stats"], "")) ?? "recto stats could not be run", "info");
    },
  });
}
