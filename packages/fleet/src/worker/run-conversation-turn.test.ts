import {
  type AgentEvent,
  type Caller,
  CaretError,
  type ConversationRequest,
  Secret,
  type TurnOutcome,
  type TurnShare,
} from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Database } from "../database/open-database.ts";
import { createLiveShare } from "../gateway/live-share.ts";
import { type HintListener, openHintListener } from "../seat/hint-listener.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import type { ShareView } from "../wire/live-share.ts";
import { createNotifier, type Notifier } from "../wire/notifier.ts";
import { createSealer } from "../wire/sealer.ts";
import { createLiveWriter } from "./live-writer.ts";
import { type RemoteShare, runConversationTurn } from "./run-conversation-turn.ts";

let database: TestDatabase;
let listener: HintListener;
let notifier: Notifier;
const onError = (): void => undefined;
shareTestDatabase((opened) => {
  database = opened;
});
beforeEach(async () => {
  await database.empty();
  await database.query("insert into work (key, kind, queue) values ('c', 'conversation', 'q')");
  await database.query("insert into turns (id, key, state) values ('r', 'c', 'running')");
  listener = openHintListener({ database, onError, pollMs: 20 });
  notifier = createNotifier({ database, onHint: listener.hear, onError });
});
afterEach(async () => {
  await notifier.close();
  await listener.close();
});

const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
const completed: TurnOutcome = { kind: "completed" };
const view: ShareView = { turnId: "t", sessionId: "s", model: "m", relation: "new", startsTurn: true } as ShareView;
const words = (text: string): AgentEvent => ({ type: "text-delta", blockId: "b", text });

/** A worker whose turn follows the test; `over` resolves when it has let the conversation go. */
function worker(query: Database["query"] = database.query) {
  const left: string[] = [];
  let isRead = true;
  const shares = new Map<string, RemoteShare>();
  const said = Promise.withResolvers<(events: readonly AgentEvent[]) => Promise<void> | void>();
  const end = Promise.withResolvers<TurnOutcome>();
  const share = {
    ...view,
    outcome: end.promise,
    hasActed: () => false,
    async follow(take, signal) {
      said.resolve(take as never);
      const left = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
      const outcome = await Promise.race([end.promise, left]);
      if (outcome !== undefined) await take([{ type: "turn-end", outcome }]);
      isRead = false;
    },
    cut: () => undefined,
    stop: () => end.resolve({ kind: "cancelled" } as TurnOutcome),
    leave: (how) => void left.push(how),
  } as TurnShare;
  const lost = new AbortController();
  const live = createLiveWriter({ database: { ...database, query }, sealer, notifier, share: "r", lost: lost.signal });
  const input = { door: "stateless", request: {} as ConversationRequest, caller: {} as Caller, gateway: "g" } as const;
  const over = runConversationTurn(
    { conversations: { open: async () => share }, answer: async () => undefined, live, shares, onError, againMs: 50 },
    "r",
    input,
    lost.signal,
  ).then(() => database.query("update turns set state = 'done' where id = 'r'"));
  const say = async (text: string): Promise<void> => (await said.promise)([words(text)]);
  return { over, left, shares, say, end: end.resolve, isRead: () => isRead };
}

/** What the gateway's client has received so far, and how it ended. */
function client(onText: (text: string) => Promise<void> | void = () => undefined) {
  const heard: string[] = [];
  const share = createLiveShare({ database, listener, sealer, id: "r", view, notifyWorker: () => undefined });
  const followed = share.follow(async (events) => {
    for (const event of events) if (event.type === "text-delta") heard.push(event.text);
    await onText(heard.join(""));
  }, new AbortController().signal);
  return { heard: () => heard.join(""), ended: followed.then(() => share.outcome) };
}

it("an answer arrives whole when the worker loses its connection in the middle of it", async () => {
  let writes = 0;
  const { say, end, over, shares } = worker(async (...given) => {
    const isLost = given[2] === "write live" && ++writes % 2 === 0;
    // Fails alternately after and before the write.
    const result = isLost && writes % 4 === 0 ? undefined : await database.query(...given);
    if (isLost) throw Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
    return result as never;
  });
  const { heard, ended } = client();
  for (const text of ["one ", "two ", "three ", "four"]) {
    await say(text);
    await expect.poll(() => heard().endsWith(text)).toBe(true);
  }
  end(completed);
  expect([await ended, heard()]).toEqual([completed, "one two three four"]);
  shares.get("r")?.leave("answered");
  await over;
});

it("a client hears that its turn is lost when its answer cannot be written, and the worker lets the conversation go", async () => {
  const { say, end, over, left } = worker(async (...given) => {
    if (given[2] === "write live") throw new CaretError("storage-full", "The disk of the database is full");
    return await database.query(...given);
  });
  const { ended } = client();
  await say("one");
  end(completed);
  await over;
  expect([await ended, left]).toMatchObject([{ kind: "failed", error: { code: "interrupted" } }, ["gone"]]);
});

it("an answer of which a crash of the server has taken a part is no answer: its client hears so, and not what came later", async () => {
  const { say, end, over, shares } = worker();
  const reading = Promise.withResolvers<void>();
  const { heard, ended } = client(() => reading.promise);
  await say("one ");
  await expect.poll(heard).toBe("one ");
  await say("two ");
  await expect.poll(async () => (await database.query("select 1 from live_batches")).count).toBe(2);
  await database.query("delete from live_batches"); // as recovery empties an unlogged table
  await say("three");
  await expect.poll(async () => (await database.query("select 1 from live_batches")).count).toBe(1);
  reading.resolve();
  expect([await ended, heard()]).toMatchObject([{ kind: "failed", error: { code: "interrupted" } }, "one "]);
  end(completed);
  shares.get("r")?.leave("answered");
  await over;
});

it("a client does not wait for ever for an end that a crash of the server has taken", async () => {
  const { say, end, over, shares } = worker();
  const reading = Promise.withResolvers<void>();
  const { heard, ended } = client(() => reading.promise);
  await say("one ");
  await expect.poll(heard).toBe("one ");
  await say("two");
  end(completed);
  await expect.poll(async () => (await database.query("select 1 from live_batches")).count).toBe(3);
  await database.query("delete from live_batches");
  reading.resolve();
  expect(await ended).toMatchObject({ kind: "failed", error: { code: "interrupted" } });
  shares.get("r")?.leave("answered");
  await over;
}, 10_000);

it("a worker reads no further in an answer whose client has left: the rest is for the answer to its results", async () => {
  const { say, end, over, shares, left, isRead } = worker();
  const { heard } = client();
  await say("one ");
  await expect.poll(heard).toBe("one ");
  shares.get("r")?.leave("gone");
  await expect.poll(isRead).toBe(false);
  end(completed);
  await over;
  expect(left).toEqual(["gone"]);
});
