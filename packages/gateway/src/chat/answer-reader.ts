import { type AgentEvent, type AgentEventOf, type TurnOutcome, type Usage, weightOf } from "@caret/protocol";
import { type AnswerDisplay, activityText } from "./activity-text.ts";

type BlockKind = "text" | "thinking";

/** A call that the client is to run. */
export type ClientCall = Pick<AgentEventOf<"tool-call">, "callId" | "name" | "server" | "input">;

/**
 * One thing the answer says. `fresh` marks the first words of a block: whatever was said before in blocks of the same
 * kind is a paragraph of its own. `close` says that nothing follows in the block that is open.
 */
export type AnswerPiece =
  | { readonly kind: BlockKind; readonly text: string; readonly fresh: boolean }
  | { readonly kind: "call"; readonly call: ClientCall }
  | { readonly kind: "close" };

const CLOSE: AnswerPiece = { kind: "close" };

const activityKinds = {
  reasoning: "thinking",
  text: "text",
  none: undefined,
  "text-alone": "text",
  words: undefined,
} as const;

/**
 * What a turn's events mean to a client that knows only text, reasoning and calls. Streams and whole answers are both
 * made of these pieces, so they cannot differ in what they say.
 */
export class AnswerReader {
  /** As upstream reported it for the turn, once it did. */
  usage: Usage | undefined;
  /** Once the turn has ended. */
  outcome: TurnOutcome | undefined;
  /** How many calls the client was given. */
  calls = 0;
  /** Of all that the agent said, calls included; see `weightOf`. Lines about its activity are ours. */
  weight = 0;

  readonly #activityKind: BlockKind | undefined;
  readonly #hasThoughts: boolean;
  /** Calls on our side of the door that still run. */
  readonly #running = new Set<string>();
  #open: BlockKind | "activity" | undefined;
  #fresh = false;
  #pieces: AnswerPiece[] = [];

  constructor(showActivity: AnswerDisplay) {
    this.#hasThoughts = showActivity !== "text-alone" && showActivity !== "words";
    this.#activityKind = activityKinds[showActivity];
  }

  read(batch: readonly AgentEvent[]): readonly AnswerPiece[] {
    this.#pieces = [];
    for (const event of batch) this.#readEvent(event);
    return this.#pieces;
  }

  /** More of the text that is open. False, and nothing was read, where none is: it has to come in a batch. */
  more(text: string): boolean {
    if (this.#open !== "text" || this.#fresh || text === "") return false;
    this.weight += weightOf(text);
    return true;
  }

  #readEvent(event: AgentEvent): void {
    switch (event.type) {
      case "text-delta":
        return this.#speak("text", event.text);
      case "thinking-delta":
        return this.#hasThoughts ? this.#speak("thinking", event.text) : undefined;
      case "text-start":
      case "thinking-start":
        return this.#begin();
      case "text-end":
      case "thinking-end":
        return this.#open === "activity" ? undefined : this.#close();
      case "tool-call":
        return event.owner === "client" ? this.#handOver(event) : this.#showCall(event);
      case "tool-result":
        return this.#showResult(event);
      case "notice":
        return this.#showActivity(event);
      case "plan":
        return this.#showPlan(event.text);
      case "usage":
        this.usage = event.usage;
        return;
      case "turn-end":
        this.outcome = event.outcome;
        return;
      default:
        // Questions, to-do lists and the like have no place in these formats.
        return;
    }
  }

  #speak(kind: BlockKind, text: string): void {
    if (text === "") return;
    // A block that activity has broken into goes on without a gap, unless the activity looks like it.
    const brokenInto = this.#open === "activity" && this.#activityKind === kind;
    this.#pieces.push({ kind, text, fresh: this.#fresh || brokenInto });
    this.weight += weightOf(text);
    this.#fresh = false;
    this.#open = kind;
  }

  #begin(): void {
    this.#close();
    this.#fresh = true;
  }

  #close(): void {
    if (this.#open !== undefined) this.#pieces.push(CLOSE);
    this.#open = undefined;
  }

  #handOver({ callId, name, server, input }: AgentEventOf<"tool-call">): void {
    this.#close();
    this.calls += 1;
    this.weight += weightOf(name) + weightOf(JSON.stringify(input ?? {}));
    this.#pieces.push({ kind: "call", call: { callId, name, input, ...(server === undefined ? {} : { server }) } });
  }

  #showCall(event: AgentEventOf<"tool-call">): void {
    this.#running.add(event.callId);
    this.#showActivity(event);
  }

  /** What came of the client's own calls, the client knows best. */
  #showResult(event: AgentEventOf<"tool-result">): void {
    if (this.#running.delete(event.callId)) this.#showActivity(event);
  }

  #showActivity(event: AgentEvent): void {
    const line = activityText(event)?.trimEnd();
    if (this.#activityKind === undefined || line === undefined) return;
    const goesOn = this.#open === "activity";
    this.#pieces.push({ kind: this.#activityKind, text: goesOn ? `\n${line}` : line, fresh: !goesOn });
    this.#open = "activity";
  }

  /** A plan is the answer of a turn that only plans; nothing else repeats it. */
  #showPlan(text: string): void {
    this.#begin();
    this.#speak("text", text);
    this.#close();
    // It may have come in the middle of a text block, which must not go on in the plan's last line.
    this.#fresh = true;
  }
}
