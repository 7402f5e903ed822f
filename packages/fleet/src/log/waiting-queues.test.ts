import { afterAll, beforeEach, expect, it } from "vitest";
import { createMembers } from "../members/members.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { openPostgresEventStore, type PostgresLogStore } from "./postgres-event-store.ts";

let database: TestDatabase;
let stores: readonly PostgresLogStore[] = [];
shareTestDatabase((opened) => {
  database = opened;
});
afterAll(async () => {
  for (const store of stores) await store.close();
});

const note = (id: string, machine: string, isLeaving = false): Promise<unknown> =>
  createMembers(database).note({
    id,
    role: "worker",
    machine,
    version: "1",
    about: { takesAgents: true },
    isLeaving,
  });

/** Two workers of the desk and one of the shed, each with an agent that has a message. */
beforeEach(async () => {
  for (const store of stores) await store.close();
  await database.empty();
  const places = [
    ["desk-1", "desk"],
    ["desk-2", "desk"],
    ["shed-1", "shed"],
  ] as const;
  stores = await Promise.all(places.map(([owner, home]) => openPostgresEventStore({ database, owner, home })));
  for (const [index, [owner, machine]] of places.entries()) {
    await note(owner, machine);
    const session = { id: `of-${owner}`, workspace: "/w", createdAt: 1 };
    await stores[index]?.createSession(session, { agent: { name: `agent-${owner}`, createdBy: "human" } });
    await stores[index]?.agents.send({ id: `m-${owner}`, from: "human", to: `agent-${owner}`, text: "Work" });
  }
});

/** What each worker would start; in parentheses, what it waits for because another worker has it. */
async function waiting(): Promise<readonly (readonly string[])[]> {
  return await Promise.all(
    stores.map(async (store) =>
      (await store.agents.waiting()).map(({ receiver, isHeld }) => (isHeld ? `(${receiver})` : receiver)),
    ),
  );
}

it("what waits on a machine is shown to one of its workers, and to no worker of another machine", async () => {
  expect(await waiting()).toEqual([["agent-desk-1", "agent-desk-2"], [], ["agent-shed-1"]]);
});

it("the next worker of the machine has it when the first is drained, away, or of a version without agents", async () => {
  const all = ["agent-desk-1", "agent-desk-2"];
  await note("desk-1", "desk", true);
  // A worker that drains has closed its own scheduler.
  expect((await waiting())[1]).toEqual(all);
  await note("desk-1", "desk");
  expect((await waiting())[1]).toEqual([]);
  await database.query("update members set seen_at = now() - interval '1 minute' where id = 'desk-1'");
  expect((await waiting())[1]).toEqual(all);
  await note("desk-1", "desk");
  await database.query(`update members set about = '{"takesShared":true}' where id = 'desk-1'`);
  expect((await waiting())[1]).toEqual(all);
});

it("a queue is held while another worker has its session", async () => {
  await database.query("update sessions set owner = 'desk-2' where id = 'of-desk-1'");
  expect((await waiting())[0]).toEqual(["(agent-desk-1)", "agent-desk-2"]);
  await database.query("update sessions set owner = 'desk-1' where id = 'of-desk-1'");
  expect((await waiting())[0]).toEqual(["agent-desk-1", "agent-desk-2"]);
});
