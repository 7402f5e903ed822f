import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KnownTranscript, LineageRecord, LineageStore, ScopeRecord } from "./lineage-store.ts";

/** The sessions whose transcripts the suite uses: an index with foreign keys needs them to exist. */
export const lineageSessions = ["s1", "s2", "s3"] as const;

/** Deletes a session from the log, for an index that follows by itself. */
type DeleteSession = (sessionId: string) => Promise<unknown>;

/** The contract of every `LineageStore`. Without `deleteSession`, only `forget` tells an index that a session was deleted. */
export function describeLineageStore(
  name: string,
  open: () => LineageStore | Promise<LineageStore>,
  deleteSession?: DeleteSession,
): void {
  describe(`the ${name} lineage store`, () => {
    let store: LineageStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(async () => await store.close());

    const put = (hash: string, of: LineageRecord, scopes: Record<string, ScopeRecord> = {}): Promise<void> =>
      store.remember({
        scope: "scope",
        hash,
        record: of,
        scopes: new Map(Object.entries(scopes)),
        inLog: Promise.resolve(),
      });
    const getIn = async (chain: readonly string[], hash: string): Promise<KnownTranscript | undefined> => {
      const view = await store.look({ scope: "scope", scopes: [], chains: () => [chain] });
      const { session: _where, ...known } = view.get(hash) ?? {};
      return view.get(hash) === undefined ? undefined : (known as KnownTranscript);
    };
    /** One lookup per transcript, as if each were a whole request. */
    const get = (hash: string) => getIn([hash], hash);
    const getScope = async (scope: string): Promise<ScopeRecord | undefined> =>
      (await store.look({ scope: "scope", scopes: [scope], chains: () => [] })).getScope(scope);

    it("gives back what it was given", async () => {
      await put("a", record("s1", "t1"));
      const whole = { ...record("s2", "t2"), request: "r", shape: "s", sent: ["x", "y"], said: "z" } as const;
      const toolless = { ...about, toolCount: 0, hasShownTools: false };
      await put("x", whole, { scope: about, toolless });
      await put("y", { ...record("s3", "t3"), sent: [] });
      const found = await Promise.all(["a", "x", "y", "b"].map(get));
      const scopes = await Promise.all(["scope", "toolless", "other"].map(getScope));
      expect({ found, scopes }).toEqual({
        found: [newest("s1", "t1"), { ...whole, isNewest: true }, { ...newest("s3", "t3"), sent: [] }, undefined],
        scopes: [about, toolless, undefined],
      });
    });

    it("replaces what is known of a client", async () => {
      await put("a", record("s1", "t1"), { scope: about });
      await put("b", record("s1", "t2"), { scope: { ...about, systemId: "another" } });
      expect(await getScope("scope")).toEqual({ ...about, systemId: "another" });
    });

    it("knows what is the newest of a session, also when an older transcript is answered again", async () => {
      await put("a", record("s1", "t1"));
      await put("b", record("s1", "t2"));
      await put("c", record("s2", "t3"));
      expect(await Promise.all(["a", "b", "c"].map(get))).toEqual([
        older("s1", "t1"),
        newest("s1", "t2"),
        newest("s2", "t3"),
      ]);
      await put("a", record("s1", "t4"));
      expect(await Promise.all(["a", "b"].map(get))).toEqual([newest("s1", "t4"), older("s1", "t2")]);
    });

    it("takes every transcript that the newest turn has answered for the newest", async () => {
      await put("a", record("s1", "t1"));
      await put("ab", record("s1", "t1"));
      expect(await Promise.all(["a", "ab"].map(get))).toEqual([newest("s1", "t1"), newest("s1", "t1")]);
    });

    it("lets a transcript belong to the session that answered it last, and calls it contested from then on", async () => {
      await put("a", record("s1", "t1"));
      await put("a", record("s2", "t2"));
      expect(await get("a")).toEqual({ ...newest("s2", "t2"), isContested: true });
      await put("a", record("s2", "t3"));
      expect(await get("a")).toEqual({ ...newest("s2", "t3"), isContested: true });
    });

    describe.each([
      ["forgotten", (sessionId: string) => store.forget(sessionId)],
      ["deleted", (sessionId: string) => (deleteSession ?? store.forget)(sessionId)],
    ] as const)("of a session that is %s", (_how, remove) => {
      it("calls a transcript contested that it answered last: of the other sessions one may still go on", async () => {
        await put("a", record("s1", "t1"));
        await put("a", record("s2", "t2"));
        await remove("s2");
        expect(await get("a")).toEqual({ ...older("s2", "t2"), isContested: true });
        await put("a", record("s3", "t3"));
        expect(await get("a")).toEqual({ ...newest("s3", "t3"), isContested: true });
      });

      it("gives the contested transcript of a chain and not what another session has answered before it", async () => {
        await put("ab", record("s1", "t1"));
        await put("ab", record("s2", "t2"));
        await put("a", record("s3", "t3"));
        await remove("s2");
        expect(await getIn(["a", "ab", "abc"], "ab")).toEqual({ ...older("s2", "t2"), isContested: true });
      });

      it("knows nothing that it alone has answered, and all of the others", async () => {
        await put("a", record("s1", "t1"));
        await put("b", record("s2", "t2"));
        await remove("s1");
        expect(await Promise.all(["a", "b"].map(get))).toEqual([undefined, newest("s2", "t2")]);
        await put("a", record("s3", "t3"));
        expect(await get("a")).toEqual(newest("s3", "t3"));
      });
    });

    it("takes no older record for the newest when another session has answered the newest transcript since", async () => {
      await put("a", record("s1", "t1"));
      await put("ab", record("s1", "t2"));
      await put("ab", record("s2", "t3"));
      expect(await Promise.all(["a", "ab"].map(get))).toEqual([
        older("s1", "t1"),
        { ...newest("s2", "t3"), isContested: true },
      ]);
    });

    it("writes down how a turn ended, but not of a turn that another has replaced", async () => {
      const place = { scope: "scope", hash: "a" };
      await put("a", record("s1", "t1"));
      await store.settle(place, "t1", "failed");
      await store.settle(place, "t0", "completed");
      expect(await get("a")).toEqual({ ...newest("s1", "t1"), outcome: "failed" });
      await put("a", record("s1", "t2"));
      expect(await get("a")).toEqual(newest("s1", "t2"));
    });

    it("shows a transcript to the next look of its scope that is still being written", async () => {
      const written = [put("a", record("s1", "t1")), store.settle({ scope: "scope", hash: "a" }, "t1", "completed")];
      expect(await get("a")).toEqual({ ...newest("s1", "t1"), outcome: "completed" });
      await Promise.all(written);
    });

    it("knows of a chain its end, the newest known one before it, and what either had heard before", async () => {
      for (const [index, hash] of ["a", "ab", "abc", "abcd"].entries())
        await put(hash, { ...record("s1", `t${index}`), count: index + 1, heardBefore: index });
      const chains = [["a", "ab", "abc", "abcd", "abcde"], ["elsewhere"]];
      const view = await store.look({ scope: "scope", scopes: [], chains: () => chains });
      const heard = ["abcd", "abc", "abcde", "elsewhere"].map((hash) => view.get(hash)?.turnId);
      expect(heard).toEqual(["t3", "t2", undefined, undefined]);
      const whole = await store.look({ scope: "scope", scopes: [], chains: () => [["a", "ab", "abc"]] });
      expect(["abc", "ab", "a"].map((hash) => whole.get(hash)?.turnId)).toEqual(["t2", "t1", "t0"]);
    });
  });
}

/** Today's date: old records expire. */
const at = Date.now();
const about: ScopeRecord = { systemId: "i", toolCount: 2, hasShownTools: true };

function record(sessionId: string, turnId: string): LineageRecord {
  return { sessionId, turnId, count: 2, heardBefore: 1, at };
}

function newest(sessionId: string, turnId: string): KnownTranscript {
  return { ...record(sessionId, turnId), isNewest: true };
}

function older(sessionId: string, turnId: string): KnownTranscript {
  return { ...record(sessionId, turnId), isNewest: false };
}
