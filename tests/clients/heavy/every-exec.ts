/** What an upstream may ask, as protobuf's JSON, and the arm with which the official SDK answers; `thrown` for a refusal. */
export type Asked = readonly [ask: Readonly<Record<string, object>>, answer: string];

const file = "notes.txt";

/** Every exec of the schema. Paths are made absolute by `inWorkspace`. */
export const everyExec: readonly Asked[] = [
  [{ shellArgs: { command: "echo hi" } }, "shellResult"],
  [{ writeArgs: { path: "written.txt", fileText: "x" } }, "writeResult"],
  [{ deleteArgs: { path: "written.txt" } }, "deleteResult"],
  [{ grepArgs: { pattern: "a", path: file } }, "grepResult"],
  [{ readArgs: { path: file } }, "readResult"],
  [{ redactedReadArgs: { path: file } }, "thrown"],
  [{ lsArgs: { path: "." } }, "lsResult"],
  [{ diagnosticsArgs: { path: "missing" } }, "diagnosticsResult"],
  [{ requestContextArgs: {} }, "requestContextResult"],
  [{ mcpArgs: { name: "no-x", providerIdentifier: "no", toolName: "x" } }, "mcpResult"],
  [{ shellStreamArgs: { command: "echo hi" } }, "shellStream"],
  [{ backgroundShellSpawnArgs: { command: "true" } }, "backgroundShellSpawnResult"],
  [{ listMcpResourcesExecArgs: {} }, "listMcpResourcesExecResult"],
  [{ readMcpResourceExecArgs: { server: "no", uri: "a:b" } }, "readMcpResourceExecResult"],
  [{ mcpStateExecArgs: {} }, "mcpStateExecResult"],
  [{ fetchArgs: { url: "http://127.0.0.1:1/" } }, "fetchResult"],
  [{ recordScreenArgs: {} }, "thrown"],
  [{ computerUseArgs: {} }, "thrown"],
  [{ writeShellStdinArgs: { shellId: 99, chars: "x" } }, "writeShellStdinResult"],
  [{ executeHookArgs: { request: { preToolUse: { toolName: "Shell" } } } }, "thrown"],
  [
    { subagentArgs: { toolCallId: "c", subagentType: "explore", prompt: "subagent", modelId: "default" } },
    "subagentResult",
  ],
  [{ forceBackgroundShellArgs: { toolCallId: "x" } }, "forceBackgroundShellResult"],
  [{ forceBackgroundSubagentArgs: { toolCallId: "x" } }, "forceBackgroundSubagentResult"],
  [{ subagentAwaitArgs: { agentId: "no" } }, "subagentAwaitResult"],
  [{ smartModeClassifierArgs: {} }, "thrown"],
  [{ canvasDiagnosticsArgs: { path: file } }, "thrown"],
  [{ shellAllowlistPrecheckArgs: { command: "ls" } }, "shellAllowlistPrecheckResult"],
  [{ mcpAllowlistPrecheckArgs: {} }, "mcpAllowlistPrecheckResult"],
  [{ webFetchAllowlistPrecheckArgs: { url: "http://a.example" } }, "webFetchAllowlistPrecheckResult"],
  [{ gitDiffRequest: { cwd: "." } }, "thrown"],
  [{ piReadArgs: { path: file } }, "piReadResult"],
  [{ piBashArgs: { command: "echo hi" } }, "piBashResult"],
  [{ piEditArgs: { path: "missing" } }, "piEditResult"],
  [{ piWriteArgs: { path: "written.txt", content: "x" } }, "piWriteResult"],
  [{ piGrepArgs: { pattern: "a", path: file } }, "piGrepResult"],
  [{ piFindArgs: { pattern: "*.txt", path: "." } }, "piFindResult"],
  [{ piLsArgs: { path: "." } }, "piLsResult"],
  [{ miniSweAgentBashArgs: { command: "echo hi" } }, "miniSweAgentBashResult"],
  [{ conversationSearchArgs: { query: "x" } }, "thrown"],
  [{ agentStoreConflictArgs: {} }, "thrown"],
  [{ adoptArgs: { sourceAgentId: "x" } }, "thrown"],
];

const question = { id: "q", prompt: "Which?", options: [{ id: "a", label: "A" }] };

/** The queries that the SDK can answer without a person or a cloud. */
export const answeredQueries: readonly Asked[] = [
  [{ webSearchRequestQuery: { args: { searchTerm: "x" } } }, "webSearchRequestResponse"],
  [
    { askQuestionInteractionQuery: { args: { title: "t", questions: [question] }, toolCallId: "t" } },
    "askQuestionInteractionResponse",
  ],
  [{ switchModeRequestQuery: { args: { targetModeId: "plan", toolCallId: "t" } } }, "switchModeRequestResponse"],
  [{ createPlanRequestQuery: { args: { plan: "p" }, toolCallId: "t" } }, "createPlanRequestResponse"],
  [{ webFetchRequestQuery: { args: { url: "http://a.example", toolCallId: "t" } } }, "webFetchRequestResponse"],
  [{ mcpAuthRequestQuery: { args: { serverIdentifier: "s", toolCallId: "t" } } }, "mcpAuthRequestResponse"],
  [{ generateImageRequestQuery: { args: {}, toolCallId: "t" } }, "generateImageRequestResponse"],
];

/** Makes the paths of an exec absolute. */
export function inWorkspace(
  ask: Readonly<Record<string, object>>,
  workspace: string,
): Readonly<Record<string, object>> {
  const placed = Object.entries(ask).map(([name, args]) => {
    const path = "path" in args ? { path: `${workspace}/${String(args.path)}` } : {};
    return [name, { ...args, ...path, ...("command" in args ? { workingDirectory: workspace } : {}) }];
  });
  return Object.fromEntries(placed);
}
