import { type Caller, CaretError, type ConversationRequest, Secret } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Database } from "../database/open-database.ts";
import { createMembers } from "../members/members.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import { type HintListener, openHintListener } from "../seat/hint-listener.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createNotifier, type Notifier } from "../wire/notifier.ts";
import { createSealer } from "../wire/sealer.ts";
import { createFleetConversations } from "./fleet-conversations.ts";

let database: TestDatabase;
let listener: HintListener;
let notifier: Notifier;
const onError = (): void => undefined;
shareTestDatabase((opened) => {
  database = opened;
});
beforeEach(async () => {
  await database.empty();
  listener = openHintListener({ database, onError, pollMs: 20 });
  notifier = createNotifier({ database, onHint: listener.hear, onError });
});
afterEach(async () => {
  await notifier.close();
  await listener.close();
});

const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
const request = {
  system: "",
  messages: [{ role: "user", parts: [{ kind: "text", text: "?" }] }],
  tools: [],
  sessionKey: "c1",
} as unknown as ConversationRequest;
const caller = { tokenName: "t" } as unknown as Caller;

/** A gateway that loses its connection at the first statement with this name; records what it tells the worker. */
function gatewayThatLoses(name: string) {
  const told: unknown[] = [];
  let isLost = false;
  const query: Database["query"] = async (...given) => {
    if (isLost || given[2] !== name) return await database.query(...given);
    isLost = true;
    throw new CaretError("storage-failed", "PostgreSQL cannot be reached", {
      cause: Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" }),
    });
  };
  const turns: Pick<TurnQueue, "submit"> = {
    async submit({ id, key }) {
      await database.query("insert into work (key, kind, queue, owner) values ($1, 'conversation', 'q', 'worker-1')", [
        key,
      ]);
      await database.query("insert into turns (id, key, state) values ($1, $2, 'running')", [id, key]);
      return id;
    },
  };
  const conversations = createFleetConversations({
    database: { ...database, query },
    turns,
    sealer,
    listener,
    notifier,
    members: createMembers(database),
    owner: "gateway-1",
    ask: async (worker, method, [, word]) => void told.push([worker, method, word]),
    onError,
  });
  return { conversations, told };
}

/** The worker has begun the turn and answers. */
async function begin(): Promise<void> {
  await expect.poll(async () => (await database.query("select 1 from turns")).count).toBe(1);
  await database.query("update turns set answer = $1", [sealer.seal({ ok: { turnId: "t", sessionId: "s" } })]);
}

it("a worker is told that a client has left when the database is back: it keeps the conversation until then", async () => {
  const { conversations, told } = gatewayThatLoses("read worker");
  const [share] = await Promise.all([conversations.open(request, caller), begin()]);
  share.leave("answered");
  await expect.poll(() => told).toEqual([["worker-1", "leaveShare", "answered"]]);
});

it("a turn that begins after its client has heard that the database is away is left", async () => {
  const { conversations, told } = gatewayThatLoses("read turn");
  // It may act, and a client that repeats its request would begin another.
  await expect(conversations.open(request, caller)).rejects.toMatchObject({
    code: "storage-failed",
    retryable: false,
    hasActed: true,
  });
  await begin();
  await expect.poll(() => told).toEqual([["worker-1", "leaveShare", "gone"]]);
});

it.each([
  ["without a key is final, since nobody knows what the turn has done", {}, { retryable: false, hasActed: true }],
  ["with a key may be sent again: the log knows its turn", { idempotencyKey: "k" }, { retryable: true }],
])("a request whose worker was lost while it started %s", async (_, more, expected) => {
  const { conversations } = gatewayThatLoses("nothing");
  const opened = conversations.open({ ...request, ...more }, caller).catch((reason: unknown) => reason);
  await expect.poll(async () => (await database.query("select 1 from turns")).count).toBe(1);
  await database.query("update turns set state = 'interrupted'");
  expect(await opened).toMatchObject({ code: "interrupted", ...expected });
});
