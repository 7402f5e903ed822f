import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figures/figure.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { caretProgram, type DoorSettings, type StartedServer, startCaret, startRawpipe } from "./serve-door.ts";
import { type Memory, treeMemory } from "./server-cost.ts";

/** A connection that is refused costs next to nothing, so that looking this often leaves the processor to the server. */
const POLL_MS = 3;
/** Until a server that is ready has done what it put off. */
const SETTLE_MS = 3000;

/** What a command costs that does nothing. */
export async function helpCommand({ rounds: count }: BenchSetting): Promise<readonly Figure[]> {
  const rounds = { node: [] as number[], caret: [] as number[] };
  for (let round = -1; round < count; round += 1)
    for (const [name, args] of [["node", ["-e", "0"]] as const, ["caret", [caretProgram, "--help"]] as const]) {
      const began = performance.now();
      const { status } = spawnSync(process.execPath, args, { stdio: "ignore" });
      if (status !== 0) throw new Error(`${args.join(" ")} failed`);
      if (round >= 0) rounds[name].push(performance.now() - began);
    }
  return [{ what: "caret --help", unit: "ms", rounds, floor: "node", bar: { of: "ratio", most: 5 } }];
}

/** From the start of a server to its first good answer to a health check, and its memory once it has come to rest. */
export async function startUp(setting: BenchSetting): Promise<readonly Figure[]> {
  const ready: Record<string, number[]> = { rawpipe: [], caret: [] };
  const memory: Record<string, Memory[]> = { rawpipe: [], caret: [] };
  const servers = { rawpipe: startRawpipe, caret: startCaret };
  for (let round = -1; round < setting.rounds; round += 1)
    for (const [name, start] of Object.entries(servers)) {
      const { readyMs, idle } = await startOnce(setting, start);
      if (round < 0) continue;
      ready[name]?.push(readyMs);
      memory[name]?.push(idle);
    }
  const megabytes = (pick: (memory: Memory) => number): Figure["rounds"] =>
    Object.fromEntries(Object.entries(memory).map(([name, each]) => [name, each.map(pick)]));
  const idle = "idle memory of all processes";
  return [
    { what: "serve until ready", unit: "ms", rounds: ready, floor: "rawpipe", bar: { of: "ratio", most: 4 } },
    {
      what: `${idle}, resident`,
      unit: "MB",
      rounds: megabytes(({ residentMegabytes }) => residentMegabytes),
      floor: "rawpipe",
      bar: { of: "value", most: 120 },
    },
    {
      what: `${idle}, shared pages divided`,
      unit: "MB",
      rounds: megabytes(({ proportionalMegabytes }) => proportionalMegabytes),
      floor: "rawpipe",
    },
  ];
}

async function startOnce(
  setting: BenchSetting,
  start: (settings: DoorSettings) => StartedServer,
): Promise<{ readonly readyMs: number; readonly idle: Memory }> {
  const port = await freePort();
  const began = performance.now();
  const server = start({ ...setting, port });
  let failure: unknown;
  server.ready.catch((reason: unknown) => {
    failure = reason;
  });
  try {
    while (!(await isHealthy(port))) {
      if (failure !== undefined) throw failure;
      await sleep(POLL_MS);
    }
    const readyMs = performance.now() - began;
    const { pid = 0 } = await server.ready;
    await sleep(SETTLE_MS);
    return { readyMs, idle: treeMemory(pid) };
  } finally {
    await server.stop();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("There is no free port");
  return address.port;
}

function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const settle = (isThere: boolean): void => {
      resolve(isThere);
      socket.destroy();
    };
    socket.once("error", () => settle(false)); // nobody listens yet
    socket.once("close", () => resolve(false));
    socket.once("data", (head: Buffer) => settle(head.toString("latin1").startsWith("HTTP/1.1 200")));
    socket.write(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
  });
}
