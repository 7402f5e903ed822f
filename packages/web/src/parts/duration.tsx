import { useNow } from "./use-now.ts";

const SECOND = 1000;

const MINUTE = 60 * SECOND;

const HOUR = 60 * MINUTE;

const DAY = 24 * HOUR;

/** How long it has been since then, ticking. */
export function Duration({ since }: { readonly since: number }) {
  const seconds = Math.max(0, Math.floor((useNow() - since) / 1000));
  return <span className="tabular-nums">{seconds === 0 ? "0 s" : formatDuration(seconds * 1000)}</span>;
}

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `3 days`: short, and never more exact than is useful. */
export function formatDuration(ms: number): string {
  if (ms < 950) return `${(Math.max(0, ms) / SECOND).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 60) return `${seconds} s`;
  if (ms < HOUR) return parts(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.floor(ms / MINUTE);
  if (ms < DAY) return parts(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const days = Math.floor(ms / DAY);
  return days === 1 ? "1 day" : `${days} days`;
}

function parts(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
