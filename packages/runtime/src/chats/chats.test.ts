import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workspaceHash } from "../paths/physical-path.ts";
import { chatExists, workspaceSlug } from "./chat-exists.ts";
import { listChats } from "./list-chats.ts";
import { readChat } from "./read-chat.ts";
import { json, node, type StoreContent, sha256, writeChatStore } from "./testing/write-chat-store.ts";

const ID = "0b5e6a52-1d0c-4c51-9a51-6b7f0c9e1a01";
const OTHER = "7c1f3d44-93a2-4a0e-8f0e-2d5b8c6e4b02";

let root: string;
let configDir: string;
let workspace: string;
let open: DatabaseSync[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-chats-")));
  configDir = join(root, "config");
  workspace = join(root, "work");
  mkdirSync(workspace);
  open = [];
});
afterEach(() => {
  for (const database of open) database.close();
  rmSync(root, { recursive: true, force: true });
});

const directoryOf = (id: string) => join(configDir, "chats", workspaceHash(workspace), id);
const storeOf = (id: string) => join(directoryOf(id), "store.db");

/** A chat of a CLI that has gone away. */
function writeChat(id: string, content: StoreContent) {
  writeChatStore(storeOf(id), content).close();
}

/** A chat of a CLI that is still there. */
function writeLiveChat(id: string, content: StoreContent) {
  const database = writeChatStore(storeOf(id), content);
  open.push(database);
  return database;
}

const typed = json({
  role: "user",
  content: [{ type: "text", text: "<timestamp>Monday</timestamp>\n<user_query>\nWhat is here?\n</user_query>" }],
});
const called = json({
  role: "assistant",
  content: [
    { type: "reasoning", text: "I should look." },
    { type: "text", text: "Let me look." },
    { type: "tool-call", toolCallId: "call-1", toolName: "Shell", args: { command: "ls" } },
  ],
});
const answered = json({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "call-1", toolName: "Shell", result: "notes.txt" }],
});
const said = json({ role: "assistant", content: [{ type: "text", text: "One file: notes.txt" }] });
const talk = [typed, called, answered, said];
const talkMessages = [
  { role: "user", text: "What is here?", toolCalls: [] },
  { role: "assistant", text: "Let me look.", toolCalls: [{ id: "call-1", name: "Shell", input: { command: "ls" } }] },
  { role: "tool", text: "notes.txt", toolCalls: [] },
  { role: "assistant", text: "One file: notes.txt", toolCalls: [] },
];

/** A whole chat: the messages in one nested node, a field we do not know, and the description. */
function chatOf(messages: readonly Uint8Array[], meta: Record<string, unknown> = {}): StoreContent {
  const inner = node(messages.map(sha256));
  const rootNode = node([sha256(inner)], Buffer.from([0x12, 0x02, 0x08, 0x01, 0x28, 0x96, 0x01]));
  return {
    meta: { agentId: ID, name: "A talk", latestRootBlobId: sha256(rootNode), ...meta },
    blobs: [...messages, inner, rootNode],
  };
}

function filesOf(id: string) {
  return readdirSync(directoryOf(id)).toSorted();
}

