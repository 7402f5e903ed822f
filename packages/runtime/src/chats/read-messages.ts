import { blobRefs } from "./blob-refs.ts";
import { type ChatMessage, toChatMessage } from "./chat-message.ts";
import type { ChatStore } from "./open-chat-store.ts";

const OPENING_BRACE = 0x7b;
/** Far above any real chat; a chain that loops or branches without end stops here. */
const MAX_BLOBS = 100_000;
const MAX_DEPTH = 64;

export interface ChainMessages {
  readonly messages: readonly ChatMessage[];
  /** References to blobs that the store does not have, or that hold no message. */
  readonly lost: number;
}

/** Walk the chain from its root, in order. The same blob may stand in it twice: people say the same thing again. */
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Damaged: the caller counts it as lost.
    return undefined;
  }
}
