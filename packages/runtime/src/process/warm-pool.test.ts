import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../testing/eventually.ts";
import type { ChildHandle } from "./child-handle.ts";
import { createSpawner } from "./spawner/create-spawner.ts";
import { createWorkbench, readAll, type Workbench } from "./testing/workbench.ts";
import { createWarmPool, type WarmKey, type WarmPool, warmKey } from "./warm-pool.ts";

const origin = { slot: "default in /work", madeFrom: "key-1" };
const spawner = createSpawner({ mode: "inline" });
let bench: Workbench;
let started: ChildHandle[];
let clock: number;

beforeEach(() => {
  bench = createWorkbench();
  started = [];
  clock = 0;
});
afterEach(async () => {
  await Promise.all(started.map((child) => child.stop({ graceMs: 0 })));
  expect(bench.survivors()).toEqual([]);
  bench.remove();
});

function openPool(options: { max?: number; idleMs?: number } = {}): WarmPool {
  const spawn = (command: WarmKey["command"]): ChildHandle => {
    const child = spawner.spawn(command);
    started.push(child);
    return child;
  };
  return createWarmPool({ max: 4, idleMs: 60_000, now: () => clock, ...options, spawn: spawn as typeof spawner.spawn });
}

const profile = (model: string, script = "note; cat", cliVersion = "v1"): WarmKey => ({
  origin,
  command: { ...bench.sh(script), stdin: "held" },
  model,
  cliVersion,
});

describe("warm agents", () => {
  it("are handed out once, and answer the prompt they are then given", async () => {
    const pool = openPool();
    pool.refill(profile("a"));
    const agent = pool.take(profile("a"));
    expect([agent, pool.take(profile("a")), pool.size]).toEqual([started[0], undefined, 0]);
    await agent?.writeStdin("hello");
    await agent?.endStdin();
    expect(agent === undefined ? "" : await readAll(agent)).toBe("hello");
  });

  it("are never handed to a turn of another profile", () => {
    const pool = openPool();
    pool.refill(profile("a"));
    expect([pool.take(profile("b")), pool.take(profile("a", "cat")), pool.size]).toEqual([undefined, undefined, 1]);
  });

  it("leave as soon as a turn of their profile and workspace has another key, and those of others stay", async () => {
    const pool = openPool();
    const other = { ...profile("c"), origin: { ...origin, slot: "other in /work" } };
    for (const key of [profile("a"), profile("b"), other]) pool.refill(key);
    const replaced = { ...profile("a"), origin: { ...origin, madeFrom: "key-2" } };
    const taken = pool.take(replaced);
    await Promise.all([started[0]?.exit, started[1]?.exit]);
    expect([taken, pool.size, pool.take(other)]).toEqual([undefined, 1, started[2]]);
  });

  it("are not doubled by a second refill", () => {
    const pool = openPool();
    pool.refill(profile("a"));
    pool.refill(profile("a"));
    expect([started.length, pool.size]).toEqual([1, 1]);
  });

  it("give way, the least recently wanted first, when there are too many", async () => {
    const pool = openPool({ max: 2 });
    pool.refill(profile("a"));
    pool.refill(profile("b"));
    pool.refill(profile("a"));
    clock = 1_000;
    pool.refill(profile("c"));
    await started[1]?.exit;
    expect([pool.size, pool.take(profile("b")), pool.take(profile("a"))]).toEqual([2, undefined, started[0]]);
  });

  it("do not give way before they can have booted", () => {
    const pool = openPool({ max: 1 });
    pool.refill(profile("a"));
    clock = 999;
    pool.refill(profile("b"));
    expect([pool.size, started.length, pool.take(profile("a"))]).toEqual([1, 1, started[0]]);
  });

  it("are ended when they have waited too long", async () => {
    const pool = openPool({ idleMs: 50 });
    pool.refill(profile("a"));
    await started[0]?.exit;
    expect([pool.size, started[0]?.stopReason]).toEqual([0, "waited too long for a prompt"]);
  });

  it("are not handed out after the machine slept past their time", () => {
    const pool = openPool();
    pool.refill(profile("a"));
    clock = 60_000;
    expect([pool.take(profile("a")), pool.size]).toEqual([undefined, 0]);
  });

  it.each([
    ["leave", "exit 1"],
    ["speak", "echo hello; cat"],
  ])("are thrown away when they %s before they were asked", async (_, script) => {
    const pool = openPool();
    pool.refill(profile("a", script));
    await eventually(() => pool.size === 0, "it is thrown away");
    await started[0]?.exit;
    expect(pool.take(profile("a", script))).toBe(undefined);
  });

  it("are thrown away when they cannot even start", async () => {
    const pool = openPool();
    const broken = { ...profile("a"), command: { ...profile("a").command, file: "/nowhere/agent" } };
    pool.refill(broken);
    await eventually(() => pool.size === 0, "it is thrown away");
    expect(pool.take(broken)).toBe(undefined);
  });

  it("are all gone after close, and no more are made", async () => {
    const pool = openPool();
    pool.refill(profile("a"));
    pool.refill(profile("b"));
    await eventually(() => bench.noted() === 2, "both run");
    await pool.close();
    pool.refill(profile("c"));
    expect([bench.survivors(), pool.size, started.length]).toEqual([[], 0, 2]);
  });

  it("are not made at all when the limit is none", () => {
    const pool = openPool({ max: 0 });
    pool.refill(profile("a"));
    expect(started).toEqual([]);
  });
});

describe("the key of a profile", () => {
  const command = { file: "/a", args: ["x"], cwd: "/w", env: { A: "1", B: "2" }, stdin: "held" } as const;
  const base: WarmKey = { origin, command, model: "m", cliVersion: "v" };

  it("does not depend on the order of the environment", () => {
    expect(warmKey({ ...base, command: { ...command, env: { B: "2", A: "1" } } })).toBe(warmKey(base));
  });

  it("differs with everything that matters", () => {
    const others: WarmKey[] = [
      { ...base, origin: { ...origin, slot: "other in /work" } },
      { ...base, origin: { ...origin, madeFrom: "key-2" } },
      { ...base, model: "n" },
      { ...base, cliVersion: "w" },
      { ...base, resumedSession: "s" },
      { ...base, command: { ...command, file: "/b" } },
      { ...base, command: { ...command, args: ["x", ""] } },
      { ...base, command: { ...command, cwd: "/v" } },
      { ...base, command: { ...command, env: { A: "1", B: "3" } } },
      { ...base, command: { ...command, contained: { file: command.file, args: [] } } },
    ];
    expect(new Set([base, ...others].map(warmKey)).size).toBe(others.length + 1);
  });
});
