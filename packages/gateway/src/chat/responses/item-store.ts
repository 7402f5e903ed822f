import type { TranscriptMessage } from "@caret/protocol";
import type { ResponseObject } from "./answer.ts";
import type { InputItem } from "./items/input-items.ts";
import { createResponseMemory, keyOf, type MemoryLimits, type ResponseMemory } from "./items/response-memory.ts";
import type { localCallFields } from "./tools.ts";

/** The items of a response, as sent and as kept for later references. */
export type OutputItem = MessageItem | ReasoningItem | CallItem;

/** A call for the client to run. */
export type CallItem = FunctionCallItem | CustomCallItem | LocalCallItem;

type ItemStatus = "in_progress" | "completed" | "incomplete";

export interface MessageItem {
  readonly id: string;
  readonly type: "message";
  readonly status: ItemStatus;
  readonly role: "assistant";
  readonly content: readonly OutputText[];
}

export interface OutputText {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly [];
  readonly logprobs: readonly [];
}

export interface ReasoningItem {
  readonly id: string;
  readonly type: "reasoning";
  readonly summary: readonly SummaryText[];
}

export interface SummaryText {
  readonly type: "summary_text";
  readonly text: string;
}

export interface FunctionCallItem {
  readonly id: string;
  readonly type: "function_call";
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  /** Echoed from the tool's offer: Codex finds the tool by both. */
  readonly namespace?: string;
}

/** A call of a tool whose input is one text. */
export interface CustomCallItem extends Omit<FunctionCallItem, "type" | "arguments"> {
  readonly type: "custom_tool_call";
  readonly input: string;
}

/** A call of a tool that OpenAI defines and the client runs. */
export type LocalCallItem = {
  readonly id: string;
  readonly status: ItemStatus;
  readonly call_id: string;
} & ReturnType<typeof localCallFields>;

