export type { LaneReadiness, Readiness } from "./admin/readiness.ts";
export type { ActivityDisplay } from "./chat/activity-text.ts";
export type { AnthropicDoorOptions } from "./chat/anthropic/door-options.ts";
export { anthropicDoor } from "./chat/anthropic/route.ts";
export type { Caller, Conversations, DoorTurn } from "./chat/conversations.ts";
export type {
  DoorCall,
  DoorMessage,
  DoorPart,
  DoorRequest,
  OfferedTool,
  RequestedModel,
  StatelessDoor,
} from "./chat/door-request.ts";
export type { DoorOptions } from "./chat/openai/door-options.ts";
export { openaiDoor } from "./chat/openai/route.ts";
export type { ResponseArchive } from "./chat/responses/item-store.ts";
export { createMemoryItemStore } from "./chat/responses/memory-item-store.ts";
export { type ResponsesDoorOptions, responsesDoor } from "./chat/responses/route.ts";
export type { DirectoryModel, DirectoryVariant, ModelDirectory } from "./models/model-directory.ts";
export { modelsDoor } from "./models/route.ts";
export { nativeDoor } from "./native/native-door.ts";
export type { NativeDoorOptions, TokenIssuer } from "./native/native-door-options.ts";
export { createSignInLinks, type SignInLink, type SignInLinks } from "./native/sign-in-links.ts";
export type { PageFile, PageFiles } from "./page/page-door.ts";
export { pageDoor } from "./page/page-door.ts";
export { stopTaking } from "./server/connections.ts";
export { createServer, type ServerOptions } from "./server/create-server.ts";
export { createMetrics, type Metrics } from "./server/metrics.ts";
export { defaultLimits, type ServerLimits } from "./server/server-limits.ts";
export type { Scope, TokenGrant, TokenStore } from "./server/token-store.ts";
export { createTurnMetrics, type TurnMetrics } from "./server/turn-metrics.ts";
