import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LineageRecord, LineageStore, ScopeRecord } from "./lineage-store.ts";

/** What every `LineageStore` must do. */
export function describeLineageStore(name: string, open: () => LineageStore): void {
  describe(`the ${name} lineage store`, () => {
    let store: LineageStore;
    beforeEach(() => {
      store = open();
    });
    afterEach(() => store.close());

    it("gives back what it was given", () => {
      store.put("a", record("s1", "t1"));
      const whole = { ...record("s2", "t2"), isContested: true, request: "r", shape: "s", sent: ["x", "y"] } as const;
      store.put("x", whole);
      store.put("y", { ...record("s3", "t3"), sent: [] });
      store.putScope("scope", scope);
      store.putScope("toolless", { ...scope, toolCount: 0, hasShownTools: false });
      expect({
        a: store.get("a"),
        x: store.get("x"),
        y: store.get("y"),
        missing: store.get("b"),
        scope: store.getScope("scope"),
        toolless: store.getScope("toolless"),
        other: store.getScope("other"),
      }).toEqual({
        a: record("s1", "t1"),
        x: whole,
        y: { ...record("s3", "t3"), sent: [] },
        missing: undefined,
        scope,
        toolless: { ...scope, toolCount: 0, hasShownTools: false },
        other: undefined,
      });
    });

    it("knows which record of a session is the newest, also when an older transcript is answered again", () => {
      store.put("a", record("s1", "t1"));
      store.put("b", record("s1", "t2"));
      store.put("c", record("s2", "t3"));
      expect(store.newest("s1")).toEqual(record("s1", "t2"));
      store.put("a", record("s1", "t4"));
      expect([store.newest("s1"), store.newest("s2"), store.newest("s3")]).toEqual([
        record("s1", "t4"),
        record("s2", "t3"),
        undefined,
      ]);
    });

    it("lets a transcript belong to the session that answered it last", () => {
      store.put("a", record("s1", "t1"));
      store.put("a", record("s2", "t2"));
      expect([store.get("a"), store.newest("s1")]).toEqual([record("s2", "t2"), undefined]);
    });

    it("takes no older record for the newest when another session has answered the newest transcript since [review 2 F9]", () => {
      store.put("a", record("s1", "t1"));
      store.put("ab", record("s1", "t2"));
      store.put("ab", record("s2", "t3"));
      expect([store.get("a"), store.newest("s1"), store.newest("s2")]).toEqual([
        record("s1", "t1"),
        undefined,
        record("s2", "t3"),
      ]);
    });

    it("writes down how a turn ended, but not of a turn that another has replaced", () => {
      store.put("a", record("s1", "t1"));
      store.settle("a", "t1", "failed");
      store.settle("a", "t0", "completed");
      expect(store.newest("s1")).toEqual({ ...record("s1", "t1"), outcome: "failed" });
    });

    it("writes records and scopes together", () => {
      store.together(({ put, putScope }) => {
        put("a", record("s1", "t1"));
        putScope("scope", scope);
      });
      expect([store.newest("s1"), store.getScope("scope")]).toEqual([record("s1", "t1"), scope]);
    });

    it("forgets a session and no other", () => {
      store.put("a", record("s1", "t1"));
      store.put("b", record("s2", "t2"));
      store.forget("s1");
      expect([store.get("a"), store.newest("s1"), store.get("b")]).toEqual([undefined, undefined, record("s2", "t2")]);
    });
  });
}

const scope: ScopeRecord = { systemId: "i", toolCount: 2, hasShownTools: true };

function record(sessionId: string, turnId: string): LineageRecord {
  return { sessionId, turnId, count: 2, heardBefore: 1, at: 1_700_000_000_000 };
}
