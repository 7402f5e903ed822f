import { type Ref, type RefObject, useCallback, useImperativeHandle, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import type { TranscriptRow } from "./transcript-rows.ts";

/** What others may ask of a transcript that is shown. */
export interface TranscriptHandle {
  /** Brings what this event belongs to into sight, and marks it. */
  show(seq: number, align: "start" | "center"): void;
  /** The event that the first row in sight begins with. */
  seqInSight(): number | undefined;
}

interface HandleOptions {
  readonly rows: readonly TranscriptRow[];
  readonly scroller: RefObject<HTMLElement | null>;
  readonly virtualizer: RefObject<VirtualizerHandle | null>;
  /** Stop following the end. */
  readonly release: () => void;
}

/** Rows that come in above a place, and rows that are measured for the first time, move it: it is then gone to again. */
const TRIES = 20;
const TRY_MS = 50;

/** Gives the key of the row that is marked. */
export function useTranscriptHandle(
  handle: Ref<TranscriptHandle> | undefined,
  { rows, scroller, virtualizer, release }: HandleOptions,
): string | undefined {
  const [marked, setMarked] = useState<string>();
  const newest = useRef(rows);
  newest.current = rows;
  const asked = useRef(0);
  const show = useCallback(
    (seq: number, align: "start" | "center"): void => {
      const ask = ++asked.current;
      const go = (left: number): void => {
        const index = newest.current.findLastIndex((row) => seqOf(row) <= seq);
        const row = newest.current[index];
        if (row === undefined || ask !== asked.current) return;
        setMarked(row.key);
        const isThere = left < TRIES && isInSight(scroller.current);
        if (isThere || left === 0) return;
        release();
        virtualizer.current?.scrollToIndex(index, { align });
        setTimeout(go, TRY_MS, left - 1);
      };
      go(TRIES);
    },
    [scroller, virtualizer, release],
  );
  const seqInSight = useCallback((): number | undefined => {
    const list = virtualizer.current;
    const row = list === null ? undefined : newest.current[list.findItemIndex(list.scrollOffset + 1)];
    return row === undefined ? undefined : seqOf(row);
  }, [virtualizer]);
  useImperativeHandle(handle, () => ({ show, seqInSight }), [show, seqInSight]);
  return marked;
}

function isInSight(scroller: HTMLElement | null): boolean {
  const row = scroller?.querySelector("[data-found]")?.getBoundingClientRect();
  const frame = scroller?.getBoundingClientRect();
  return row !== undefined && frame !== undefined && row.top >= frame.top - 1 && row.top < frame.bottom;
}

function seqOf(row: TranscriptRow): number {
  if (row.kind === "item") return row.item.seq;
  if (row.kind === "explored") return row.items[0]?.seq ?? 0;
  return row.kind === "prompt" ? row.turn.firstSeq : row.turn.lastSeq;
}
