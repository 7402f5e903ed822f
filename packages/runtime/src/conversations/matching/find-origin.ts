import type { ChainLink } from "./chain.ts";
import type { KnownTranscript, LineageRecord, LineageView } from "./lineage-store.ts";

/**
 * `joinable`: a client that repeats the request can share the turn. `abandoned`: joinable, and has no other listener. `running`: it
 * belongs to a client that still listens or runs its calls.
 */
export type TurnState = "joinable" | "abandoned" | "running" | "over";

/** The state of the turn that answered a transcript (given by its digest), for a client that sends it again. */
export type StateOf = (record: LineageRecord, hash: string) => TurnState;

export type Origin =
  | { readonly kind: "joined"; readonly record: KnownTranscript }
  | { readonly kind: "continuation"; readonly record: KnownTranscript; readonly heardBefore: number }
  /** A session began like this and then diverged. */
  | { readonly kind: "left-behind"; readonly record: KnownTranscript };

export interface OriginQuery {
  readonly view: LineageView;
  readonly stateOf: StateOf;
  readonly isNamed: boolean;
  /** Digests of the whole request, and of its instructions and tools. */
  readonly request: string;
  readonly shape: string;
}

/** Finds the session that a transcript continues, or the turn that already answers it. */
export function findOrigin(chain: readonly ChainLink[], query: OriginQuery): Origin | undefined {
  const { view } = query;
  const whole = view.get(chain.at(-1)?.hash ?? "");
  const again = whole?.isNewest === true ? askedAgain(whole, chain, query) : undefined;
  if (again !== undefined) return again;
  const earlier = chain.slice(0, -1).findLast(({ hash }) => view.get(hash) !== undefined);
  const record = earlier && view.get(earlier.hash);
  if (record === undefined) return undefined;
  const isFree = record.isNewest && record.isContested !== true;
  return isFree ? continuationOf(record) : { kind: "left-behind", record };
}

/** The very same transcript: share its turn or, if that failed, try again. */
function askedAgain(
  record: KnownTranscript,
  chain: readonly ChainLink[],
  { view, stateOf, isNamed, request, shape }: OriginQuery,
): Origin | undefined {
  const state = stateOf(record, chain.at(-1)?.hash ?? "");
  const isShared = state === "joinable" || state === "abandoned";
  if (isShared && record.request === request) return { kind: "joined", record };
  // Another model or other instructions give another answer, and a client waits for the one in progress.
  if (state === "joinable" || state === "running") return undefined;
  // A completed answer is not repeated: a client that asks again wants another one.
  if (record.outcome === "completed" || record.shape !== shape) return undefined;
  if (isNamed) return continuationOf(record);
  // Without a name this may be another client's attempt: only a client that was in this session before may continue it.
  const before = view.get(chain[record.heardBefore - 1]?.hash ?? "");
  const isOwn = before?.sessionId === record.sessionId && before.isContested !== true;
  return isOwn ? continuationOf(record) : undefined;
}

function continuationOf(record: KnownTranscript): Origin {
  const { outcome, count, heardBefore } = record;
  return { kind: "continuation", record, heardBefore: outcome === "completed" ? count : heardBefore };
}
