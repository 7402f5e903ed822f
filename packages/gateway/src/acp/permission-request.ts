import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import {
  type AgentEventOf,
  type AnswerApproval,
  type ApprovalPart,
  type ApprovalView,
  approvalView,
  changeText,
  type FileDiff,
  mainArgument,
  partLines,
  plainLine,
} from "@caret/protocol";
import { diffContent } from "./diff-content.ts";
import { callLocations, callTitle, textContent, toAcpKind, toolCallIdOf } from "./tool-call-updates.ts";

const APPROVE = "approve";
const REJECT = "reject";
const GRANT = "grant:";

/** Editors cut longer titles and buttons. */
const MAX_TITLE = 80;
const MAX_BUTTON = 120;

interface AskedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly workspace: string;
}

/**
 * An approval as an ACP request: the whole view as content, and each grant as a separate option. The title is only a label: editors cut it
 * and read it as Markdown.
 */
export function permissionRequest(
  request: AgentEventOf<"approval-request">,
  { sessionId, turnId, workspace }: AskedTurn,
): RequestPermissionRequest {
  const { requestId, callId, subject, kind = "other", server, input, diff } = request;
  const view = approvalView(request);
  const call = { name: subject, kind, input, ...(server === undefined ? {} : { server }) };
  const toolCall: ToolCallUpdate = {
    toolCallId: toolCallIdOf(turnId, callId ?? requestId),
    title: titleOf(view, call),
    name: subject,
    kind: toAcpKind(kind),
    status: "pending",
    rawInput: input,
    locations: callLocations(call, workspace),
    content: [...wordsOf(view, request), ...(diff === undefined ? [] : diffContent(diff, workspace))],
  };
  return { sessionId, toolCall, options: optionsOf(view) };
}

function optionsOf({ grants }: ApprovalView): PermissionOption[] {
  const always = grants.flatMap(({ id, label }): PermissionOption[] =>
    // A button with a cut label would allow more than it says.
    plainLine(label, MAX_BUTTON) === undefined
      ? []
      : [{ optionId: `${GRANT}${id}`, name: `Allow for this session: ${label}`, kind: "allow_always" }],
  );
  return [
    { optionId: APPROVE, name: "Allow once", kind: "allow_once" },
    ...always,
    { optionId: REJECT, name: "Reject", kind: "reject_once" },
  ];
}

/** Markdown characters that could make a title say something else. */
const markup = /[\\`*[\]<>~&]/g;

/** Shows the argument itself only if all of it fits unchanged: many editors read titles as Markdown. */
function titleOf({ title, parts }: ApprovalView, call: Parameters<typeof callTitle>[0]): string {
  const command = parts.find(({ kind }) => kind === "command")?.text;
  const argument = command ?? mainArgument(call);
  const isWhole = argument === "" || plainLine(argument, MAX_TITLE) !== undefined;
  if (command !== undefined && isWhole && !command.includes("`")) return `\`${command}\``;
  if (command === undefined && isWhole && argument.search(markup) === -1) return callTitle(call);
  const lines = command?.split("\n").length ?? 1;
  return `${title.replaceAll(markup, "\\$&")}${lines === 1 ? "" : ` of ${lines} lines`}: read all of it below`;
}

/**
 * Every part, each in its own fence: content is Markdown, and no text may open or close anything. The editor draws a change itself; one
 * that it would draw without its marks, or not at all, is shown as text.
 */
function wordsOf({ parts }: ApprovalView, { diff }: AgentEventOf<"approval-request">): ToolCallContent[] {
  const isDrawn = (part: ApprovalPart): boolean => part.diff !== undefined && isSame(part.diff, diff);
  const words = parts.filter((part) => !isDrawn(part)).map(fenced);
  return textContent(words.join("\n\n"));
}

/** Nothing had to be marked, and there is something to draw. */
function isSame(marked: FileDiff, diff: FileDiff | undefined): boolean {
  if (diff === undefined || changeText(diff) === "") return false;
  return marked.path === diff.path && changeText(marked) === changeText(diff);
}

function fenced(part: ApprovalPart): string {
  const text = part.kind === "command" ? part.text : partLines(part).join("\n");
  const fence = "`".repeat(longestRun(text) + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Of backticks; a fence has at least three. */
function longestRun(text: string): number {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Anything but one of our options rejects: nothing runs unless someone allowed it. */
export function toAnswer(outcome: RequestPermissionOutcome): AnswerApproval {
  if (outcome.outcome !== "selected") return { decision: "rejected", reason: "The request was dismissed" };
  const { optionId } = outcome;
  if (optionId === APPROVE) return { decision: "approved" };
  if (optionId.startsWith(GRANT)) return { decision: "approved", grant: optionId.slice(GRANT.length) };
  return { decision: "rejected" };
}
