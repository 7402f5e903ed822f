import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeConversationStore } from "./conversation-store.contract.ts";
import { openConversationStore } from "./conversation-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-conversations-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const text = (data: unknown): string | undefined =>
  data instanceof Uint8Array ? Buffer.from(data).toString() : undefined;
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

it("keeps what the upstream saved readable by nobody else", async () => {
  const store = openConversationStore({ directory });
  const first = store.create("agent-1");
  first.saveBlob(bytes("id"), bytes("data"));
  first.saveCheckpoint(bytes("state"));
  const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777);
  expect(new Set(modes)).toEqual(new Set([0o600]));
  await store.close();
});

describeConversationStore(
  "SQLite",
  () => openConversationStore({ directory }),
  async () => undefined,
);

it("puts a damaged file aside, says so, and goes on without it", async () => {
  writeFileSync(join(directory, "api-conversations.db"), "this is no database, however long it may be ".repeat(100));
  const messages: string[] = [];
  const store = openConversationStore({ directory, onError: ({ message }) => void messages.push(message) });
  store.create("agent-1").saveCheckpoint(bytes("state"));
  expect([store.has("agent-1"), messages]).toEqual([true, [expect.stringContaining("was damaged")]]);
  await store.close();
});

describe("a file that another process holds", () => {
  /** Holds it against writers, or against everyone. */
  function hold(how: "writers" | "everybody"): DatabaseSync {
    const other = new DatabaseSync(join(directory, "api-conversations.db"));
    if (how === "everybody") other.exec("pragma locking_mode = exclusive");
    other.exec("begin exclusive");
    return other;
  }

  it("stops nothing: what was saved is there at once, and on disk when the file is free", async () => {
    const store = openConversationStore({ directory });
    store.create("agent-0").saveCheckpoint(bytes("older"));
    const other = hold("writers");
    const before = performance.now();
    const conversation = store.create("agent-1");
    conversation.saveBlob(bytes("id"), bytes("data"));
    conversation.saveCheckpoint(bytes("state"));
    const next = await store.open("agent-1");
    const seen = [conversation.blob(bytes("id")), next.checkpoint(), await store.has("agent-1")];
    const waitedMs = performance.now() - before;
    other.close();
    await store.close();
    const again = openConversationStore({ directory });
    const found = await again.open("agent-1");
    expect(
      [...seen, found.checkpoint(), found.blob(bytes("id"))].map((each) => (each === true ? true : text(each))),
    ).toEqual([...["data", "state", true], ...["state", "data"]]);
    expect(found.encryptionKey.reveal()).toBe(conversation.encryptionKey.reveal());
    expect(waitedMs).toBeLessThan(1_500);
    await again.close();
  });

  it("and never lets go of does not keep the gateway from stopping", { timeout: 20_000 }, async () => {
    const messages: string[] = [];
    const store = openConversationStore({ directory, onError: ({ message }) => void messages.push(message) });
    store.create("agent-0").saveCheckpoint(bytes("older"));
    const other = hold("writers");
    store.create("agent-1").saveCheckpoint(bytes("state"));
    await store.close();
    other.close();
    expect(messages).toEqual([expect.stringContaining("could not be saved")]);
  });

  it("is read as soon as it is free", async () => {
    const first = openConversationStore({ directory });
    const made = first.create("agent-1");
    made.saveBlob(bytes("id"), bytes("data"));
    made.saveCheckpoint(bytes("state"));
    await first.close();
    const other = hold("everybody");
    const store = openConversationStore({ directory });
    const waiting = [store.has("agent-1"), store.open("agent-1")] as const;
    expect(waiting.map((each) => each instanceof Promise)).toEqual([true, true]);
    other.close();
    const [isThere, conversation] = await Promise.all(waiting);
    expect([isThere, text(conversation.checkpoint()), text(await conversation.blob(bytes("id")))]).toEqual([
      true,
      "state",
      "data",
    ]);
    await store.close();
  });
});

it("holds what cannot be saved in memory, says so, and saves it with the next state that can be", async () => {
  const messages: string[] = [];
  const store = openConversationStore({ directory, onError: ({ message }) => void messages.push(message) });
  const conversation = store.create("agent-1");
  conversation.saveCheckpoint(bytes("older"));
  const other = new DatabaseSync(join(directory, "api-conversations.db"));
  other.exec("create trigger full before insert on blob begin select raise(fail, 'no room'); end");
  other.exec("create trigger full2 before update on conversation begin select raise(fail, 'no room'); end");
  conversation.saveBlob(bytes("id"), bytes("data"));
  conversation.saveCheckpoint(bytes("state"));
  const seen = [conversation.checkpoint(), (await store.open("agent-1")).checkpoint(), conversation.blob(bytes("id"))];
  other.exec("drop trigger full; drop trigger full2");
  other.close();
  conversation.saveCheckpoint(bytes("newer"));
  await store.close();
  const again = openConversationStore({ directory });
  const found = await again.open("agent-1");
  expect([...seen, found.checkpoint(), await found.blob(bytes("id"))].map((each) => text(each as Uint8Array))).toEqual([
    ...["state", "state", "data"],
    ...["newer", "data"],
  ]);
  expect(messages).toEqual([
    expect.stringContaining("could not be saved"),
    expect.stringContaining("could not be saved"),
  ]);
  await again.close();
});
