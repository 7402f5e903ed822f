import { Secret } from "@caret/protocol";
import { describeAnswerArchive } from "@caret/runtime/answers/answer-archive.contract.ts";
import { describeConversationStore } from "@caret/runtime/lanes/api/conversation-store.contract.ts";
import { describeAgentStore } from "@caret/runtime/log/agent-store.contract.ts";
import { type CreateStore, describeEventStore } from "@caret/runtime/log/event-store.contract.ts";
import { describeSearch } from "@caret/runtime/log/search/search.contract.ts";
import { describeUsers } from "@caret/runtime/log/users.contract.ts";
import { describeTokenShelf } from "@caret/runtime/tokens/token-shelf.contract.ts";
import { expect, it } from "vitest";
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

it("a gateway deletes the events of a session that a worker has hidden, and its row at last", async () => {
  const worker = await openPostgresEventStore({ database, owner: "worker", mayDelete: false });
  const gateway = await openPostgresEventStore({ database, owner: "gateway", isOwnerAlive: () => true });
  await worker.createSession({ id: "s1", workspace: "/w", createdAt: 1 });
  await worker.append("s1", 0, [{ turnId: "t1", event: { type: "text-delta", blockId: "b1", text: "a" } }]);
  expect(await worker.deleteSession("s1")).toBe(true);
  const sql = `select (select count(*)::int from sessions) as sessions, (select count(*)::int from events) as events`;
  const left = async () => (await database.query(sql)).rows;
  expect([await gateway.getSession("s1"), await left()]).toEqual([undefined, [{ sessions: 1, events: 1 }]]);
  await gateway.removeLeftovers();
  expect(await left()).toEqual([{ sessions: 0, events: 0 }]);
  await worker.close();
  await gateway.close();
  await database.empty();
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
