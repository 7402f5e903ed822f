import { RpcRefusal } from "./rpc-refusal.ts";

/** The requests that wait for a person: a client that does not want to decide says so in the answer. */
const decisions: ReadonlySet<string> = new Set([
  "session/request_permission",
  "cursor/ask_question",
  "cursor/create_plan",
]);

/** The answer to a request of no turn that runs: of a turn that is over, of a subagent, or one that cannot be identified. */
export function refuseUnheard(method: string): unknown {
  if (decisions.has(method)) return { outcome: { outcome: "cancelled" } };
  throw RpcRefusal.unknownMethod(method);
}
