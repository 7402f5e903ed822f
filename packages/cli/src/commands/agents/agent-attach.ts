import { CaretError, type NativeClient } from "@caret/protocol";
import { surfaceOf } from "../../asks/ask-surface.ts";
import { createTerminalAsks } from "../../asks/terminal-asks.ts";
import { followAsks } from "../../following/followed-asks.ts";
import { beforeNewestTurn, jsonTranscript, printedTranscript } from "../../following/followed-transcript.ts";
import { followMessagesToHuman, messageLines } from "../../following/messages-to-human.ts";
import { type ExitCode, exitCodes } from "../../host/host.ts";
import { hostLook } from "../../terminal/look.ts";
import { write } from "../../terminal/print.ts";
import { readTypedLines } from "../../terminal/typed-lines.ts";
import type { AgentOptions, AgentWork } from "./agent-work.ts";

interface AttachOptions extends AgentOptions {
  readonly all?: boolean;
}

/** Watches an agent until Ctrl-C, which leaves it at work. Typed lines answer its asks, steer its turn, or go to its queue. */
export async function attachAgent(
  { host, client, json }: AgentWork,
  name: string,
  { all }: AttachOptions,
): Promise<ExitCode> {
  const { sessionId, lastSeq } = await client.getAgent(name);
  const after = all === true ? 0 : await beforeNewestTurn(client, sessionId, lastSeq);
  const leaving = new AbortController();
  const release = host.onSignal(() => leaving.abort());
  const shown = json ? jsonTranscript(host) : printedTranscript(host, sessionId);
  const complain = (reason: unknown): void => void shown.note(CaretError.from(reason).message);
  const asks = followAsks(client, () => sessionId, complain);
  const messages = followMessagesToHuman(
    client,
    name,
    sessionId,
    (message) => void shown.ask(messageLines(hostLook(host), message)),
  );
  const lines = readTypedLines(host, {
    onLine(line) {
      if (!json && terminal.take(line)) return;
      const said = messages.take(line) ?? (line.trim() === "" ? undefined : say(client, name, sessionId, line));
      void said?.then(shown.note, complain);
    },
    onStale: (line) => surface.early(line),
    onClose: () => undefined,
  });
  const surface = surfaceOf(shown, lines);
  const terminal = createTerminalAsks(host, asks, surface, "session");
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

/** Resolves with a sentence about what became of the text. */
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

/** The turn cannot be steered or has ended: queue the text instead. */
function isRefusal(reason: unknown): false {
  if (CaretError.is(reason) && (reason.code === "unsupported" || reason.code === "not-found")) return false;
  throw reason;
}
