import type { AgentEvent, Usage } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CreateStore } from "./event-store.contract.ts";
import type { EventEntry, EventStore, NewSession, SessionScope } from "./event-store.ts";

const noon = Date.UTC(2026, 10, 15, 12);
const TODAY = "2026-11-15";

const session = (id: string, more: Partial<NewSession> = {}): NewSession => ({
  id,
  workspace: `/projects/${id}`,
  createdAt: noon,
  ...more,
});

/** One turn that says a word, optionally without its end. */
function turn(turnId: string, usage: Usage | undefined, ended = true): readonly EventEntry[] {
  const events: readonly AgentEvent[] = [
    { type: "turn-start", turnId, lane: "sim", model: "auto", prompt: "Say pear" },
    ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
    ...(ended ? [{ type: "turn-end", outcome: { kind: "completed" } } as const] : []),
  ];
  return events.map((event) => ({ turnId, event }));
}

/** The contract of every event store about users: who owns a session, and what each user consumed. */
export function describeUsers(name: string, createStore: CreateStore): void {
  describe(`${name} keeps users apart`, () => {
    let store: EventStore;
    let dispose: (() => Promise<void>) | undefined;
    beforeEach(async () => {
      const created = await createStore({
        owner: "this process",
        now: () => noon,
        rawMaxBytes: 64,
        onListenerError: () => undefined,
      });
      ({ store, dispose } = created);
      await store.createSession(session("nobodys"));
      await store.createSession(session("annas", { user: "anna", team: "web" }));
      await store.createSession(session("berts", { user: "bert", team: "web", workspace: "/projects/annas/deep" }));
    });
    afterEach(async () => {
      await store.close();
      await dispose?.();
    });

    it("gives the user and the team of a session back, also after a change", async () => {
      await store.updateSession("annas", { title: "Hers" });
      expect(await store.getSession("annas")).toMatchObject({ user: "anna", team: "web", title: "Hers" });
      expect(Object.keys((await store.getSession("nobodys")) ?? {})).not.toContain("user");
    });

    it.each<[SessionScope, readonly string[]]>([
      [{}, ["annas", "berts", "nobodys"]],
      [{ user: null }, ["nobodys"]],
      [{ user: "anna" }, ["annas"]],
      [{ user: "bert", workspace: "/projects/annas" }, ["berts"]],
      [{ user: "bert", workspace: "/projects/berts" }, []],
      [{ user: "carla" }, []],
    ])("lists, finds and searches in the scope %j", async (scope, ids) => {
      for (const id of ["annas", "berts", "nobodys"]) await store.append(id, 0, turn(`t-${id}`, { input: 1 }));
      await store.catchUpSearch();
      const { sessions } = await store.listSessions(scope);
      const { places } = await store.search({ text: "pear", ...scope });
      const used = await store.usageByDay({ from: TODAY, ...scope });
      expect({
        listed: sessions.map(({ id }) => id).toSorted(),
        ids: (await store.sessionIds(scope)).toSorted(),
        found: places.map(({ sessionId }) => sessionId).toSorted(),
        used: used.map(({ sessionId }) => sessionId).toSorted(),
      }).toEqual({ listed: ids, ids, found: ids, used: ids });
    });

    it("adds up what a user and a team used, and goes on counting it when a session is deleted", async () => {
      await store.append("annas", 0, turn("t1", { input: 10 }));
      await store.append("berts", 0, turn("t2", { input: 5 }));
      await store.deleteSession("annas");
      const inputs = async (query: object) =>
        (await store.usageTotals({ day: TODAY, ...query })).map(({ usage }) => usage.input);
      expect([await inputs({ user: "anna" }), await inputs({ team: "web" }), await inputs({ user: "carla" })]).toEqual([
        [10],
        [15],
        [],
      ]);
      const [row] = await store.usageByDay({ from: TODAY, user: "anna" });
      expect(row).toMatchObject({ user: "anna", sessionId: "annas", turns: 1 });
    });

    it("does not count turns of today again that were copied, by a fork or an import", async () => {
      const copied = [...turn("t1", undefined), ...turn("t2", { input: 1 })];
      await store.append("annas", 0, copied, { copied: true });
      const count = () => store.countTurns({ day: TODAY, user: "anna" });
      expect(await count()).toEqual({ begun: 0, running: 0 });
      await store.append("annas", copied.length, turn("t3", undefined));
      expect(await count()).toEqual({ begun: 1, running: 0 });
    });

    it("counts the turns of a user that began today and that run, those without usage too", async () => {
      await store.append("annas", 0, turn("t1", undefined));
      await store.append("annas", 2, turn("t2", { input: 1 }));
      await store.append("annas", 5, turn("t3", undefined, false));
      await store.append("berts", 0, turn("t4", undefined));
      const count = (query: object, day = TODAY) => store.countTurns({ day, ...query });
      expect([
        await count({ user: "anna" }),
        await count({ team: "web" }),
        await count({ user: "anna" }, "2026-11-14"),
        await count({ user: "carla" }),
      ]).toEqual([
        { begun: 3, running: 1 },
        { begun: 4, running: 1 },
        { begun: 0, running: 1 },
        { begun: 0, running: 0 },
      ]);
    });
  });
}
