import type { OfferedCall } from "./bridge-messages.ts";

/**
 * A call reaches us on one way and its mention in the agent's stream on another. A call that waits for its mention is
 * told after the text that came before it.
 */
export interface Mentions {
  /** The agent's stream mentioned a call, and everything before the mention is in the log. */
  note(call: OfferedCall): void;
  /** Resolves with the call's mention, or without it when none comes in time: agents do not mention every call. */
  wait(call: OfferedCall, limitMs?: number): Promise<void>;
  /** How many calls were mentioned that have not reached us. */
  outstanding(): number;
}

const MENTION_MS = 300;

export function createMentions(): Mentions {
  const early = new Map<string, number>();
  const late = new Map<string, (() => void)[]>();
  return {
    note(call) {
      const key = keyOf(call);
      const [first, ...others] = late.get(key) ?? [];
      if (first === undefined) early.set(key, (early.get(key) ?? 0) + 1);
      else {
        late.set(key, others);
        first();
      }
    },
    async wait(call, limitMs = MENTION_MS) {
      const key = keyOf(call);
      const count = early.get(key) ?? 0;
      if (count > 0) return void early.set(key, count - 1);
      const { promise, resolve } = Promise.withResolvers<void>();
      late.set(key, [...(late.get(key) ?? []), resolve]);
      const timer = setTimeout(resolve, limitMs);
      await promise;
      clearTimeout(timer);
      late.set(
        key,
        (late.get(key) ?? []).filter((other) => other !== resolve),
      );
    },
    outstanding: () => [...early.values()].reduce((sum, count) => sum + count, 0),
  };
}

function keyOf({ name, input }: OfferedCall): string {
  return JSON.stringify([name, Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