describe("readChat", () => {
  it("follows the chain from its root and shows what people and tools said", async () => {
    writeChat(ID, chatOf(talk, { lastUsedModel: "swift-2" }));
    expect(await readChat({ configDir, id: ID })).toEqual({
      id: ID,
      name: "A talk",
      model: "swift-2",
      messages: talkMessages,
      subagents: [],
      source: "store",
      damage: undefined,
    });
  });

  it("reads a description that is plain JSON, and one that is a chat without messages yet", async () => {
    writeChat(ID, { meta: { agentId: ID, name: "New" }, rawMeta: true });
    expect(await readChat({ configDir, workspace, id: ID })).toMatchObject({
      name: "New",
      messages: [],
      damage: undefined,
    });
  });

  it("shows the same words twice when they were said twice", async () => {
    const yes = json({ role: "user", content: "<user_query>yes</user_query>" });
    writeChat(ID, chatOf([yes, said, yes]));
    const { messages } = await readChat({ configDir, id: ID });
    expect(messages.map(({ text }) => text)).toEqual(["yes", "One file: notes.txt", "yes"]);
  });

  it("does not take the CLI's own notes for something a person typed", async () => {
    const note = json({ role: "user", content: [{ type: "text", text: "<user_info>\nOS: linux\n</user_info>" }] });
    const tricky = json({ role: "user", content: "<user_query>why does </user_query> break?</user_query>" });
    writeChat(ID, chatOf([note, tricky]));
    const { messages } = await readChat({ configDir, id: ID });
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ["system", "<user_info>\nOS: linux\n</user_info>"],
      ["user", "why does </user_query> break?"],
    ]);
  });

  it("shows of a message in ask mode only what the person typed", async () => {
    const asked = json({
      role: "user",
      content: [
        { type: "text", text: "\n<system_reminder>\nAsk mode is active. Do not edit.\n</system_reminder>" },
        { type: "text", text: "<timestamp>Monday</timestamp>\n<user_query>\nWhat is here?\n</user_query>" },
      ],
      providerOptions: { cursor: { requestId: "r-1" } },
    });
    writeChat(ID, chatOf([asked, said]));
    const { messages } = await readChat({ configDir, id: ID });
    expect(messages).toEqual([
      { role: "user", text: "What is here?", toolCalls: [] },
      { role: "assistant", text: "One file: notes.txt", toolCalls: [] },
    ]);
  });

  it.each<[string, unknown, string, string]>([
    [
      "a reminder alone",
      "<system_reminder>Be brief.</system_reminder>",
      "system",
      "<system_reminder>Be brief.</system_reminder>",
    ],
    [
      "notes in several blocks and parts",
      [
        { type: "text", text: "<user_info>\nOS: linux\n</user_info>\n\n<git_status>\nclean\n</git_status>" },
        { type: "text", text: "<rules>\nbe kind\n</rules>" },
      ],
      "system",
      "<user_info>\nOS: linux\n</user_info>\n\n<git_status>\nclean\n</git_status>\n\n<rules>\nbe kind\n</rules>",
    ],
    [
      "words without a mark between blocks",
      "<timestamp>Monday</timestamp>\n<system-reminder>x</system-reminder>\nWhat is here?\n<system_reminder>y</system_reminder>",
      "user",
      "What is here?",
    ],
    [
      "marked words with blocks around them in one part",
      "<system_reminder>x</system_reminder><user_query>What is here?</user_query>\n<system_reminder>y</system_reminder>",
      "user",
      "What is here?",
    ],
    [
      "tags that a person typed",
      "<user_query>what does <rules>x</rules> do?</user_query>",
      "user",
      "what does <rules>x</rules> do?",
    ],
    ["tags that a person typed, without a mark", "<div>centre me</div>", "user", "<div>centre me</div>"],
    ["an unfinished block", "<timestamp>hello", "user", "<timestamp>hello"],
  ])("knows whose words they are: %s", async (_what, content, role, text) => {
    writeChat(ID, chatOf([json({ role: "user", content })]));
    expect((await readChat({ configDir, id: ID })).messages).toEqual([{ role, text, toolCalls: [] }]);
  });

  it("reads what a running CLI has not yet moved out of its write-ahead log, and leaves its files alone", async () => {
    writeLiveChat(ID, chatOf(talk));
    const before = filesOf(ID);
    expect((await readChat({ configDir, id: ID })).messages).toEqual(talkMessages);
    expect([before, filesOf(ID)]).toEqual([before, ["store.db", "store.db-shm", "store.db-wal"]]);
  });

  it("leaves nothing behind beside a chat at rest", async () => {
    writeChat(ID, chatOf(talk));
    await readChat({ configDir, id: ID });
    await listChats({ configDir });
    chatExists({ configDir, workspace, id: ID });
    expect(filesOf(ID)).toEqual(["store.db"]);
  });

  it("reads the log that a crashed CLI left, without writing where it lies", async () => {
    writeLiveChat(OTHER, chatOf(talk));
    mkdirSync(directoryOf(ID), { recursive: true });
    for (const end of ["", "-wal"]) copyFileSync(storeOf(OTHER) + end, storeOf(ID) + end);
    expect((await readChat({ configDir, id: ID })).messages).toEqual(talkMessages);
    expect(filesOf(ID)).toEqual(["store.db", "store.db-wal"]);
  });

  it("reads a store that its CLI has locked for itself", async () => {
    const database = writeLiveChat(ID, chatOf(talk));
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE meta SET key = key");
    expect((await readChat({ configDir, id: ID })).messages).toEqual(talkMessages);
  });

  it("says how much is lost when messages are missing from the store", async () => {
    const whole = chatOf(talk);
    writeChat(ID, { ...whole, blobs: (whole.blobs ?? []).filter((blob) => blob !== answered) });
    const { messages, damage } = await readChat({ configDir, id: ID });
    expect([messages.length, damage]).toEqual([3, "1 part of the chat cannot be read"]);
  });

  it("comes to an end in a chain that bites its own tail", async () => {
    const loop = node(["ab".repeat(32)]);
    const database = writeLiveChat(ID, { meta: { latestRootBlobId: "ab".repeat(32) } });
    database.prepare("INSERT INTO blobs VALUES (?, ?)").run("ab".repeat(32), loop);
    await expect(readChat({ configDir, id: ID })).rejects.toMatchObject({ code: "session-corrupt" });
  });

  it("names the chats that this one started, and not those a person merely mentions", async () => {
    const third = "11111111-2222-4333-8444-555555555555";
    const task = json({
      role: "assistant",
      content: [{ type: "tool-call", toolName: "Task", args: { agentId: OTHER, prompt: "help" } }],
    });
    const mention = json({ role: "user", content: `<user_query>look at ${third} and ${ID}</user_query>` });
    writeChat(ID, chatOf([mention, task]));
    writeChat(OTHER, chatOf(talk));
    writeChat(third, chatOf(talk));
    expect((await readChat({ configDir, id: ID })).subagents).toEqual([OTHER]);
  });

  it.each(["../../etc", "", "a/b", "..", "no.such"])("takes %j for no chat's id", async (id) => {
    await expect(readChat({ configDir, id })).rejects.toMatchObject({ code: "session-not-found" });
  });

  it("does not find a chat of another workspace", async () => {
    writeChat(ID, chatOf(talk));
    await expect(readChat({ configDir, id: ID, workspace: root })).rejects.toMatchObject({ code: "session-not-found" });
  });
});

