import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { AgentEventOf, AnswerApproval } from "@caret/protocol";
import { diffContent } from "./diff-content.ts";
import { callLocations, callTitle, textContent, toAcpKind, toolCallIdOf } from "./tool-call-updates.ts";

const APPROVE = "approve";
const REJECT = "reject";
const GRANT = "grant:";

interface AskedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly workspace: string;
}

/** An approval as ACP asks for it: everything to decide by, and each grant as an option of its own. */
export function permissionRequest(
  request: AgentEventOf<"approval-request">,
  { sessionId, turnId, workspace }: AskedTurn,
): RequestPermissionRequest {
  const { requestId, callId, subject, kind = "other", server, input, diff, grants = [] } = request;
  const call = { name: subject, kind, input, ...(server === undefined ? {} : { server }) };
  const toolCall: ToolCallUpdate = {
    toolCallId: toolCallIdOf(turnId, callId ?? requestId),
    title: callTitle(call),
    name: subject,
    kind: toAcpKind(kind),
    status: "pending",
    rawInput: input,
    locations: callLocations(call, workspace),
    content: [...textContent(wordsOf(request)), ...(diff === undefined ? [] : diffContent(diff, workspace))],
  };
  const always = grants.map(
    ({ id, label }): PermissionOption => ({
      optionId: `${GRANT}${id}`,
      name: `Allow for this session: ${label}`,
      kind: "allow_always",
    }),
  );
  const options: PermissionOption[] = [
    { optionId: APPROVE, name: "Allow once", kind: "allow_once" },
    ...always,
    { optionId: REJECT, name: "Reject", kind: "reject_once" },
  ];
  return { sessionId, toolCall, options };
}

function wordsOf({ effect, reason, danger }: AgentEventOf<"approval-request">): string {
  const warning = danger === undefined ? undefined : `Dangerous: ${danger}`;
  return [effect, reason, warning].filter((words) => words !== undefined).join("\n");
}

/** Whatever is not one of our options rejects: nothing runs that nobody has allowed. */
export function toAnswer(outcome: RequestPermissionOutcome): AnswerApproval {
  if (outcome.outcome !== "selected") return { decision: "rejected", reason: "The request was dismissed" };
  const { optionId } = outcome;
  if (optionId === APPROVE) return { decision: "approved" };
  if (optionId.startsWith(GRANT)) return { decision: "approved", grant: optionId.slice(GRANT.length) };
  return { decision: "rejected" };
}
