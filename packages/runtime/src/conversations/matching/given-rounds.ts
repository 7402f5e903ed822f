import type { AgentEvent, TranscriptCall } from "@caret/protocol";
import { piecesOf, type SaidPiece } from "./same-words.ts";

/** What a session said in answer to one request, according to its log. */
export interface GivenRound {
  readonly pieces: readonly SaidPiece[];
  /** The calls that the client was to run. */
  readonly calls: readonly TranscriptCall[];
}

/** Divides a session's events into the answers to each request. */
export class GivenRounds {
  readonly #clientCalls = new Set<string>();
  #blocks: { readonly id: string; text: string }[] = [];
  #calls: TranscriptCall[] = [];
  /** The client has answered calls: what follows answers another request. */
  #isAnswered = false;

  /** Returns the round that ends before this event, if one does. */
  add(event: AgentEvent): GivenRound | undefined {
    const isNext = event.type === "turn-start" || (this.#isAnswered && beginsRound(event));
    const ended = isNext ? this.end() : undefined;
    this.#read(event);
    return ended;
  }

  /** Undefined if nothing was said. */
  end(): GivenRound | undefined {
    const [blocks, calls] = [this.#blocks, this.#calls];
    [this.#blocks, this.#calls, this.#isAnswered] = [[], [], false];
    return blocks.length + calls.length === 0
      ? undefined
      : { pieces: blocks.flatMap(({ text }) => piecesOf(text)), calls };
  }

  #read(event: AgentEvent): void {
    if (event.type === "text-delta") this.#say(event.blockId, event.text);
    else if (event.type === "plan") this.#say(`plan ${this.#blocks.length}`, event.text);
    else if (event.type === "tool-call" && event.owner === "client") {
      const { callId, name, input } = event;
      this.#clientCalls.add(callId);
      this.#calls.push({ callId, name, input });
    } else if (event.type === "tool-result") this.#isAnswered ||= this.#clientCalls.has(event.callId);
  }

  #say(id: string, text: string): void {
    const last = this.#blocks.at(-1);
    if (last?.id === id) last.text += text;
    else this.#blocks.push({ id, text });
  }
}

function beginsRound(event: AgentEvent): boolean {
  return event.type === "text-delta" || (event.type === "tool-call" && event.owner === "client");
}

/** Merges several rounds into one. */
export function joinRounds(rounds: readonly GivenRound[]): GivenRound {
  return { pieces: rounds.flatMap(({ pieces }) => pieces), calls: rounds.flatMap(({ calls }) => calls) };
}
