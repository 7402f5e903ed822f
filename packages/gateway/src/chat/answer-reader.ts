import { type AgentEvent, type AgentEventOf, type TurnOutcome, type Usage, weightOf } from "@caret/protocol";
import { type AnswerDisplay, activityText } from "./activity-text.ts";

type BlockKind = "text" | "thinking";

/** A call for the client to run. */
export type ClientCall = Pick<AgentEventOf<"tool-call">, "callId" | "name" | "server" | "input">;

/**
 * A piece of the answer. `fresh` marks the first words of a block: earlier blocks of the same kind are separate paragraphs. `close` ends
 * the open block.
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
 * What a turn's events mean to a client that knows only text, reasoning and calls. Streams and whole answers are both made of these pieces,
 * so they cannot differ in what they say.
 */
export class AnswerReader {
  /** Upstream's report for the turn, once it arrives. */
  usage: Usage | undefined;
  /** Set once the turn has ended. */
  outcome: TurnOutcome | undefined;
  /** Calls given to the client. */
  calls = 0;
  /** Weight of all the agent said, including calls; see `weightOf`. Excludes activity lines, which are ours. */
  weight = 0;

  readonly #activityKind: BlockKind | undefined;
  readonly #hasThoughts: boolean;
  /** Running calls on our side of the door. */
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

  /** Appends to the open text block. Returns false, having read nothing, if none is open: the text must then come in a batch. */
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
    // A block interrupted by activity goes on without a gap, unless the activity is shown as the same kind.
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

  /** The client knows the results of its own calls. */
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

  /** The plan is the answer of a planning turn, and nothing else repeats it. */
  #showPlan(text: string): void {
    this.#begin();
    this.#speak("text", text);
    this.#close();
    // If it interrupted a text block, the rest must not continue the plan's last line.
    this.#fresh = true;
  }
}
