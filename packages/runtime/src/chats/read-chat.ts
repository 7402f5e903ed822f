import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { workspaceHash } from "../paths/physical-path.ts";
import { isChatId } from "./chat-exists.ts";
import { type ChatMessage, chatDamage } from "./chat-message.ts";
import { readChatNote } from "./chat-note.ts";
import { openChatStore } from "./open-chat-store.ts";
import { mentionedIds, readMessages } from "./read-messages.ts";
import { readTranscript } from "./read-transcript.ts";

export interface ReadChatOptions {
  readonly configDir: string;
  readonly id: string;
  /** If omitted, all workspaces are searched for the chat. */
  readonly workspace?: string;
  /** Where transcripts are: CURSOR_DATA_DIR if set. Default: the config directory. */
  readonly dataDir?: string;
}

export interface Chat {
  readonly id: string;
  readonly name: string | undefined;
  readonly model: string | undefined;
  readonly messages: readonly ChatMessage[];
  /** Chats of the same workspace that this one started. */
  readonly subagents: readonly string[];
  /** A transcript lacks the tools' answers; it is used only if the store yields nothing. */
  readonly source: "store" | "transcript";
  /** What could not be read, although the rest could. */
  readonly damage: string | undefined;
}

/** Throws `session-not-found` for an unknown chat, `session-corrupt` for one that neither source can read. */
export async function readChat(options: ReadChatOptions): Promise<Chat> {
  const { configDir, id, workspace, dataDir = configDir } = options;
  if (!isChatId(id)) throw new CaretError("session-not-found", `"${id}" is not the id of a chat`);
  const directory = await findChat(options);
  const stored = directory === undefined ? unknownChat(id) : readStored(directory, id);
  if (!CaretError.is(stored)) return stored;
  const messages = await readTranscript({ dataDir, id, workspace });
  if (messages === undefined) throw stored;
  const unknown = { name: undefined, model: undefined, subagents: [] };
  return { ...unknown, id, messages, source: "transcript", damage: stored.message };
}

function readStored(directory: string, id: string): Chat | CaretError {
  try {
    using store = openChatStore(join(directory, id, "store.db"));
    const meta = store.meta();
    // A chat that was created and never used has no root yet.
    const rootId = meta.latestRootBlobId ?? "";
    const { messages, lost } = rootId === "" ? { messages: [], lost: 0 } : readMessages(store, rootId);
    if (messages.length === 0 && lost > 0) return chatDamage("The messages of the chat are missing from its store");
    const subagents = findSubagents(directory, id, messages, store.blob(rootId));
    const damage = lost === 0 ? undefined : `${lost} ${lost === 1 ? "part" : "parts"} of the chat cannot be read`;
    const name = readChatNote(join(directory, id)).title ?? meta.name;
    return { id, name, model: meta.lastUsedModel, messages, subagents, source: "store", damage };
  } catch (error) {
    return CaretError.from(error);
  }
}

/** Ids named by the chat's root or by a tool (not merely by a person) and stored next to it. */
function findSubagents(
  directory: string,
  id: string,
  messages: readonly ChatMessage[],
  root: Uint8Array | undefined,
): readonly string[] {
  const tools = messages.map(({ role, text, toolCalls }) => [role === "tool" ? text : "", toolCalls]);
  const ids = new Set([...mentionedIds(root ?? ""), ...mentionedIds(JSON.stringify(tools))]);
  return [...ids].filter((other) => other !== id && existsSync(join(directory, other, "store.db")));
}

/** The workspace directory that contains the chat. */
async function findChat({ configDir, id, workspace }: ReadChatOptions): Promise<string | undefined> {
  const root = join(configDir, "chats");
  const hashes = workspace === undefined ? await namesIn(root) : [workspaceHash(workspace)];
  return hashes.map((hash) => join(root, hash)).find((directory) => existsSync(join(directory, id)));
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return existsSync(directory) ? readdir(directory) : [];
}

function unknownChat(id: string): CaretError {
  return new CaretError("session-not-found", `Cursor keeps no chat "${id}" there`);
}
