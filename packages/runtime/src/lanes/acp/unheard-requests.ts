import { RpcRefusal } from "./rpc-refusal.ts";

/** Requests that wait for a person: a client declines these in the answer itself. */
const decisions: ReadonlySet<string> = new Set([
  "session/request_permission",
  "cursor/ask_question",
  "cursor/create_plan",
]);

/** Answers a request that belongs to no running turn: the turn is over, it is a subagent's, or it cannot be identified. */
export function refuseUnheard(method: string): unknown {
  if (decisions.has(method)) return { outcome: { outcome: "cancelled" } };
  throw RpcRefusal.unknownMethod(method);
}
