import type { EventEnvelope, NativeClient } from "@caret/protocol";
import { groupTurns } from "@caret/runtime";
import { type ExitCode, exitCodes } from "../../host/host.ts";
import { printLines, toPlainJson } from "../../terminal/print.ts";
import { turnLines } from "../sessions/sessions-show.ts";
import type { AgentWork } from "./agent-work.ts";

const PAGE = 1_000;

/** Prints an agent's transcript; with `--json`, one event per line. */
export async function showLog({ host, client, json }: AgentWork, name: string): Promise<ExitCode> {
  const { sessionId } = await client.getAgent(name);
  const events = readEvents(client, sessionId);
  if (json) for await (const envelope of events) await printLines(host, [toPlainJson(envelope)]);
  else for await (const turn of groupTurns(events)) await printLines(host, turnLines(host, turn));
  return exitCodes.completed;
}

async function* readEvents(client: NativeClient, sessionId: string): AsyncGenerator<EventEnvelope, void, undefined> {
  for (let after = 0; ; ) {
    const { events } = await client.readLog(sessionId, { after, limit: PAGE });
    yield* events;
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return;
    after = last.seq;
  }
}
