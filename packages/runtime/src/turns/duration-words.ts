const units = [
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1_000 },
] as const;

/** `30 min`, `20 ms`: in the largest unit that has no remainder. */
export function durationWords(ms: number): string {
  const unit = units.find((each) => ms >= each.ms && ms % each.ms === 0);
  return unit === undefined ? `${ms} ms` : `${ms / unit.ms} ${unit.name}`;
}
