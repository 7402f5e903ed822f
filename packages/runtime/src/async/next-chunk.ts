import { setImmediate as nextLoop } from "node:timers/promises";
import { LONGEST_TIMER_MS } from "@caret/protocol";

export type NextChunk<Chunk> =
  | { readonly kind: "chunk"; readonly chunk: Chunk }
  | { readonly kind: "end" }
  | { readonly kind: "expired" }
  | { readonly kind: "aborted" };

/** Wait for the next chunk, but no longer than `waitMs` and not past an abort. The pull itself stays pending then. */
export async function nextChunk<Chunk>(
  pull: Promise<IteratorResult<Chunk>>,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<NextChunk<Chunk>> {
  if (signal.aborted) return { kind: "aborted" };
  const { promise: interruption, resolve } = Promise.withResolvers<"expired" | "aborted">();
  // A stream passes here for every chunk: what waits for ever needs no timer.
  const isLimited = waitMs !== Number.POSITIVE_INFINITY;
  const timer = isLimited ? setTimeout(resolve, Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS), "expired") : undefined;
  const onAbort = (): void => resolve("aborted");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const first = await Promise.race([pull, interruption]);
    if (typeof first !== "string") return toChunk(first);
    // A machine that slept or a busy loop makes timers late: what has come meanwhile counts as in time.
    const late = first === "expired" ? await Promise.race([pull, nextLoop("expired" as const)]) : first;
    return typeof late === "string" ? { kind: late } : toChunk(late);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function toChunk<Chunk>(result: IteratorResult<Chunk>): NextChunk<Chunk> {
  return result.done === true ? { kind: "end" } : { kind: "chunk", chunk: result.value };
}
