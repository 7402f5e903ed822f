import { CaretError } from "@caret/protocol";
import { useEffect, useRef } from "react";

const PATIENCE_MS = 20_000;

/** A promise for the end of the turn that runs now. */
export function useTurnEnd(turnId: string | undefined): () => Promise<void> {
  const waiting = useRef<(() => void)[]>([]);
  const isRunning = useRef(false);
  useEffect(() => {
    isRunning.current = turnId !== undefined;
    if (turnId !== undefined) return;
    for (const resolve of waiting.current.splice(0)) resolve();
  }, [turnId]);
  return () =>
    new Promise((resolve, reject) => {
      if (!isRunning.current) return resolve();
      const timer = setTimeout(
        () =>
          reject(new CaretError("timed-out", "The turn has not stopped yet", { fix: "Wait for it, then send again." })),
        PATIENCE_MS,
      );
      waiting.current.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
}
