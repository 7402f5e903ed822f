import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { assertWellFormedTurn } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { barSize } from "../../testing/bar-size.ts";
import type { EventStore } from "../event-store.ts";
import { interruptRunningTurns } from "../interrupted-end.ts";
import { readAll } from "../read-turns.ts";
import { openSqliteEventStore } from "./sqlite-event-store.ts";

/** Like a container: other pids, another `/proc`, the same directory. */
const elsewhere = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;
const canLeave = spawnSync(elsewhere[0], [...elsewhere.slice(1), "true"]).status === 0;
const script = fileURLToPath(new URL("../testing/sharing-process.ts", import.meta.url));

const FIRST_ONES = barSize({ quick: 4, full: 20 });

/** A process that waits for `go`. */
interface Sharer {
  go(): void;
  /** The next line it prints. */
  line(): Promise<string>;
  /** All further lines, once it has ended. */
  rest(): Promise<readonly string[]>;
  /** Lets it end by itself. */
  finish(): void;
  kill(): Promise<void>;
}

describe("Several processes on one event log", { timeout: 120_000 }, () => {
  let directory: string;
  let dispose: (() => Promise<unknown>)[];

  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), "caret-sharing-")), "data");
    dispose = [async () => rmSync(join(directory, ".."), { recursive: true })];
  });
  afterEach(async () => {
    for (const each of dispose) await each();
  });

  function open(role: "gateway" | "guest"): EventStore {
    const store = openSqliteEventStore({ directory, role });
    dispose.unshift(() => store.close());
    return store;
  }

  async function ready(task: string, name: string, ...more: readonly (string | number)[]): Promise<Sharer> {
    return await readyBy([], task, name, ...more);
  }

  async function readyBy(
    launcher: readonly string[],
    task: string,
    name: string,
    ...more: readonly (string | number)[]
  ): Promise<Sharer> {
    const [file = "", ...args] = [...launcher, process.execPath, script, directory, task, name, ...more.map(String)];
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"] });
    const closed = once(child, "close");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const kill = async (): Promise<void> => {
      child.kill("SIGKILL");
      await closed;
    };
    dispose.unshift(kill);
    const line = async (): Promise<string> => String((await lines.next()).value);
    expect(await line()).toBe("ready");
    return {
      go: () => child.stdin.write("go\n"),
      line,
      async rest() {
        const rest: string[] = [];
        for await (const each of lines) rest.push(each);
        await closed;
        return rest;
      },
      finish: () => child.stdin.end(),
      kill,
    };
  }

  async function goTogether(sharers: readonly Sharer[]): Promise<readonly (readonly string[])[]> {
    for (const sharer of sharers) sharer.go();
    return await Promise.all(sharers.map((sharer) => sharer.rest()));
  }

  async function textsOf(store: EventStore, sessionId: string): Promise<string[]> {
    const texts: string[] = [];
    for await (const { seq, event } of readAll(store, sessionId))
      if (event.type === "text-delta") texts.push(`${seq} ${event.text}`);
    return texts;
  }

  it("lose nothing when they write to sessions of their own, beside a gateway that writes too", async () => {
    const store = open("gateway");
    await store.createSession({ id: "own", workspace: "/projects/shared", createdAt: 1 });
    const sharers = await Promise.all(["s1", "s2"].map((id) => ready("write", id, id, 150)));
    const ended = goTogether(sharers);
    for (let seq = 0; seq < 150; seq += 1)
      await store.append("own", seq, [{ turnId: "t1", event: { type: "text-delta", blockId: "b1", text: `${seq}` } }]);
    const acked = await ended;
    expect(acked.map((each) => each.length)).toEqual([150, 150]);
    expect([await textsOf(store, "s1"), await textsOf(store, "s2")]).toEqual(acked);
    expect(await store.read("own")).toHaveLength(150);
  });

  it("lose nothing when one of them is killed while all are writing", async () => {
    const [killed, other] = await Promise.all([ready("write", "s1", "s1", 100_000), ready("write", "s2", "s2", 150)]);
    for (const sharer of [killed, other]) sharer.go();
    const acked: string[] = [];
    while (acked.length < 50) acked.push(await killed.line());
    await killed.kill();
    acked.push(...(await killed.rest()));
    expect(await other.rest()).toHaveLength(150);
    const store = open("guest");
    expect((await textsOf(store, "s1")).slice(0, acked.length)).toEqual(acked);
    expect(await textsOf(store, "s2")).toHaveLength(150);
  });

  it("let one of them win each place when they write to the same session", async () => {
    const names = ["a", "b", "c"];
    const acked = await goTogether(await Promise.all(names.map((name) => ready("write", name, "s1", 60))));
    const inOrder = acked.flat().sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
    expect(inOrder).toHaveLength(180);
    expect(await textsOf(open("guest"), "s1")).toEqual(inOrder);
  });

  it(`can all be the first: ${FIRST_ONES} start at once where there is no directory yet`, async () => {
    const names = Array.from({ length: FIRST_ONES }, (_, index) => `p${index}`);
    const acked = await goTogether(await Promise.all(names.map((name) => ready("write", name, name, 3))));
    expect(acked).toEqual(names.map((name) => [`1 ${name}-0`, `2 ${name}-1`, `3 ${name}-2`]));
    expect((await open("gateway").listSessions({ limit: 50 })).sessions).toHaveLength(FIRST_ONES);
  });

  it("include one gateway at most, also when several start at once, and guests are not refused", async () => {
    const gateways = await Promise.all([1, 2, 3].map((each) => ready("gateway", `g${each}`)));
    for (const gateway of gateways) gateway.go();
    const told = await Promise.all(gateways.map((gateway) => gateway.line()));
    expect(told.sort()).toEqual(["failed storage-locked", "failed storage-locked", "open"]);
    const [acked] = await goTogether([await ready("write", "guest", "s1", 1)]);
    expect(acked).toEqual(["1 guest-0"]);
    expect((await open("guest").listSessions()).sessions.map(({ id }) => id)).toEqual(["s1"]);
    expect(() => open("gateway")).toThrow(expect.objectContaining({ code: "storage-locked" }));
    for (const gateway of gateways) gateway.finish();
    await Promise.all(gateways.map((gateway) => gateway.rest()));
    expect((await open("gateway").listSessions()).sessions).toHaveLength(1);
  });

  it("respect the lock of a gateway that opens the log a second time itself", async () => {
    open("gateway");
    open("guest");
    expect(() => open("gateway")).toThrow(expect.objectContaining({ code: "storage-locked" }));
    expect(await goTogether([await ready("gateway", "g2")])).toEqual([["failed storage-locked"]]);
  });

  it("take over the turn of one that was killed, and leave that of a living one alone", async () => {
    const [killed, living] = await Promise.all([ready("turn", "t1", "s1"), ready("turn", "t2", "s2")]);
    for (const sharer of [killed, living]) sharer.go();
    expect(await Promise.all([killed.line(), living.line()])).toEqual(["started", "started"]);
    const store = open("guest");
    expect(await interruptRunningTurns(store)).toEqual([]);
    await killed.kill();
    expect((await interruptRunningTurns(store)).map(({ turnId }) => turnId)).toEqual(["t1"]);
    assertWellFormedTurn((await store.read("s1")).map(({ event }) => event));
    expect((await store.runningTurns()).map(({ turnId }) => turnId)).toEqual(["t2"]);
    living.finish();
    expect(await living.rest()).toEqual([]);
    expect((await interruptRunningTurns(store)).map(({ turnId }) => turnId)).toEqual(["t2"]);
  });

  it.skipIf(!canLeave).each([
    ["a container that looks from outside", [], elsewhere],
    ["the machine that is looked at from a container", elsewhere, []],
  ])("do not end the living turn of %s, but end a dead one", async (_, there, here) => {
    const interrupted = async (): Promise<readonly (readonly string[])[]> =>
      await goTogether([await readyBy(here, "interrupt", "i")]);
    const living = await readyBy(there, "turn", "t1", "s1");
    living.go();
    expect(await living.line()).toBe("started");
    expect(await interrupted()).toEqual([[]]);
    await living.kill();
    expect(await interrupted()).toEqual([["interrupted t1"]]);
  });

  it("end the turn of a killed one once, however many of them find it", async () => {
    const killed = await ready("turn", "t1", "s1");
    killed.go();
    expect(await killed.line()).toBe("started");
    await killed.kill();
    const told = await goTogether(await Promise.all([1, 2, 3, 4, 5].map((each) => ready("interrupt", `i${each}`))));
    expect(told.flat()).toEqual(["interrupted t1"]);
    expect((await open("guest").read("s1")).map(({ event }) => event.type)).toEqual(["turn-start", "turn-end"]);
  });
});
