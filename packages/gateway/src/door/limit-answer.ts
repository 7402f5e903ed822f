import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import type { DoorRequest } from "./door-request.ts";
import { createStopMatcher } from "./stop-matcher.ts";
import { cutToWeight, weightOf, weightWithin } from "./text-weight.ts";
import type { DoorTurn } from "./turn-desk.ts";

/** Why an answer ends before its turn would. */
export type Cut = { readonly kind: "length" } | { readonly kind: "stop-sequence"; readonly sequence: string };

/** A turn whose answer ends where its request says. */
export interface LimitedTurn extends DoorTurn {
  /** Once `follow` has ended the answer early. */
  readonly cut: Cut | undefined;
}

export interface AnswerLimits extends Pick<DoorRequest, "stopSequences" | "maxOutputTokens"> {
  /** What the door writes between two blocks of text. */
  readonly gap: string;
}

/**
 * Obey `stop` and `max_tokens`: nothing upstream does. The text is cut there, and the turn is ended, since nobody would read
 * the rest. What counts is the text of this one answer; thinking, and what the agent does with tools of its own, does not.
 * Tokens are estimated. An answer that has come to calls of the client's is not cut any more: they are to be run.
 */
export function limitTurn(turn: DoorTurn, limits: AnswerLimits): LimitedTurn {
  const { stopSequences, maxOutputTokens } = limits;
  const isLimited = stopSequences.length > 0 || maxOutputTokens !== undefined;
  let cut: Cut | undefined;

  async function* followLimited(signal: AbortSignal): AsyncGenerator<readonly AgentEvent[]> {
    const answer = new LimitedAnswer(limits);
    for await (const batch of turn.follow(signal)) {
      yield answer.read(batch);
      if (answer.cut === undefined) continue;
      cut = answer.cut;
      turn.stop(cut.kind === "length" ? "The answer is as long as it may be" : "The answer came to a stop sequence");
      return;
    }
  }

  return {
    turnId: turn.turnId,
    sessionId: turn.sessionId,
    model: turn.model,
    relation: turn.relation,
    startsTurn: turn.startsTurn,
    get outcome() {
      return turn.outcome;
    },
    follow: isLimited ? followLimited : (signal) => turn.follow(signal),
    stop: (reason) => turn.stop(reason),
    leave: (how) => turn.leave(how),
    get cut() {
      return cut;
    },
  };
}

class LimitedAnswer {
  cut: Cut | undefined;
  readonly #gap: string;
  readonly #stops: ReturnType<typeof createStopMatcher>;
  /** How much text may follow, by weight. */
  #room: number;
  #hasText = false;
  /** The client has been given calls: a turn that waits for their results cannot be ended. */
  #hasCalls = false;
  #out: AgentEvent[] = [];

  constructor({ stopSequences, maxOutputTokens, gap }: AnswerLimits) {
    this.#gap = gap;
    this.#stops = createStopMatcher(stopSequences);
    this.#room = maxOutputTokens === undefined ? Number.POSITIVE_INFINITY : weightWithin(maxOutputTokens);
  }

  read(batch: readonly AgentEvent[]): readonly AgentEvent[] {
    this.#out = [];
    for (const event of batch) {
      if (this.#hasCalls) this.#out.push(event);
      else this.#readEvent(event);
      if (this.cut !== undefined) break;
    }
    return this.#out;
  }

  #readEvent(event: AgentEvent): void {
    switch (event.type) {
      case "text-start":
        return this.#begin(event);
      case "text-delta":
        return this.#say(event, event.text);
      case "text-end":
        return this.#end(event);
      case "plan":
        return this.#plan(event);
      case "tool-call":
        this.#hasCalls ||= event.owner === "client";
        this.#out.push(event);
        return;
      default:
        this.#out.push(event);
    }
  }

  /** A sequence may begin in the gap that the door will write. */
  #begin(event: AgentEventOf<"text-start">): void {
    if (this.#hasText && this.#gap !== "") {
      const { sequence } = this.#stops.push(this.#gap);
      this.#stops.flush();
      if (sequence !== undefined) {
        this.cut = { kind: "stop-sequence", sequence };
        return;
      }
    }
    this.#out.push(event);
  }

  #say(block: { readonly blockId: string }, piece: string): void {
    const { text, sequence } = this.#stops.push(piece);
    this.#show(block, text);
    if (this.cut === undefined && sequence !== undefined) this.cut = { kind: "stop-sequence", sequence };
    if (this.cut !== undefined) this.#out.push({ type: "text-end", blockId: block.blockId });
  }

  #show({ blockId }: { readonly blockId: string }, text: string): void {
    if (text === "") return;
    this.#hasText = true;
    const fitting = this.#fit(text);
    if (fitting !== "") this.#out.push({ type: "text-delta", blockId, text: fitting });
    if (fitting !== text) this.cut = { kind: "length" };
  }

  #fit(text: string): string {
    const fitting = cutToWeight(text, this.#room);
    this.#room -= weightOf(text);
    return fitting;
  }

  #end(event: AgentEventOf<"text-end">): void {
    this.#show(event, this.#stops.flush());
    this.#out.push(event);
  }

  /** A plan is the whole text of an answer, told at once. */
  #plan(event: AgentEventOf<"plan">): void {
    const { text, sequence } = this.#stops.push(event.text);
    const whole = sequence === undefined ? text + this.#stops.flush() : text;
    const fitting = this.#fit(whole);
    this.#hasText = true;
    this.#out.push(fitting === event.text ? event : { ...event, text: fitting });
    if (fitting !== whole) this.cut = { kind: "length" };
    else if (sequence !== undefined) this.cut = { kind: "stop-sequence", sequence };
  }
}
