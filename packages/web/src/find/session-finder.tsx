import { type RefObject, useCallback, useEffect, useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import type { SessionLog } from "../data/page-state.ts";
import { showError } from "../parts/toast.tsx";
import type { TranscriptHandle } from "../transcript/transcript-handle.ts";
import { FindBar } from "./find-bar.tsx";

interface SessionFinderProps {
  readonly sessionId: string;
  readonly log: SessionLog;
  readonly transcript: RefObject<TranscriptHandle | null>;
  /** The event that the address leads to. */
  readonly at?: number | undefined;
}

/** A place to go to. A new object asks for it again. */
interface Target {
  readonly seq: number;
  readonly align: "start" | "center";
}

/** The ways to a place in a session: Ctrl/⌘+F, Alt+↑ and Alt+↓ from prompt to prompt, and an address that names an event. */
export function SessionFinder({ sessionId, log, transcript, at }: SessionFinderProps) {
  const { logs } = usePageData();
  const [isOpen, setOpen] = useState(false);
  const [target, setTarget] = useState<Target | undefined>(at === undefined ? undefined : { seq: at, align: "center" });
  const firstSeq = log.transcript.turns[0]?.firstSeq ?? 0;
  const isLoaded = target !== undefined && firstSeq <= target.seq;
  useEffect(() => {
    if (target === undefined) return;
    if (isLoaded) transcript.current?.show(target.seq, target.align);
    else logs.loadThrough(sessionId, target.seq).catch(showError);
  }, [logs, sessionId, target, isLoaded, transcript]);
  const step = useCallback(
    (by: -1 | 1) => {
      const here = transcript.current?.seqInSight();
      const prompts = log.transcript.turns.map((turn) => turn.firstSeq);
      const next =
        here === undefined
          ? undefined
          : by < 0
            ? prompts.findLast((seq) => seq < here)
            : prompts.find((seq) => seq > here);
      // Before the first one there are those that are not loaded yet.
      const seq = next ?? (by < 0 && firstSeq > 1 ? firstSeq - 1 : undefined);
      if (seq !== undefined) setTarget({ seq, align: "start" });
    },
    [log.transcript, firstSeq, transcript],
  );
  useFindKeys(isOpen, setOpen, step);
  const show = useCallback((seq: number) => setTarget({ seq, align: "center" }), []);
  if (!isOpen) return null;
  return <FindBar onClose={() => setOpen(false)} onShow={show} sessionId={sessionId} />;
}

function useFindKeys(isOpen: boolean, setOpen: (isOpen: boolean) => void, step: (by: -1 | 1) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const by = stepOf(event);
      if (by !== undefined) step(by);
      // Pressed again, it is the browser's own.
      else if (isFind(event) && !isOpen) setOpen(true);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [isOpen, setOpen, step]);
}

function isFind({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && key.toLowerCase() === "f";
}

function stepOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): -1 | 1 | undefined {
  if (!altKey || ctrlKey || metaKey) return undefined;
  return key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : undefined;
}
