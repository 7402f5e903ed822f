import { createHash } from "node:crypto";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  AgentConversationTurnStructureSchema,
  type ConversationStateStructure,
  ConversationStateStructureSchema,
  ConversationTokenDetailsSchema,
  ConversationTurnStructureSchema,
} from "@caret/protocol/agent-api/conversation";
import type { PreFetchedBlob } from "@caret/protocol/agent-api/run";
import { ConversationStepSchema } from "@caret/protocol/agent-api/tool-call";
import { type UserMessage, UserMessageSchema } from "@caret/protocol/agent-api/user-message";
import type { ModelMessage } from "../../model/model.ts";
import { fromMessageJson, toMessageJson } from "./history-json.ts";
import { RunFailure } from "./run-failure.ts";
import type { RunLink } from "./run-link.ts";

export interface MemoryOptions {
  readonly link: RunLink;
  readonly state: ConversationStateStructure;
  readonly preFetched: readonly PreFetchedBlob[];
  /** Names this turn's messages, so that equal words of two turns are two messages. */
  readonly runId: string;
}

/**
 * The conversation as the client keeps it: blobs under their digests, and a state that lists them. The server reads what
 * the client sends and writes more; it has no other memory.
 */
export class ConversationMemory {
  readonly #options: MemoryOptions;
  readonly #known = new Map<string, Uint8Array>();
  readonly #steps: Uint8Array[] = [];
  #state: ConversationStateStructure;
  #userMessage: Uint8Array | undefined;

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#state = options.state;
    for (const { id, value } of options.preFetched) this.#known.set(toHex(id), value);
  }

  get state(): ConversationStateStructure {
    return this.#state;
  }

  /** Everything that was said before, from the blobs that the state lists. */
  async read(): Promise<readonly ModelMessage[]> {
    const blobs = await Promise.all(this.#state.rootPromptMessagesJson.map((id) => this.#get(id)));
    return blobs.flatMap((blob) => fromMessageJson(Buffer.from(blob).toString("utf8")));
  }

  /** Begins a turn with what the user said. A turn that is resumed has begun already, and its last turn goes on. */
  async beginTurn(userMessage: UserMessage | undefined): Promise<void> {
    if (userMessage !== undefined) {
      this.#userMessage = this.#keep(toBinary(UserMessageSchema, userMessage));
      return;
    }
    const last = this.#state.turns.at(-1);
    if (last === undefined) return;
    const { turn } = fromBinary(ConversationTurnStructureSchema, await this.#get(last));
    if (turn.case !== "agentConversationTurn") return;
    this.#userMessage = turn.value.userMessage;
    this.#steps.push(...turn.value.steps);
    this.#state = { ...this.#state, turns: this.#state.turns.slice(0, -1) };
  }

  /** Adds messages of this turn; each is a blob of its own. */
  append(messages: readonly ModelMessage[]): void {
    for (const message of messages) {
      const number = this.#state.rootPromptMessagesJson.length;
      const id = this.#keep(Buffer.from(toMessageJson(message, `${this.#options.runId}-${number}`)));
      const rootPromptMessagesJson = [...this.#state.rootPromptMessagesJson, id];
      this.#state = create(ConversationStateStructureSchema, { ...this.#state, rootPromptMessagesJson });
      if (message.role !== "assistant" || message.text === "") continue;
      const step = create(ConversationStepSchema, {
        message: { case: "assistantMessage", value: { text: message.text } },
      });
      this.#steps.push(this.#keep(toBinary(ConversationStepSchema, step)));
    }
  }

  /** Sends the state as it is now; from here on the client can go on with it. */
  checkpoint(usedTokens: number): void {
    const agentTurn = create(AgentConversationTurnStructureSchema, {
      ...(this.#userMessage === undefined ? {} : { userMessage: this.#userMessage }),
      steps: this.#steps,
      requestId: this.#options.runId,
    });
    const turn = create(ConversationTurnStructureSchema, { turn: { case: "agentConversationTurn", value: agentTurn } });
    const turnId = this.#keep(toBinary(ConversationTurnStructureSchema, turn));
    const value = create(ConversationStateStructureSchema, {
      ...this.#state,
      turns: [...this.#state.turns, turnId],
      tokenDetails: create(ConversationTokenDetailsSchema, { usedTokens, maxTokens: 200_000 }),
    });
    this.#options.link.send({ case: "conversationCheckpointUpdate", value });
  }

  async #get(id: Uint8Array): Promise<Uint8Array> {
    const found = this.#known.get(toHex(id)) ?? (await this.#options.link.getBlob(id));
    if (found === undefined) throw new RunFailure({ code: "internal", message: `Blob not found: ${toHex(id)}` });
    this.#known.set(toHex(id), found);
    return found;
  }

  /** Has the client keep the bytes, unless it has them. */
  #keep(data: Uint8Array): Uint8Array {
    const id = createHash("sha256").update(data).digest();
    if (!this.#known.has(toHex(id))) this.#options.link.setBlob(id, data);
    this.#known.set(toHex(id), data);
    return id;
  }
}

function toHex(id: Uint8Array): string {
  return Buffer.from(id).toString("hex");
}
