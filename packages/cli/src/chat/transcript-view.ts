import type { Transcript, TranscriptTurn } from "@caret/protocol";
import type { Component } from "@earendil-works/pi-tui";
import type { Look } from "../terminal/look.ts";
import { fitLines } from "./fit-lines.ts";
import { type Block, turnBlocks } from "./turn-blocks.ts";

/** The chat's own lines between those of the session: a command's output, an error. */
interface Note extends Block {}

interface Drawn {
  readonly columns: number;
  readonly isExpanded: boolean;
  readonly blocks: readonly Block[];
}

export interface Shown {
  readonly transcript: Transcript;
  readonly workspace: string;
  /** Shown above everything else. */
  readonly head: readonly string[];
}

/** The transcript as the terminal shows it. Unchanged turns are not redrawn. */
export class TranscriptView implements Component {
  isExpanded = false;
  readonly #look: Look;
  readonly #shown: () => Shown;
  #notes: readonly Note[] = [];
  #drawn = new WeakMap<TranscriptTurn, Drawn>();

  constructor(look: Look, shown: () => Shown) {
    this.#look = look;
    this.#shown = shown;
  }

  /** Adds lines below everything shown so far. */
  note(lines: readonly string[]): void {
    this.#notes = [...this.#notes, { seq: this.#shown().transcript.lastSeq, lines: ["", ...lines] }];
  }

  /** Resets for another session. */
  clear(): void {
    this.#notes = [];
    this.#drawn = new WeakMap();
  }

  invalidate(): void {
    this.#drawn = new WeakMap();
  }

  render(columns: number): string[] {
    const { transcript, workspace, head } = this.#shown();
    const blocks = transcript.turns.flatMap((turn, index) =>
      this.#blocksOf(turn, columns, { workspace, before: transcript.turns[index - 1] }),
    );
    const notes = this.#notes.map(({ seq, lines }) => ({ seq, lines: fitLines(lines, columns) }));
    return [...fitLines(head, columns), ...inOrder(blocks, notes).flatMap(({ lines }) => lines)];
  }

  #blocksOf(
    turn: TranscriptTurn,
    columns: number,
    { workspace, before }: { readonly workspace: string; readonly before: TranscriptTurn | undefined },
  ): readonly Block[] {
    const { isExpanded } = this;
    const known = this.#drawn.get(turn);
    if (known?.columns === columns && known.isExpanded === isExpanded) return known.blocks;
    const blocks = turnBlocks(turn, { ...this.#look, columns, workspace, isExpanded }, before);
    this.#drawn.set(turn, { columns, isExpanded, blocks });
    return blocks;
  }
}

/** Places each note after the last event that existed when it was made. */
function inOrder(blocks: readonly Block[], notes: readonly Note[]): readonly Block[] {
  const merged: Block[] = [];
  let next = 0;
  for (const block of blocks) {
    for (let note = notes[next]; note !== undefined && note.seq < block.seq; note = notes[++next]) merged.push(note);
    merged.push(block);
  }
  return [...merged, ...notes.slice(next)];
}
