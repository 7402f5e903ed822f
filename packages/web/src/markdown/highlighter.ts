export interface HighlightRequest {
  readonly id: number;
  readonly code: string;
  readonly grammar: string;
}

/** Pieces of a line: the text, and what it is (`keyword`, `string` …; empty when nothing special). */
export type HighlightedLine = readonly (readonly [text: string, token: string])[];

export interface HighlightAnswer {
  readonly id: number;
  /** Absent when the text could not be read in that language. */
  readonly lines?: readonly HighlightedLine[];
}

/** More text than this is data rather than code, and stays plain. */
const MAX_LENGTH = 60_000;
const MAX_KEPT = 200;

const kept = new Map<string, readonly HighlightedLine[] | undefined>();
const waiting = new Map<number, (lines: readonly HighlightedLine[] | undefined) => void>();
let worker: Worker | undefined;
let lastId = 0;

/** What is known already, without waiting: a card that scrolls back into view does not flicker. */
export function knownHighlight(code: string, grammar: string): readonly HighlightedLine[] | undefined {
  return kept.get(keyOf(code, grammar));
}

/** Colours for code, found off the main thread. Undefined when there are none. */
export async function highlight(code: string, grammar: string): Promise<readonly HighlightedLine[] | undefined> {
  const key = keyOf(code, grammar);
  if (kept.has(key) || code.length > MAX_LENGTH) return kept.get(key);
  const lines = await ask({ id: ++lastId, code, grammar });
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? "");
  kept.set(key, lines);
  return lines;
}

function keyOf(code: string, grammar: string): string {
  return `${grammar}\n${code}`;
}

function ask(request: HighlightRequest): Promise<readonly HighlightedLine[] | undefined> {
  worker ??= startWorker();
  const started = worker;
  return new Promise((resolve) => {
    waiting.set(request.id, resolve);
    started.postMessage(request);
  });
}

function startWorker(): Worker {
  const started = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<HighlightAnswer>) => settle(data.id, data.lines));
  // Without its worker the page shows plain text; that is no reason to say anything.
  started.addEventListener("error", () => {
    for (const id of [...waiting.keys()]) settle(id, undefined);
  });
  return started;
}

function settle(id: number, lines: readonly HighlightedLine[] | undefined): void {
  waiting.get(id)?.(lines);
  waiting.delete(id);
}
