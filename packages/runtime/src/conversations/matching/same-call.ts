import { isJsonObject, type TranscriptCall } from "@caret/protocol";
import { canonicalJson } from "../../calls/canonical-json.ts";
import { meansCall } from "../../calls/means-call.ts";
import { REDACTED } from "../../redaction/redacted.ts";

/** Whether the calls that a client sends equal those that were made. A call whose id was rewritten is matched by name and arguments. */
export function areSameCalls(sent: readonly TranscriptCall[], given: readonly TranscriptCall[]): boolean {
  return sent.every((call) => {
    const made = given.find(({ callId }) => meansCall(call.callId, callId));
    if (made !== undefined) return isSameInput(call.input, made.input);
    return given.some(({ name, input }) => name === call.name && isSameInput(call.input, input));
  });
}

function isSameInput(sent: unknown, given: unknown): boolean {
  const [one, other] = [canonicalJson(sent ?? {}), canonicalJson(given ?? {})];
  // Omitted arguments are not a change, and the log keeps no secrets to compare with.
  if (one === other || one === "{}" || one === '""' || other.includes(REDACTED)) return true;
  return !hasSameForm(sent, given) && leavesOf(given).every((leaf) => leavesOf(sent).includes(leaf));
}

/**
 * Some tools have a call format of their own, which represents the same arguments differently: as a string, or in an action with its type.
 */
function hasSameForm(sent: unknown, given: unknown): boolean {
  return isJsonObject(sent) && isJsonObject(given) && ("type" in given || !("type" in sent));
}

function leavesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (isJsonObject(value)) return Object.values(value).flatMap(leavesOf);
  return value === undefined || value === null ? [] : [String(value)];
}
