import type { LineageRecord, LineageStore, LineageView, ScopeRecord } from "../lineage-store.ts";

/** For tests: the index of sessions in memory. Writes are visible before the call returns. */
export function createMemoryLineageStore(): LineageStore & LineageView {
  const records = new Map<string, LineageRecord>();
  const newest = new Map<string, string>();
  const scopes = new Map<string, ScopeRecord>();
  const newestOf = (sessionId: string): LineageRecord | undefined => {
    const record = records.get(newest.get(sessionId) ?? "");
    // Another session may have answered the same transcript since.
    return record?.sessionId === sessionId ? record : undefined;
  };
  const view: LineageView = {
    get(hash) {
      const record = records.get(hash);
      return record && { ...record, isNewest: newestOf(record.sessionId)?.turnId === record.turnId };
    },
    getScope: (scope) => scopes.get(scope),
  };
  return {
    ...view,
    look: async () => view,
    async remember({ hash, record, scopes: added }) {
      const known = records.get(hash);
      const isContested = known !== undefined && (known.isContested === true || known.sessionId !== record.sessionId);
      records.set(hash, { ...record, ...(isContested ? { isContested } : {}) });
      newest.set(record.sessionId, hash);
      for (const [scope, about] of added) scopes.set(scope, about);
    },
    async settle({ hash }, turnId, outcome) {
      const record = records.get(hash);
      if (record?.turnId === turnId) records.set(hash, { ...record, outcome });
    },
    async forget(sessionId) {
      for (const [hash, record] of records)
        if (record.sessionId === sessionId && record.isContested !== true) records.delete(hash);
      newest.delete(sessionId);
    },
    close: async () => undefined,
  };
}
