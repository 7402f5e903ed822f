import type { LineageRecord, LineageStore, ScopeRecord } from "../lineage-store.ts";

/** For tests: the index of sessions in memory. */
export function createMemoryLineageStore(): LineageStore {
  const records = new Map<string, LineageRecord>();
  const newest = new Map<string, string>();
  const scopes = new Map<string, ScopeRecord>();
  const store: LineageStore = {
    get: (hash) => records.get(hash),
    put(hash, record) {
      records.set(hash, record);
      newest.set(record.sessionId, hash);
    },
    newest(sessionId) {
      const record = records.get(newest.get(sessionId) ?? "");
      // Another session may have answered the same transcript since.
      return record?.sessionId === sessionId ? record : undefined;
    },
    settle(hash, turnId, outcome) {
      const record = records.get(hash);
      if (record?.turnId === turnId) records.set(hash, { ...record, outcome });
    },
    getScope: (scope) => scopes.get(scope),
    putScope: (scope, record) => void scopes.set(scope, record),
    together: (write) => write(store),
    forget(sessionId) {
      for (const [hash, record] of records) if (record.sessionId === sessionId) records.delete(hash);
      newest.delete(sessionId);
    },
    close: () => undefined,
  };
  return store;
}
