export {
  type AgentEvent,
  type AgentEventOf,
  agentEventSchema,
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
} from "./agent-event.ts";
export { assertNever } from "./assert-never.ts";
export { assertWellFormedTurn } from "./assert-well-formed-turn.ts";
export { CaretError, type CaretErrorOptions } from "./caret-error.ts";
export { type ErrorCode, errorCatalogue, errorCodes } from "./error-catalogue.ts";
export { type ErrorInfo, errorInfoSchema } from "./error-info.ts";
export { inCommandForm } from "./in-command-form.ts";
export { hiddenMark, markHidden } from "./mark-hidden.ts";
export {
  type Effort,
  type ModelChoice,
  type ModelParams,
  parseModelSlug,
  sameParams,
  toEffort,
} from "./models/model-params.ts";
export { costOf, priceOf } from "./models/prices.ts";
export { foldTranscript } from "./native/fold-transcript.ts";
export type { NewsItem } from "./native/follow-news.ts";
export type { FollowOptions, StreamState } from "./native/follow-stream.ts";
export {
  createNativeClient,
  type ExportedFile,
  type FollowEventsOptions,
  type NativeClient,
  type RawLine,
} from "./native/native-client.ts";
export {
  type AnswerApproval,
  type AnsweredApproval,
  type AnswerQuestion,
  type ChangeSession,
  type ConnectTest,
  type ConnectTestResult,
  type CreateSession,
  type ExportFormat,
  exportFormats,
  type ForkSession,
  type PromptImage,
  type StartedTurn,
  type StartTurn,
  type SteerTurn,
} from "./native/native-requests.ts";
export type { NativeClientOptions, RequestOptions } from "./native/native-wire.ts";
export { type SeedEvent, toSeedEvent } from "./native/seed-event.ts";
export type {
  CommandKey,
  CommandRecord,
  LogPage,
  LogQuery,
  SessionCaller,
  SessionDesk,
  SessionExport,
  SessionImage,
  SessionListQuery,
} from "./native/session-desk.ts";
export {
  type AboutView,
  type ChangedFile,
  type ChangesView,
  type EventEnvelope,
  type FindingView,
  type GrantView,
  type ModelView,
  type PermissionWord,
  permissionWords,
  type SessionNews,
  type SessionPageView,
  type SessionStatus,
  type SessionView,
  type UsageRow,
} from "./native/session-view.ts";
export { emptyTranscript, type Transcript, type TranscriptItem, type TranscriptTurn } from "./native/transcript.ts";
export { turnTimes } from "./native/turn-times.ts";
export { pricedUsage } from "./priced-usage.ts";
export { promptTokens } from "./prompt-tokens.ts";
export { Secret } from "./secret.ts";
export { tellingArgument } from "./telling-argument.ts";
export {
  answerParts,
  emptyTurn,
  foldEvents,
  foldTurn,
  type Notice,
  type ToolActivity,
  type TurnSummary,
  unknownCount,
} from "./turn-summary.ts";
export { type Usage, usageSchema } from "./usage.ts";
export { formatCost, formatTokens, usageWords } from "./usage-words.ts";
