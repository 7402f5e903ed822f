import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import type { Policy, PolicyDecision } from "../policy/policy.ts";
import type { PolicyCall } from "../policy/policy-parts.ts";
import type { CallPreview } from "../tools/tool.ts";
import type { ToolCallResult } from "../tools/tool-registry.ts";
import type { RememberedDecisions } from "./session-engine.ts";
import type { AskedTurn } from "./turn-asks.ts";

/** What cannot be shown whole cannot be approved, and nobody reads more than this. */
const MAX_REQUEST_CHARACTERS = 2 * 1024 * 1024;

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
  /** The state a person was shown; it may be run in this state only. */
  readonly shownState?: string;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** What the call would do, for the person who is asked; or why it cannot be done, and then nobody is. */
  readonly preview: (
    places: readonly string[],
  ) => Promise<{ readonly preview: CallPreview } | { readonly failed: ToolCallResult }>;
  /** Said to the person besides the policy's reason. */
  readonly note?: string;
}

/** Whether a call may run: the policy says it, what a person decided once for all, or a person now. */
export interface CallApprovals {
  /** Resolves when the verdict is in the log. */
  decide(call: PolicyCall, options: AskOptions): Promise<CallVerdict | { readonly failed: ToolCallResult }>;
}

export function createCallApprovals({ policy, asks, remembered, write }: CallApprovalsOptions): CallApprovals {
  const ask = async (call: PolicyCall, decision: PolicyDecision, { signal, preview, note }: AskOptions) => {
    const { places } = decision;
    const shown = await preview(places);
    if ("failed" in shown) return shown;
    const { state, ...rest } = shown.preview;
    const request = toRequest(call, decision, rest, note);
    if (JSON.stringify(request).length > MAX_REQUEST_CHARACTERS) return { failed: tooLarge(call) };
    const answer = await asks.approval(request, signal);
    const said = answer.by === "person" ? ["The user rejected it", answer.reason] : [answer.reason ?? decision.reason];
    const shownState = state === undefined ? {} : { shownState: state };
    const reason = said.filter(Boolean).join(": ");
    return { isAllowed: answer.decision === "approved", reason, places, ...shownState };
  };

  return {
    async decide(call, options) {
      const decision = policy.decide(call);
      const { effect, reason, places, request, events } = decision;
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
      return await ask(call, decision, options);
    },
  };
}

/** Everything a person should know before deciding. */
function toRequest(
  { kind, server }: PolicyCall,
  { request, reason, danger }: PolicyDecision,
  preview: Omit<CallPreview, "state">,
  note: string | undefined,
): AgentEventOf<"approval-request"> {
  return {
    ...request,
    kind,
    ...(server === undefined ? {} : { server }),
    reason: note === undefined ? reason : `${note}: ${reason}`,
    ...(danger === undefined ? {} : { danger }),
    ...preview,
  };
}

function tooLarge({ tool }: PolicyCall): ToolCallResult {
  const output = `${tool} was not run: it is too large to be shown to the user, who would have to approve it. Do it in smaller steps.`;
  return { status: "rejected", output, outcomeClass: "permission", durationMs: 0 };
}
