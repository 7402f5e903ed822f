import type { EventEnvelope } from "@caret/protocol";
import { changeDiff } from "@caret/runtime";

/** The same events with file changes as diffs: a terminal does not show whole files. */
export async function withUnifiedDiffs(batch: readonly EventEnvelope[]): Promise<readonly EventEnvelope[]> {
  return await Promise.all(batch.map(withUnifiedDiff));
}

async function withUnifiedDiff(envelope: EventEnvelope): Promise<EventEnvelope> {
  const { event } = envelope;
  if (event.type !== "tool-result" || event.diff === undefined) return envelope;
  const { path, before, after } = event.diff;
  if (before === undefined || after === undefined) return envelope;
  const { diff } = await changeDiff(path, before, after);
  return { ...envelope, event: { ...event, diff } };
}
