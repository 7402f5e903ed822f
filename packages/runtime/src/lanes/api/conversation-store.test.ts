import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeConversationStore } from "./conversation-store.contract.ts";
import { openConversationStore } from "./conversation-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-conversations-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

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
