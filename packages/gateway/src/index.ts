export type { LaneReadiness, Readiness } from "./admin/readiness.ts";
export type { AnthropicDoorOptions } from "./anthropic/door-options.ts";
export { anthropicDoor } from "./anthropic/route.ts";
export type { ActivityDisplay } from "./door/activity-text.ts";
export type {
  DoorCall,
  DoorMessage,
  DoorPart,
  DoorRequest,
  ModelWish,
  OfferedTool,
  StatelessDoor,
} from "./door/door-request.ts";
export type { Caller, DoorTurn, TurnDesk } from "./door/turn-desk.ts";
export type { DirectoryModel, DirectoryVariant, ModelDirectory } from "./models/model-directory.ts";
export { modelsDoor } from "./models/route.ts";
export { nativeDoor } from "./native/native-door.ts";
export type { NativeDoorOptions, TokenDesk } from "./native/native-door-options.ts";
export { createSignInLinks, type SignInLink, type SignInLinks } from "./native/sign-in-links.ts";
export type { DoorOptions } from "./openai/door-options.ts";
export { openaiDoor } from "./openai/route.ts";
export { pageDoor } from "./page/page-door.ts";
export type { PageFile, PageFiles } from "./page/page-files.ts";
export type { ResponseArchive } from "./responses/item-store.ts";
export { createMemoryItemStore } from "./responses/memory-item-store.ts";
export { type ResponsesDoorOptions, responsesDoor } from "./responses/route.ts";
export { stopTaking } from "./server/connections.ts";
export { createServer, type ServerOptions } from "./server/create-server.ts";
export { meterDesk } from "./server/metered-desk.ts";
export { createMetrics, type Metrics } from "./server/metrics.ts";
export { defaultLimits, type ServerLimits } from "./server/server-limits.ts";
export type { Scope, TokenGrant, TokenStore } from "./server/token-store.ts";
