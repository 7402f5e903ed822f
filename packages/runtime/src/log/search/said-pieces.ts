import { type AgentEvent, isDelta, isHeard, mainArgument, type SaidKind } from "@caret/protocol";
import type { StoredEvent } from "../event-store.ts";

/** From this length on, a piece ends after a delta that ends between two words … */
const LONG_PIECE = 4_000;
/** … and from this length on after any delta. */
const LONGEST_PIECE = 16_000;

/** Words said without a break: a prompt, a block of an answer, a call's command. The unit that a search finds. */
export interface SaidPiece {
  readonly turnId: string;
  readonly kind: SaidKind;
  /** Its first and last event; events of other kinds may lie between them. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: number;
  readonly text: string;
}

/** An event's words and their kind. Undefined for events without words, and for tool output. */
export function saidIn(event: AgentEvent): { readonly kind: SaidKind; readonly text: string } | undefined {
  switch (event.type) {
    case "turn-start":
      return event.prompt === undefined ? undefined : { kind: "prompt", text: event.prompt };
    case "text-delta":
      return { kind: "answer", text: event.text };
    case "thinking-delta":
      return { kind: "thinking", text: event.text };
    case "plan":
      return { kind: "plan", text: [event.name, event.overview, event.text].filter(Boolean).join("\n") };
    case "question":
      return { kind: "question", text: [event.title, ...event.questions.map(questionText)].filter(Boolean).join("\n") };
    case "tool-call":
      return { kind: "call", text: mainArgument(event) };
    case "notice":
      return event.kind === "steer" && !isHeard(event) ? { kind: "steering", text: event.message } : undefined;
    default:
      return undefined;
  }
}

function questionText({ prompt, options }: { prompt: string; options: readonly { label: string }[] }): string {
  return [prompt, ...options.map(({ label }) => label)].join("\n");
}

/** The text of a piece, given the events from its first to its last. */
export function textOfPiece(events: readonly StoredEvent[], kind: SaidKind): string {
  return events
    .map(({ event }) => saidIn(event))
    .filter((said) => said?.kind === kind)
    .map((said) => said?.text ?? "")
    .join("");
}

/**
 * Joins a session's events into pieces, so a word split between two deltas is one word. `settled` is the event up to which nothing can
 * change any more: it excludes a block that is still open.
 */
export class PieceFold {
  #open: SaidPiece | undefined;
  /** Complete pieces said inside the open block: the index cannot move past them until it closes. */
  #inside: SaidPiece[] = [];
  #seq: number;

  constructor(afterSeq: number) {
    this.#seq = afterSeq;
  }

  get settled(): number {
    return this.#open === undefined ? this.#seq : this.#open.firstSeq - 1;
  }

  /** The pieces that these events settle, each returned once. */
  push(events: readonly StoredEvent[]): readonly SaidPiece[] {
    const pieces = this.#inside;
    for (const stored of events) {
      this.#seq = stored.seq;
      if (this.#endsWith(stored.event)) this.#close(pieces);
      const piece = pieceOf(stored);
      if (piece === undefined) continue;
      if (isDelta(stored.event)) this.#open = this.#open === undefined ? piece : grown(this.#open, piece);
      else pieces.push(piece);
    }
    const { settled } = this;
    this.#inside = pieces.filter(({ firstSeq }) => firstSeq > settled);
    return pieces.filter(({ firstSeq }) => firstSeq <= settled);
  }

  #endsWith(event: AgentEvent): boolean {
    return closesBlock(event) || (isDelta(event) && this.#isFull(event.text));
  }

  #isFull(next: string): boolean {
    const text = this.#open?.text ?? "";
    if (text.length < LONG_PIECE) return false;
    return text.length >= LONGEST_PIECE || /\s$/.test(text) || /^\s/.test(next);
  }

  #close(pieces: SaidPiece[]): void {
    if (this.#open !== undefined) pieces.push(this.#open);
    this.#open = undefined;
  }
}

function pieceOf({ seq, turnId, at, event }: StoredEvent): SaidPiece | undefined {
  const said = saidIn(event);
  if (said === undefined || said.text === "") return undefined;
  return { turnId, firstSeq: seq, lastSeq: seq, at, ...said };
}

function closesBlock({ type }: AgentEvent): boolean {
  return (
    type === "text-start" ||
    type === "text-end" ||
    type === "thinking-start" ||
    type === "thinking-end" ||
    type === "turn-end"
  );
}

function grown(piece: SaidPiece, more: SaidPiece): SaidPiece {
  return { ...piece, lastSeq: more.lastSeq, text: piece.text + more.text };
}
