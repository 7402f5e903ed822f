import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { AgentEvent } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteEventStore } from "../log/sqlite/sqlite-event-store.ts";
import type { SessionEngineOptions } from "./create-session-engine.ts";
import type { SessionEngine } from "./session-engine.ts";
import { completedEnd, says, scriptedEngine, scriptedLane } from "./testing/scripted-engine.ts";

let directory: string;
let workspace: string;
/** The disk syncs once this resolves. */
let disk: PromiseWithResolvers<void>;
/** The agent has said everything. */
let spoken: PromiseWithResolvers<void>;
let openEngine: (options?: Pick<SessionEngineOptions, "startsWhenDurable">) => SessionEngine;
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
  openEngine = (options) => {
    const syncFile = async (): Promise<void> => await disk.promise;
    const store = openSqliteEventStore({ directory: join(directory, "data"), role: "gateway", syncFile });
    return scriptedEngine(lane, workspace, { store, ...options });
  };
  engine = openEngine();
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

describe("where agents start only when the start of their turn is in the log", () => {
  beforeEach(async () => {
    await engine.close();
    engine = openEngine({ startsWhenDurable: true });
  });
  /** By then, an agent able to start would have started. */
  const hasSpoken = () => Promise.race([spoken.promise.then(() => true), setTimeout(20, false)]);

  it("no agent runs before", async () => {
    const turn = await asking();
    const early = await hasSpoken();
    disk.resolve();
    await turn.settled;
    expect({ early, late: await hasSpoken(), outcome: await turn.outcome }).toEqual({
      early: false,
      late: true,
      outcome: { kind: "completed" },
    });
  });

  it("no agent runs when the log does not take it: the turn may be asked for again", async () => {
    const turn = await asking();
    disk.reject(Object.assign(new Error("no disk"), { code: "EIO" }));
    await expect(turn.begun).rejects.toMatchObject({ code: "storage-failed" });
    await turn.settled;
    expect(await hasSpoken()).toBe(false);
  });

  it("no agent runs when the turn is stopped meanwhile, and it ends as cancelled", async () => {
    const turn = await asking();
    turn.cancel();
    disk.resolve();
    await turn.settled;
    expect({ hasSpoken: await hasSpoken(), outcome: await turn.outcome }).toEqual({
      hasSpoken: false,
      outcome: { kind: "cancelled" },
    });
  });
});
