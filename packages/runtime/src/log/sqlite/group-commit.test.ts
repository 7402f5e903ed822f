import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventEntry, EventStore } from "../event-store.ts";
import { openSqliteEventStore } from "./sqlite-event-store.ts";

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
});
