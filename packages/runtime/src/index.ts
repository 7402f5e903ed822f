export type { AgentsOptions } from "./agents/agents-context.ts";
export type { AgentsElsewhere } from "./agents/agents-elsewhere.ts";
export { createAgents, type RuntimeAgents } from "./agents/create-agents.ts";
export { type AgentRegistrations, createAgentRegistrations } from "./agents/registration/agent-registrations.ts";
export { createAgentTools } from "./agents/tools/create-agent-tools.ts";
export { type AnswerArchive, openAnswerArchive } from "./answers/answer-archive.ts";
export { within } from "./async/within.ts";
export { chatExists, configDirs } from "./chats/chat-exists.ts";
export type { ChatMessage } from "./chats/chat-message.ts";
export { type ChatSummary, listChats } from "./chats/list-chats.ts";
export { type Chat, readChat } from "./chats/read-chat.ts";
export {
  type ComparisonsOptions,
  createComparisons,
  type RuntimeComparisons,
} from "./comparisons/create-comparisons.ts";
export { createConversations, type RuntimeConversations } from "./conversations/create-conversations.ts";
export { knownAs } from "./conversations/matching/chain.ts";
export type { LineageStore } from "./conversations/matching/lineage-store.ts";
export { openSqliteLineageStore } from "./conversations/matching/sqlite-lineage-store.ts";
export { requestScope } from "./conversations/resolved-request.ts";
export type { AdoptSession } from "./conversations/turn-starter.ts";
export { accountEmail } from "./credentials/account.ts";
export { allowedUrl, isLoopback } from "./credentials/allowed-url.ts";
export { createControlFetch, createControlServer } from "./credentials/control-server.ts";
export { createApiCredentials } from "./credentials/create-api-credentials.ts";
export type { CredentialSource } from "./credentials/credential-source.ts";
export { openCredentialStore } from "./credentials/credential-store.ts";
export type { ApiCredentials } from "./credentials/credentials.ts";
export {
  type ForeignProgram,
  findForeignLogin,
  foreignPrograms,
  readForeignLogin,
} from "./credentials/foreign-logins.ts";
export { logIn } from "./credentials/log-in.ts";
export { logOut } from "./credentials/log-out.ts";
export { DATABASE_FILES } from "./database-files.ts";
export { createDecoder, type Decoder, type DecoderOptions } from "./decode/decoder.ts";
export { type DialectName, dialectNames, type Ending } from "./decode/dialect.ts";
export { type AcpLane, createAcpLane } from "./lanes/acp/acp-lane.ts";
export { readEndpoints } from "./lanes/api/api-endpoints.ts";
export { type ApiHost, defaultRetries } from "./lanes/api/api-host.ts";
export { createApiLane } from "./lanes/api/api-lane.ts";
export { openConversationStore } from "./lanes/api/conversation-store.ts";
export { listApiModels } from "./lanes/api/list-api-models.ts";
export { createLazyLinks } from "./lanes/api/transport/lazy-links.ts";
export { type BridgeHub, openBridgeHub } from "./lanes/bridge/bridge-hub.ts";
export type { AgentHost } from "./lanes/cli/agent-host.ts";
export { createCliLane } from "./lanes/cli/cli-lane.ts";
export { type AgentHostOptions, createAgentHost } from "./lanes/cli/create-agent-host.ts";
export {
  type InstallationProbe,
  probeChatPlace,
  probeStrictTurn,
  probeToolServer,
} from "./lanes/cli/installation-probes.ts";
export { cliModelsFrom, listCliModels } from "./lanes/cli/list-cli-models.ts";
export { type McpCommand, runMcpCommand } from "./lanes/cli/run-mcp-command.ts";
export { type TurnMode, turnModes } from "./lanes/lane.ts";
export { featuresOf, type LaneFeature, laneFeatures } from "./lanes/lane-features.ts";
export type { EventStore, PruneRule, SessionRecord, StoredEvent } from "./log/event-store.ts";
export { interruptRunningTurns } from "./log/interrupted-end.ts";
export { groupTurns, readAll } from "./log/read-turns.ts";
export type { SaidPlace } from "./log/search/said-query.ts";
export { toUsageDay } from "./log/session-record.ts";
export { type SessionState, sessionState } from "./log/session-state.ts";
export { copyDatabaseFile } from "./log/sqlite/copy-database.ts";
export { LOG_FILE, type LogStore, openSqliteEventStore } from "./log/sqlite/sqlite-event-store.ts";
export { exportSession } from "./log/transfer/export-session.ts";
export { importSession } from "./log/transfer/import-session.ts";
export { createTurnActs } from "./log/turn-acts.ts";
export { createModelCache, type ModelListOrigin } from "./models/model-cache.ts";
export { createModelDirectory, type RuntimeModels } from "./models/model-directory.ts";
export { groupModels } from "./models/model-families.ts";
export type { ListedModel } from "./models/parse-model-list.ts";
export { resolveModel } from "./models/resolve-model.ts";
export { notifyWaiting, sendTestWebhook } from "./notify/notify-waiting.ts";
export { type AllowedWorkspaces, physicalDirectory } from "./paths/allowed-workspace.ts";
export { physicalPath, wayInside } from "./paths/physical-path.ts";
export { fileStamp, makePrivateDirectory, writePrivateFile } from "./paths/private-files.ts";
export { socketPathIn } from "./paths/socket-path.ts";
export { withFileLock } from "./paths/with-file-lock.ts";
export { createSessionGrants } from "./policy/grants/session-grants.ts";
export { childEnvironment } from "./process/child-environment.ts";
export type { Spawner } from "./process/child-handle.ts";
export { type Containment, containingSpawner, probeContainment } from "./process/containment.ts";
export { createClientFinder } from "./process/find-client-process.ts";
export { findPortHolder } from "./process/find-port-holder.ts";
export { HurriedStop } from "./process/hurried-stop.ts";
export { identifyProcess, isAlive, readBootId, readPidNamespace } from "./process/process-identity.ts";
export { createSpawner } from "./process/spawner/create-spawner.ts";
export { sweepLeftovers } from "./process/sweep-leftovers.ts";
export { resolveProfile } from "./profiles/profile.ts";
export { createRedactor, type Redactor } from "./redaction/redactor.ts";
export { createSecretKeeper, type SecretKeeper } from "./redaction/secret-keeper.ts";
export { secretsAmong } from "./redaction/setting-secrets.ts";
export { createSandboxes, type MachineSandboxes } from "./sandbox/create-sandboxes.ts";
export type { SandboxState } from "./sandbox/probe-sandbox.ts";
export { sandboxDirectories } from "./sandbox/sandbox-directories.ts";
export { attendedTools } from "./sessions/attended-tools.ts";
export { createSessions, type RuntimeSessions } from "./sessions/create-sessions.ts";
export type { ForeignTicks } from "./sessions/foreign-ticks.ts";
export { openAttachments } from "./sessions/open-attachments.ts";
export { pruneSessions, removeSession, type SessionBelongings } from "./sessions/remove-session.ts";
export { openScratchDirectories, type ScratchDirectories } from "./sessions/scratch-directories.ts";
export { isInScope, scopeOf } from "./sessions/session-directories.ts";
export { keptWorktrees } from "./sessions/session-worktrees.ts";
export type { SessionsOptions, ShownTurn } from "./sessions/sessions-context.ts";
export { openTracing, type Tracing } from "./telemetry/open-tracing.ts";
export {
  madeBy,
  makerRevoked,
  type TokenEntry,
  type TokenMaker,
  type TokenShelf,
  tokenNameTaken,
  unknownToken,
} from "./tokens/token-shelf.ts";
export { changeDiff } from "./tools/files/change-diff.ts";
export type { Tool } from "./tools/tool.ts";
export { createSessionEngine, type SessionEngineOptions } from "./turns/create-session-engine.ts";
export type { OpenAsk, RunningTurn, SessionEngine, TurnRequest } from "./turns/session-engine.ts";
export { createWorktree, findRepository } from "./worktrees/create-worktree.ts";
export { mergeWorktree, previewMerge } from "./worktrees/merge-worktree.ts";
export { hasUnmergedWork, removeWorktree } from "./worktrees/remove-worktree.ts";
export type { Worktree } from "./worktrees/worktree.ts";
export { worktreeChanges } from "./worktrees/worktree-changes.ts";
