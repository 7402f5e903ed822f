const units = [
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1_000 },
] as const;

/** Formats a duration as `30 min` or `20 ms`: in the largest unit that divides it evenly. */
export function durationWords(ms: number): string {
  const unit = units.find((each) => ms >= each.ms && ms % each.ms === 0);
  return unit === undefined ? `${ms} ms` : `${ms / unit.ms} ${unit.name}`;
}
