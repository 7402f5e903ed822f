import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openConversationStore } from "./conversation-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-conversations-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const text = (data: Uint8Array | undefined): string | undefined => data && Buffer.from(data).toString();

it("keeps checkpoints and blobs of a conversation for other processes, readable by nobody else", () => {
  const store = openConversationStore({ directory });
  const first = store.create("agent-1");
  first.saveBlob(bytes("id"), bytes("data"));
  first.saveCheckpoint(bytes("state"));
  const again = openConversationStore({ directory });
  const found = again.open("agent-1");
  expect([text(found.checkpoint()), text(found.blob(bytes("id"))), again.has("agent-1")]).toEqual([
    "state",
    "data",
    true,
  ]);
  expect(found.encryptionKey.reveal()).toBe(first.encryptionKey.reveal());
  const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777);
  expect(new Set(modes)).toEqual(new Set([0o600]));
  store.close();
  again.close();
});

it("lets no conversation see another's blobs", () => {
  const store = openConversationStore({ directory });
  store.create("agent-1").saveBlob(bytes("id"), bytes("secret"));
  const other = store.create("agent-2");
  other.saveBlob(bytes("other"), bytes("x"));
  expect(other.blob(bytes("id"))).toBeUndefined();
  store.close();
});

it("forgets a conversation with all that is its own", () => {
  const store = openConversationStore({ directory });
  const conversation = store.create("agent-1");
  conversation.saveBlob(bytes("id"), bytes("data"));
  conversation.saveCheckpoint(bytes("state"));
  store.remove("agent-1");
  expect([store.has("agent-1"), store.open("agent-1").blob(bytes("id"))]).toEqual([false, undefined]);
  store.close();
});

it("writes nothing for a turn in which nothing was saved", () => {
  const store = openConversationStore({ directory });
  expect([store.create("agent-1").checkpoint(), store.has("agent-1")]).toEqual([undefined, false]);
  store.close();
});

it("puts a damaged file aside, says so, and goes on without it", () => {
  writeFileSync(join(directory, "api-conversations.db"), "this is no database, however long it may be ".repeat(100));
  const messages: string[] = [];
  const store = openConversationStore({ directory, onError: ({ message }) => void messages.push(message) });
  store.create("agent-1").saveCheckpoint(bytes("state"));
  expect([store.has("agent-1"), messages]).toEqual([true, [expect.stringContaining("was damaged")]]);
  store.close();
});
