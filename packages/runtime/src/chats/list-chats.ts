import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { workspaceHash } from "../paths/physical-path.ts";
import type { ChatMeta } from "./chat-meta.ts";
import { readChatNote } from "./chat-note.ts";
import { openChatStore } from "./open-chat-store.ts";
import { mentionedIds } from "./read-messages.ts";

export interface ChatSummary {
  readonly id: string;
  readonly workspaceHash: string;
  /** The workspace's path, if the CLI noted it. */
  readonly workspace: string | undefined;
  readonly name: string | undefined;
  readonly mode: string | undefined;
  readonly model: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number | undefined;
  readonly updatedAt: number | undefined;
  /** The chat that started this one as a subagent. */
  readonly parentId: string | undefined;
  /** Whether the CLI says that another chat started it; older versions do not say. */
  readonly isSubagent: boolean | undefined;
  /** Why the chat cannot be read in full. */
  readonly damage: string | undefined;
}

export interface ListChatsOptions {
  readonly configDir: string;
  readonly workspace?: string;
}

/** All chats the CLI keeps there, newest first. Damaged ones are listed with their damage; nothing is written. */
export async function listChats({ configDir, workspace }: ListChatsOptions): Promise<readonly ChatSummary[]> {
  const root = join(configDir, "chats");
  const hashes = workspace === undefined ? await directoriesIn(root) : [workspaceHash(workspace)];
  const groups = await Promise.all(hashes.map((hash) => listWorkspace(join(root, hash), hash)));
  return groups.flat().sort((one, other) => (other.updatedAt ?? 0) - (one.updatedAt ?? 0));
}

interface ReadChat {
  readonly summary: ChatSummary;
  readonly mentions: ReadonlySet<string>;
}

/** Only chats of the same workspace can have started one another. */
async function listWorkspace(directory: string, hash: string): Promise<readonly ChatSummary[]> {
  const chats = (await directoriesIn(directory)).map((id) => describeChat(join(directory, id), hash, id));
  return chats.map(({ summary }) => {
    const parent = chats.find((chat) => chat.summary.id !== summary.id && chat.mentions.has(summary.id));
    return { ...summary, parentId: parent?.summary.id };
  });
}

function describeChat(directory: string, hash: string, id: string): ReadChat {
  const note = readChatNote(directory);
  const file = join(directory, "store.db");
  const { meta, mentions, damage } = readStore(file);
  const summary = {
    id,
    workspaceHash: hash,
    workspace: note.cwd,
    name: note.title ?? meta.name,
    mode: meta.mode,
    model: meta.lastUsedModel,
    createdAt: meta.createdAt ?? note.createdAtMs,
    updatedAt: note.updatedAtMs ?? lastWritten(file) ?? meta.createdAt ?? note.createdAtMs,
    parentId: undefined,
    isSubagent: note.isSubagent,
    damage,
  };
  return { summary, mentions };
}

interface StoreReading {
  readonly meta: Partial<ChatMeta>;
  readonly mentions: ReadonlySet<string>;
  readonly damage: string | undefined;
}

function readStore(file: string): StoreReading {
  try {
    using store = openChatStore(file);
    const meta = store.meta();
    const root = meta.latestRootBlobId === undefined ? undefined : store.blob(meta.latestRootBlobId);
    return { meta, mentions: mentionedIds(root ?? new Uint8Array()), damage: undefined };
  } catch (error) {
    return { meta: {}, mentions: new Set(), damage: CaretError.from(error).message };
  }
}

function lastWritten(file: string): number | undefined {
  const times = [file, `${file}-wal`].flatMap((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

async function directoriesIn(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    // Missing, or not readable by us: no chats either way.
    return [];
  }
}
