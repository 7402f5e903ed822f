const MINUTE = 60_000;

const HOUR = 60 * MINUTE;

const DAY = 24 * HOUR;

/** `0.8s`, `12s`, `3m 05s`, `1h 02m`. */
export function durationText(ms: number): string {
  if (ms < 1000) return ms < 100 ? `${Math.max(0, Math.round(ms))}ms` : `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 10) return `${(ms / 1000).toFixed(1)}s`;
  return seconds < 60 ? `${seconds}s` : longText(seconds);
}

/** The same without fractions of a second, for a running clock. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds}s` : longText(seconds);
}

function longText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** `just now`, `5m ago`, `3h ago`, `6d ago`, then the day itself. */
export function ageText(at: number | undefined, now: number): string {
  if (at === undefined) return "";
  const age = now - at;
  if (age < MINUTE) return "just now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`;
  return age < 10 * DAY ? `${Math.floor(age / DAY)}d ago` : new Date(at).toISOString().slice(0, 10);
}
