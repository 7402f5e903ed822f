import type { AskSurface } from "./ask-surface.ts";

/** How long a whole card must be on the screen before a line can decide about it: earlier typing was meant for something else. */
export const ARM_MS = 500;

/** Rows per part of a long card: terminal scrollback is limited. */
const PAGE_ROWS = 500;

export interface Card {
  readonly body: readonly string[];
  readonly keys: readonly string[];
}

/** Display of a card: part by part if long, then for `ARM_MS`, then with the keys that answer it. */
export interface Pages {
  /** `more`: not fully shown yet. `early`: fully shown, but only just. */
  state(): "more" | "early" | "armed";
  next(): void;
  stop(): void;
}

export function showPages({ body, keys }: Card, surface: AskSurface): Pages {
  const count = Math.ceil(body.length / PAGE_ROWS);
  let page = 0;
  let isArmed = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const arm = async (): Promise<void> => {
    await surface.settle();
    if (isStopped) return;
    isArmed = true;
    surface.arm(keys);
  };
  const isLast = (): boolean => page === count - 1;
  const show = async (): Promise<void> => {
    const lines = body.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
    if (!isLast())
      return void surface.ask([...lines, `  Part ${page + 1} of ${count}: Enter shows the next one, n = no`]);
    await surface.ask(lines);
    if (!isStopped) timer = setTimeout(() => void arm(), ARM_MS);
  };
  void show();
  return {
    state: () => (isArmed ? "armed" : isLast() ? "early" : "more"),
    next() {
      page += 1;
      void show();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