describe("a transcript", () => {
  const line = (role: string, ...content: unknown[]) => JSON.stringify({ role, message: { content } });

  function writeTranscript(...lines: readonly string[]) {
    const directory = join(configDir, "projects", workspaceSlug(workspace), "agent-transcripts", ID);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${ID}.jsonl`), lines.join("\n"));
  }

  const lines = [
    line("user", { type: "text", text: "<user_query>\nhello\n</user_query>" }),
    "",
    line("assistant", { type: "text", text: "Hi." }, { type: "tool_use", name: "Read", input: { path: "a" } }),
    '{"type":"turn_ended","status":"completed"}',
    "null",
    '{"role":"assistant","mess',
  ];
  const messages = [
    { role: "user", text: "hello", toolCalls: [] },
    { role: "assistant", text: "Hi.", toolCalls: [{ id: undefined, name: "Read", input: { path: "a" } }] },
  ];

  it.each([
    ["there is no store", () => undefined, 'Cursor keeps no chat "ID" there'],
    ["the store is empty", () => writeDamaged(""), "The chat's store is empty"],
    ["the store is rubbish", () => writeDamaged("rubbish ".repeat(900)), "The chat's store is not a readable database"],
    [
      "the messages are gone",
      () => writeChat(ID, { meta: { latestRootBlobId: "ab" } }),
      "The messages of the chat are missing from its store",
    ],
  ])("is read when %s", async (_case, damageStore, damage) => {
    damageStore();
    writeTranscript(...lines);
    const expected = { id: ID, name: undefined, model: undefined, subagents: [], messages, source: "transcript" };
    expect(await readChat({ configDir, id: ID, workspace })).toEqual({ ...expected, damage: damage.replace("ID", ID) });
    expect((await readChat({ configDir, id: ID })).messages).toEqual(messages);
  });

  it("is looked for where the CLI's data are, if that is elsewhere", async () => {
    writeTranscript(...lines);
    const moved = { configDir: join(root, "empty"), dataDir: configDir, id: ID };
    expect((await readChat(moved)).messages).toEqual(messages);
  });
});

function writeDamaged(content: string, id = ID) {
  mkdirSync(directoryOf(id), { recursive: true });
  writeFileSync(storeOf(id), content);
}

describe("listChats", () => {
  it("lists every chat, newest first, with what the CLI noted about it", async () => {
    writeChat(ID, chatOf(talk, { createdAt: 1_000, mode: "default", lastUsedModel: "swift-2" }));
    writeChat(OTHER, { meta: { name: "Later", createdAt: 500 }, rawMeta: true });
    const note = { schemaVersion: 1, createdAtMs: 500, updatedAtMs: 9_000, hasConversation: true, cwd: workspace };
    writeFileSync(join(directoryOf(OTHER), "meta.json"), JSON.stringify(note));
    utimesSync(storeOf(ID), 2, 2);
    const common = { workspaceHash: workspaceHash(workspace), parentId: undefined, damage: undefined };
    expect(await listChats({ configDir })).toEqual([
      {
        ...common,
        id: OTHER,
        workspace,
        name: "Later",
        mode: undefined,
        model: undefined,
        createdAt: 500,
        updatedAt: 9_000,
      },
      {
        ...common,
        id: ID,
        workspace: undefined,
        name: "A talk",
        mode: "default",
        model: "swift-2",
        createdAt: 1_000,
        updatedAt: 2_000,
      },
    ]);
  });

  it("understands a time that is text, and uses the title and the mark of a subagent in meta.json", async () => {
    writeChat(ID, chatOf(talk, { createdAt: "2026-10-03T10:00:00.000Z", name: "New Agent" }));
    writeChat(OTHER, chatOf(talk, { createdAt: "1791021600000" }));
    const note = { updatedAtMs: "9000", title: "Find the bug", isSubagent: true, cwd: workspace };
    writeFileSync(join(directoryOf(ID), "meta.json"), JSON.stringify(note));
    const chats = (await listChats({ configDir })).toSorted((one, other) => one.id.localeCompare(other.id));
    expect(chats.map(({ name, createdAt, isSubagent }) => ({ name, createdAt, isSubagent }))).toEqual([
      { name: "Find the bug", createdAt: Date.UTC(2026, 9, 3, 10), isSubagent: true },
      { name: "A talk", createdAt: 1_791_021_600_000, isSubagent: undefined },
    ]);
    expect((await readChat({ configDir, id: ID })).name).toBe("Find the bug");
  });

  it("says what is wrong with each damaged chat", async () => {
    const bare = new DatabaseSync(storeAt("bare"));
    bare.exec("CREATE TABLE other (x)");
    bare.close();
    const blank = new DatabaseSync(storeAt("blank"));
    blank.exec("CREATE TABLE meta (key TEXT, value TEXT); INSERT INTO meta VALUES ('0', 'not hex')");
    blank.close();
    mkdirSync(directoryOf("nothing"), { recursive: true });
    writeDamaged("", "zero");
    writeDamaged("rubbish ".repeat(900), "rubbish");
    const damages = (await listChats({ configDir, workspace })).map(({ id, damage }) => [id, damage]);
    expect(Object.fromEntries(damages)).toEqual({
      bare: "The chat's store lacks a table or is damaged",
      blank: "The chat's description is not JSON",
      nothing: "The chat has no store",
      zero: "The chat's store is empty",
      rubbish: "The chat's store is not a readable database",
    });
  });

  it("says which chat started which", async () => {
    const whole = chatOf(talk);
    const parent = node([], Buffer.concat([Buffer.from([0x82, 0x01, 0x24]), Buffer.from(OTHER)]));
    writeChat(ID, { meta: { latestRootBlobId: sha256(parent) }, blobs: [parent] });
    writeChat(OTHER, whole);
    const parents = (await listChats({ configDir })).map(({ id, parentId }) => [id, parentId]);
    expect(Object.fromEntries(parents)).toEqual({ [ID]: undefined, [OTHER]: ID });
  });

  it("is empty where there are no chats", async () => {
    expect([await listChats({ configDir }), await listChats({ configDir, workspace })]).toEqual([[], []]);
  });
});

function storeAt(id: string) {
  mkdirSync(directoryOf(id), { recursive: true });
  return storeOf(id);
}

describe("chatExists", () => {
  it("knows a chat of its workspace, however the workspace is written", () => {
    writeChat(ID, { meta: { agentId: ID } });
    symlinkSync(workspace, join(root, "link"));
    const paths = [workspace, `${workspace}/`, join(root, "link"), `${workspace}/../work`];
    expect(paths.map((path) => chatExists({ configDir, workspace: path, id: ID }))).toEqual([true, true, true, true]);
  });

  it("does not know an id that was never used, a chat of another workspace, or one that cannot be read", () => {
    writeChat(ID, { meta: { agentId: ID } });
    writeDamaged("", OTHER);
    const elsewhere = join(root, "elsewhere");
    expect({
      unknownId: chatExists({ configDir, workspace, id: "11111111-2222-4333-8444-555555555555" }),
      elsewhere: chatExists({ configDir, workspace: elsewhere, id: ID }),
      otherId: chatExists({ configDir, workspace, id: OTHER }),
      byAPath: chatExists({ configDir, workspace, id: `../${workspaceHash(workspace)}/${ID}` }),
    }).toEqual({ unknownId: false, elsewhere: false, otherId: false, byAPath: false });
  });
});

const capture = new URL("../../../../../shared/captures/agentsessions-test-store.db", import.meta.url);

describe.skipIf(!existsSync(capture))("a store that another program has made", () => {
  it("is understood", async () => {
    mkdirSync(directoryOf(ID), { recursive: true });
    copyFileSync(capture, storeOf(ID));
    expect(await listChats({ configDir })).toMatchObject([
      { id: ID, name: "Test Session", mode: "default", damage: undefined },
    ]);
    expect(chatExists({ configDir, workspace, id: ID })).toBe(true);
  });
});
