import { type AgentEventOf, mainArgument } from "@caret/protocol";
import type { Git } from "../../git/run-git.ts";
import type { LanePeople } from "../../lanes/lane.ts";
import { createPolicy } from "../../policy/policy.ts";
import type { PolicyRule } from "../../policy/policy-parts.ts";
import type { AgentToolsRequest } from "../session-engine.ts";
import { createCallApprovals } from "./call-approvals.ts";
import { type AskedTurn, createTurnAsks } from "./turn-asks.ts";
import type { TurnTools, TurnToolsOptions } from "./turn-tools.ts";

export interface AgentTurnToolsOptions extends TurnToolsOptions {
  /** The user's own rules; they also apply to calls that the agent asks about. */
  readonly rules: readonly PolicyRule[];
  readonly workspace: string;
  readonly git: Git;
}

/** The agent runs its own tools, and a person answers its requests. */
export function agentTurnTools(wanted: AgentToolsRequest, options: AgentTurnToolsOptions): TurnTools {
  const asks = createTurnAsks({ ...options, limitMs: options.askLimitMs, grants: wanted.grants });
  return {
    parked: undefined,
    asks,
    isUndecided: (event) =>
      (event.type === "approval-request" || event.type === "question") && asks.isOpen(event.requestId),
    steering: undefined,
    offer: async () => ({ people: createPeople(wanted, asks, options), notices: [] }),
    end: () => asks.end(),
    settled: async () => undefined,
  };
}

function createPeople(
  { permission, grants }: AgentToolsRequest,
  asks: AskedTurn,
  { write, calls, rules, workspace, git }: AgentTurnToolsOptions,
): LanePeople {
  const { newId } = calls;
  const policy = createPolicy({ mode: permission, rules, workspace, attended: true, newRequestId: newId });
  const approvals = createCallApprovals({ git, policy, asks, grants, write });
  return {
    async approve(call, signal) {
      // The agent does not say beforehand what it would change: there is nothing to preview but the arguments.
      const verdict = await approvals.decide(call, { signal, preview: async () => ({ preview: {} }) });
      return "isAllowed" in verdict && verdict.isAllowed;
    },
    async question(asked, signal) {
      const answer = await asks.question({ type: "question", requestId: newId(), ...asked }, signal);
      return answer.outcome === "answered" ? answer.answers : undefined;
    },
    async plan(plan, signal) {
      const answer = await asks.approval(toRequest(newId(), plan), signal, { scopes: [], use: () => undefined });
      return answer.decision === "approved";
    },
  };
}

/** Only a person can accept a plan, whatever the policy allows. */
function toRequest(
  requestId: string,
  { callId, input }: Parameters<LanePeople["plan"]>[0],
): AgentEventOf<"approval-request"> {
  return {
    type: "approval-request",
    requestId,
    ...(callId === undefined ? {} : { callId }),
    subject: "createPlan",
    kind: "plan",
    input,
    reason: "The agent carries its plan out when you accept it",
    effect: `Carry out the plan: ${mainArgument({ kind: "plan", input })}`,
  };
}
