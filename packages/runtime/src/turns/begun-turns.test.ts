import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteEventStore } from "../log/sqlite/sqlite-event-store.ts";
import type { SessionEngine } from "./session-engine.ts";
import { completedEnd, says, scriptedEngine, scriptedLane } from "./testing/scripted-engine.ts";

let directory: string;
let workspace: string;
/** What the disk waits for before it syncs. */
let disk: PromiseWithResolvers<void>;
/** The agent has said all it has to say. */
let spoken: PromiseWithResolvers<void>;
let engine: SessionEngine;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-begun-")));
  workspace = join(directory, "project");
  mkdirSync(workspace);
  disk = Promise.withResolvers();
  disk.promise.catch(() => undefined); // it may fail before anything is synced
  spoken = Promise.withResolvers();
  const lane = scriptedLane(async function* () {
    yield says("Hello");
    spoken.resolve();
    yield [completedEnd];
  });
  const syncFile = async (): Promise<void> => await disk.promise;
  engine = scriptedEngine(lane, workspace, {
    store: openSqliteEventStore({ directory: join(directory, "data"), role: "gateway", syncFile }),
  });
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

const asking = () => engine.beginTurn({ prompt: "Hello?", workspace });

it("runs its agent while its start is being synced, and gives a live follower nothing of it before", async () => {
  const turn = await asking();
  const heard: AgentEvent[] = [];
  const followed = (async () => {
    for await (const batch of turn.follow({ afterSeq: turn.firstSeq, live: true }))
      heard.push(...batch.map(({ event }) => event));
  })();
  await spoken.promise;
  const early = [...heard];
  disk.resolve();
  await followed;
  expect({ early, heard }).toEqual({ early: [], heard: [...says("Hello"), completedEnd] });
});

it("ends its followers with the disk's own error when its start cannot be synced", async () => {
  const turn = await asking();
  const heard: AgentEvent[] = [];
  const followed = (async () => {
    for await (const batch of turn.follow({ afterSeq: turn.firstSeq, live: true }))
      heard.push(...batch.map(({ event }) => event));
  })();
  await spoken.promise;
  disk.reject(Object.assign(new Error("no disk"), { code: "EIO" }));
  await followed;
  await expect(turn.begun).rejects.toMatchObject({ code: "storage-failed" });
  expect({ heard, outcome: await turn.outcome }).toMatchObject({
    heard: [],
    outcome: { kind: "failed", error: { code: "storage-failed" } },
  });
});
