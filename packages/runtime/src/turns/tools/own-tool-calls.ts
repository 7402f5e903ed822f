import { type AgentEvent, type AgentEventOf, CaretError } from "@caret/protocol";
import type { ToolCall } from "../../calls/tool-call.ts";
import { withOutput } from "../../log/interrupted-end.ts";
import { notRun, whyStopped } from "../../log/why-stopped.ts";
import type { AskUser } from "../../tools/ask-user/ask-user.ts";
import { editorOfCall } from "../../tools/editor-of-call.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { ToolCallResult, ToolRegistry } from "../../tools/tool-registry.ts";
import { createLiveOutput, type LiveOutput } from "../live-output.ts";
import type { CallApprovals } from "./call-approvals.ts";
import type { CallLog } from "./call-log.ts";
import { decideAndRun } from "./decide-and-run.ts";

export interface GatewayCallsOptions {
  readonly registry: ToolRegistry;
  readonly approvals: CallApprovals;
  /** Undefined: no one can be asked. */
  readonly askUser: AskUser | undefined;
  /** Where the tools work: the user's workspace, not the agent's. */
  readonly context: Omit<ToolContext, "signal">;
  /** The turn's signal; each call also has its own. */
  readonly signal: AbortSignal;
  readonly calls: CallLog;
  /** Logs what a running tool prints. */
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
}

/** Runs the gateway's own calls: approval first, then the tool; every result is logged before the agent gets it. */
export interface OwnToolCalls {
  call(call: ToolCall, signal: AbortSignal): Promise<ToolCallResult>;
  /** Whether this call has no result yet. */
  isOpen(callId: string): boolean;
  /** Ends the turn's calls: stops those still running and returns the events to log before the turn's end. */
  end(): readonly AgentEvent[];
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>;
}

const TOO_LATE: ToolCallResult = {
  status: "interrupted",
  output: "The turn ended before this call had a result.",
  outcomeClass: "unknown",
  durationMs: 0,
};

export function createOwnToolCalls(options: GatewayCallsOptions): OwnToolCalls {
  const { registry, askUser, context, calls, write } = options;
  const ended = new AbortController();
  /** Calls without a result; mapped to their output once the tool has started. */
  const open = new Map<string, LiveOutput | undefined>();
  const running = new Set<Promise<unknown>>();

  const judge = async (call: ToolCall, callId: string, signal: AbortSignal): Promise<ToolCallResult> => {
    const { name, input, exact } = call;
    const live = createLiveOutput({ callId, write });
    const onStart = (): void => {
      if (open.has(callId)) open.set(callId, live);
    };
    const editor = context.editor === undefined ? undefined : editorOfCall(context.editor);
    const watched = { ...context, editor, signal, callId, exact, onOutput: live.push };
    // Answering a question is the user's choice, so it needs no approval.
    if (name === askUser?.name) return await askUser.call(input, { callId, signal });
    const tool = registry.find(name);
    // The registry words this error best.
    if (tool === undefined) return await registry.call(name, input, watched);
    const asked = { tool: tool.name, kind: tool.kind, input, callId, ...serverOf(tool) };
    return (await decideAndRun(asked, { ...options, context: watched, onStart })) ?? neverRun(signal);
  };

  const run = async (call: ToolCall, callSignal: AbortSignal): Promise<ToolCallResult> => {
    await calls.inOrder(call);
    const signal = AbortSignal.any([options.signal, ended.signal, callSignal]);
    if (signal.aborted) return neverRun(signal);
    const callId = calls.newId();
    open.set(callId, undefined);
    const tool = call.name === askUser?.name ? askUser : registry.find(call.name);
    const { name, input } = call;
    await calls.begin({ name, input, callId, ...serverOf(tool) }, { kind: tool?.kind ?? "other", owner: "gateway" });
    const result = await judge(call, callId, signal);
    // The turn's end has already settled this call in the log.
    const live = open.get(callId);
    if (!open.delete(callId)) return TOO_LATE;
    await calls.end(toResult(callId, result), live?.end());
    return result;
  };

  return {
    async call(call, signal) {
      const result = run(call, signal);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    isOpen: (callId) => open.has(callId),
    end() {
      ended.abort(new CaretError("cancelled", "The turn ended"));
      const signal = AbortSignal.any([options.signal, ended.signal]);
      const left = [...open];
      open.clear();
      return left.flatMap(([callId, live]) =>
        live === undefined
          ? [toResult(callId, neverRun(signal))]
          : [...live.end(), toResult(callId, { ...TOO_LATE, output: withOutput(live.soFar(), TOO_LATE.output) })],
      );
    },
    async settled() {
      await Promise.allSettled(running);
    },
  };
}

/** The signal fired before the tool started. */
function neverRun({ reason }: AbortSignal): ToolCallResult {
  return { ...TOO_LATE, notRun: true, output: notRun(whyStopped(reason)) };
}

type ToolWords = Pick<Tool, "name" | "kind">;

function toResult(
  callId: string,
  { status, notRun: neverStarted, output, exitCode, diff, durationMs }: ToolCallResult,
): AgentEventOf<"tool-result"> {
  return {
    type: "tool-result",
    callId,
    status,
    ...(neverStarted === undefined ? {} : { notRun: neverStarted }),
    output,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(diff === undefined ? {} : { diff }),
    durationMs,
  };
}

/** MCP tools are named `server__tool`; no server's own name contains that separator. */
function serverOf(tool: ToolWords | undefined): { readonly server?: string } {
  const [server = ""] = tool?.name.split("__", 1) ?? [];
  return tool?.kind === "mcp" ? { server } : {};
}
