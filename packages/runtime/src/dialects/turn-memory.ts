import type { Usage } from "@caret/protocol";
import type { ShownPlan } from "./plan-events.ts";

/**
 * What a turn remembers of events that are rare. One field of the state: each step copies the state, and for text, which
 * is nearly all there is, every further field costs.
 */
export interface TurnMemory {
  readonly plans: readonly ShownPlan[];
  /** Reported step by step by some versions; the result's own count wins over the sum. */
  readonly stepUsage: Usage | undefined;
  /** The last error event: what the turn failed of, should no result follow. */
  readonly lastError: string | undefined;
  readonly unnamedCalls: number;
  /** The calls that queries were about, by the query's id. */
  readonly queriedCalls: ReadonlyMap<string, string>;
  /** Queries whose answer did not say what was decided, by the call that will show it. */
  readonly unclearQueries: ReadonlyMap<string, string>;
}

export const emptyMemory: TurnMemory = {
  plans: [],
  stepUsage: undefined,
  lastError: undefined,
  unnamedCalls: 0,
  queriedCalls: new Map(),
  unclearQueries: new Map(),
};

export function remember(draft: { memory: TurnMemory }, changes: Partial<TurnMemory>): void {
  draft.memory = { ...draft.memory, ...changes };
}

/** An id for a call that came without one. */
export function nameCall(draft: { memory: TurnMemory }): string {
  const unnamedCalls = draft.memory.unnamedCalls + 1;
  remember(draft, { unnamedCalls });
  return `unnamed-${unnamedCalls}`;
}
