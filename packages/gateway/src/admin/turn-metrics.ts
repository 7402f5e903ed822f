import type { Conversations, TurnOutcome, Usage } from "@caret/protocol";
import type { Metrics } from "./metrics.ts";

const KINDS = ["input", "output", "cacheRead", "cacheWrite", "reasoning"] as const;

export interface TurnMetrics {
  /** Wraps the port to count the requests it opens. */
  countOpened(conversations: Conversations): Conversations;
  /** Call it once per turn, at every door, when the turn has ended. */
  countEnd(end: { readonly outcome: TurnOutcome; readonly usage: Usage | undefined }): void;
}

/** The turn metrics of `/metrics`. Ends and tokens come from the engine: readers of a turn count nothing. */
export function createTurnMetrics(metrics: Metrics): TurnMetrics {
  const opened = metrics.counter(
    "caret_turns_total",
    "Requests answered with a turn at the stateless doors, by how they relate to a session.",
  );
  const ends = metrics.counter("caret_turn_ends_total", "Turns that ended, by outcome.");
  const tokens = metrics.counter("caret_tokens_total", "Tokens as upstream reported them, by kind.");
  return {
    countOpened: (conversations) => ({
      async open(request, caller) {
        const turn = await conversations.open(request, caller);
        opened.add(1, { door: request.door, relation: turn.relation });
        return turn;
      },
    }),
    countEnd({ outcome, usage = {} }) {
      ends.add(1, { outcome: outcome.kind });
      for (const kind of KINDS) {
        const count = usage[kind];
        if (count !== undefined) tokens.add(count, { kind });
      }
    },
  };
}
