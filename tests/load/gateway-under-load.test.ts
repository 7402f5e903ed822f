import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { buildPrograms } from "../../bench/doors/build-programs.ts";
import { countRunning } from "../../bench/doors/process-tree.ts";
import { type ServedDoor, serveCaret } from "../../bench/doors/serve-door.ts";
import { serverMegabytes } from "../../bench/doors/server-cost.ts";
import { readChat } from "./read-chat.ts";

const PACE_MS = 20;
/** Large enough that everything between the gateway and a reader is full within seconds. */
const LARGE_DELTA = 4_096;
/** As long as a reader may take nothing, and the time until it is stuck, on a busy machine. */
const CUT_MS = 90_000;

let directory: string;
let agent: string;
let door: ServedDoor;

beforeEach(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-load-")));
  ({ agent } = buildPrograms(directory));
  door = await serveCaret({ agent, directory, keepWarm: false });
});
afterEach(async () => {
  await door.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The agents are written in C, so that hundreds of them fit on a small machine. */
describe.skipIf(!hasCompiler())("A gateway under load", () => {
  test("answers many clients at once, each whole and in order, in bounded memory", { timeout: 120_000 }, async () => {
    const streams = barSize({ quick: 16, full: 256 });
    const deltas = barSize({ quick: 40, full: 250 });
    await readChat(door, "Once before anything is measured. deltas=1");
    const before = serverMegabytes(door.pid, agent);
    const memory = watchMemory();
    const answers = await readMany(streams, `deltas=${deltas} pace=${PACE_MS}`).finally(memory.stop);
    for (const { status, text, finish, isDone } of answers) {
      expect({ status, finish, isDone }).toEqual({ status: 200, finish: "stop", isDone: true });
      expect(faultOf(text, deltas)).toBeUndefined();
    }
    // A megabyte for each client, and what the runtime takes before it cleans up.
    expect(memory.peak() - before).toBeLessThan(streams + 150);
  });

  // What such clients do not read is more than the bound only after a minute.
  test.runIf(isFullRun())(
    "spends little memory on clients that never read, and cuts them",
    { timeout: 180_000 },
    async () => {
      const clients = 50;
      // First as many that do read, so that only the difference is measured.
      const usual = watchMemory();
      await readMany(clients, `deltas=100 pace=${PACE_MS} size=${LARGE_DELTA}`).finally(usual.stop);
      const unread = watchMemory();
      const idle = Array.from({ length: clients }, (_, index) =>
        askAndNeverRead(door, `Client ${index} does not listen. deltas=5000 pace=${PACE_MS} size=${LARGE_DELTA}`),
      );
      try {
        await eventually(() => countRunning(agent) >= clients, "all agents run", 60_000);
        await vi.waitFor(async () => expect(await countCut(door)).toBe(clients), { timeout: CUT_MS });
      } finally {
        unread.stop();
        for (const client of idle) client.destroy();
      }
      expect(unread.peak() - usual.peak()).toBeLessThan(64);
      expect((await readChat(door, "And who comes after them? deltas=3")).finish).toBe("stop");
    },
  );
});

function readMany(clients: number, orders: string) {
  return Promise.all(Array.from({ length: clients }, (_, index) => readChat(door, `Client ${index} asks. ${orders}`)));
}

/** The most memory that the gateway and its helpers have had at once, until it is stopped. */
function watchMemory() {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, serverMegabytes(door.pid, agent));
  }, 100);
  return { peak: () => peak, stop: () => clearInterval(timer) };
}

/** What is wrong with the text of so many deltas: each must be there once, whole, and not before the one it follows. */
function faultOf(text: string, deltas: number): string | undefined {
  const marks = [...text.matchAll(/<(\d{15})> and so/g)].map(([, time]) => Number(time));
  if (marks.length !== deltas) return `${marks.length} deltas of ${deltas}`;
  if (text.length !== deltas * "<000000000000000> and so".length) return "something that the agent did not say";
  return marks.every((mark, index) => mark >= (marks[index - 1] ?? 0)) ? undefined : "deltas out of order";
}

function askAndNeverRead({ url, token }: ServedDoor, content: string) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const sent = request(`${url}/v1/chat/completions`, { method: "POST", headers, agent: false });
  sent.on("response", (response) => response.pause().on("error", () => undefined));
  sent.on("error", () => undefined); // being cut is what it is here for
  sent.end(JSON.stringify({ stream: true, messages: [{ role: "user", content }] }));
  return sent;
}

/** How many readers the gateway says it has cut. */
async function countCut({ url, token }: ServedDoor): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return Number(/^caret_slow_readers_total (\d+)/m.exec(await response.text())?.[1] ?? 0);
}

function hasCompiler(): boolean {
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
