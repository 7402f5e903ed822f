import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelMessage } from "../model/model.ts";
import { type Chat, openChat } from "./chat-store.ts";

let chatsDir: string;
beforeEach(() => {
  chatsDir = mkdtempSync(join(tmpdir(), "caret-sim-chats-"));
});
afterEach(() => rmSync(chatsDir, { recursive: true }));

const sessionId = "0f0e0d0c-0b0a-4908-8706-050403020100";
const at = Date.UTC(2026, 9, 8, 12);
const open = (): Chat =>
  openChat({ chatsDir, sessionId, workspace: "/w", mode: "default", modelId: "auto", now: () => at });

const turn: readonly ModelMessage[] = [
  { role: "user", text: "Read a.txt\nand <b>" },
  { role: "assistant", text: "Reading.", calls: [{ name: "read", args: { path: "a.txt" } }] },
  { role: "tool", call: { name: "read", args: { path: "a.txt" } }, ok: true, output: "alpha\n" },
  { role: "assistant", text: "", calls: [{ server: "local", name: "echo", args: {} }] },
  { role: "tool", call: { server: "local", name: "echo", args: {} }, ok: false, output: "no" },
  { role: "assistant", text: "Done.", calls: [] },
];

describe("a chat on disk", () => {
  it("gives back every message it was given, whichever process opens it next", () => {
    const first = open();
    first.append(turn);
    first.close();
    const second = open();
    expect(second.history).toEqual(turn);
    second.close();
  });

  it("can be read while its writer lives", () => {
    const writer = open();
    writer.append(turn.slice(0, 1));
    const reader = open();
    expect(reader.history).toEqual(turn.slice(0, 1));
    reader.close();
    writer.close();
  });

  it("keeps messages as JSON blobs under their digest, referenced from a protobuf root", () => {
    const chat = open();
    chat.append(turn.slice(0, 1));
    chat.close();
    const database = new DatabaseSync(join(chatsDir, sessionId, "store.db"), { readOnly: true });
    const hex = String(database.prepare("SELECT value FROM meta WHERE key = '0'").get()?.["value"]);
    const meta = JSON.parse(Buffer.from(hex, "hex").toString("utf8"));
    const blobOf = (id: string) =>
      Buffer.from(database.prepare("SELECT data FROM blobs WHERE id = ?").get(id)?.["data"] as Uint8Array);
    const root = blobOf(meta.latestRootBlobId);
    expect(root.subarray(0, 2)).toEqual(Buffer.from([0x0a, 0x20]));
    expect(root.subarray(34, 36)).toEqual(Buffer.from([0x0a, 0x20]));
    const prompt = blobOf(root.subarray(36, 68).toString("hex"));
    expect(createHash("sha256").update(prompt).digest()).toEqual(root.subarray(36, 68));
    expect(JSON.parse(prompt.toString("utf8"))).toEqual({
      role: "user",
      content: [
        {
          type: "text",
          text: "<timestamp>2026-10-08T12:00:00.000Z</timestamp>\n<user_query>\nRead a.txt\nand <b>\n</user_query>",
        },
      ],
    });
    expect(meta).toEqual({
      agentId: sessionId,
      name: "Read a.txt\nand <b>",
      mode: "default",
      createdAt: at,
      lastUsedModel: "auto",
      latestRootBlobId: meta.latestRootBlobId,
    });
    expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    database.close();
  });

  it("says in meta.json whether it holds a conversation", () => {
    const metaFile = () => JSON.parse(readFileSync(join(chatsDir, sessionId, "meta.json"), "utf8"));
    const chat = open();
    const empty = { schemaVersion: 1, createdAtMs: at, updatedAtMs: at, hasConversation: false, cwd: "/w" };
    expect(metaFile()).toEqual(empty);
    chat.append(turn);
    expect(metaFile()).toEqual({ ...empty, hasConversation: true });
    chat.close();
  });
});
