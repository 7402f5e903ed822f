import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildPrograms } from "../../bench/doors/build-programs.ts";
import { uniquePrompt } from "../../bench/doors/chat-request.ts";
import { findListener } from "../../bench/doors/find-listener.ts";
import { type LoadPlan, loadDoor, startLoad } from "../../bench/doors/load-door.ts";
import { processTree, serverPids } from "../../bench/doors/process-tree.ts";
import { type ServedDoor, startRawpipe } from "../../bench/doors/serve-door.ts";
import { countCpu, serverMegabytes } from "../../bench/doors/server-cost.ts";

let directory: string;
let programs: string;
let built: ReturnType<typeof buildPrograms>;
let setting: Parameters<typeof loadDoor>[0];
let rawpipe: ServedDoor;
let server: Server | undefined;

beforeAll(() => {
  programs = realpathSync(mkdtempSync(join(tmpdir(), "caret-bench-programs-")));
  built = buildPrograms(programs);
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

beforeEach(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-bench-")));
  setting = { directory, rounds: 1, targets: [], serveArgs: [], ...built };
  rawpipe = await startRawpipe(setting).ready;
});
afterEach(async () => {
  await rawpipe.stop();
  server?.close();
  server = undefined;
  rmSync(directory, { recursive: true, force: true });
});

describe.skipIf(!hasCompiler())("The load generator of the benchmarks", () => {
  test("counts every delta of every stream, and not what the agent repeats at its end", async () => {
    const { answers, latenciesMs } = await loadDoor(setting, rawpipe, plan(8, "spread", 50));
    expect(answers.map(({ isWhole }) => isWhole)).toEqual(Array(8).fill(true));
    expect(latenciesMs).toHaveLength(8 * 50);
    expect(Math.min(...latenciesMs)).toBeGreaterThanOrEqual(0);
  });

  test("times the first delta, and the whole answer", async () => {
    const { answers } = await loadDoor(setting, rawpipe, plan(1, "spread", 20, "pace=20"));
    // The agent itself rests 20 ms before each delta.
    expect(answers.every(({ firstTokenMs, wholeMs }) => firstTokenMs >= 20 && wholeMs - firstTokenMs >= 19 * 20)).toBe(
      true,
    );
  });

  test("finds marks that were cut anywhere, and knows an answer that lacks some", async () => {
    const door = await serve((write, end) => {
      for (const byte of "a < b <000000000000001> <00000000000000x> <000000000000002>") write(byte);
      end();
    });
    const { answers, latenciesMs } = await loadDoor(setting, door, plan(1, "spread", 3));
    expect(answers.map(({ isWhole }) => isWhole)).toEqual([false]);
    expect(latenciesMs).toHaveLength(2);
  });

  test("asks in sequence on one connection, each after the end of the one before", async () => {
    const connections = new Set<unknown>();
    let open = 0;
    let mostOpen = 0;
    const door = await serve((write, end, socket) => {
      connections.add(socket);
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      write("<000000000000001>");
      setImmediate(() => {
        open -= 1;
        end();
      });
    });
    const { answers } = await loadDoor(setting, door, plan(5, "sequence", 1));
    const whole = answers.filter(({ isWhole }) => isWhole).length;
    expect({ whole, connections: connections.size, mostOpen }).toEqual({ whole: 5, connections: 1, mostOpen: 1 });
  });

  test("does not take an answer for whole whose connection broke after the last delta", async () => {
    const door = await serve((write, _, socket) => {
      write("<000000000000001>");
      setImmediate(() => socket.destroy());
    });
    const { answers, latenciesMs } = await loadDoor(setting, door, plan(1, "spread", 1));
    expect(latenciesMs).toHaveLength(1);
    expect(answers.map(({ isWhole }) => isWhole)).toEqual([false]);
  });

  test("takes an answer that is an error for what it is", async () => {
    const door = await serve((_, end) => end(), 503);
    const { answers } = await loadDoor(setting, door, plan(2, "spread", 1));
    expect(answers.map(({ isWhole, firstTokenMs }) => ({ isWhole, firstTokenMs }))).toEqual(
      Array(2).fill({ isWhole: false, firstTokenMs: Number.NaN }),
    );
  });
});

describe.skipIf(!hasCompiler())("What a benchmark reads of a server's processes", () => {
  test("finds the process that listens on a port", () => {
    expect(findListener(Number(new URL(rawpipe.url).port))).toBe(rawpipe.pid);
    expect(findListener(1)).toBeUndefined();
  });

  test("leaves agents out of the server's cost, and counts the time it has used", async () => {
    const { pid = 0 } = rawpipe;
    const cpu = countCpu(pid, setting.agent);
    const { result, hangUp } = await startLoad(setting, rawpipe, plan(4, "spread", 10_000, "pace=20"));
    await expect.poll(() => processTree(pid).length).toBe(5);
    expect(serverPids(pid, setting.agent)).toEqual([pid]);
    hangUp();
    await expect(result).rejects.toThrow("The load generator ended without a result");
    await expect.poll(() => processTree(pid).length).toBe(1);
    expect(cpu()).toBeGreaterThan(0);
    expect(serverMegabytes(pid, setting.agent)).toBeGreaterThan(10);
    expect(countCpu(undefined, setting.agent)()).toBeNaN();
  });
});

function plan(streams: number, order: LoadPlan["order"], deltas: number, more = ""): LoadPlan {
  const orders = `${more} deltas=${deltas}`;
  const dialogues = Array.from({ length: streams }, () => [{ role: "user", content: uniquePrompt(orders) } as const]);
  return { dialogues, order, ms: 0, deltas };
}

/** A server that answers as the test says, in one chunk for each write. */
async function serve(
  answer: (write: (text: string) => void, end: () => void, socket: Socket) => void,
  status = 200,
): Promise<ServedDoor> {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(status);
    answer(
      (text) => void response.write(text),
      () => void response.end(),
      request.socket,
    );
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return { ...rawpipe, name: "scripted", url: `http://127.0.0.1:${address.port}` };
}

function hasCompiler(): boolean {
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
