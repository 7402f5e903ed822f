import { CaretError, type EventEnvelope, type NativeClient } from "@caret/protocol";
import { type ExitCode, exitCodes } from "../../host/host.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { readPrompt } from "../../terminal/read-prompt.ts";
import { createStopper } from "../../terminal/stopper.ts";
import { createJsonWriter, createQuietWriter } from "../../terminal/turn-writer.ts";
import type { AgentOptions, AgentWork } from "./agent-work.ts";

interface SendOptions extends AgentOptions {
  readonly file?: string;
  readonly wait?: boolean;
}

export async function sendMessage(
  work: AgentWork,
  name: string,
  words: readonly string[],
  { file, wait }: SendOptions,
): Promise<ExitCode> {
  const { host, client, json } = work;
  const text = await readPrompt(host, { words, file });
  const { sessionId, lastSeq, doing } = await client.getAgent(name);
  const message = await client.sendMessage(name, { text });
  if (wait === true) return await printAnswer(work, { name, sessionId, after: lastSeq, messageId: message.id });
  if (json) return await printJson(host, message);
  const held =
    doing.kind === "suspended" ? ` It is suspended: \`${host.command} agent resume ${name}\` lets it go on.` : "";
  return await printLines(host, [`${name} has it in its queue.${held} Watch it: ${host.command} agent attach ${name}`]);
}

interface Awaited {
  readonly name: string;
  readonly sessionId: string;
  readonly after: number;
  readonly messageId: string;
}

/** Prints the answer of the turn the message starts. Leaving does not affect the agent. */
async function printAnswer({ host, client, json }: AgentWork, awaited: Awaited): Promise<ExitCode> {
  const writer = json ? createJsonWriter(host) : createQuietWriter(host);
  const leaving = new AbortController();
  const stopper = createStopper(host);
  stopper.onStop(() => leaving.abort());
  try {
    for await (const event of eventsOfMessage(client, awaited, leaving.signal)) {
      await writer.take([event]);
      if (event.type !== "turn-end") continue;
      await writer.finish();
      return exitCodes[event.outcome.kind];
    }
    return exitCodes.cancelled;
  } finally {
    stopper.release();
  }
}

async function* eventsOfMessage(
  client: NativeClient,
  { name, sessionId, after, messageId }: Awaited,
  signal: AbortSignal,
) {
  let turnId: string | undefined;
  for await (const batch of client.followEvents(sessionId, { after, signal }))
    for (const envelope of batch) {
      if (turnId === undefined && envelope.event.type === "turn-start")
        turnId = await startedBy(client, name, messageId, envelope);
      if (envelope.turnId === turnId) yield envelope.event;
    }
}

/** Returns the turn's id if the message started it. */
async function startedBy(
  client: NativeClient,
  name: string,
  messageId: string,
  { turnId }: EventEnvelope,
): Promise<string | undefined> {
  const message = (await client.listMessages(name)).find(({ id }) => id === messageId);
  if (message === undefined || message.state === "dropped" || message.state === "read")
    throw new CaretError("cancelled", "The message was taken from the queue before a turn started with it");
  return message.turnId === turnId ? turnId : undefined;
}
