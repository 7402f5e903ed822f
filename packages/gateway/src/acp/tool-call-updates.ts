import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import {
  type AgentEventOf,
  mainArgument,
  type ToolKind as OwnKind,
  shortLine,
  type ToolActivity,
} from "@caret/protocol";
import { absoluteIn, diffContent } from "./diff-content.ts";

const MAX_TITLE = 160;
/** An update replaces a call's whole content, so a running call shows only the end of its output. */
const LIVE_CHARACTERS = 8_000;

const kinds = {
  shell: "execute",
  read: "read",
  edit: "edit",
  write: "edit",
  search: "search",
  fetch: "fetch",
  todo: "think",
  task: "other",
  mcp: "other",
  question: "other",
  plan: "think",
  other: "other",
} as const satisfies Record<OwnKind, ToolKind>;

/** Arguments in which agents name a call's file. */
const PATH_NAMES = ["path", "filePath", "file_path", "target_file"];

type Call = Pick<ToolActivity, "name" | "kind" | "server" | "input">;

export function toAcpKind(kind: OwnKind): ToolKind {
  return kinds[kind];
}

/** Call ids are unique within a turn; ACP's must be within a session. */
export function toolCallIdOf(turnId: string, callId: string): string {
  return `${turnId}/${callId}`;
}

/** One line: the tool and its main argument. */
export function callTitle({ name, kind, server, input }: Call): string {
  const argument = shortLine(mainArgument({ kind, input }), MAX_TITLE);
  if (kind === "shell" && argument !== "") return `\`${argument}\``;
  const named = server === undefined ? name : `${server}: ${name.replace(`${server}__`, "")}`;
  return argument === "" ? named : `${named} ${argument}`;
}

/** Files to which an editor can follow the call. */
export function callLocations({ kind, input }: Call, workspace: string): ToolCallLocation[] {
  if (kind !== "read" && kind !== "edit" && kind !== "write") return [];
  const fields = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const path = PATH_NAMES.map((name) => fields[name]).find((value) => typeof value === "string" && value !== "");
  return typeof path === "string" ? [{ path: absoluteIn(workspace, path) }] : [];
}

export function toolCall(turnId: string, event: AgentEventOf<"tool-call">, workspace: string): SessionUpdate {
  const { callId, name, kind, input, parentCallId } = event;
  return {
    sessionUpdate: "tool_call",
    toolCallId: toolCallIdOf(turnId, callId),
    title: callTitle(event as Call),
    name,
    kind: toAcpKind(kind),
    status: "in_progress",
    rawInput: input,
    locations: callLocations(event as Call, workspace),
    ...(parentCallId === undefined ? {} : { _meta: { "caret/parentToolCallId": toolCallIdOf(turnId, parentCallId) } }),
  };
}

/** The output so far of a running call. */
export function toolOutput(turnId: string, { callId, output }: ToolActivity): SessionUpdate {
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: toolCallIdOf(turnId, callId),
    content: textContent(output.slice(-LIVE_CHARACTERS)),
  };
}

export function toolResult(turnId: string, event: AgentEventOf<"tool-result">, workspace: string): SessionUpdate {
  const { type, callId, diff, ...result } = event;
  const isOk = result.status === "ok";
  const changes = diff === undefined ? [] : diffContent(diff, workspace);
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: toolCallIdOf(turnId, callId),
    status: isOk ? "completed" : "failed",
    content: [...changes, ...textContent(result.output)],
    // acp-ai-provider mistakes the raw output of a failed call for a list of its content and breaks.
    ...(isOk ? { rawOutput: result } : {}),
    ...(diff === undefined ? {} : { locations: [{ path: absoluteIn(workspace, diff.path) }] }),
  };
}

export function textContent(text: string): ToolCallContent[] {
  return text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}
