import { type JsonObject, toJson } from "@bufbuild/protobuf";
import type { ContextFill, Usage } from "@caret/protocol";
import type { ConversationTokenDetails } from "@caret/protocol/agent-api/conversation";
import {
  type InteractionQuery,
  InteractionQuerySchema,
  type InteractionResponse,
  InteractionResponseSchema,
} from "@caret/protocol/agent-api/interactions";
import { type ToolCall, ToolCallSchema } from "@caret/protocol/agent-api/tool-call";
import {
  type InteractionUpdate,
  InteractionUpdateSchema,
  type TurnEndedUpdate,
} from "@caret/protocol/agent-api/updates";
import { withContext } from "../context-fill.ts";
import type { Decoded } from "../decoder.ts";
import type { Ending } from "../dialect.ts";
import { onInteractionQuery } from "../stream-json/interaction-query.ts";
import { initialStreamJson, type StreamJsonDraft } from "../stream-json/stream-json-dialect.ts";
import { onToolCall } from "../stream-json/tool-calls.ts";
import { closeBlock, closeDraft, endTurn, keepUnknown, openDraft, writeText, writeThinking } from "../turn-draft.ts";
import { createReplayedText, type ReplayedText } from "./replayed-text.ts";

const SOURCE = "agent-api";

/**
 * Decodes the updates of Cursor's API to the same events as its CLI's, which prints the same messages as JSON. The caller adds
 * `turn-start`. Nothing follows `turn-end`.
 */
export interface UpdateDecoder {
  update(update: InteractionUpdate): readonly Decoded[];
  /** A query and the answer it was given. */
  answered(query: InteractionQuery, response: InteractionResponse): readonly Decoded[];
  /** Something else that is not understood. */
  unknown(label: string, value: unknown): readonly Decoded[];
  /** The upstream saved everything it said; `tokens` is how full its context window is. */
  checkpoint(tokens?: ConversationTokenDetails): void;
  /** The stream resumed from the last checkpoint. */
  resumed(): void;
  /** The message is said again: closes whatever is open. */
  restarted(): readonly Decoded[];
  finish(ending: Exclude<Ending, { kind: "end-of-stream" }>): readonly Decoded[];
  readonly hasEnded: boolean;
}

export function createUpdateDecoder(): UpdateDecoder {
  let state = initialStreamJson(true);
  let context: ContextFill | undefined;
  const said = createReplayedText();
  const thought = createReplayedText();

  const step = (write: (draft: StreamJsonDraft) => void, raw?: () => string): readonly Decoded[] => {
    if (state.ended) return [];
    const draft = openDraft(state);
    write(draft);
    const [next, written] = closeDraft(draft);
    state = next;
    const events = withContext(written, context);
    if (events.length === 0) return [];
    const line = raw?.();
    return events.map((event, index) => (index === 0 && line !== undefined ? { event, raw: line } : { event }));
  };

  /** Drops what a resumed stream repeats; a rephrasing becomes a separate block. */
  const writeNew = (draft: StreamJsonDraft, replayed: ReplayedText, delta: string, write: typeof writeText): void => {
    const { text, isOther } = replayed.admit(delta);
    if (text === "") return;
    replayed.note(text);
    if (isOther) closeBlock(draft);
    write(draft, text);
  };

  return {
    update(update) {
      const { message } = update;
      switch (message.case) {
        case "textDelta": {
          const { text, isServerNotice } = message.value;
          if (!isServerNotice) return step((draft) => writeNew(draft, said, text, writeText));
          return step((draft) => void draft.events.push({ type: "notice", kind: "error", message: text }));
        }
        case "thinkingDelta": {
          const { text } = message.value;
          return text === "" ? [] : step((draft) => writeNew(draft, thought, text, writeThinking));
        }
        default:
          return step(
            (draft) => onUpdate(draft, update),
            () => rawOf(update),
          );
      }
    },
    answered: (query, response) =>
      step(
        (draft) => onAnsweredQuery(draft, query, response),
        () => jsonOf(InteractionQuerySchema, query),
      ),
    unknown: (label, value) => step((draft) => keepUnknown(draft, SOURCE, label, value)),
    checkpoint(tokens) {
      said.settle();
      thought.settle();
      if (tokens === undefined || tokens.usedTokens === 0) return;
      context = { used: tokens.usedTokens, ...(tokens.maxTokens === 0 ? {} : { size: tokens.maxTokens }) };
    },
    resumed() {
      said.expect();
      thought.expect();
    },
    restarted: () => step((draft) => closeBlock(draft)),
    finish: (ending) => step((draft) => endTurn(draft, ending)),
    get hasEnded() {
      return state.ended;
    },
  };
}

type Message = InteractionUpdate["message"];
type Case = NonNullable<Message["case"]>;

/** Only for the server's own screens, or reported elsewhere. */
const ignored: ReadonlySet<Case> = new Set<Case>([
  "userMessageAppended",
  "partialToolCall",
  "tokenDelta",
  "summary",
  "summaryStarted",
  "summaryCompleted",
  "heartbeat",
  "stepStarted",
  "stepCompleted",
  "promptSuggestion",
  "postRequestPrompt",
  "activeBranchChange",
  "feedbackRequest",
  "responseComparison",
  "contextInjectionState",
  "grokBotNudge",
  "toolRequestsListed",
]);

