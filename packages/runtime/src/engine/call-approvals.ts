import type { AgentEvent } from "@caret/protocol";
import type { Policy } from "../policy/policy.ts";
import type { PolicyCall } from "../policy/policy-parts.ts";
import type { RememberedDecisions } from "./session-engine.ts";
import type { AskedTurn } from "./turn-asks.ts";

export interface CallApprovalsOptions {
  readonly policy: Policy;
  readonly asks: Pick<AskedTurn, "approval">;
  readonly remembered: Pick<RememberedDecisions, "get">;
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
}

export interface CallVerdict {
  readonly isAllowed: boolean;
  /** For the model, when it is not. */
  readonly reason: string;
  /** Where its paths led when it was judged; it may be run there only. */
  readonly places: readonly string[];
}

/** Whether a call may run: the policy says it, what a person decided once for all, or a person now. */
export interface CallApprovals {
  /** Resolves when the verdict is in the log. */
  decide(call: PolicyCall, signal: AbortSignal): Promise<CallVerdict>;
}

export function createCallApprovals({ policy, asks, remembered, write }: CallApprovalsOptions): CallApprovals {
  return {
    async decide(call, signal) {
      const { effect, reason, places, request, events } = policy.decide(call);
      if (effect !== "ask") {
        await write(events);
        return { isAllowed: effect === "allow", reason, places };
      }
      const known = remembered.get(call.tool);
      if (known !== undefined) {
        const why = `The user ${known} every call of ${call.tool} in this session`;
        const { requestId } = request;
        await write([request, { type: "approval-answer", requestId, decision: known, by: "person", reason: why }]);
        return { isAllowed: known === "approved", reason: why, places };
      }
      const answer = await asks.approval(request, signal);
      const isPerson = answer.by === "person";
      const said = isPerson ? ["The user rejected it", answer.reason] : [answer.reason ?? reason];
      return { isAllowed: answer.decision === "approved", reason: said.filter(Boolean).join(": "), places };
    },
  };
}
