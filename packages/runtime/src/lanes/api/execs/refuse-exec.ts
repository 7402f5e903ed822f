import type { ExecuteHookArgs } from "@caret/protocol/agent-api/other-execs";
import { ForceBackgroundSubagentStatus } from "@caret/protocol/agent-api/other-execs";
import { ForceBackgroundShellStatus, type ShellArgs } from "@caret/protocol/agent-api/shell";
import type { ArgsOf, ExecCase, ExecReply, ExecRequest, ExecResult } from "./exec-reply.ts";

type Refuser<Case extends ExecCase> = (args: ArgsOf<Case>, reason: string) => ExecResult;

/** How each kind of request is refused: with its own typed result, so the agent knows the outcome. */
const refusers: { readonly [Case in ExecCase]?: Refuser<Case> } = {
  shellArgs: (args, reason) => ({ case: "shellResult", value: { result: rejectedShell(args, reason) } }),
  shellStreamArgs: (args, reason) => ({ case: "shellStream", value: { event: rejectedShell(args, reason) } }),
  miniSweAgentBashArgs: (args, reason) => ({
    case: "miniSweAgentBashResult",
    value: { result: rejectedShell(args, reason) },
  }),
  backgroundShellSpawnArgs: (args, reason) => ({
    case: "backgroundShellSpawnResult",
    value: { result: rejectedShell(args, reason) },
  }),
  writeShellStdinArgs: (_, error) => ({ case: "writeShellStdinResult", value: failed({ error }) }),
  forceBackgroundShellArgs: () => ({
    case: "forceBackgroundShellResult",
    value: { status: ForceBackgroundShellStatus.NOT_FOUND },
  }),
  shellAllowlistPrecheckArgs: () => ({ case: "shellAllowlistPrecheckResult", value: { allowlisted: false } }),
  readArgs: ({ path }, reason) => ({ case: "readResult", value: rejected({ path, reason }) }),
  redactedReadArgs: ({ path }, reason) => ({ case: "redactedReadResult", value: rejected({ path, reason }) }),
  writeArgs: ({ path }, reason) => ({ case: "writeResult", value: rejected({ path, reason }) }),
  deleteArgs: ({ path }, reason) => ({ case: "deleteResult", value: rejected({ path, reason }) }),
  grepArgs: (_, error) => ({ case: "grepResult", value: failed({ error }) }),
  lsArgs: ({ path }, reason) => ({ case: "lsResult", value: rejected({ path, reason }) }),
  diagnosticsArgs: ({ path }, reason) => ({ case: "diagnosticsResult", value: rejected({ path, reason }) }),
  fetchArgs: ({ url }, error) => ({ case: "fetchResult", value: failed({ url, error }) }),
  webFetchAllowlistPrecheckArgs: () => ({ case: "webFetchAllowlistPrecheckResult", value: { allowlisted: false } }),
  mcpArgs: (_, reason) => ({ case: "mcpResult", value: rejected({ reason }) }),
  mcpAllowlistPrecheckArgs: () => ({ case: "mcpAllowlistPrecheckResult", value: { allowlisted: false } }),
  readMcpResourceExecArgs: ({ uri }) => ({
    case: "readMcpResourceExecResult",
    value: { result: { case: "notFound", value: { uri } } },
  }),
  recordScreenArgs: (_, error) => ({
    case: "recordScreenResult",
    value: { result: { case: "failure", value: { error } } },
  }),
  computerUseArgs: (_, error) => ({ case: "computerUseResult", value: failed({ error }) }),
  executeHookArgs: (args) => ({ case: "executeHookResult", value: { response: { response: emptyHookAnswer(args) } } }),
  subagentArgs: (_, error) => ({ case: "subagentResult", value: failed({ error }) }),
  subagentAwaitArgs: ({ agentId }) => ({
    case: "subagentAwaitResult",
    value: { result: { case: "notFound", value: { agentId } } },
  }),
  forceBackgroundSubagentArgs: () => ({
    case: "forceBackgroundSubagentResult",
    value: { status: ForceBackgroundSubagentStatus.NOT_FOUND },
  }),
  smartModeClassifierArgs: (_, error) => ({ case: "smartModeClassifierResult", value: failed({ error }) }),
  canvasDiagnosticsArgs: ({ path }, error) => ({ case: "canvasDiagnosticsResult", value: failed({ path, error }) }),
  piReadArgs: (_, error) => ({ case: "piReadResult", value: failed({ error }) }),
  piBashArgs: (_, error) => ({ case: "piBashResult", value: failed({ error }) }),
  piEditArgs: (_, reason) => ({ case: "piEditResult", value: rejected({ reason }) }),
  piWriteArgs: (_, reason) => ({ case: "piWriteResult", value: rejected({ reason }) }),
  piGrepArgs: (_, error) => ({ case: "piGrepResult", value: failed({ error }) }),
  piFindArgs: (_, error) => ({ case: "piFindResult", value: failed({ error }) }),
  piLsArgs: (_, error) => ({ case: "piLsResult", value: failed({ error }) }),
  conversationSearchArgs: (_, error) => ({ case: "conversationSearchResult", value: failed({ error }) }),
  agentStoreConflictArgs: (_, error) => ({ case: "agentStoreConflictResult", value: failed({ error }) }),
  adoptArgs: ({ sourceAgentId }, error) => ({
    case: "adoptResult",
    value: { sourceAgentId, result: { case: "error", value: error } },
  }),
};

/** Refuses a request in the terms of its kind. Unknown requests, and those without a result type, are answered by a throw. */
export function refuseExec(request: ExecRequest, reason: string): ExecReply {
  if (request.case === undefined) return { thrown: "This client does not know the operation" };
  // The official client does not close after this one either.
  if (request.case === "gitDiffRequest") return { thrown: reason, leavesOpen: true };
  const refuse = refusers[request.case] as Refuser<ExecCase> | undefined;
  return refuse === undefined ? { thrown: reason } : { results: [refuse(request.value, reason)] };
}

function rejectedShell({ command, workingDirectory }: Pick<ShellArgs, "command" | "workingDirectory">, reason: string) {
  return { case: "rejected", value: { command, workingDirectory, reason } } as const;
}

function rejected<Value>(value: Value) {
  return { result: { case: "rejected", value } } as const;
}

function failed<Value>(value: Value) {
  return { result: { case: "error", value } } as const;
}

/** There are no hooks here, so every answer is empty. */
function emptyHookAnswer({ request }: ExecuteHookArgs) {
  const hook = request?.request.case;
  return hook === undefined ? { case: undefined } : { case: hook, value: {} };
}
