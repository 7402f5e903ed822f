import { type AgentEvent, assertWellFormedTurn, type ErrorInfo, type Usage } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventEntry, EventStore, NewSession, StoredEvent } from "./event-store.ts";
import { interruptRunningTurns, interruptTurn } from "./interrupted-end.ts";

interface StoreUnderTest {
  readonly store: EventStore;
  /** Runs after the store was closed. */
  readonly dispose?: () => Promise<void>;
}

export type CreateStore = (options: {
  readonly owner: string;
  readonly now: () => number;
  readonly rawMaxBytes: number;
  readonly onListenerError: (error: unknown) => void;
}) => Promise<StoreUnderTest>;

const noon = Date.UTC(2026, 10, 15, 12);
const hour = 3_600_000;
const RAW_MAX_BYTES = 64;
const OWNER = "this process";
const nobodyLives = { isAlive: () => false };

const session = (id: string, more: Partial<NewSession> = {}): NewSession => ({
  id,
  workspace: `/projects/${id}`,
  createdAt: noon,
  ...more,
});
const entry = (event: AgentEvent, turnId = "t1"): EventEntry => ({ turnId, event });
const says = (text: string): EventEntry => entry({ type: "text-delta", blockId: "b1", text });
const starts = (turnId: string, model?: string): EventEntry =>
  entry({ type: "turn-start", turnId, lane: "cli", ...(model === undefined ? {} : { model }) }, turnId);
const consumes = (turnId: string, usage: Usage): EventEntry => entry({ type: "usage", usage }, turnId);
const ends = (turnId: string): EventEntry => entry({ type: "turn-end", outcome: { kind: "completed" } }, turnId);
const textOf = (stored: readonly StoredEvent[]): string =>
  stored.map(({ event }) => (event.type === "text-delta" ? event.text : "")).join("");

