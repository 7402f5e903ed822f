import { formatDuration } from "./format-duration.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

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
