import { Secret } from "@caret/protocol";
import { describeAnswerArchive } from "@caret/runtime/answers/answer-archive.contract.ts";
import { describeConversationStore } from "@caret/runtime/lanes/api/conversation-store.contract.ts";
import { describeAgentStore } from "@caret/runtime/log/agent-store.contract.ts";
import { type CreateStore, describeEventStore } from "@caret/runtime/log/event-store.contract.ts";
import { describeSearch } from "@caret/runtime/log/search/search.contract.ts";
import { describeUsers } from "@caret/runtime/log/users.contract.ts";
import { describeTokenShelf } from "@caret/runtime/tokens/token-shelf.contract.ts";
import { createPostgresAnswerArchive } from "../answers/postgres-answer-archive.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createPostgresTokens } from "../tokens/postgres-tokens.ts";
import { createPostgresConversationStore } from "../upstream/postgres-conversation-store.ts";
import { createSealer } from "../wire/sealer.ts";
import { openPostgresEventStore } from "./postgres-event-store.ts";

let database: TestDatabase;

shareTestDatabase((opened) => {
  database = opened;
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
describeTokenShelf("PostgreSQL", async () => {
  await database.empty();
  return { shelf: createPostgresTokens(database), other: createPostgresTokens(database) };
});
describeAnswerArchive("PostgreSQL", async (now) =>
  createPostgresAnswerArchive({
    database,
    sealer: createSealer(new Secret("the key of a fleet in a test, long enough")),
    ...(now === undefined ? {} : { now }),
  }),
);
describeAgentStore("PostgreSQL", async (options) => ({
  store: await openPostgresEventStore({ database, ...options }),
  dispose: () => database.empty(),
}));
