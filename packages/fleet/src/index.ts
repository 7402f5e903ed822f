export { createPostgresAnswerArchive } from "./answers/postgres-answer-archive.ts";
export type { CopiedStore } from "./copy/copied-store.ts";
export { type CopyProgress, type CopyReport, copyStore } from "./copy/copy-store.ts";
export { openPostgresCopiedStore } from "./copy/postgres-copied-store.ts";
export { openSqliteCopiedStore } from "./copy/sqlite-copied-store.ts";
export { type StoreReport, verifyStore } from "./copy/verify-store.ts";
export { assertWritable } from "./database/assert-writable.ts";
export { type DatabaseAddress, readDatabaseAddress } from "./database/database-address.ts";
export { grantRoles, migrateDatabase } from "./database/migrate-database.ts";
export { migrations } from "./database/migrations/migrations.ts";
export { type Database, openDatabase, type Queries } from "./database/open-database.ts";
export { roleGrants } from "./database/role-grants.ts";
export { type FleetGateway, openFleetGateway } from "./gateway/open-fleet-gateway.ts";
export { createPostgresLineageStore } from "./lineage/postgres-lineage-store.ts";
export {
  openPostgresEventStore,
  type PostgresEventStoreOptions,
  type PostgresLogStore,
} from "./log/postgres-event-store.ts";
export type { Member, Members } from "./members/members.ts";
export { installJobs } from "./queue/job-queue.ts";
export type { LeaseStanding } from "./queue/lease-standing.ts";
export { moveSession } from "./queue/move-session.ts";
export { countFleet, type FleetCounts, readFleet } from "./queue/read-fleet.ts";
export { createAgentsElsewhere } from "./seat/create-agents-elsewhere.ts";
export { createTicks } from "./seat/create-ticks.ts";
export { type FleetSeat, openFleetSeat } from "./seat/fleet-seat.ts";
export { type KnownTokens, openKnownTokens } from "./tokens/known-tokens.ts";
export { createPostgresTokens, type PostgresTokens } from "./tokens/postgres-tokens.ts";
export { createPostgresConversationStore } from "./upstream/postgres-conversation-store.ts";
export { adoptSession } from "./worker/adopt-session.ts";
export { createLeasedEngine } from "./worker/leased-engine.ts";
export { createComparisonPublisher } from "./worker/publish-comparisons.ts";
export { createTurnPublisher } from "./worker/publish-turns.ts";
export { type RunningWorker, runWorker } from "./worker/run-worker.ts";
export type { WorkerMeter } from "./worker/worker-meter.ts";
