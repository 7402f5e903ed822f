import type { AgentEvent } from "@caret/protocol";
import type { ToolCall, ToolResult } from "../../calls/tool-call.ts";
import type { OfferedTools } from "../../lanes/lane.ts";
import { createSessionGrants } from "../../policy/grants/session-grants.ts";
import { createPolicy } from "../../policy/policy.ts";
import type { PolicyRule } from "../../policy/policy-parts.ts";
import { sandboxNotice } from "../../sandbox/sandbox-notice.ts";
import type { OpenSandbox } from "../../sandbox/sandboxes.ts";
import { type AskUser, createAskUser } from "../../tools/ask-user/ask-user.ts";
import type { ToolCallResult } from "../../tools/tool-registry.ts";
import type { GatewayToolsRequest } from "../session-engine.ts";
import { createCallApprovals } from "./call-approvals.ts";
import { createOwnToolCalls, type OwnToolCalls } from "./own-tool-calls.ts";
import type { GatewayToolbox, MoreTools } from "./toolbox.ts";
import { type AskedTurn, createTurnAsks } from "./turn-asks.ts";
import { createTurnSteering, type TurnSteering } from "./turn-steering.ts";
import { answered, type TurnTools, type TurnToolsOptions } from "./turn-tools.ts";
import { type FinishedCall, guardCalls } from "./watch-loops.ts";

export interface GatewayTurnToolsOptions extends TurnToolsOptions {
  /** Opened once the turn has begun. */
  readonly openToolbox: (openMore: (() => Promise<MoreTools>) | undefined) => Promise<GatewayToolbox>;
  /** Whether a person can be asked. */
  readonly attended: boolean;
  /** Mode of a read-only turn. */
  readonly readsOnly?: "plan" | "ask" | undefined;
  /** What the turn's tools run in; undefined: containment only. */
  readonly sandbox: ToolSandbox | undefined;
}

/** The sandbox of a turn, for what the gateway runs in its workspace. */
export interface ToolSandbox {
  /** Denies for tools that run inside the gateway itself. */
  readonly rules: readonly PolicyRule[];
  readonly open: () => Promise<OpenSandbox>;
}

/** The gateway runs the tools in the user's workspace; a person can approve, answer and steer. */
export function gatewayTurnTools(wanted: GatewayToolsRequest, options: GatewayTurnToolsOptions): TurnTools {
  const { write, calls: log } = options;
  let calls: OwnToolCalls | undefined;
  let sandbox: OpenSandbox | undefined;
  const grants = wanted.grants ?? createSessionGrants({ newId: log.newId, now: options.now });
  const asks = createTurnAsks({ ...options, limitMs: options.askLimitMs, grants });
  const steering = createTurnSteering({ write, key: log.newId() });
  let left: Promise<readonly AgentEvent[]> | undefined;
  const close = async (): Promise<readonly AgentEvent[]> => {
    await calls?.settled();
    return ((await sandbox?.close()) ?? []).map(sandboxNotice);
  };
  const leave = (): Promise<readonly AgentEvent[]> => {
    left ??= close();
    return left;
  };
  return {
    parked: undefined,
    asks,
    isUndecided(event) {
      if (event.type === "tool-call") return calls?.isOpen(event.callId) === true;
      return (event.type === "approval-request" || event.type === "question") && asks.isOpen(event.requestId);
    },
    steering,
    async offer() {
      const toolbox = await options.openToolbox(wanted.openMore);
      sandbox ??= await options.sandbox?.open();
      const opened = openCalls({ ...wanted, grants }, toolbox, {
        ...options,
        asks,
        steering,
        enclose: sandbox?.enclose,
      });
      calls = opened.calls;
      return {
        offered: opened.offered,
        notices: toolbox.problems.map((message) => ({ type: "notice", kind: "error", message })),
      };
    },
    end() {
      steering.end();
      return [...asks.end(), ...(calls?.end() ?? [])];
    },
    leave,
    settled: async () => void (await leave()),
  };
}

interface OpenCallsOptions extends GatewayTurnToolsOptions {
  readonly asks: AskedTurn;
  readonly steering: TurnSteering;
  readonly enclose: OpenSandbox["enclose"] | undefined;
}

function openCalls(
  wanted: GatewayToolsRequest & Required<Pick<GatewayToolsRequest, "grants">>,
  { registry, policy: rules, context }: GatewayToolbox,
  options: OpenCallsOptions,
): { readonly calls: OwnToolCalls; readonly offered: OfferedTools } {
  const { write, calls: log, signal, attended, asks, steering } = options;
  const { realWorkspace, grants } = wanted;
  const mode = wanted.permission ?? rules.mode;
  const denied = options.sandbox?.rules ?? [];
  const policy = createPolicy({
    rules: [...rules.rules, ...denied],
    mode,
    workspace: realWorkspace,
    attended,
    readsOnly: options.readsOnly,
    newRequestId: log.newId,
  });
  const askUser = attended ? createAskUser({ ask: asks.question, newRequestId: log.newId }) : undefined;
  const calls = createOwnToolCalls({
    registry,
    approvals: createCallApprovals({ git: context, policy, asks, grants, write }),
    askUser,
    context: {
      ...context,
      workspace: realWorkspace,
      enclose: options.enclose,
      // An editor works outside any sandbox.
      editor: options.sandbox === undefined ? wanted.editor : undefined,
    },
    signal,
    calls: log,
    write,
  });
  const run = async (call: ToolCall, callSignal: AbortSignal): Promise<FinishedCall> =>
    toFinished(await calls.call(call, callSignal));
  const guarded = guardCalls({ ...options, run });
  const call = steering.carriedBy(answered(options.acts, guarded));
  const tools = [...toList(askUser), ...registry.list()].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const system = attended ? `${wanted.system}\n\n${steering.rule}`.trimStart() : wanted.system;
  return { calls, offered: { owner: "gateway", tools, system, realWorkspace, call, announce: log.announce } };
}

/** Listed first: of many tools, only the first are offered directly. */
function toList(askUser: AskUser | undefined): readonly AskUser[] {
  return askUser === undefined ? [] : [askUser];
}

function toFinished({ status, output, outcomeClass, durationMs, exitCode, data }: ToolCallResult): FinishedCall {
  const result: ToolResult = {
    text: output,
    isError: status !== "ok",
    ...(status === "rejected" ? { isRejected: true } : {}),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(data === undefined ? {} : { data }),
  };
  if (status === "interrupted") return { result, outcome: undefined };
  const isRefused = status === "rejected" && outcomeClass !== "permission";
  return { result, outcome: { class: outcomeClass, output, durationMs, isRefused } };
}
