import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CuttableSocket, openCuttableSocket } from "./cuttable-socket.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";

/** Ten seconds for the turns, eight to leave, and what a busy machine adds. */
const STOPPED_MS = 40_000;
/** From here on a worker that is cut off has given up its leases. */
const LAPSED_MS = 13_000;
const signals = ["SIGTERM", "SIGINT"] as const;

/** An agent and a command of it that ignore SIGTERM, and write into the ledger for as long as they live. */
const worksAs = (name: string) => ({
  when: `Work as ${name}`,
  steps: [
    { ignoreSignals: ["SIGTERM" as const] },
    {
      tool: {
        name: "shell",
        args: { command: `trap '' TERM; while :; do echo alive >> ${name}; sleep 0.05; done` },
      },
    },
  ],
});

let fleet: FleetHome;
const ways: CuttableSocket[] = [];
beforeAll(async () => {
  fleet = await FleetHome.open({ turns: [...signals, "mended"].map(worksAs) });
});
afterAll(async () => {
  await fleet.remove();
  for (const way of ways) way.close();
});

function openWay() {
  const way = openCuttableSocket(new URL(fleet.url).searchParams.get("host") ?? "");
  ways.push(way);
  return { way, env: { CARET_STORE: way.url(fleet.url) } };
}

function linesOf(name: string): number {
  const path = join(fleet.home.workspace, name);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length : 0;
}

type Stoppable = Pick<WorkerProcess, "exited" | "stderr" | "kill">;

/** How it ends after the signal; `undefined`: it does not. */
async function stopped(process: Stoppable, signal: NodeJS.Signals) {
  process.kill(signal);
  const exit = await Promise.race([process.exited, sleep(STOPPED_MS, undefined, { ref: false })]);
  const code = Array.isArray(exit) ? exit[0] : (exit as { readonly code: number | null } | undefined)?.code;
  return { code, said: process.stderr().match(/^caret: .*$/m)?.[0] };
}

const unwritten = (seconds: number, what: string) => ({
  code: 1,
  said: `caret: The fleet's database did not answer within ${seconds} s of the shutdown. Not written: ${what} [storage-failed]`,
});
const workerLeft = unwritten(8, "how its last turns ended, and that this worker has left");
const gatewayLeft = unwritten(5, "that this gateway has left");

/** A worker by a way that can be cut, at work on the turn of this name. */
async function working(name: string) {
  const { way, env } = openWay();
  const machine = `desk-${name}`;
  const worker = await fleet.worker(machine, { ...env, CARET_FLEET_MACHINE: machine });
  const client = fleet.client(await fleet.gateway(`beside-${name}`));
  const { id } = await client.createSession({ workspace: fleet.home.workspace, permission: "full", machine });
  await client.startTurn(id, { prompt: `Work as ${name}` });
  while (linesOf(name) === 0) await sleep(50);
  return { way, worker };
}

it.concurrent.each(signals)("a worker without work that is cut off ends after %s", async (signal) => {
  const { way, env } = openWay();
  const worker = await fleet.worker(`idle-${signal}`, env);
  way.cut();
  expect(await stopped(worker, signal)).toEqual(workerLeft);
});

it.concurrent.each(signals)(
  "a worker at work that is cut off ends after %s, and its agent before it",
  async (signal) => {
    const { way, worker } = await working(signal);
    way.cut();
    expect(await stopped(worker, signal)).toEqual(workerLeft);
    const lines = linesOf(signal);
    await sleep(500);
    expect(linesOf(signal)).toBe(lines);
  },
);

it.concurrent.each(signals)("a worker that was cut off long ago ends after %s", async (signal) => {
  const { way, env } = openWay();
  const worker = await fleet.worker(`lapsed-${signal}`, env);
  way.cut();
  await sleep(LAPSED_MS);
  expect(await stopped(worker, signal)).toEqual(workerLeft);
});

it.concurrent("a worker whose database is back before its time is over leaves as ever", async () => {
  const { way, worker } = await working("mended");
  way.cut();
  const ended = stopped(worker, "SIGTERM");
  await sleep(3_000);
  way.mend();
  expect(await ended).toEqual({ code: 0, said: undefined });
});

it.concurrent.each(signals)("a gateway that is cut off ends after %s, with a client that follows", async (signal) => {
  const { way, env } = openWay();
  const gateway = await fleet.gateway(`cut-gateway-${signal}`, env);
  const leaving = new AbortController();
  const updates = fleet.client(gateway).followUpdates({ signal: leaving.signal })[Symbol.asyncIterator]();
  await updates.next();
  way.cut();
  expect(await stopped(gateway, signal)).toEqual(gatewayLeft);
  leaving.abort();
});

it.concurrent.each(["worker", "gateway"] as const)("a %s whose database refuses connections ends", async (role) => {
  const { way, env } = openWay();
  const program = await fleet[role](`refused-${role}`, env);
  way.close();
  expect(await stopped(program, "SIGTERM")).toEqual({ code: 0, said: undefined });
});
