import type { Line } from "./classify-transcript.ts";
import type { LineageRecord, LineageStore } from "./lineage-store.ts";

/** Write down which turn answers a transcript, as soon as it runs. */
export function rememberTurn(
  store: LineageStore,
  { scope, hash, count, request, shape, told, scopeRecord }: Line,
  turn: Pick<LineageRecord, "sessionId" | "turnId" | "heardBefore" | "at">,
): void {
  const known = store.get(hash);
  const isContested = known !== undefined && (known.isContested === true || known.sessionId !== turn.sessionId);
  store.put(hash, { ...turn, count, request, shape, told, ...(isContested ? { isContested } : {}) });
  if (scopeRecord !== undefined) store.putScope(scope, scopeRecord);
}