/** The contract of every event store. Each implementation's test file calls this once. */
export function describeEventStore(name: string, createStore: CreateStore): void {
  describe(`${name} keeps the event-store contract`, () => {
    let store: EventStore;
    let dispose: (() => Promise<void>) | undefined;
    let clock: number;
    let listenerErrors: unknown[];

    beforeEach(async () => {
      clock = noon;
      listenerErrors = [];
      const created = await createStore({
        owner: OWNER,
        now: () => clock,
        rawMaxBytes: RAW_MAX_BYTES,
        onListenerError: (error) => listenerErrors.push(error),
      });
      store = created.store;
      dispose = created.dispose;
    });

    afterEach(async () => {
      await store.close();
      await dispose?.();
    });

    const idsOf = async (query: Parameters<EventStore["listSessions"]>[0]): Promise<string[]> =>
      (await store.listSessions(query)).sessions.map(({ id }) => id);

    describe("sessions", () => {
      it("gives back what was created, at seq 0", async () => {
        const created = session("s1", { title: "Fix the build", lane: "acp", model: "auto" });
        const record = { ...created, updatedAt: noon, archived: false, lastSeq: 0, upstream: [] };
        expect(await store.createSession(created)).toEqual(record);
        expect(await store.getSession("s1")).toEqual(record);
      });

      it("remembers that a session was imported", async () => {
        await store.createSession(session("s1", { imported: true }));
        expect(await store.getSession("s1")).toMatchObject({ imported: true });
      });

      it("refuses a second session of the same id", async () => {
        await store.createSession(session("s1"));
        await expect(store.createSession(session("s1"))).rejects.toMatchObject({ code: "invalid-request" });
      });

      it("knows nothing of a session that was never created", async () => {
        expect(await store.getSession("nobody")).toBeUndefined();
        expect(await store.read("nobody")).toEqual([]);
        await expect(store.append("nobody", 0, [says("a")])).rejects.toMatchObject({ code: "session-not-found" });
        await expect(store.updateSession("nobody", {})).rejects.toMatchObject({ code: "session-not-found" });
        expect(await store.deleteSession("nobody")).toBe(false);
      });

      it("changes what is named and leaves the rest", async () => {
        await store.createSession(session("s1", { title: "Old", model: "auto" }));
        clock += hour;
        const changed = await store.updateSession("s1", { title: "New", archived: true });
        expect(changed).toEqual({
          ...session("s1", { title: "New", model: "auto" }),
          updatedAt: noon + hour,
          archived: true,
          lastSeq: 0,
          upstream: [],
        });
        expect(await store.getSession("s1")).toEqual(changed);
      });

      it("remembers how much a session may do, also when that changes", async () => {
        await store.createSession(session("s1", { permission: "supervised" }));
        expect(await store.getSession("s1")).toMatchObject({ permission: "supervised" });
        await store.updateSession("s1", { permission: "auto" });
        expect(await store.getSession("s1")).toMatchObject({ permission: "auto" });
      });

      it("remembers which sessions are pinned, and lists only those when asked to", async () => {
        for (const id of ["s1", "s2", "s3"]) await store.createSession(session(id));
        await store.updateSession("s2", { pinned: true });
        expect(await store.updateSession("s3", { pinned: true })).toMatchObject({ pinned: true });
        await store.updateSession("s2", { title: "Still pinned" });
        expect(await idsOf({ pinned: true })).toEqual(["s2", "s3"]);
        const { pinned } = await store.updateSession("s3", { pinned: false });
        expect([pinned, await idsOf({ pinned: true })]).toEqual([undefined, ["s2"]]);
      });

      it("lists only the sessions of a workspace and below it when asked to", async () => {
        for (const workspace of ["/w", "/w/sub", "/w%", "/wx", "/v"])
          await store.createSession(session(workspace.replaceAll("/", "-"), { workspace }));
        expect(await idsOf({ workspace: "/w" })).toEqual(["-w", "-w-sub"]);
        expect(await idsOf({ workspace: "/w", search: "sub" })).toEqual(["-w-sub"]);
        expect(await idsOf({ workspace: "/" })).toHaveLength(5);
        expect((await store.sessionIds({ workspace: "/w" })).toSorted()).toEqual(["-w", "-w-sub"]);
        expect(await store.sessionIds()).toHaveLength(5);
      });

      it("keeps one upstream attachment per lane, the newest", async () => {
        await store.createSession(session("s1"));
        await store.updateSession("s1", { upstream: { lane: "cli", sessionId: "c1", version: "1" } });
        await store.updateSession("s1", { upstream: { lane: "acp", sessionId: "a1", configDir: "/config" } });
        await store.updateSession("s1", { upstream: { lane: "cli", sessionId: "c2", version: "2" } });
        expect((await store.getSession("s1"))?.upstream).toEqual([
          { lane: "acp", sessionId: "a1", configDir: "/config" },
          { lane: "cli", sessionId: "c2", version: "2" },
        ]);
      });

      it("attaches an upstream without a change of anything but the time, and tells its watchers", async () => {
        await store.createSession(session("s1", { title: "One" }));
        const seen: string[] = [];
        store.watch((sessionId) => seen.push(sessionId));
        clock += hour;
        await store.attachUpstream("s1", { lane: "acp", sessionId: "a1" });
        await store.attachUpstream("s1", { lane: "cli", sessionId: "c1" });
        await store.attachUpstream("s1", { lane: "acp", sessionId: "a2" });
        expect({ seen, session: await store.getSession("s1") }).toEqual({
          seen: ["s1", "s1", "s1"],
          session: {
            ...session("s1", { title: "One" }),
            updatedAt: clock,
            archived: false,
            lastSeq: 0,
            upstream: [
              { lane: "cli", sessionId: "c1" },
              { lane: "acp", sessionId: "a2" },
            ],
          },
        });
        const gone = store.attachUpstream("s2", { lane: "cli", sessionId: "c1" });
        await expect(gone).rejects.toMatchObject({ code: "session-not-found" });
      });

      it("lists the most recently updated first", async () => {
        for (const id of ["a", "b", "c"]) await store.createSession(session(id));
        clock += hour;
        await store.append("b", 0, [says("hello")]);
        expect(await idsOf({})).toEqual(["b", "a", "c"]);
      });

      it("pages through all sessions once", async () => {
        for (const id of ["a", "b", "c", "d", "e"]) await store.createSession(session(id));
        const first = await store.listSessions({ limit: 2 });
        const second = await store.listSessions({ limit: 2, after: String(first.next) });
        const third = await store.listSessions({ limit: 2, after: String(second.next) });
        const pages = [first, second, third].map(({ sessions }) => sessions.map(({ id }) => id));
        expect(pages).toEqual([["a", "b"], ["c", "d"], ["e"]]);
        expect(third.next).toBeUndefined();
      });

      it("refuses a place in the list that it never gave", async () => {
        await store.createSession(session("a"));
        await expect(store.listSessions({ after: "nonsense" })).rejects.toMatchObject({ code: "invalid-request" });
      });

      it("searches titles and workspaces in any letter case, and takes wildcards literally", async () => {
        await store.createSession(session("s1", { title: "Größe ÄNDERN" }));
        await store.createSession(session("s2", { title: "100% done" }));
        await store.createSession(session("s3", { workspace: "/projects/Größenwahn" }));
        expect(await idsOf({ search: "GRÖßE" })).toEqual(["s1", "s3"]);
        expect(await idsOf({ search: "%" })).toEqual(["s2"]);
        expect(await idsOf({ search: "_" })).toEqual([]);
      });

      it("finds a session under its new title", async () => {
        await store.createSession(session("s1", { title: "Old" }));
        await store.updateSession("s1", { title: "New" });
        expect([await idsOf({ search: "old" }), await idsOf({ search: "new" })]).toEqual([[], ["s1"]]);
      });

      it("tells archived sessions from the others", async () => {
        for (const id of ["s1", "s2"]) await store.createSession(session(id));
        await store.updateSession("s1", { archived: true });
        expect(await idsOf({ archived: true })).toEqual(["s1"]);
        expect(await idsOf({ archived: false })).toEqual(["s2"]);
        expect(await idsOf({})).toHaveLength(2);
      });

      it("deletes a session with its events", async () => {
        await store.createSession(session("s1"));
        await store.append("s1", 0, [starts("t1"), says("a"), ends("t1")]);
        expect(await store.deleteSession("s1")).toBe(true);
        expect({ session: await store.getSession("s1"), events: await store.read("s1") }).toEqual({
          session: undefined,
          events: [],
        });
      });

      it("does not delete a session while a turn of it runs", async () => {
        await store.createSession(session("s1"));
        await store.append("s1", 0, [starts("t1"), says("a")]);
        await expect(store.deleteSession("s1")).rejects.toMatchObject({ code: "session-busy" });
        await store.append("s1", 2, [ends("t1")]);
        expect(await store.deleteSession("s1")).toBe(true);
      });

      it("takes a session of the same id again when a large one was deleted", async () => {
        await store.createSession(session("s1"));
        const many = Array.from({ length: 900 }, (_, index) => says(`${index}`));
        await store.append("s1", 0, many);
        const deleted = store.deleteSession("s1");
        const again = store.createSession(session("s1", { title: "Again" }));
        const appended = store.append("s1", 0, [says("new")]);
        await Promise.all([deleted, again, appended]);
        expect({ title: (await store.getSession("s1"))?.title, events: textOf(await store.read("s1")) }).toEqual({
          title: "Again",
          events: "new",
        });
      });
    });

    describe("a staged session", () => {
      beforeEach(async () => {
        await store.createSession(session("s1", { createdAt: noon - hour }), { staged: true });
        await store.append("s1", 0, [starts("t1"), says("a")], { copied: true });
      });

      it("is seen by nobody", async () => {
        expect({
          found: await store.getSession("s1"),
          listed: await idsOf({}),
          ids: await store.sessionIds(),
          running: await store.runningTurns(),
          old: await store.prunable({ olderThanMs: 0, keep: 0 }),
        }).toEqual({ found: undefined, listed: [], ids: [], running: [], old: [] });
      });

      it("is seen as a whole once it is published, as it was changed then", async () => {
        clock += 5;
        const published = await store.publishSession("s1", { lane: "sim" });
        expect(published).toMatchObject({ id: "s1", lane: "sim", lastSeq: 2, updatedAt: noon + 5 });
        expect(await store.getSession("s1")).toEqual(published);
        await expect(store.publishSession("s1")).rejects.toMatchObject({ code: "session-not-found" });
      });

      it("can be given up, whatever it holds", async () => {
        expect(await store.deleteSession("s1")).toBe(true);
        await expect(store.publishSession("s1")).rejects.toMatchObject({ code: "session-not-found" });
        expect(await store.read("s1")).toEqual([]);
      });

      it("keeps its id from others", async () => {
        await expect(store.createSession(session("s1"))).rejects.toMatchObject({ code: "invalid-request" });
      });
    });

    describe("a command", () => {
      const command = (name: string) => ({ name, digest: `digest of ${name}` });

      it("is recorded with what it did", async () => {
        await store.createSession(session("s1"), { command: command("create") });
        await store.append("s1", 0, [starts("t1")], { command: command("start") });
        await store.append("s1", 1, [ends("t1")]);
        await store.createSession(session("s2"), { staged: true });
        await store.publishSession("s2", {}, { command: command("publish") });
        await store.deleteSession("s2", { command: command("delete") });
        const names = ["create", "start", "publish", "delete", "nothing"];
        expect(await Promise.all(names.map((name) => store.findCommand(name)))).toEqual([
          { digest: "digest of create", sessionId: "s1" },
          { digest: "digest of start", sessionId: "s1", turn: { turnId: "t1", firstSeq: 1 } },
          { digest: "digest of publish", sessionId: "s2" },
          { digest: "digest of delete", sessionId: "s2" },
          undefined,
        ]);
      });

      it("is done once: the second caller does nothing", async () => {
        const done = await Promise.allSettled(
          ["s1", "s2"].map((id) => store.createSession(session(id), { command: command("create") })),
        );
        expect(done).toMatchObject([{ status: "fulfilled" }, { reason: { code: "session-busy" } }]);
        expect(await idsOf({})).toEqual(["s1"]);
        await store.append("s1", 0, [starts("t1")], { command: command("start") });
        const again = store.append("s1", 1, [starts("t2")], { command: command("start") });
        await expect(again).rejects.toMatchObject({ code: "session-busy" });
        expect(await store.read("s1")).toHaveLength(1);
      });

      it("that failed is not recorded", async () => {
        await store.createSession(session("s1"));
        await expect(store.append("s1", 7, [starts("t1")], { command: command("start") })).rejects.toThrow();
        await expect(store.createSession(session("s1"), { command: command("create") })).rejects.toThrow();
        expect([await store.findCommand("start"), await store.findCommand("create")]).toEqual([undefined, undefined]);
      });
    });

    describe("events", () => {
      beforeEach(async () => {
        await store.createSession(session("s1"));
        await store.createSession(session("s2"));
      });

      it("gives back what was appended, numbered from 1 without gaps", async () => {
        clock += 5;
        const first = await store.append("s1", 0, [says("a"), { ...says("b"), raw: '{"b":1}', at: 7 }]);
        const second = await store.append("s1", 2, [says("c")]);
        const expected = [
          { sessionId: "s1", seq: 1, at: noon + 5, ...says("a") },
          { sessionId: "s1", seq: 2, ...says("b"), at: 7, raw: '{"b":1}' },
          { sessionId: "s1", seq: 3, at: noon + 5, ...says("c") },
        ];
        expect([...first, ...second]).toEqual(expected);
        expect(await store.read("s1")).toEqual(expected);
        expect(await store.getSession("s1")).toMatchObject({ lastSeq: 3, updatedAt: noon + 5 });
      });

      it("resumes after a cursor, as far as the limit", async () => {
        await store.append("s1", 0, [says("a"), says("b"), says("c")]);
        expect(textOf(await store.read("s1", { afterSeq: 1, limit: 1 }))).toBe("b");
        expect(textOf(await store.read("s1", { afterSeq: 3 }))).toBe("");
      });

      it("gives the newest before a cursor, oldest first", async () => {
        await store.append("s1", 0, ["a", "b", "c", "d"].map(says));
        expect(textOf(await store.read("s1", { beforeSeq: 4, limit: 2 }))).toBe("bc");
        expect(textOf(await store.read("s1", { beforeSeq: 3, limit: 9 }))).toBe("ab");
        expect(textOf(await store.read("s1", { beforeSeq: 99, limit: 1 }))).toBe("d");
        expect(await store.read("s1", { beforeSeq: 1 })).toEqual([]);
      });

      it("leaves the raw lines out when asked to", async () => {
        await store.append("s1", 0, [{ ...says("a"), raw: "r".repeat(RAW_MAX_BYTES + 1) }]);
        const bare = { sessionId: "s1", seq: 1, at: noon, ...says("a") };
        expect(await store.read("s1", { raw: false })).toEqual([bare]);
        expect(await store.read("s1", { beforeSeq: 2, raw: false })).toEqual([bare]);
      });

      it("lets only one of two racing writers win, and tells the other that the session is busy", async () => {
        const race = await Promise.allSettled([
          store.append("s1", 0, [says("a"), says("b")]),
          store.append("s1", 0, [says("x")]),
          store.append("s2", 0, [says("other")]),
        ]);
        expect(race.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        expect(race[1]).toMatchObject({ reason: { code: "session-busy" } });
        expect(textOf(await store.read("s1"))).toBe("ab");
        expect(textOf(await store.read("s2"))).toBe("other");
      });

      it("keeps the order of appends that did not wait for each other", async () => {
        const texts = Array.from({ length: 200 }, (_, index) => `${index},`);
        await Promise.all(texts.map((text, index) => store.append("s1", index, [says(text)])));
        expect(textOf(await store.read("s1"))).toBe(texts.join(""));
      });

      it("refuses an event that breaks the rules of its fields without hurting its neighbours", async () => {
        const neighbours = [store.append("s2", 0, [says("a")]), store.append("s2", 1, [says("b")])];
        const broken = store.append("s1", 0, [starts("t1"), { ...says("x"), at: 1.5 }]);
        neighbours.push(store.append("s2", 2, [says("c")]));
        await expect(broken).rejects.toMatchObject({ code: "internal" });
        await Promise.all(neighbours);
        expect([textOf(await store.read("s2")), await store.read("s1")]).toEqual(["abc", []]);
        expect(await store.getSession("s1")).toMatchObject({ lastSeq: 0 });
      });

      it("takes an empty append as a question whether the session is still there", async () => {
        expect(await store.append("s1", 0, [])).toEqual([]);
        await expect(store.append("s1", 1, [])).rejects.toMatchObject({ code: "session-busy" });
      });

      it("keeps an event of several megabytes whole", async () => {
        const big = "é☃".repeat(1_000_000);
        await store.append("s1", 0, [says(big)]);
        expect(textOf(await store.read("s1")) === big).toBe(true);
      });

      it("keeps characters that trouble others: NUL, lone surrogates, line separators", async () => {
        const odd = "a\u0000b\ud800c\u2028d\u{1f600}";
        await store.append("s1", 0, [says(odd)]);
        expect(textOf(await store.read("s1"))).toBe(odd);
      });

      it("cuts a raw line at the limit, between characters, and marks it", async () => {
        const fits = "é".repeat(RAW_MAX_BYTES / 2);
        const long = `a${"é".repeat(RAW_MAX_BYTES)}`;
        await store.append("s1", 0, [
          { ...says("a"), raw: fits },
          { ...says("b"), raw: long },
        ]);
        const kept = (await store.read("s1")).map(({ raw, rawCut }) => ({ raw, rawCut }));
        expect(kept).toEqual([
          { raw: fits, rawCut: undefined },
          { raw: `a${"é".repeat((RAW_MAX_BYTES - 2) / 2)}`, rawCut: true },
        ]);
      });
    });

    describe("subscriptions", () => {
      beforeEach(async () => {
        await store.createSession(session("s1"));
        await store.createSession(session("s2"));
      });

      it("hears of its session's commits in order, once they can be read", async () => {
        const heard: number[] = [];
        const readable: Promise<readonly StoredEvent[]>[] = [];
        store.subscribe("s1", (committed) => {
          heard.push(...committed.map(({ seq }) => seq));
          readable.push(store.read("s1"));
        });
        await Promise.all([
          store.append("s1", 0, [says("a"), says("b")]),
          store.append("s1", 2, [says("c")]),
          store.append("s2", 0, [says("x")]),
        ]);
        expect(heard).toEqual([1, 2, 3]);
        expect((await Promise.all(readable)).at(-1)).toHaveLength(3);
      });

      it("hears nothing of an append that was refused, nor after it left", async () => {
        const heard: number[] = [];
        const leave = store.subscribe("s1", (committed) => heard.push(committed.length));
        await store.append("s1", 9, [says("a")]).catch(() => "refused, as it should be");
        leave();
        await store.append("s1", 0, [says("a")]);
        expect(heard).toEqual([]);
      });

      it("does not let a listener's fault spoil the append or the other listeners", async () => {
        const fault = new Error("listener");
        const heard: number[] = [];
        store.subscribe("s1", () => {
          throw fault;
        });
        store.subscribe("s1", (committed) => heard.push(committed.length));
        await store.append("s1", 0, [says("a")]);
        expect([heard, listenerErrors]).toEqual([[1], [fault]]);
      });
    });

    describe("watching", () => {
      it("tells of every session that was created, changed, appended to or deleted", async () => {
        const heard: string[] = [];
        const stop = store.watch((sessionId) => heard.push(sessionId));
        await store.createSession(session("s1"));
        await store.createSession(session("s2"));
        await store.append("s2", 0, [says("a")]);
        await store.updateSession("s1", { title: "T" });
        await store.deleteSession("s2");
        await store.createSession(session("s3"), { staged: true });
        await store.publishSession("s3");
        expect(heard).toEqual(["s1", "s2", "s2", "s1", "s2", "s3"]);
        stop();
        await store.createSession(session("s4"));
        expect(heard).toHaveLength(6);
      });

      it("tells nothing of what was refused", async () => {
        await store.createSession(session("s1"));
        const heard: string[] = [];
        store.watch((sessionId) => heard.push(sessionId));
        await store.createSession(session("s1")).catch(() => "refused, as it should be");
        await store.append("s1", 5, [says("a")]).catch(() => "refused, as it should be");
        await store.deleteSession("nobody");
        expect(heard).toEqual([]);
      });

      it("has the same foreign version while only this process writes", async () => {
        const before = await store.foreignVersion();
        await store.createSession(session("s1"));
        expect(await store.foreignVersion()).toBe(before);
      });
    });

    describe("what a list shows", () => {
      beforeEach(() => store.createSession(session("s1")));

      const shown = async () => {
        const [found] = (await store.listSessions()).sessions;
        return { lastLine: found?.lastLine, lastTurn: found?.lastTurn };
      };
      const asks = (turnId: string, prompt: string): EventEntry =>
        entry({ type: "turn-start", turnId, lane: "cli", prompt }, turnId);
      const begins = entry({ type: "text-start", blockId: "b1" });

      it("is nothing for a session without events", async () => {
        expect(await shown()).toEqual({});
      });

      it("is the prompt and the running turn, until the agent says something", async () => {
        await store.append("s1", 0, [asks("t1", "\n  Fix the build\nplease"), begins, says(" \n")]);
        expect(await shown()).toEqual({ lastLine: "Fix the build", lastTurn: { turnId: "t1", at: noon } });
      });

      it("is then the first line of the last thing said, however it was cut", async () => {
        await store.append("s1", 0, [asks("t1", "Fix"), begins, says("One mo"), says("ment.")]);
        expect(await shown()).toMatchObject({ lastLine: "One moment." });
        await store.append("s1", 4, [says("\nAnd"), says(" more"), begins]);
        expect(await shown()).toMatchObject({ lastLine: "One moment." });
        await store.append("s1", 7, [says("Done"), says("."), ends("t1")]);
        expect(await shown()).toEqual({
          lastLine: "Done.",
          lastTurn: { turnId: "t1", at: noon, outcome: "completed" },
        });
      });

      it("is the reason, once a turn has failed", async () => {
        const error = {
          code: "usage-limit",
          message: "The limit is reached\nuntil May",
          fix: "Wait.",
          retryable: false,
        };
        const failed = entry({ type: "turn-end", outcome: { kind: "failed", error: error as ErrorInfo } }, "t1");
        await store.append("s1", 0, [asks("t1", "Fix"), begins, says("One moment."), failed]);
        expect(await shown()).toEqual({
          lastLine: "The limit is reached",
          lastTurn: { turnId: "t1", at: noon, outcome: "failed" },
        });
      });

      it("is cut where a line is too long for a list, and never through a character", async () => {
        await store.append("s1", 0, [asks("t1", `${"x".repeat(199)}😀`), begins, says("y".repeat(150))]);
        expect(await shown()).toMatchObject({ lastLine: "y".repeat(150) });
        await store.append("s1", 3, [says("z".repeat(150))]);
        expect(await shown()).toMatchObject({ lastLine: "y".repeat(150) + "z".repeat(50) });
        await store.append("s1", 4, [asks("t2", `${"x".repeat(199)}😀`)]);
        expect(await shown()).toMatchObject({ lastLine: "x".repeat(199) });
      });
    });

    describe("turns", () => {
      beforeEach(async () => {
        await store.createSession(session("s1"));
        await store.createSession(session("s2"));
      });

      it("knows which turns are running", async () => {
        await store.append("s1", 0, [starts("t1"), ends("t1"), starts("t2")]);
        await store.append("s2", 0, [starts("t3"), ends("t3")]);
        const t2 = { sessionId: "s1", turnId: "t2", firstSeq: 3, startedAt: noon, owner: OWNER };
        expect(await store.runningTurns()).toEqual([t2]);
        expect(await idsOf({ active: true })).toEqual(["s1"]);
      });

      it("knows which turns of one session are running", async () => {
        await store.append("s1", 0, [starts("t1")]);
        await store.append("s2", 0, [starts("t2")]);
        const turnIdsOf = async (sessionId: string): Promise<string[]> =>
          (await store.runningTurns({ sessionId })).map(({ turnId }) => turnId);
        expect([await turnIdsOf("s1"), await turnIdsOf("s2"), await turnIdsOf("s3")]).toEqual([["t1"], ["t2"], []]);
      });

      it("leaves a turn alone whose owner is alive", async () => {
        await store.append("s1", 0, [starts("t1")]);
        expect(await interruptRunningTurns(store, { isAlive: (owner) => owner === OWNER })).toEqual([]);
        expect(await store.runningTurns()).toHaveLength(1);
      });

      it("asks once whether an owner is alive, however many turns it has", async () => {
        await store.append("s1", 0, [starts("t1")]);
        await store.append("s2", 0, [starts("t2")]);
        const asked: string[] = [];
        const isAlive = (owner: string): boolean => asked.push(owner) > 0;
        expect([await interruptRunningTurns(store, { isAlive }), asked]).toEqual([[], [OWNER]]);
      });

      it("interrupts the turns of one session when only that is asked for", async () => {
        await store.append("s1", 0, [starts("t1")]);
        await store.append("s2", 0, [starts("t2")]);
        const ended = await interruptRunningTurns(store, { ...nobodyLives, sessionId: "s2" });
        expect(ended.map(({ turnId }) => turnId)).toEqual(["t2"]);
        expect((await store.runningTurns()).map(({ turnId }) => turnId)).toEqual(["t1"]);
      });

      it("ends an interrupted turn once, however many try", async () => {
        await store.append("s1", 0, [starts("t1")]);
        const late = interruptTurn(store, { sessionId: "s1", turnId: "t1", firstSeq: 1 });
        const tries = await Promise.all([1, 2, 3].map(() => interruptRunningTurns(store, nobodyLives)));
        expect(tries.flat().length + Number(await late)).toBe(1);
        expect((await store.read("s1")).map(({ event }) => event.type)).toEqual(["turn-start", "turn-end"]);
      });

      it("does not end a turn again that another process has ended meanwhile", async () => {
        await store.append("s1", 0, [starts("t1")]);
        const [seen] = await store.runningTurns();
        await store.append("s1", 1, [ends("t1"), starts("t2")]);
        expect(seen !== undefined && (await interruptTurn(store, seen))).toBe(false);
        expect(await store.getSession("s1")).toMatchObject({ lastSeq: 3 });
      });

      it("says once that Caret stopped: the reason does not repeat it as the remedy", async () => {
        await store.append("s1", 0, [starts("t1")]);
        await interruptRunningTurns(store, nobodyLives);
        const [, end] = await store.read("s1");
        const told = JSON.stringify(end?.event).match(/Caret stopped/g);
        expect(told).toHaveLength(1);
      });

      it("ends interrupted turns well-formed: the block closed, the open calls interrupted", async () => {
        const call = (callId: string): EventEntry =>
          entry({ type: "tool-call", callId, name: "shell", kind: "shell", input: {}, owner: "agent" });
        await store.append("s1", 0, [starts("t0"), ends("t0"), starts("t1"), call("c1"), call("c2")]);
        await store.append("s1", 5, [
          entry({ type: "tool-result", callId: "c1", status: "ok", output: "" }),
          entry({ type: "thinking-start", blockId: "b0" }),
          entry({ type: "thinking-end", blockId: "b0" }),
          entry({ type: "text-start", blockId: "b1" }),
          says("half a sen"),
        ]);
        const ended = await interruptRunningTurns(store, nobodyLives);
        expect(ended.map(({ turnId }) => turnId)).toEqual(["t1"]);
        const turn = (await store.read("s1", { afterSeq: 2 })).map(({ event }) => event);
        assertWellFormedTurn(turn);
        expect(turn.slice(-3)).toMatchObject([
          { type: "text-end", blockId: "b1" },
          { type: "tool-result", callId: "c2", status: "interrupted" },
          {
            type: "turn-end",
            outcome: { kind: "failed", error: { code: "interrupted", retryable: false, hasActed: true } },
          },
        ]);
        expect(await store.runningTurns()).toEqual([]);
        expect(await interruptRunningTurns(store, nobodyLives)).toEqual([]);
      });
    });

    describe("usage", () => {
      beforeEach(async () => {
        await store.createSession(session("s1"));
        await store.createSession(session("s2"));
      });

      it("adds up turns by model, and leaves out what nobody reported", async () => {
        await store.append("s1", 0, [starts("t1", "auto"), consumes("t1", { input: 10, output: 2 }), ends("t1")]);
        await store.append("s1", 3, [starts("t2", "opus"), consumes("t2", { input: 5, cost: 0.25 }), ends("t2")]);
        await store.append("s2", 0, [starts("t3", "auto"), consumes("t3", { input: 1, cacheRead: 3 }), ends("t3")]);
        expect(await store.usageTotals({})).toEqual([
          { model: "auto", turns: 2, unpricedTurns: 1, usage: { input: 11, output: 2, cacheRead: 3, cost: 24.5e-6 } },
          { model: "opus", turns: 1, unpricedTurns: 0, usage: { input: 5, cost: 0.25 } },
        ]);
        expect(await store.usageTotals({ sessionId: "s2" })).toEqual([
          { model: "auto", turns: 1, unpricedTurns: 1, usage: { input: 1, cacheRead: 3 } },
        ]);
      });

      it("counts only the last report of a turn", async () => {
        await store.append("s1", 0, [starts("t1"), consumes("t1", { input: 10 }), consumes("t1", { input: 12 })]);
        expect(await store.usageTotals({ sessionId: "s1" })).toEqual([
          { turns: 1, unpricedTurns: 1, usage: { input: 12 } },
        ]);
      });

      it("tells with a session what all its turns consumed, and a cost only when each has one", async () => {
        await store.append("s1", 0, [starts("t1", "auto"), consumes("t1", { input: 10, output: 2 }), ends("t1")]);
        await store.append("s1", 3, [starts("t2", "auto"), consumes("t2", { output: 1, cost: 0.25 }), ends("t2")]);
        expect((await store.getSession("s1"))?.usage).toEqual({ input: 10, output: 3, cost: 0.2500245 });
        await store.append("s1", 6, [starts("t3", "no-such"), consumes("t3", { input: 1, output: 1 }), ends("t3")]);
        const { sessions } = await store.listSessions();
        expect(sessions.map(({ id, usage }) => [id, usage])).toEqual([
          ["s1", { input: 11, output: 4 }],
          ["s2", undefined],
        ]);
      });

      it("counts a day in UTC, and keeps counting when the session is deleted", async () => {
        await store.append("s1", 0, [starts("t1"), { ...consumes("t1", { input: 1 }), at: noon - 13 * hour }]);
        await store.append("s1", 2, [starts("t2"), consumes("t2", { input: 2 }), ends("t2"), ends("t1")]);
        await store.deleteSession("s1");
        expect(await store.usageTotals({ day: "2026-11-15" })).toEqual([
          { turns: 1, unpricedTurns: 1, usage: { input: 2 } },
        ]);
        expect(await store.usageTotals({ day: "2026-11-14" })).toEqual([
          { turns: 1, unpricedTurns: 1, usage: { input: 1 } },
        ]);
      });

      it("does not count what was copied towards the day, but what follows", async () => {
        await store.append("s1", 0, [starts("t1"), consumes("t1", { input: 1 }), ends("t1")], { copied: true });
        expect(await store.usageTotals({ day: "2026-11-15" })).toEqual([]);
        await store.append("s1", 3, [starts("t2"), consumes("t2", { input: 2 }), ends("t2")]);
        expect(await store.usageTotals({ day: "2026-11-15" })).toEqual([
          { turns: 1, unpricedTurns: 1, usage: { input: 2 } },
        ]);
        expect(await store.usageTotals({ sessionId: "s1" })).toEqual([
          { turns: 2, unpricedTurns: 2, usage: { input: 3 } },
        ]);
      });

      it("tells usage by day, model and session, from a day on", async () => {
        const yesterday = (each: EventEntry): EventEntry => ({ ...each, at: noon - 24 * hour });
        await store.append("s2", 0, [starts("t0"), consumes("t0", { input: 9 })].map(yesterday));
        await store.append("s2", 2, [starts("t1", "opus"), consumes("t1", { input: 1 })]);
        await store.append("s2", 4, [starts("t2", "opus"), consumes("t2", { input: 2, cost: 0.5 })]);
        await store.append("s1", 0, [starts("t3", "auto"), consumes("t3", { output: 4 })]);
        await store.append("s1", 2, [starts("t4", "opus"), consumes("t4", { output: 5 }), ends("t4"), ends("t3")]);
        const of = (sessionId: string) => ({ day: "2026-11-15", sessionId, lane: "cli", title: "" });
        const today = [
          { ...of("s1"), model: "auto", turns: 1, unpricedTurns: 1, usage: { output: 4 } },
          { ...of("s1"), model: "opus", turns: 1, unpricedTurns: 1, usage: { output: 5 } },
          { ...of("s2"), model: "opus", turns: 2, unpricedTurns: 1, usage: { input: 3, cost: 0.5 } },
        ];
        const before = { ...of("s2"), day: "2026-11-14", turns: 1, unpricedTurns: 1, usage: { input: 9 } };
        expect(await store.usageByDay({ from: "2026-11-14" })).toEqual([...today, before]);
        expect(await store.usageByDay({ from: "2026-11-15", workspace: "/projects/s1" })).toEqual(today.slice(0, 2));
        await store.deleteSession("s1");
        const nameless = today.map(({ title, ...row }) => (row.sessionId === "s1" ? row : { ...row, title }));
        expect(await store.usageByDay({ from: "2026-11-15" })).toEqual(nameless);
        expect(await store.usageByDay({ from: "2026-11-15", workspace: "/projects/s1" })).toEqual([]);
      });

      it("tells usage by client where it is asked for, from the log of sessions that are still there", async () => {
        const asked = (turnId: string, client: string): EventEntry => {
          const { event, ...entry } = starts(turnId, "auto");
          return { ...entry, event: { ...event, client } as EventEntry["event"] };
        };
        await store.append("s1", 0, [asked("t1", "opencode"), consumes("t1", { input: 1 }), ends("t1")]);
        await store.append("s1", 3, [asked("t2", "zed"), consumes("t2", { input: 2 }), ends("t2")]);
        const clients = async (byClient: boolean) =>
          (await store.usageByDay({ from: "2026-11-15", byClient })).map(({ client, turns }) => [client, turns]);
        expect([await clients(true), await clients(false)]).toEqual([
          [
            ["opencode", 1],
            ["zed", 1],
          ],
          [[undefined, 2]],
        ]);
        await store.deleteSession("s1");
        expect(await clients(true)).toEqual([[undefined, 2]]);
      });
    });

    describe("pruning and closing", () => {
      it("knows which sessions are old, but neither the newest ones nor one that is pinned or has a running turn", async () => {
        for (const [index, id] of ["oldest", "busy", "older", "kept", "new"].entries())
          await store.createSession(session(id, { createdAt: noon + index }));
        clock = noon + 1;
        await store.append("busy", 0, [starts("t1")]);
        await store.createSession(session("pinned", { createdAt: noon }));
        await store.updateSession("pinned", { pinned: true });
        clock = noon + hour;
        expect(await store.prunable({ olderThanMs: hour - 4, keep: 2 })).toEqual(["older", "oldest"]);
      });

      it("takes nothing for old that is young enough", async () => {
        await store.createSession(session("s1"));
        clock += hour;
        expect(await store.prunable({ olderThanMs: hour, keep: 0 })).toEqual([]);
      });

      it("leaves a session alone that was used since it was found to be old", async () => {
        await store.createSession(session("s1"));
        expect(await store.deleteSession("s1", { updatedBefore: noon })).toBe(false);
        expect(await store.deleteSession("s1", { updatedBefore: noon + 1 })).toBe(true);
      });

      it("commits what is under way before it closes, then refuses", async () => {
        await store.createSession(session("s1"));
        const last = store.append("s1", 0, [says("a")]);
        await store.close();
        expect(await last).toHaveLength(1);
        await expect(store.read("s1")).rejects.toMatchObject({ code: "storage-failed" });
        await expect(store.append("s1", 1, [says("b")])).rejects.toMatchObject({ code: "storage-failed" });
      });

      it("may be closed twice", async () => {
        await store.close();
        await expect(store.close()).resolves.toBeUndefined();
      });
    });
  });
}
