import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figures/figure.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { chatRequest, uniquePrompt } from "./chat-request.ts";
import { contest, freshContest } from "./contest.ts";
import { floodOnce } from "./flood.ts";
import { startLoad } from "./load-door.ts";
import { countRunning } from "./process-tree.ts";
import type { ServedDoor } from "./serve-door.ts";
import { serverMegabytes } from "./server-cost.ts";

const CLIENTS = 8;
const LONG_ANSWER = 1_500_000;
const WATCH_MS = 4_000;

/** Clients that hang up in the middle. */
export async function goneClients(setting: BenchSetting): Promise<readonly Figure[]> {
  const rounds = await contest(setting, { keepWarm: false }, (door) => agentsLeft(setting, door));
  return [
    { what: `agents left 1 s after ${CLIENTS} clients hung up`, unit: "", rounds, bar: { of: "value", most: 0 } },
  ];
}

/** One that asks for much and reads nothing. */
export async function slowReader(setting: BenchSetting): Promise<readonly Figure[]> {
  const rounds = await freshContest(setting, { keepWarm: false }, (door) => slowReaderGrowth(setting, door));
  return [{ what: "memory for a client that does not read", unit: "MB", rounds, bar: { of: "value", most: 20 } }];
}

async function agentsLeft(setting: BenchSetting, door: ServedDoor): Promise<number> {
  const before = countRunning(setting.agent);
  const orders = "deltas=1000 pace=20";
  const dialogues = Array.from({ length: CLIENTS }, () => [{ role: "user", content: uniquePrompt(orders) } as const]);
  const load = await startLoad(setting, door, { dialogues, order: "spread", ms: 0, deltas: 1000 });
  load.result.catch(() => undefined); // it is ended below and has no result
  while (countRunning(setting.agent) < before + CLIENTS) await sleep(50);
  await sleep(500);
  load.hangUp();
  await sleep(1000);
  return Math.max(0, countRunning(setting.agent) - before);
}

async function slowReaderGrowth(setting: BenchSetting, door: ServedDoor): Promise<number> {
  // A client that reads comes first: what the server needs for any long answer is not the reader's that does not.
  await floodOnce(setting, door);
  const before = serverMegabytes(door.pid, setting.agent);
  const { hostname, port } = new URL(door.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  socket.on("error", () => undefined); // it is cut off below
  socket.write(chatRequest(door, [{ role: "user", content: uniquePrompt(`deltas=${LONG_ANSWER}`) }]));
  let peak = before;
  for (const end = performance.now() + WATCH_MS; performance.now() < end; await sleep(100))
    peak = Math.max(peak, serverMegabytes(door.pid, setting.agent));
  socket.destroy();
  return peak - before;
}