function onUpdate(draft: StreamJsonDraft, update: InteractionUpdate): void {
  const { message } = update;
  switch (message.case) {
    case "thinkingCompleted":
      return closeThinking(draft, message.value.thinkingDurationMs);
    case "toolCallStarted":
      return onToolCall(draft, toolEvent("started", message.value));
    case "toolCallCompleted":
      return onToolCall(draft, toolEvent("completed", message.value));
    case "toolCallDelta":
      return onToolOutput(draft, message.value.callId, outputOf(message.value.toolCallDelta?.delta));
    case "shellOutputDelta":
      return onToolOutput(draft, onlyOpenCall(draft), shellOutput(message.value.event));
    case "routedModel":
      return void draft.events.push({ type: "session-ready", model: message.value.displayName });
    case "turnEnded":
      return endTurn(draft, { kind: "completed" }, usageOf(message.value));
    default:
      if (message.case === undefined || !ignored.has(message.case))
        keepUnknown(draft, SOURCE, `interaction_update:${unknownNumbers(update)}`, jsonValueOf(update));
  }
}

function closeThinking(draft: StreamJsonDraft, durationMs: number): void {
  if (draft.block?.kind === "thinking") closeBlock(draft, durationMs > 0 ? durationMs : undefined);
}

interface ToolUpdate {
  readonly callId: string;
  readonly toolCall?: ToolCall | undefined;
}

/** The line the CLI prints for it. */
function toolEvent(subtype: "started" | "completed", { callId, toolCall }: ToolUpdate): JsonObject {
  const call = toolCall === undefined ? {} : toolJson(toolCall);
  return { subtype, tool_call: call, ...(callId === "" ? {} : { call_id: callId }) };
}

function toolJson(call: ToolCall): JsonObject {
  try {
    const json = toJson(ToolCallSchema, call) as JsonObject;
    writeResult(json, call);
    // 64-bit numbers are strings in JSON; these two are times in milliseconds, which fit a number.
    for (const name of ["startedAtMs", "completedAtMs"]) if (name in json) json[name] = Number(json[name]);
    return json;
  } catch {
    // A value without a kind has no JSON form: the event then has the tool's name but no arguments.
    return call.tool.case === undefined ? {} : { [call.tool.case]: { args: {} } };
  }
}

/** In a result a zero is meaningful: a command's exit code, the number of matches. */
function writeResult(json: JsonObject, call: ToolCall): void {
  const name = call.tool.case;
  const tool = name === undefined ? undefined : json[name];
  if (name === undefined || typeof tool !== "object" || tool === null || !("result" in tool)) return;
  const whole = (toJson(ToolCallSchema, call, { alwaysEmitImplicit: true }) as JsonObject)[name] as JsonObject;
  json[name] = { ...tool, result: whole["result"] ?? null };
}

function onToolOutput(draft: StreamJsonDraft, callId: string | undefined, text: string): void {
  if (text === "" || callId === undefined || !draft.openCalls.has(callId)) return;
  draft.events.push({ type: "tool-output", callId, text });
}

/** Output that does not name its call can only be attributed if exactly one is open. */
function onlyOpenCall({ openCalls }: StreamJsonDraft): string | undefined {
  return openCalls.size === 1 ? [...openCalls.keys()][0] : undefined;
}

type DeltaOf<U extends Case> = Extract<Message, { case: U }>["value"];

function outputOf(delta: NonNullable<DeltaOf<"toolCallDelta">["toolCallDelta"]>["delta"] | undefined): string {
  if (delta?.case !== "shellToolCallDelta") return "";
  const { delta: output } = delta.value;
  return output.case === undefined ? "" : output.value.content;
}

function shellOutput(event: DeltaOf<"shellOutputDelta">["event"]): string {
  return event.case === "stdout" || event.case === "stderr" ? event.value.data : "";
}

/** Absent counts were not reported. */
function usageOf(ended: TurnEndedUpdate): Usage | undefined {
  const counts = {
    input: ended.inputTokens,
    output: ended.outputTokens,
    cacheRead: ended.cacheReadTokens,
    cacheWrite: ended.cacheWriteTokens,
    reasoning: ended.reasoningTokens,
  };
  const reported = Object.entries(counts).flatMap(([name, count]) =>
    count === undefined || count < 0n ? [] : [[name, Number(count)] as const],
  );
  return reported.length === 0 ? undefined : Object.fromEntries(reported);
}

/** The CLI prints a query and its own answer as two lines; here the answer is ours. */
function onAnsweredQuery(draft: StreamJsonDraft, query: InteractionQuery, response: InteractionResponse): void {
  const before = draft.events.length;
  const request = toJson(InteractionQuerySchema, query) as JsonObject;
  const answer = toJson(InteractionResponseSchema, response) as JsonObject;
  const query_type = query.query.case ?? "unknown";
  onInteractionQuery(draft, { subtype: "request", query_type, query: request });
  onInteractionQuery(draft, { subtype: "response", query_type, response: answer });
  for (const [index, event] of draft.events.entries())
    if (index >= before && event.type === "approval-answer") draft.events[index] = { ...event, by: "policy" };
}

/** Field numbers the schema lacks, as a label. */
function unknownNumbers({ $unknown = [] }: InteractionUpdate): string {
  return $unknown.map(({ no }) => no).join(",") || "empty";
}

function rawOf(update: InteractionUpdate): string {
  return JSON.stringify(jsonValueOf(update));
}

function jsonValueOf(update: InteractionUpdate): unknown {
  return JSON.parse(jsonOf(InteractionUpdateSchema, update));
}

function jsonOf(...[schema, message]: Parameters<typeof toJson>): string {
  try {
    return JSON.stringify(toJson(schema, message));
  } catch {
    return "{}"; // a value without a kind has no JSON; the events hold what could be read
  }
}
