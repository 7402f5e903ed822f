import { createContext, use, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** One clock for everything that ticks on the page, once a second, and only while something does. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function read(): number {
  // A clock that stood still is set when the page becomes visible.
  if (timer === undefined && Date.now() - now > 1000) now = Date.now();
  return now;
}

const GivenNow = createContext<number | undefined>(undefined);

/** For a part of the page whose now is another one, as in a replay. */
export const NowProvider = GivenNow.Provider;

export function useNow(): number {
  const ticking = useSyncExternalStore(subscribe, read);
  return use(GivenNow) ?? ticking;
}
