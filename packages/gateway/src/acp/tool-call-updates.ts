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
/** An update replaces the whole content of a call, so a call that runs shows the end of its output only. */
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

/** The arguments in which agents name the file that a call is about. */
const PATH_NAMES = ["path", "filePath", "file_path", "target_file"];

type Call = Pick<ToolActivity, "name" | "kind" | "server" | "input">;

export function toAcpKind(kind: OwnKind): ToolKind {
  return kinds[kind];
}

/** The ids of calls are unique within a turn, those of ACP within a session. */
export function toolCallIdOf(turnId: string, callId: string): string {
  return `${turnId}/${callId}`;
}

/** One line: what is called, with what. */
export function callTitle({ name, kind, server, input }: Call): string {
  const argument = shortLine(mainArgument({ kind, input }), MAX_TITLE);
  if (kind === "shell" && argument !== "") return `\`${argument}\``;
  const named = server === undefined ? name : `${server}: ${name.replace(`${server}__`, "")}`;
  return argument === "" ? named : `${named} ${argument}`;
}

/** Where an editor may follow the call to. */
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

/** What a call that still runs has printed. */
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
    // acp-ai-provider takes the raw output of a failed call for a list of its content, and breaks.
    ...(isOk ? { rawOutput: result } : {}),
    ...(diff === undefined ? {} : { locations: [{ path: absoluteIn(workspace, diff.path) }] }),
  };
}

export function textContent(text: string): ToolCallContent[] {
  return text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}
