import type { AgentEvent, Usage } from "@caret/protocol";
import type { Conversations, DoorTurn } from "../chat/conversations.ts";
import type { Counter, Metrics } from "./metrics.ts";

const KINDS = ["input", "output", "cacheRead", "cacheWrite", "reasoning"] as const;

/** The same desk, with turns, their ends and their tokens counted on the way. */
export function meterDesk(desk: Conversations, metrics: Metrics): Conversations {
  const turns = metrics.counter("caret_turns_total", "Turns opened at the doors, by how they relate to a session.");
  const ends = metrics.counter("caret_turn_ends_total", "Turns that ended, by outcome.");
  const tokens = metrics.counter("caret_tokens_total", "Tokens as upstream reported them, by kind.");
  return {
    async open(request, caller) {
      const turn = await desk.open(request, caller);
      turns.add(1, { door: request.door, relation: turn.relation });
      return meterTurn(turn, ends, tokens);
    },
  };
}

function meterTurn(turn: DoorTurn, ends: Counter, tokens: Counter): DoorTurn {
  async function* follow(signal: AbortSignal): AsyncIterable<readonly AgentEvent[]> {
    for await (const batch of turn.follow(signal)) {
      // A turn that is joined was counted when it was opened first.
      if (turn.relation !== "joined") countBatch(batch, ends, tokens);
      yield batch;
    }
  }
  return {
    turnId: turn.turnId,
    sessionId: turn.sessionId,
    model: turn.model,
    relation: turn.relation,
    startsTurn: turn.startsTurn,
    outcome: turn.outcome,
    follow,
    stop: (reason) => turn.stop(reason),
    leave: (how) => turn.leave(how),
  };
}

function countBatch(batch: readonly AgentEvent[], ends: Counter, tokens: Counter): void {
  for (const event of batch) {
    if (event.type === "turn-end") ends.add(1, { outcome: event.outcome.kind });
    if (event.type === "usage") countUsage(event.usage, tokens);
  }
}

function countUsage(usage: Usage, tokens: Counter): void {
  for (const kind of KINDS) {
    const count = usage[kind];
    if (count !== undefined) tokens.add(count, { kind });
  }
}
