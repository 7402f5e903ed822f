import { formatDuration } from "./duration.tsx";
import { useNow } from "./use-now.ts";

const MINUTE = 60_000;

const DAY = 24 * 60 * MINUTE;

export function TimeAgo({ at }: { readonly at: number }) {
  const now = useNow();
  return (
    <time className="whitespace-nowrap tabular-nums" dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {formatTimeAgo(at, now)}
    </time>
  );
}

function exactly(at: number): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" }).format(at);
}

/** `now`, `5 min ago`, `2 h ago`, then the day. */
export function formatTimeAgo(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE) return "now";
  if (age < 60 * MINUTE) return `${formatDuration(Math.floor(age / MINUTE) * MINUTE)} ago`;
  if (age < DAY) return `${Math.floor(age / (60 * MINUTE))} h ago`;
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(undefined, {
    day: "numeric",
    month: "short",
    ...(!isThisYear && { year: "numeric" }),
  }).format(at);
}
