import { createInterface } from "node:readline";
import { CaretError, type EventEnvelope, type MessageView, type NativeClient } from "@caret/protocol";
import { type ExitCode, exitCodes, type Host } from "../host.ts";
import { hostLook } from "../terminal/look.ts";
import { cleanLine, cleanText } from "../terminal/text-cleaner.ts";
import type { AgentOptions, AgentWork } from "./agent-work.ts";
import { followAsks } from "./followed-asks.ts";
import { followMessagesToHuman } from "./messages-to-human.ts";
import { printLines, toPlainJson, write } from "./print.ts";
import { createTerminalAsks } from "./terminal-asks.ts";
import { createRenderedWriter, type TurnWriter } from "./turn-writer.ts";

interface AttachOptions extends AgentOptions {
  readonly all?: boolean;
}

/** How far back the beginning of the newest turn is looked for. */
const LOOK_BACK = 1_000;

/** Watch an agent until Ctrl-C, which leaves it at work. What is typed answers what it asks, reaches its turn, or waits in its queue. */
export async function attachAgent(
  { host, client, json }: AgentWork,
  name: string,
  { all }: AttachOptions,
): Promise<ExitCode> {
  const { sessionId, lastSeq } = await client.getAgent(name);
  const after = all === true ? 0 : await beforeNewestTurn(client, sessionId, lastSeq);
  const leaving = new AbortController();
  const release = host.onSignal(() => leaving.abort());
  const shown = json ? jsonLines(host) : transcript(host, sessionId);
  const complain = (reason: unknown): void => void shown.note(CaretError.from(reason).message);
  const asks = followAsks(client, sessionId, complain);
  const terminal = createTerminalAsks(host, asks, shown);
  const messages = followMessagesToHuman(
    client,
    name,
    sessionId,
    (message) => void shown.ask(messageLines(host, message)),
  );
  const lines = createInterface({ input: host.stdin, terminal: false });
  lines.on("line", (line) => {
    if (!json && terminal.take(line)) return;
    const said = messages.take(line) ?? (line.trim() === "" ? undefined : say(client, name, sessionId, line));
    void said?.then(shown.note, complain);
  });
  try {
    if (!json) await write(host.stderr, `caret: attached to ${name}; type to talk to it, Ctrl-C leaves it at work\n`);
    const listening = json ? undefined : messages.follow(leaving.signal).catch(complain);
    for await (const batch of client.followEvents(sessionId, { after, signal: leaving.signal })) {
      await shown.take(batch);
      asks.note(batch);
    }
    await listening;
  } finally {
    release();
    terminal.stop();
    lines.close();
    await shown.close();
  }
  return exitCodes.completed;
}

/** What the agent says to a person, who types the answer below it. */
function messageLines(host: Host, { from, text }: MessageView): readonly string[] {
  const { style, glyphs } = hostLook(host);
  return [
    `${style.yellow(glyphs.question)} ${style.bold(`${from} asks you:`)}`,
    ...cleanText(text)
      .split("\n")
      .map((line) => `  ${line}`),
    "  Type the answer, or nothing to put it aside; then Enter",
  ];
}

/** Resolves with what became of the words. */
async function say(client: NativeClient, name: string, sessionId: string, text: string): Promise<string> {
  const { status } = await client.getSession(sessionId);
  if (status.kind === "running" || status.kind === "waiting") {
    const isTaken = await client.steerTurn(sessionId, status.turnId, text).then(
      () => true,
      (reason: unknown) => isRefusal(reason),
    );
    if (isTaken) return "It hears this while it works.";
  }
  await client.sendMessage(name, { text });
  return status.kind === "running" || status.kind === "waiting"
    ? "This turn cannot be steered: your words wait in its queue."
    : "Your words are in its queue.";
}

/** The turn cannot be steered, or is over: the words go to the queue. */
function isRefusal(reason: unknown): false {
  if (CaretError.is(reason) && (reason.code === "unsupported" || reason.code === "not-found")) return false;
  throw reason;
}

interface Shown extends Pick<TurnWriter, "ask" | "answered"> {
  take(batch: readonly EventEnvelope[]): Promise<void>;
  note(text: string): Promise<unknown>;
  close(): Promise<void>;
}

function jsonLines(host: Host): Shown {
  return {
    take: async (batch) =>
      void (await printLines(
        host,
        batch.map((envelope) => toPlainJson(envelope)),
      )),
    note: (text) => write(host.stderr, `caret: ${cleanLine(text)}\n`),
    // A program reads the output: what is asked is among the events.
    ask: async () => undefined,
    answered: async () => undefined,
    close: async () => undefined,
  };
}

/** One turn after the other, as `caret run` shows them. */
function transcript(host: Host, sessionId: string): Shown {
  const { style } = hostLook(host);
  let writer: ReturnType<typeof createRenderedWriter> | undefined;
  const end = async (): Promise<void> => {
    await writer?.finish();
    writer = undefined;
  };
  return {
    async take(batch) {
      for (const { event } of batch) {
        if (event.type === "turn-start") {
          await end();
          const prompt = cleanText(event.prompt ?? "")
            .trim()
            .split("\n");
          await printLines(host, ["", ...prompt.map((line) => `${style.cyan(">")} ${style.bold(line)}`)]);
          writer = createRenderedWriter(host);
          await writer.begin(sessionId, []);
        }
        await writer?.take([event]);
        if (event.type === "turn-end") await end();
      }
    },
    note: (text) => write(host.stderr, `caret: ${cleanLine(text)}\n`),
    async ask(asked) {
      if (writer === undefined) await printLines(host, asked);
      else await writer.ask(asked);
    },
    answered: async () => await writer?.answered(),
    close: end,
  };
}

async function beforeNewestTurn(client: NativeClient, sessionId: string, lastSeq: number): Promise<number> {
  if (lastSeq === 0) return 0;
  const { events } = await client.readLog(sessionId, { before: lastSeq + 1, limit: LOOK_BACK });
  const start = events.findLast(({ event }) => event.type === "turn-start");
  return start === undefined ? lastSeq : start.seq - 1;
}
