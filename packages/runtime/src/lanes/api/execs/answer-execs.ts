import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CaretError } from "@caret/protocol";
import type { ExecServerMessage } from "@caret/protocol/agent-api/exec";
import type { McpResultSchema } from "@caret/protocol/agent-api/mcp";
import type { RequestContext } from "@caret/protocol/agent-api/request-context";
import { type AgentClientMessage, AgentClientMessageSchema } from "@caret/protocol/agent-api/run";
import type { ToolCall, ToolResult } from "../../../turns/tools/tool-call.ts";
import type { OfferedTools } from "../../lane.ts";
import { OWN_SERVER, type TurnOffer } from "../turn-offer.ts";
import type { ArgsOf, ExecReply, ExecRequest, ExecResult } from "./exec-reply.ts";
import { toRunnable } from "./native-exec.ts";
import { refuseExec } from "./refuse-exec.ts";

/** What execs are answered with. It outlives a stream: a resumed one asks again for what has no answer yet. */
export interface ExecSetting {
  readonly offered: OfferedTools | undefined;
  readonly offer: TurnOffer | undefined;
  readonly context: () => RequestContext;
  /** Calls that were made, by the agent's id: asked for again, they are not made twice. */
  readonly calls: Map<string, Promise<ToolResult>>;
  /** Calls that were announced to the log already, by the agent's id. */
  readonly announced: Set<string>;
  /** Aborted when the turn is over. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** The execs of one stream. */
export interface ExecAnswers {
  /** The server asks for something. What a person or a client has to know of it first happens in `taken`. */
  take(message: ExecServerMessage): void;
  /** What was shown before the execs is in the log: the calls may be logged now. */
  taken(): void;
  /** The server no longer waits for this one. */
  abort(id: number): void;
  /** A sign of life for each that is still worked on. */
  beat(): void;
}

const NO_HANDS =
  "This client runs no tools of the agent's own. Caret's tools are there when the gateway owns them (`tools.owner`).";
const SWITCHED_OFF = `Your own tools are switched off: use the tools of the MCP server ${OWN_SERVER} instead.`;

export function createExecAnswers(setting: ExecSetting, send: (message: AgentClientMessage) => void): ExecAnswers {
  const open = new Map<number, AbortController>();
  let waiting: (() => void)[] = [];

  const reply = ({ id, execId }: ExecServerMessage, answer: ExecReply, since: number): void => {
    if (!open.delete(id)) return;
    const isClosed = !("thrown" in answer) || answer.leavesOpen !== true;
    if ("thrown" in answer) send(control({ case: "throw", value: { id, error: answer.thrown } }));
    else sendResults(id, execId, answer.results, Math.round(setting.now() - since));
    if (isClosed) send(control({ case: "streamClose", value: { id } }));
  };

  const sendResults = (id: number, execId: string, results: readonly ExecResult[], localExecutionTimeMs: number) => {
    for (const message of results)
      send(clientMessage({ case: "execClientMessage", value: { id, execId, message, localExecutionTimeMs } }));
  };

  /** Makes a call once, however often the upstream asks for it. */
  const make = (callId: string, call: ToolCall, offered: OfferedTools, signal: AbortSignal): Promise<ToolResult> => {
    const made = callId === "" ? undefined : setting.calls.get(callId);
    if (made !== undefined) return made;
    if (callId === "" || !setting.announced.has(callId)) offered.announce(call);
    const answer = offered.call(call, signal);
    if (callId !== "") setting.calls.set(callId, answer);
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
      const answer = make(task.callId, task.call, offered, signal);
      answer.then(
        (result) => reply(message, { results: task.toResults(result) }, since),
        (reason: unknown) => reply(message, { thrown: CaretError.from(reason).message }, since),
      );
    });
  };

  return {
    take(message) {
      const controller = new AbortController();
      open.set(message.id, controller);
      const task = taskOf(message.message, setting);
      if (task !== undefined && setting.offered !== undefined) return run(message, task, setting.offered, controller);
      reply(message, answerAtOnce(message.message, setting), setting.now());
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

/** A request that takes a call of the client's or the gateway's tools. */
interface ExecTask {
  readonly callId: string;
  readonly call: ToolCall;
  readonly toResults: (result: ToolResult) => readonly ExecResult[];
}

function taskOf(request: ExecRequest, { offer }: ExecSetting): ExecTask | undefined {
  if (offer === undefined) return undefined;
  if (request.case === "mcpArgs") return mcpTask(request.value, offer);
  const runnable = offer.owner === "gateway" ? toRunnable(request) : undefined;
  return runnable && { ...runnable, callId: `${callIdOf(request)}` };
}

function mcpTask(args: ArgsOf<"mcpArgs">, offer: TurnOffer): ExecTask | undefined {
  const call = args.smartModeApprovalOnly ? undefined : offer.resolve(args);
  return call && { call, callId: args.toolCallId, toResults: (result) => [mcpResult(result)] };
}

/** One call of the agent's may ask for several native operations, so that the kind is part of the key. */
function callIdOf(request: ExecRequest): string {
  const callId = request.value !== undefined && "toolCallId" in request.value ? request.value.toolCallId : undefined;
  return callId === undefined || callId === "" ? "" : `${request.case} ${callId}`;
}

function mcpResult({ text, images = [], isError }: ToolResult): ExecResult {
  const shown = images.map(({ mediaType, data }) => ({ mimeType: mediaType, data: Buffer.from(data, "base64") }));
  const content = [
    { content: { case: "text", value: { text } } as const },
    ...shown.map((value) => ({ content: { case: "image", value } as const })),
  ];
  return { case: "mcpResult", value: { result: { case: "success", value: { content, isError } } } };
}

/** What needs nobody's tools. */
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
