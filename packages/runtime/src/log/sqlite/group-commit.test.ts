import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AgentEvent } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventEntry, EventStore } from "../event-store.ts";
import { openSqliteEventStore } from "./sqlite-event-store.ts";

/** What a separate connection sees, which is what is committed. */
function countSessions(directory: string): unknown {
  const database = new DatabaseSync(join(directory, "caret.db"), { readOnly: true });
  try {
    return database.prepare("select count(*) as count from session").get()?.["count"];
  } finally {
    database.close();
  }
}

describe("A commit of the log", () => {
  let directory: string;
  let store: EventStore;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "caret-commit-"));
    store = openSqliteEventStore({ directory, role: "gateway" });
    for (const id of ["hurried", "patient"]) {
      await store.createSession({ id, workspace: "/projects/one", createdAt: 1 });
      await store.append(id, 0, [start(id)]);
    }
  });

  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const start = (turnId: string): EventEntry => ({ turnId, event: { type: "turn-start", turnId, lane: "cli" } });
  const said = (turnId: string, text: string): EventEntry => ({
    turnId,
    event: { type: "text-delta", blockId: "b1", text },
  });
  const textsOf = async (sessionId: string): Promise<readonly string[]> =>
    (await store.read(sessionId)).flatMap(({ event }) => (event.type === "text-delta" ? [event.text] : []));

  it("leaves out what nobody waits for, so that words of another session are not a row for each", async () => {
    const words = ["one"];
    const waiting = store.append("patient", 1, () => [said("patient", words.join(" "))]);
    await store.append("hurried", 1, [said("hurried", "at once")]);
    expect([await textsOf("hurried"), await textsOf("patient")]).toEqual([["at once"], []]);
    words.push("two");
    await waiting;
    expect(await textsOf("patient")).toEqual(["one two"]);
  });

  it("writes what nobody waits for before what is waited for of the same session", async () => {
    void store.append("patient", 1, () => [said("patient", "first")]);
    void store.updateSession("patient", { title: "early" }, { isPatient: true });
    await store.append("patient", 2, [said("patient", "second")]);
    const session = await store.updateSession("patient", { title: "late" });
    expect([await textsOf("patient"), session.title]).toEqual([["first", "second"], "late"]);
  });

  it("writes everything before the log is closed", async () => {
    const waiting = store.append("patient", 1, () => [said("patient", "last")]);
    await store.close();
    expect((await waiting).map(({ seq }) => seq)).toEqual([2]);
    store = openSqliteEventStore({ directory, role: "gateway" });
    expect(await textsOf("patient")).toEqual(["last"]);
  });

  it("commits the start of a turn before the loop comes round, with what waited already", async () => {
    const order: string[] = [];
    setImmediate(() => order.push("the loop"));
    const session = store.createSession({ id: "new", workspace: "/projects/one", createdAt: 1 });
    const started = store.append("new", 0, [start("new")]);
    await Promise.resolve().then(() => undefined);
    order.push(`${countSessions(directory)} sessions`);
    await Promise.all([session, started]);
    expect(order).toEqual(["3 sessions", "the loop"]);
  });

  it("leaves the start of a turn with a long prompt until the loop comes round: its agent is started before", async () => {
    const prompt = "a long story ".repeat(100_000);
    const order: string[] = [];
    const session = store.createSession({ id: "new", workspace: "/projects/one", createdAt: 1 });
    const started = store.append("new", 0, [{ turnId: "new", event: { ...start("new").event, prompt } as AgentEvent }]);
    order.push(`${countSessions(directory)} sessions`);
    await Promise.resolve().then(() => undefined);
    order.push(`${countSessions(directory)} sessions`);
    setImmediate(() => order.push(`the loop, ${countSessions(directory)} sessions`));
    await Promise.all([session, started]);
    expect(order).toEqual(["2 sessions", "2 sessions", "the loop, 3 sessions"]);
  });

  it("does not commit during a sync what only the next sync acknowledges", async () => {
    const first = store.append("hurried", 1, [said("hurried", "one")]);
    await new Promise((resolve) => setImmediate(resolve));
    const order: string[] = [];
    const acknowledged = first.then(() => order.push("first acknowledged"));
    const second = store.append("hurried", 2, () => {
      order.push("second committed");
      return [said("hurried", "two")];
    });
    const third = store.append("hurried", 3, [said("hurried", "three")]);
    await Promise.all([acknowledged, second, third]);
    expect(order).toEqual(["first acknowledged", "second committed"]);
  });

  it("waits for no sync with what can be made again, and gives no search more than is on disk", async () => {
    await store.close();
    let syncs = 0;
    let held: PromiseWithResolvers<void> | undefined;
    const syncFile = async (): Promise<void> => {
      syncs += 1;
      await held?.promise;
    };
    store = openSqliteEventStore({ directory, role: "gateway", syncFile });
    const end: EventEntry = { turnId: "hurried", event: { type: "turn-end", outcome: { kind: "completed" } } };
    await store.append("hurried", 1, [said("hurried", "a rare word"), end]);
    const before = syncs;
    await store.catchUpSearch();
    expect(syncs - before).toBe(0);
    held = Promise.withResolvers();
    const order: string[] = [];
    const appended = store.append("patient", 1, [said("patient", "more")]).then(() => order.push("synced"));
    await new Promise((resolve) => setImmediate(resolve));
    const found = store.search({ text: "rare" }).then(({ places }) => order.push(`${places.length} found`));
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual([]);
    held.resolve();
    await Promise.all([appended, found]);
    expect(order.toSorted()).toEqual(["1 found", "synced"]);
  });
});
