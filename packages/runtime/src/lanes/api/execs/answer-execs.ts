import { createHash } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CaretError } from "@caret/protocol";
import { fromValueMap } from "@caret/protocol/agent-api";
import type { ExecServerMessage } from "@caret/protocol/agent-api/exec";
import type { McpResultSchema } from "@caret/protocol/agent-api/mcp";
import type { RequestContext } from "@caret/protocol/agent-api/request-context";
import { type AgentClientMessage, AgentClientMessageSchema } from "@caret/protocol/agent-api/run";
import { canonicalJson } from "../../../calls/canonical-json.ts";
import type { ToolCall, ToolResult } from "../../../calls/tool-call.ts";
import type { LaneRequest, OfferedTools } from "../../lane.ts";
import { OWN_SERVER, type TurnOffer } from "../turn-offer.ts";
import type { ArgsOf, ExecReply, ExecRequest, ExecResult } from "./exec-reply.ts";
import { toRunnable } from "./native-exec.ts";
import { refuseExec } from "./refuse-exec.ts";

/** The setting in which execs are answered. It outlives a stream: a resumed one repeats unanswered requests. */
export interface ExecSetting {
  readonly offered: OfferedTools | undefined;
  readonly answerRefused?: LaneRequest["answerRefused"];
  readonly offer: TurnOffer | undefined;
  readonly context: () => RequestContext;
  /** Calls already made, by operation key: a repeated request does not make them twice. */
  readonly calls: Map<string, Promise<ToolResult>>;
  /** Calls already announced to the log, by the agent's id. */
  readonly announced: Set<string>;
  /** Number of checkpoints that upstream saved in this turn: after the last one, a resumed stream repeats its requests. */
  readonly checkpoints: () => number;
  /** Aborted when the turn is over. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** The execs of one stream. */
export interface ExecAnswers {
  /** Accepts a server request. Anything a person or a client must know about it first happens in `taken`. */
  take(message: ExecServerMessage): void;
  /** What was shown before the execs is logged: the calls may be logged now. */
  taken(): void;
  /** The server no longer waits for this exec. */
  abort(id: number): void;
  /** Sends a heartbeat for each exec in progress. */
  beat(): void;
}

const NO_HANDS =
  "This client runs no tools of the agent's own. Caret's tools are there when the gateway owns them (`tools.owner`).";
const SWITCHED_OFF = `Your own tools are switched off: use the tools of the MCP server ${OWN_SERVER} instead.`;

export function createExecAnswers(setting: ExecSetting, send: (message: AgentClientMessage) => void): ExecAnswers {
  const open = new Map<number, AbortController>();
  const nameless = createNamelessCalls(setting.checkpoints);
  let waiting: (() => void)[] = [];

  const reply = ({ id, execId }: ExecServerMessage, answer: ExecReply, since: number): void => {
    if (!open.delete(id)) return;
    const isClosed = !("thrown" in answer) || answer.leavesOpen !== true;
    if ("thrown" in answer) send(control({ case: "throw", value: { id, error: answer.thrown } }));
    else sendResults({ id, execId, localExecutionTimeMs: Math.round(setting.now() - since) }, answer);
    if (isClosed) send(control({ case: "streamClose", value: { id } }));
  };

  const sendResults = (
    head: { readonly id: number; readonly execId: string; readonly localExecutionTimeMs: number },
    { results, aside }: Exclude<ExecReply, { thrown: string }>,
  ): void => {
    const hookAdditionalContexts = aside === undefined ? [] : [{ hookEventName: "postToolUse", content: aside }];
    for (const [index, message] of results.entries()) {
      const more = index === results.length - 1 ? { hookAdditionalContexts } : {};
      send(clientMessage({ case: "execClientMessage", value: { ...head, message, ...more } }));
    }
  };

  /** Makes a call once, however often upstream requests it. */
  const make = (
    { key, announcedAs, call }: ExecTask,
    offered: OfferedTools,
    signal: AbortSignal,
  ): Promise<ToolResult> => {
    const made = key === undefined ? undefined : setting.calls.get(key);
    if (made !== undefined) return made;
    // The stream mentions a call once: further requests under its id are announced here.
    if (announcedAs === undefined || !setting.announced.delete(announcedAs)) offered.announce(call);
    const answer = offered.call(call, signal);
    if (key !== undefined) setting.calls.set(key, answer);
    return answer;
  };

  const run = (
    message: ExecServerMessage,
    task: ExecTask,
    offered: OfferedTools,
    controller: AbortController,
  ): void => {
    const since = setting.now();
    const signal = AbortSignal.any([controller.signal, setting.signal]);
    waiting.push(() => {
      make(task, offered, signal).then(
        (result) => reply(message, replyOf(message, task, result), since),
        (reason: unknown) => reply(message, { thrown: CaretError.from(reason).message }, since),
      );
    });
  };

  return {
    take(message) {
      const controller = new AbortController();
      open.set(message.id, controller);
      const task = taskOf(message, setting, nameless);
      if (task === undefined || setting.offered === undefined) {
        countRefused(message.message, setting);
        return reply(message, answerAtOnce(message.message, setting), setting.now());
      }
      if ("refused" in task) return reply(message, { results: task.refused }, setting.now());
      run(message, task, setting.offered, controller);
    },
    taken() {
      const begun = waiting;
      waiting = [];
      for (const begin of begun) begin();
    },
    abort(id) {
      const controller = open.get(id);
      open.delete(id);
      controller?.abort(new CaretError("cancelled", "The upstream no longer waits for this call"));
    },
    beat() {
      for (const id of open.keys()) send(control({ case: "heartbeat", value: { id } }));
    },
  };
}

/** A request that needs a call of the client's or the gateway's tools. */
interface ExecTask {
  /** The same only for the very same operation; undefined if it may be repeated. */
  readonly key: string | undefined;
  /** The id under which the stream mentions it; undefined if it does not. */
  readonly announcedAs: string | undefined;
  readonly call: ToolCall;
  readonly toResults: (result: ToolResult) => readonly ExecResult[];
}

type TaskOrRefusal = ExecTask | { readonly refused: readonly ExecResult[] };

function taskOf(
  { message: request, execId }: ExecServerMessage,
  setting: ExecSetting,
  nameless: NamelessCalls,
): TaskOrRefusal | undefined {
  const { offer, offered } = setting;
  if (offer === undefined) return undefined;
  if (request.case === "mcpArgs") return mcpTask(request.value, offer);
  const runnable = offer.owner === "gateway" ? toRunnable(request, offered?.realWorkspace ?? "/") : undefined;
  if (runnable === undefined || "refused" in runnable) return runnable;
  const { call, hasEffect, toResults } = runnable;
  const callId = callIdOf(request) || execId || nameless(request.case, call);
  const key = hasEffect ? keyOf(request.case, callId, call) : undefined;
  return { key, announcedAs: undefined, call, toResults };
}

function mcpTask(args: ArgsOf<"mcpArgs">, offer: TurnOffer): ExecTask | undefined {
  const call = args.smartModeApprovalOnly ? undefined : offer.resolve(args);
  if (call === undefined) return undefined;
  const { toolCallId } = args;
  const key = keyOf("mcpArgs", toolCallId, call);
  return { key, announcedAs: toolCallId, call, toResults: (result) => [mcpResult(result)] };
}

/** Names an operation that has no call of the agent's. */
type NamelessCalls = (kind: ExecRequest["case"], call: ToolCall) => string;

/**
 * Such an operation is identified by its position: after which checkpoint, and how many equal ones preceded it there. A resumed stream
 * continues from the last checkpoint and repeats the same requests in the same order.
 */
function createNamelessCalls(checkpoints: () => number): NamelessCalls {
  let behind = checkpoints();
  let counts = new Map<string, number>();
  return (kind, { name, input, exact }) => {
    if (checkpoints() !== behind) counts = new Map();
    behind = checkpoints();
    const same = canonicalJson([kind, name, input, exact]);
    const count = (counts.get(same) ?? 0) + 1;
    counts.set(same, count);
    return `behind checkpoint ${behind}, ${count}`;
  };
}

/**
 * Identifies one operation: its kind, the agent's call (which may request several), and what it does. Without a call it cannot be
 * identified and is always done.
 */
function keyOf(kind: ExecRequest["case"], callId: string, { name, input, exact }: ToolCall): string | undefined {
  if (callId === "") return undefined;
  const digest = createHash("sha256")
    .update(canonicalJson([name, input, exact]))
    .digest("base64url");
  return JSON.stringify([kind, callId, digest]);
}

function callIdOf({ value }: ExecRequest): string {
  return value !== undefined && "toolCallId" in value ? (value.toolCallId ?? "") : "";
}

/** Adds words for the model to the data if upstream accepts them. */
function replyOf(
  { acceptHookAdditionalContexts }: ExecServerMessage,
  task: ExecTask,
  result: ToolResult,
): Exclude<ExecReply, { thrown: string }> {
  const results = task.toResults(result);
  return acceptHookAdditionalContexts === true && result.aside !== undefined
    ? { results, aside: result.aside }
    : { results };
}

function mcpResult({ text, images = [], isError }: ToolResult): ExecResult {
  const shown = images.map(({ mediaType, data }) => ({ mimeType: mediaType, data: Buffer.from(data, "base64") }));
  const content = [
    { content: { case: "text", value: { text } } as const },
    ...shown.map((value) => ({ content: { case: "image", value } as const })),
  ];
  return { case: "mcpResult", value: { result: { case: "success", value: { content, isError } } } };
}

/** A call of an unknown tool has its own kind of answer, and counts as any other refused call. */
function countRefused(request: ExecRequest, { answerRefused }: ExecSetting): void {
  if (request.case !== "mcpArgs" || request.value.smartModeApprovalOnly) return;
  const { toolName, name, args } = request.value;
  const call = { name: toolName === "" ? name : toolName, input: fromValueMap(args) };
  void answerRefused?.(call, { reason: `There is no tool named ${call.name}`, class: "not_found" });
}

/** Answers requests that need no tools. */
function answerAtOnce(request: ExecRequest, { offer, offered, context }: ExecSetting): ExecReply {
  switch (request.case) {
    case "requestContextArgs": {
      const success = { case: "success", value: { requestContext: context() } } as const;
      return { results: [{ case: "requestContextResult", value: { result: success } }] };
    }
    case "mcpArgs":
      return { results: [{ case: "mcpResult", value: { result: unknownTool(request.value, offer) } }] };
    case "mcpStateExecArgs":
      return { results: [{ case: "mcpStateExecResult", value: { result: ownState(offer) } }] };
    case "mcpAllowlistPrecheckArgs": {
      const allowlisted = request.value.providerIdentifier === OWN_SERVER;
      return { results: [{ case: "mcpAllowlistPrecheckResult", value: { allowlisted } }] };
    }
    case "listMcpResourcesExecArgs": {
      const none = { case: "success", value: {} } as const;
      return { results: [{ case: "listMcpResourcesExecResult", value: { result: none } }] };
    }
    default:
      return refuseExec(request, offered === undefined ? NO_HANDS : SWITCHED_OFF);
  }
}

type McpAnswer = NonNullable<MessageInitShape<typeof McpResultSchema>["result"]>;

function unknownTool(args: ArgsOf<"mcpArgs">, offer: TurnOffer | undefined): McpAnswer {
  if (args.smartModeApprovalOnly && offer?.resolve(args) !== undefined) return { case: "approved", value: {} };
  const name = args.toolName === "" ? args.name : args.toolName;
  if (offer !== undefined) return { case: "toolNotFound", value: { name, availableTools: [...offer.names()] } };
  return { case: "serverNotFound", value: { name: args.providerIdentifier || name } };
}

function ownState(offer: TurnOffer | undefined) {
  const server = { serverName: OWN_SERVER, serverIdentifier: OWN_SERVER, tools: [...(offer?.definitions() ?? [])] };
  return { case: "success", value: { servers: offer === undefined ? [] : [server] } } as const;
}

type MessageInit = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>["message"]>;
type ControlInit = NonNullable<Extract<MessageInit, { case: "execClientControlMessage" }>["value"]["message"]>;

function clientMessage(message: MessageInit): AgentClientMessage {
  return create(AgentClientMessageSchema, { message });
}

function control(message: ControlInit): AgentClientMessage {
  return clientMessage({ case: "execClientControlMessage", value: { message } });
}
