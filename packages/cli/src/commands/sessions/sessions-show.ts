import { type AgentEvent, costOf, summariseEvents } from "@caret/protocol";
import { groupTurns, readAll, type SessionRecord, type StoredEvent } from "@caret/runtime";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { findSession } from "../../store/find-session.ts";
import type { LogWork } from "../../store/log-work.ts";
import { hostLook, terminalTraits } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { cleanLine, cleanText } from "../../terminal/text-cleaner.ts";
import { createTurnRenderer } from "../../terminal/turn-renderer.ts";

export async function showSession(
  { host, store }: LogWork,
  id: string,
  { json }: { readonly json?: boolean },
): Promise<ExitCode> {
  const session = await findSession(store, id);
  const turns = groupTurns(readAll(store, session.id));
  if (json === true) {
    const summaries = [];
    for await (const turn of turns) summaries.push(toSummary(turn));
    return await printJson(host, { ...session, turns: summaries });
  }
  await printLines(host, headLines(host, session));
  for await (const turn of turns) await printLines(host, turnLines(host, turn));
  return exitCodes.completed;
}

function headLines(host: Host, session: SessionRecord): readonly string[] {
  const { style, glyphs } = hostLook(host);
  const { id, title, workspace, createdAt, upstream } = session;
  const facts = [
    new Date(createdAt).toISOString(),
    workspace,
    ...upstream.map(({ lane, sessionId }) => `${lane} chat ${sessionId}`),
  ];
  return [
    style.bold(cleanLine(title ?? "Untitled")),
    style.dim(`session ${id}`),
    ...facts.map((fact) => style.dim(cleanLine(fact))),
  ].map((line, index) => (index === 0 ? line : `${style.dim(glyphs.notice)} ${line}`));
}

/** Renders a turn as it looked when it ran, with its original times. */
export function turnLines(host: Host, turn: readonly StoredEvent[]): readonly string[] {
  const { style } = hostLook(host);
  let at = 0;
  const traits = terminalTraits(host);
  const renderer = createTurnRenderer({ ...traits, isTty: false, wraps: traits.isTty, now: () => at });
  const shown = turn.map((stored) => {
    at = stored.at;
    return renderer.push([stored.event]);
  });
  const prompt = cleanText(promptOf(turn.map(({ event }) => event)) ?? "").trim();
  const asked = prompt.split("\n").map((line) => `${style.cyan(">")} ${style.bold(line)}`);
  return ["", ...(prompt === "" ? [] : asked), shown.join("").trimEnd()];
}

function promptOf(events: readonly AgentEvent[]): string | undefined {
  return events.find((event) => event.type === "turn-start")?.prompt;
}

/** The published shape of a turn; see docs/commands.md. */
function toSummary(stored: readonly StoredEvent[]) {
  const events = stored.map(({ event }) => event);
  const turn = summariseEvents(events);
  const modelId = events.find((event) => event.type === "turn-start")?.model;
  return {
    turnId: stored[0]?.turnId,
    startedAt: stored[0]?.at,
    endedAt: turn.outcome === undefined ? null : stored.at(-1)?.at,
    lane: turn.lane ?? null,
    model: modelId ?? turn.model ?? null,
    prompt: promptOf(events) ?? null,
    text: turn.segments.join("\n\n"),
    thinking: turn.thinking.join("\n\n"),
    tools: turn.tools,
    todos: turn.todos,
    plan: turn.plan ?? null,
    notices: turn.notices,
    usage: turn.usage ?? null,
    cost: (turn.usage && costOf(turn.usage, modelId ?? turn.model ?? "")) ?? null,
    outcome: turn.outcome ?? null,
  };
}
