import { describeConversationStore } from "@caret/runtime/lanes/api/conversation-store.contract.ts";
import { describeAgentStore } from "@caret/runtime/log/agent-store.contract.ts";
import { type CreateStore, describeEventStore } from "@caret/runtime/log/event-store.contract.ts";
import { describeSearch } from "@caret/runtime/log/search/search.contract.ts";
import { describeUsers } from "@caret/runtime/log/users.contract.ts";
import { afterAll, beforeAll } from "vitest";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { createPostgresConversationStore } from "../upstream/postgres-conversation-store.ts";
import { openPostgresEventStore } from "./postgres-event-store.ts";

let server: PostgresServer;
let database: TestDatabase;

beforeAll(async () => {
  server = await startPostgres();
  database = await createTestDatabase(server);
});

afterAll(async () => {
  await database.close();
  await server.stop();
});

describeConversationStore(
  "PostgreSQL",
  () => createPostgresConversationStore({ database }),
  () => database.empty(),
);

const createStore: CreateStore = async (options) => ({
  store: await openPostgresEventStore({ database, ...options }),
  dispose: () => database.empty(),
});

describeEventStore("PostgreSQL", createStore);
describeSearch("PostgreSQL", createStore);
describeUsers("PostgreSQL", createStore);
describeAgentStore("PostgreSQL", async (options) => ({
  store: await openPostgresEventStore({ database, ...options }),
  dispose: () => database.empty(),
}));
