/** The day a budget counts: UTC, so that it does not depend on where the gateway runs. */
export function toUsageDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
