import {
  type AgentEvent,
  assertWellFormedTurn,
  summariseEvents,
  type TurnOutcome,
  type TurnSummary,
} from "@caret/protocol";
import type { RunningTurn, SessionEngine, TurnRequest } from "@caret/runtime";
import { expect } from "vitest";

export interface PlayedTurn {
  readonly turn: RunningTurn;
  readonly outcome: TurnOutcome;
  readonly events: readonly AgentEvent[];
  readonly summary: TurnSummary;
  /** All text blocks together. */
  readonly text: string;
  readonly elapsedMs: number;
}

export interface PlayOptions {
  /** What happens while the turn runs. */
  readonly meanwhile?: (turn: RunningTurn) => unknown;
}

/** Run one turn to its very end, and hold its log to the contract. */
export async function playTurn(
  engine: SessionEngine,
  request: TurnRequest,
  { meanwhile }: PlayOptions = {},
): Promise<PlayedTurn> {
  const startedAt = performance.now();
  const turn = await engine.startTurn(request);
  const followed = followAll(turn);
  await meanwhile?.(turn);
  const outcome = await turn.outcome;
  await turn.settled;
  const elapsedMs = performance.now() - startedAt;
  const stored = await engine.store.read(turn.sessionId, { limit: 1_000_000 });
  const events = stored.filter(({ turnId }) => turnId === turn.turnId).map(({ event }) => event);
  assertWellFormedTurn(events);
  // Compared as JSON, which has neither -0 nor infinity.
  expect(JSON.parse(JSON.stringify(await followed))).toEqual(events);
  const summary = summariseEvents(events);
  expect(outcome).toEqual(summary.outcome);
  return { turn, outcome, events, summary, text: summary.segments.join(""), elapsedMs };
}

async function followAll(turn: RunningTurn): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const batch of turn.follow()) events.push(...batch.map(({ event }) => event));
  return events;
}

/** A short name for how a turn ended: `completed`, `cancelled`, or the code it failed with. */
export function endOf(outcome: TurnOutcome): string {
  return outcome.kind === "failed" ? outcome.error.code : outcome.kind;
}
