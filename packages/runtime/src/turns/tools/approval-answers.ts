import type { AgentEventOf, AnswerApproval } from "@caret/protocol";
import { type Grant, grantWords } from "../../policy/grants/grant.ts";

type ApprovalAnswer = AgentEventOf<"approval-answer">;

/** The answer of a person, who may have allowed more than this once. */
export function decidedByPerson(
  requestId: string,
  { decision, reason }: AnswerApproval,
  granted: Grant | undefined,
): ApprovalAnswer {
  return {
    type: "approval-answer",
    requestId,
    decision,
    by: "person",
    ...(reason === undefined ? {} : { reason }),
    ...(granted === undefined ? {} : { granted: toUsed(granted) }),
  };
}

/** The answer of a grant: a person has allowed this for the rest of the session. */
export function approvedByGrants(requestId: string, grants: readonly Grant[]): ApprovalAnswer {
  const used = grants.map(toUsed);
  const reason = `You allowed ${used.map(({ label }) => label).join(" and ")} for this session`;
  return { type: "approval-answer", requestId, decision: "approved", by: "grant", reason, grants: used };
}

/** The answer of a request that nobody decided: rejected. */
export function lapsed(requestId: string, reason: string): ApprovalAnswer {
  return { type: "approval-answer", requestId, decision: "rejected", by: "nobody", reason };
}

function toUsed(grant: Grant): { readonly id: string; readonly label: string } {
  return { id: grant.id, label: grantWords(grant.scope).label };
}
