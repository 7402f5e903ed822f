import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { askDoor } from "./ask-door.ts";
import type { BenchSetting } from "./bench-setting.ts";
import type { Figure } from "./figure.ts";
import { countRunning, residentMegabytes } from "./process-cost.ts";
import { type ServedDoor, serveCaret } from "./serve-door.ts";
import { uniquePrompt } from "./unique-prompt.ts";

const CLIENTS = 8;
const LONG_ANSWER = 1_500_000;

/** Clients that hang up in the middle, and one that asks for much and reads nothing. */
export async function roughClients(setting: BenchSetting): Promise<readonly Figure[]> {
  const door = await serveCaret({ ...setting, keepWarm: false });
  try {
    const left = await agentsLeft(door, setting.agent);
    const growth = await slowReaderGrowth(door, setting.quick ? 4_000 : 10_000);
    return [
      { what: `agents left 1 s after ${CLIENTS} clients hung up`, unit: "", caret: left, target: 0 },
      { what: "memory for a client that does not read", unit: "MB", caret: growth, target: 20 },
    ];
  } finally {
    await door.stop();
  }
}

async function agentsLeft(door: ServedDoor, agent: string): Promise<number> {
  const hangUp = new AbortController();
  const prompt = (): string => uniquePrompt("deltas=1000 pace=20");
  const asked = Array.from({ length: CLIENTS }, () =>
    // Hanging up is an error to the client's own library.
    askDoor(door, { prompt: prompt(), deltas: 1000, signal: hangUp.signal }).catch(() => undefined),
  );
  while (countRunning(agent) < CLIENTS) await sleep(50);
  await sleep(500);
  hangUp.abort();
  await Promise.all(asked);
  await sleep(1000);
  return countRunning(agent);
}

async function slowReaderGrowth({ url, token, pids }: ServedDoor, forMs: number): Promise<number> {
  const [gateway = 0] = pids;
  const before = residentMegabytes([gateway]);
  const body = { stream: true, messages: [{ role: "user", content: uniquePrompt(`deltas=${LONG_ANSWER}`) }] };
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const sent = request(`${url}/v1/chat/completions`, { method: "POST", headers, agent: false });
  sent.on("response", (response) => response.pause());
  sent.on("error", () => undefined); // it is cut off below
  sent.end(JSON.stringify(body));
  let peak = before;
  for (const end = performance.now() + forMs; performance.now() < end; await sleep(100))
    peak = Math.max(peak, residentMegabytes([gateway]));
  sent.destroy();
  return peak - before;
}
