import { parseJson } from "@caret/protocol";
import { type ChatMessage, toChatMessage } from "./chat-message.ts";
import type { ChatStore } from "./open-chat-store.ts";

const REFERENCE_BYTES = 32;

const REFERENCES_FIELD = 1;

const chatId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const OPENING_BRACE = 0x7b;
/** Far above any real chat; stops a chain that loops or branches endlessly. */
const MAX_BLOBS = 100_000;
const MAX_DEPTH = 64;

interface ChainMessages {
  readonly messages: readonly ChatMessage[];
  /** References to blobs that are missing from the store, or that hold no message. */
  readonly lost: number;
}

/** Walks the chain from its root, in order. A blob can occur twice: people repeat themselves. */
export function readMessages(store: ChatStore, rootId: string): ChainMessages {
  const messages: ChatMessage[] = [];
  const path = new Set<string>();
  let lost = 0;
  let visited = 0;

  const visit = (id: string): void => {
    visited += 1;
    const blob = visited > MAX_BLOBS || path.size > MAX_DEPTH || path.has(id) ? undefined : store.blob(id);
    if (blob === undefined) lost += 1;
    else if (blob[0] === OPENING_BRACE) addMessage(blob);
    else visitNode(id, blob);
  };

  const visitNode = (id: string, node: Uint8Array): void => {
    path.add(id);
    for (const reference of visited > MAX_BLOBS ? [] : blobRefs(node)) visit(reference);
    path.delete(id);
  };

  const addMessage = (blob: Uint8Array): void => {
    const message = toChatMessage(parseJson(Buffer.from(blob).toString("utf8")));
    if (message === undefined) lost += 1;
    else messages.push(message);
  };

  visit(rootId.toLowerCase());
  return { messages, lost };
}

/** All ids in the format of chats. A chat started by another is recognised only because the other one names it. */
export function mentionedIds(content: Uint8Array | string): ReadonlySet<string> {
  const text = typeof content === "string" ? content : Buffer.from(content).toString("latin1");
  return new Set(text.match(chatId) ?? []);
}

/**
 * The ids of the blobs that a chain node refers to, in order: its 32-byte fields with number 1, the SHA-256 of their targets. The rest of
 * the node is skipped uninterpreted; a damaged tail ends the list.
 */
export function blobRefs(node: Uint8Array): readonly string[] {
  const references: string[] = [];
  let offset = 0;
  while (offset < node.length) {
    const field = readField(node, offset);
    if (field === undefined) break;
    if (field.number === REFERENCES_FIELD && field.bytes?.length === REFERENCE_BYTES)
      references.push(Buffer.from(field.bytes).toString("hex"));
    offset = field.end;
  }
  return references;
}

interface Field {
  readonly number: number;
  /** Only for length-delimited fields. */
  readonly bytes: Uint8Array | undefined;
  readonly end: number;
}

/** One field in the wire format of protocol buffers. */
function readField(node: Uint8Array, start: number): Field | undefined {
  const tag = readVarint(node, start);
  if (tag === undefined) return undefined;
  const number = Math.floor(tag.value / 8);
  switch (tag.value % 8) {
    case 0: {
      const value = readVarint(node, tag.end);
      return value && { number, bytes: undefined, end: value.end };
    }
    case 1:
      return { number, bytes: undefined, end: tag.end + 8 };
    case 2: {
      const length = readVarint(node, tag.end);
      const end = length && length.end + length.value;
      if (length === undefined || end === undefined || end > node.length) return undefined;
      return { number, bytes: node.subarray(length.end, end), end };
    }
    case 5:
      return { number, bytes: undefined, end: tag.end + 4 };
    default:
      return undefined;
  }
}

function readVarint(node: Uint8Array, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 10; index += 1) {
    const byte = node[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return undefined;
}
