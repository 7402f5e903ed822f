import type { AgentEvent } from "@caret/protocol";
import type { Lane, LaneEntry, LaneRequest } from "../../lanes/lane.ts";
import { createMemoryEventStore } from "../../log/testing/memory-event-store.ts";
import { onlyWorkspaces } from "../../paths/allowed-workspace.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { createSessionEngine, type SessionEngineOptions } from "../create-session-engine.ts";
import type { RunningTurn, SessionEngine } from "../session-engine.ts";

/** What a scripted agent emits; an entry if more than the event matters. */
type Scripted = AgentEvent | LaneEntry;

export type LaneScript = (request: LaneRequest, signal: AbortSignal) => AsyncIterable<readonly Scripted[]>;

export const completedEnd: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };

export function says(text: string, blockId = "text-1"): readonly AgentEvent[] {
  return [
    { type: "text-start", blockId },
    { type: "text-delta", blockId, text },
    { type: "text-end", blockId },
  ];
}

/** A lane whose upstream is a generator. It can resume any session. */
export function scriptedLane(script: LaneScript, more: Partial<Lane> = {}): Lane {
  const runTurn: Lane["runTurn"] = async (request, take, signal) => {
    for await (const batch of script(request, signal))
      await take(batch.map((scripted) => ("event" in scripted ? scripted : { event: scripted })));
  };
  const features: Lane["features"] = ["agent-tools", "client-tools", "gateway-tools"];
  return { name: "sim", features, runTurn, canResume: () => true, close: async () => undefined, ...more };
}

/** The engine over an in-memory log, with counted ids. */
export function scriptedEngine(lane: Lane, workspace: string, more: Partial<SessionEngineOptions> = {}): SessionEngine {
  let count = 0;
  const newId = (): string => {
    count += 1;
    return `id-${count}`;
  };
  const redactor = createRedactor({ secrets: [] });
  return createSessionEngine({
    store: createMemoryEventStore(),
    lanes: [lane],
    defaultLane: lane.name,
    redactor: () => redactor,
    allowedWorkspaces: onlyWorkspaces([workspace]),
    budgets: () => ({ turn: {}, session: {}, day: {} }),
    defaults: { model: "auto", mode: "agent", force: false },
    maxRawBytes: 1_000,
    parkedLimitMs: 60_000,
    newId,
    newCallId: newId,
    wallClock: () => 1_795_000_000_000,
    ...more,
  });
}

/** The events of a turn as a follower sees them. */
export async function follow(turn: RunningTurn): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const batch of turn.follow()) events.push(...batch.map(({ event }) => event));
  return events;
}
