const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `just now`, `5m ago`, `3h ago`, `6d ago`, then the day itself. */
export function ageText(at: number | undefined, now: number): string {
  if (at === undefined) return "";
  const age = now - at;
  if (age < MINUTE) return "just now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  return age < 10 * DAY ? `${Math.floor(age / DAY)}d ago` : new Date(at).toISOString().slice(0, 10);
}
