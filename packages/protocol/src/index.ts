export {
  type AgentEvent,
  type AgentEventOf,
  agentEventSchema,
  type FileDiff,
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
export { Secret } from "./secret.ts";
export { tellingArgument } from "./telling-argument.ts";
export {
  emptyTurn,
  foldEvents,
  foldTurn,
  type Notice,
  type ToolActivity,
  type TurnSummary,
  unknownCount,
} from "./turn-summary.ts";
export { promptTokens, type Usage, usageSchema } from "./usage.ts";
