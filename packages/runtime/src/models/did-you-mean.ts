import { editDistance } from "@caret/protocol";

/** Names come from clients: only the start of a very long one is compared. */
const MAX_COMPARED = 100;

/** A question to start a fix with; empty if no name is close. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const near = nearestNames(wanted, names).map((name) => `\`${name}\``);
  return near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
}

/** The names a user who typed `wanted` most likely meant, best first. Empty if none is close. */
function nearestNames(wanted: string, names: readonly string[], limit = 3): readonly string[] {
  const target = wanted.slice(0, MAX_COMPARED).toLowerCase();
  return names
    .map((name) => ({ name, distance: distanceTo(target, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, target.length / 2))
    .sort((one, other) => one.distance - other.distance || one.name.length - other.name.length)
    .slice(0, limit)
    .map(({ name }) => name);
}

/**
 * A prefix or extension counts as close at any length. A single word is also compared with the words of a name, so `sonet` finds
 * `claude-sonnet-5`. Otherwise it is the edit distance.
 */
function distanceTo(target: string, name: string): number {
  const whole = editDistance(target, name);
  if (name.startsWith(target) || target.startsWith(name)) return Math.min(whole, 1);
  if (target.includes("-")) return whole;
  return Math.min(whole, ...name.split("-").map((word) => 1 + editDistance(target, word)));
}