export function outputText(text: string): OutputText {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

export function summaryText(text: string): SummaryText {
  return { type: "summary_text", text };
}

/** A response with the input that was new in its request. */
export interface KeptResponse {
  readonly id: string;
  /** The response it continued by `previous_response_id`. */
  readonly previousId: string | undefined;
  readonly system: readonly string[];
  readonly messages: readonly TranscriptMessage[];
  readonly output: readonly OutputItem[];
  /** The conversation it belongs to, in digests. */
  readonly conversation?: string | undefined;
  /** Part of its input stands for text that is not known word for word. */
  readonly hasGaps?: boolean;
  /** The rest of the response object; absent if an older version kept it. */
  readonly head?: Omit<ResponseObject, "output">;
  /** Its input, as items that can be listed. */
  readonly input?: readonly InputItem[];
  /** Last sign of life from the gateway that makes it, in milliseconds since the epoch; absent once it is done. */
  readonly aliveAt?: number;
  /** Its owner has cancelled it, whatever the gateway that makes it has written since. */
  readonly isCancelled?: true;
  /** Its owner has deleted it: nothing else of it remains here. */
  readonly isDeleted?: true;
}

/** Keeps responses beyond this process, each as one text. Never rejects. */
export interface ResponseArchive {
  put(
    owner: string,
    response: {
      readonly id: string;
      readonly itemIds: readonly string[];
      readonly sessionId: string;
      readonly body: string;
    },
  ): Promise<void>;
  find(owner: string, by: { readonly id: string } | { readonly itemId: string }): Promise<string | undefined>;
}

/** What a request refers to instead of sending it. */
export interface References {
  readonly responseId: string | undefined;
  readonly itemIds: readonly string[];
}

/**
 * Past responses, for clients that refer to them instead of sending them again. Each owner sees only their own. Nothing is kept forever: a
 * client must cope with an unknown id.
 */
export interface ItemStore {
  /** Resolves when any process that shares the archive can find it. `sessionId`: the session whose words it holds. */
  keep(owner: string, response: KeptResponse, sessionId: string): Promise<void>;
  /** Searches this process's memory only, like `findChain`. */
  findItem(owner: string, itemId: string): OutputItem | undefined;
  /** The response and all it continued, oldest first; undefined if one of them is no longer known. */
  findChain(owner: string, responseId: string): readonly KeptResponse[] | undefined;
  /** Finds what a request refers to, including in the archive. */
  recall(owner: string, references: References): Promise<Recollection["items"]>;
  /** One response, in its current state in the archive: another process may have deleted or finished it. */
  find(owner: string, responseId: string): Promise<KeptResponse | undefined>;
  /** What its owner has done, at any process, to a response still being made. */
  withdrawal(owner: string, responseId: string): Promise<"cancelled" | "deleted" | undefined>;
  /** Notifies whichever process is making it. */
  cancel(owner: string, responseId: string): Promise<void>;
  /** Deletes its words everywhere; nothing can be continued from it. */
  forget(owner: string, responseId: string): Promise<void>;
}

/** Where references are looked up, limited to what the caller may see. */
export interface Recollection {
  readonly owner: string;
  readonly items: Pick<ItemStore, "findItem" | "findChain">;
  /** Absent if nothing was compacted here. */
  readonly openCompaction?: ((owner: string, sealed: string) => string | undefined) | undefined;
}

export interface MemoryItemStoreOptions extends MemoryLimits {
  /** Keeps them longer, and over restarts. */
  readonly archive?: ResponseArchive | undefined;
}

/** Keeps the most recently used responses, within two bounds; others are looked up in the archive, if there is one. */
export function createMemoryItemStore(options: MemoryItemStoreOptions = {}): ItemStore {
  const { archive } = options;
  const memory = createResponseMemory(options);

  const { read, readChain, withdrawal } = readArchive(archive, memory);

  return {
    async keep(owner, response, sessionId) {
      const body = JSON.stringify(response);
      // One still being made is known to the process that makes it.
      if (response.aliveAt === undefined) memory.remember(owner, response, body.length);
      await archive?.put(owner, { id: response.id, itemIds: response.output.map(({ id }) => id), sessionId, body });
    },
    findItem: memory.findItem,
    findChain(owner, responseId) {
      const chain: KeptResponse[] = [];
      let id: string | undefined = responseId;
      while (id !== undefined) {
        const response = memory.use(keyOf(owner, id));
        if (response === undefined) return undefined;
        chain.unshift(response);
        id = response.previousId;
      }
      return chain;
    },
    async recall(owner, { responseId, itemIds }) {
      const chain = responseId === undefined ? undefined : await readChain(owner, responseId);
      const found = new Map<string, OutputItem | undefined>();
      for (const itemId of itemIds) {
        const item = memory.findItem(owner, itemId);
        found.set(itemId, item ?? (await read(owner, { itemId }))?.output.find(({ id }) => id === itemId));
      }
      return {
        findItem: (_owner, itemId) => found.get(itemId),
        findChain: (_owner, id) => (id === responseId ? chain : undefined),
      };
    },
    async find(owner, id) {
      if (archive === undefined) return memory.use(keyOf(owner, id));
      const archived = await read(owner, { id });
      // Deleted by its owner or with its session.
      if (archived === undefined) memory.forget(owner, id);
      return memory.use(keyOf(owner, id)) ?? archived;
    },
    withdrawal,
    cancel: async (owner, id) => await archive?.put(owner, tombstone(withdrawalOf(id), { isCancelled: true })),
    async forget(owner, id) {
      memory.forget(owner, id);
      // In this order: a process that writes the response in between sees the first and writes the second again.
      await archive?.put(owner, tombstone(withdrawalOf(id)));
      await archive?.put(owner, tombstone(id));
    },
  };
}

/** Id of the record of what the owner did to a response; separate, because the process that makes it does not write there. */
const withdrawalOf = (id: string): string => `${id}/withdrawn`;

function tombstone(id: string, more: Pick<KeptResponse, "isCancelled"> = {}): Parameters<ResponseArchive["put"]>[1] {
  const nothing: Omit<KeptResponse, "id"> = { previousId: undefined, system: [], messages: [], output: [] };
  return { id, itemIds: [], sessionId: "", body: JSON.stringify({ id, ...nothing, isDeleted: true, ...more }) };
}

/** Reads the archive in addition to this process's memory. */
function readArchive(archive: ResponseArchive | undefined, memory: ResponseMemory) {
  async function read(owner: string, by: Parameters<ResponseArchive["find"]>[1]): Promise<KeptResponse | undefined> {
    const body = await archive?.find(owner, by);
    if (body === undefined) return undefined;
    const response = JSON.parse(body) as KeptResponse;
    if (response.isDeleted === true) return undefined;
    if (response.aliveAt !== undefined)
      return (await withdrawal(owner, response.id)) === "cancelled" ? { ...response, isCancelled: true } : response;
    // The memory's copy of what this process answered still has its secrets; do not replace it.
    if (memory.use(keyOf(owner, response.id)) === undefined) memory.remember(owner, response, body.length);
    return response;
  }

  async function withdrawal(owner: string, id: string): Promise<"cancelled" | "deleted" | undefined> {
    const body = await archive?.find(owner, { id: withdrawalOf(id) });
    if (body === undefined) return undefined;
    return (JSON.parse(body) as KeptResponse).isCancelled === true ? "cancelled" : "deleted";
  }

  /** Another process may have deleted what this one remembers. A response that could not be archived at all stays. */
  async function forgetDeleted(owner: string, id: string): Promise<void> {
    if (memory.use(keyOf(owner, id)) === undefined) return;
    if ((await withdrawal(owner, id)) === "deleted") memory.forget(owner, id);
  }

  async function readChain(owner: string, responseId: string): Promise<readonly KeptResponse[] | undefined> {
    const chain: KeptResponse[] = [];
    let id: string | undefined = responseId;
    await forgetDeleted(owner, responseId);
    while (id !== undefined) {
      const response: KeptResponse | undefined = memory.use(keyOf(owner, id)) ?? (await read(owner, { id }));
      if (response === undefined) return undefined;
      chain.unshift(response);
      id = response.previousId;
    }
    return chain;
  }

  return { read, readChain, withdrawal };
}
