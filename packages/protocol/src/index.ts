export type {
  ChangeAgent,
  ChangeQueued,
  CreateAgent,
  MergeAgent,
  QueuePrompt,
  RemoveAgent,
  SendMessage,
  SuspendAgent,
} from "./api/agent-requests.ts";
export {
  type AgentBudget,
  type AgentDoing,
  type AgentReport,
  type AgentView,
  type AgentWorktree,
  agentNamePattern,
  type BudgetLimit,
  HUMAN,
  type MergedFile,
  type MergePreview,
  type MergeResult,
  type MessageState,
  type MessageView,
  messageStates,
  type QueueView,
  sessionReceiver,
} from "./api/agent-view.ts";
export {
  type BudgetLine,
  type BudgetScope,
  type BudgetUnit,
  type BudgetView,
  budgetScopes,
  budgetUnits,
} from "./api/budget-view.ts";
export type {
  CandidateState,
  CandidateView,
  CheckResult,
  ComparisonState,
  ComparisonView,
  DropComparison,
  KeptCandidate,
  PickCandidate,
  StartComparison,
} from "./api/comparison-view.ts";
export type { EditorAnswer, EditorOffer, EditorRequest, FollowedEditorRequest } from "./api/editor-requests.ts";
export {
  type FleetMemberView,
  type FleetView,
  type FleetWaitReason,
  type FleetWaitView,
  fleetWaitWords,
} from "./api/fleet-view.ts";
export {
  type AnswerApproval,
  type AnsweredApproval,
  type AnswerQuestion,
  type ChangeSession,
  type CommitChanges,
  type CommittedChanges,
  type ConnectTest,
  type ConnectTestResult,
  type CreateSession,
  type DiscardHunk,
  type ExportFormat,
  exportFormats,
  type ForkSession,
  type OfferedServer,
  type OfferServers,
  type PromptImage,
  type QuestionChoice,
  type StartedTurn,
  type StartTurn,
  type SteerTurn,
} from "./api/native-requests.ts";
export { type SeedEvent, toSeedEvent } from "./api/seed-event.ts";
export {
  type AboutView,
  type AgentCommandView,
  type ChangedFile,
  type ChangesView,
  type CompareLink,
  type EditorName,
  type EventEnvelope,
  type Excerpt,
  editorNames,
  type FindingView,
  type ForkOrigin,
  type FoundPlace,
  type GrantView,
  isSideCall,
  type ModelView,
  type PermissionWord,
  permissionWords,
  type QueuedPrompts,
  type SaidKind,
  type SearchView,
  type SessionPageView,
  type SessionStatus,
  type SessionUpdate,
  type SessionView,
  type SymbolView,
  saidKinds,
  sideCallTitle,
  type UsageRow,
} from "./api/session-view.ts";
export type {
  ChangeSettings,
  SettingKind,
  SettingSource,
  SettingsView,
  SettingView,
} from "./api/settings-view.ts";
export { type TokenScope, tokenScopes } from "./api/token-scopes.ts";
export {
  allTokens,
  cacheShare,
  costCell,
  groupUsage,
  type TokenKind,
  tokenCell,
  tokenKinds,
  tokenWords,
  totalUsage,
  type UsageGroup,
  type UsageTotals,
  usageByDay,
} from "./api/usage-totals.ts";
export { approvalText, partLines } from "./approvals/approval-text.ts";
export { type ApprovalPart, type ApprovalView, approvalView } from "./approvals/approval-view.ts";
export { changeText } from "./approvals/change-text.ts";
export { plainLine, shortLine } from "./approvals/plain-line.ts";
export type { AgentCalls } from "./client/agent-calls.ts";
export { buildPrompt } from "./client/build-prompt.ts";
export { expandCommand } from "./client/expand-command.ts";
export type { FollowedUpdate } from "./client/follow-events.ts";
export { type FollowOptions, LONGEST_WAIT_MS, type StreamState } from "./client/follow-stream.ts";
export {
  createNativeClient,
  type ExportedFile,
  type FollowEventsOptions,
  type NativeClient,
  type RawLine,
} from "./client/native-client.ts";
export type { NativeClientOptions, RequestOptions } from "./client/native-wire.ts";
export { turnTimes } from "./client/turn-times.ts";
export { CaretError, type CaretErrorOptions, inCommandForm } from "./errors/caret-error.ts";
export { type ErrorCode, errorCatalogue, errorCodes } from "./errors/error-catalogue.ts";
export { afterActing, type ErrorInfo, errorInfoSchema } from "./errors/error-info.ts";
export {
  type AgentEvent,
  type AgentEventOf,
  agentEventSchema,
  type ContextFill,
  type FileDiff,
  type GrantOffer,
  type LaneName,
  laneNames,
  type NoticeKind,
  noticeKinds,
  type Owner,
  outcomeSchema,
  ownerNames,
  type Todo,
  type ToolKind,
  type TurnOutcome,
  toolKinds,
} from "./events/agent-event.ts";
export { assertWellFormedTurn } from "./events/assert-well-formed-turn.ts";
export { type Delta, isDelta, isSameBlock } from "./events/is-delta.ts";
export { mainArgument } from "./events/main-argument.ts";
export { hiddenMark, markHidden, markLine } from "./events/mark-hidden.ts";
export { type SandboxWord, sandboxWords, strictest } from "./events/sandbox-word.ts";
export { isJsonObject, type JsonObject, parseJson } from "./json/json.ts";
export { type ReadToolSchema, readToolSchema } from "./json/tool-schema.ts";
export { assertNever } from "./language/assert-never.ts";
export { LONGEST_TIMER_MS } from "./language/longest-timer.ts";
export { Secret } from "./language/secret.ts";
export {
  type Effort,
  type ModelChoice,
  type ModelParams,
  parseModelSlug,
  sameParams,
  toEffort,
} from "./models/model-params.ts";
export { type PriceRow, priceTable } from "./models/price-table.ts";
export { applyPriceUpdates, costOf, type ModelPool, poolOf, priceOf, priceUpdates } from "./models/prices.ts";
export { spendWords } from "./models/spend-words.ts";
export type { Agents, MessageQuery, WaitOptions } from "./ports/agents.ts";
export {
  type Caller,
  type ClientConnection,
  type CommandKey,
  keeperOf,
  lastingCaller,
  seesMachine,
} from "./ports/caller.ts";
export type { Comparisons } from "./ports/comparisons.ts";
export type {
  AnswerFormat,
  ClientTool,
  ConversationRequest,
  Conversations,
  StatelessDoor,
  ToolForm,
  TranscriptCall,
  TranscriptMessage,
  TranscriptPart,
  TurnShare,
  UnpassablePart,
} from "./ports/conversations.ts";
export type { DirectoryModel, ModelDirectory, RequestedModel } from "./ports/models.ts";
export type {
  CommandRecord,
  ImportPlace,
  LogPage,
  LogQuery,
  SearchQuery,
  SessionExport,
  SessionImage,
  SessionListQuery,
  Sessions,
} from "./ports/sessions.ts";
export type { Take, TakeBatch, TakeMore } from "./ports/take.ts";
export type { SpanAttributes, SpanOptions, Tracer, TraceSpan } from "./ports/tracer.ts";
export { toShell } from "./text/shell-words.ts";
export { splitHunks } from "./text/split-hunks.ts";
export { editDistance, escapeHtml, oneLine } from "./text/text.ts";
export { cutToWeight, tokensOf, weightOf, weightWithin } from "./text/text-weight.ts";
export { trimEndOf } from "./text/trim-end-of.ts";
export { foldTranscript } from "./transcript/fold-transcript.ts";
export { pricedUsage } from "./transcript/priced-usage.ts";
export {
  emptyTranscript,
  isHeard,
  type Notice,
  type ToolActivity,
  type Transcript,
  type TranscriptItem,
  type TranscriptTurn,
} from "./transcript/transcript.ts";
export { TurnFold } from "./transcript/turn-fold.ts";
export {
  answerParts,
  summariseEvents,
  summaryOf,
  type TurnSummary,
  todosOf,
  toolsOf,
  unknownCount,
} from "./transcript/turn-summary.ts";
export { addUsage, type Usage, usageSchema } from "./usage/usage.ts";
export { formatCost, formatTokens, promptTokens, usageWords } from "./usage/usage-words.ts";
