import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createNativeClient } from "@caret/protocol";
import { type Figure, ownFigure } from "../figures/figure.ts";
import { quantile } from "../figures/quantile.ts";
import type { AppenderJob, AppenderReport } from "./appender-job.ts";
import { countDatabaseCpu, countOwnCpu, type FleetStage } from "./fleet-stage.ts";
import { costFigures } from "./load-model-page.ts";

const appender = fileURLToPath(new URL("./appender-main.ts", import.meta.url));
const SESSIONS = 50;
const PER_SECOND = 1_000;
const MOST_P95_MS = 50;

/** From when a worker has an event until a client of a gateway has it, at a thousand appends per second; and what that costs. */
export async function eventLatency(stage: FleetStage, ms: number): Promise<readonly Figure[]> {
  const running = await startAppender(stage, { name: "paced", sessions: SESSIONS, perSecond: PER_SECOND, ms });
  const followers = followAll(stage, "paced", (PER_SECOND * ms) / 1_000);
  await followers.ready;
  const costs = {
    gateway: countOwnCpu(stage.gateway.pid),
    worker: countOwnCpu(running.pid),
    database: countDatabaseCpu(stage.fleet),
  };
  const counting = running.go();
  const latencies = await followers.latencies;
  const [gatewayMs, workerMs, databaseMs] = [costs.gateway(), costs.worker(), costs.database()];
  const { appends } = await counting;
  const each = (cpuMs: number): number => (cpuMs * 1_000) / appends;
  const at = `at ${PER_SECOND} appends/s`;
  return [
    ownFigure(`event latency ${at}, p50`, "ms", quantile(latencies, 0.5)),
    ownFigure(`event latency ${at}, p95`, "ms", quantile(latencies, 0.95), MOST_P95_MS),
    ownFigure(`event latency ${at}, p99`, "ms", quantile(latencies, 0.99)),
    ownFigure(costFigures.gatewayFollowed, "ms", each(gatewayMs)),
    ownFigure(costFigures.workerAppends, "ms", each(workerMs)),
    ownFigure(costFigures.databaseAppends, "ms", each(databaseMs)),
  ];
}

/** What a gateway does for events that nobody follows through it: it hears that there are some. */
export async function unfollowedEvents(stage: FleetStage, ms: number): Promise<readonly Figure[]> {
  const wanted = { name: "unfollowed", sessions: SESSIONS, perSecond: PER_SECOND, ms };
  const running = await startAppender(stage, wanted);
  const count = countOwnCpu(stage.gateway.pid);
  const { appends } = await running.go();
  return [ownFigure(costFigures.gatewayHeard, "ms", (count() * 1_000) / appends)];
}

/** How many appends per second reach the disk when one writer per session waits for each. */
export async function mostAppends(stage: FleetStage, ms: number): Promise<readonly Figure[]> {
  const running = await startAppender(stage, { name: "flat-out", sessions: SESSIONS, ms });
  const report = await running.go();
  return [ownFigure("appends per second of one worker, each waited for", "", (report.appends * 1_000) / report.ms)];
}

interface StartedAppender {
  readonly pid: number;
  go(): Promise<AppenderReport>;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

async function startAppender(
  { fleet }: FleetStage,
  wanted: Pick<AppenderJob, "name" | "sessions" | "ms" | "perSecond">,
): Promise<StartedAppender> {
  const { CARET_STORE: store = "", CARET_FLEET_KEY: fleetKey = "" } = fleet.environment("appender");
  const job: AppenderJob = { ...wanted, store, fleetKey, workspace: fleet.home.workspace };
  const child: Child = spawn(process.execPath, [appender, JSON.stringify(job)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const next = async (): Promise<string> => {
    const [line] = (await Promise.race([once(lines, "line"), once(child, "exit")])) as [unknown];
    if (typeof line !== "string") throw new Error("The appender left before it had appended");
    return line;
  };
  await next();
  return {
    pid: child.pid ?? 0,
    async go() {
      child.stdin.end("go\n");
      const report = JSON.parse(await next()) as AppenderReport;
      await once(child, "exit");
      return report;
    },
  };
}

/** One stream for each session, as open pages and terminals have them. */
function followAll({ gateway: { url, token } }: FleetStage, name: string, wanted: number) {
  const client = createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
  const latencies: number[] = [];
  const over = Promise.withResolvers<readonly number[]>();
  const stop = new AbortController();
  const follow = async (sessionId: string): Promise<void> => {
    for await (const batch of client.followEvents(sessionId, { after: 0, signal: stop.signal })) {
      const arrivedAt = performance.timeOrigin + performance.now();
      for (const { event } of batch) if (event.type === "text-delta") latencies.push(arrivedAt - Number(event.text));
      if (latencies.length < wanted) continue;
      over.resolve(latencies);
      stop.abort();
    }
  };
  const ids = Array.from({ length: SESSIONS }, (_, index) => `${name}-${index}`);
  for (const id of ids)
    follow(id).catch((reason: unknown) => {
      if (!stop.signal.aborted) over.reject(reason);
    });
  // Whoever can read a session through this gateway has its stream open soon after.
  const ready = Promise.all(ids.map((id) => client.getSession(id)));
  return { ready, latencies: over.promise };
}
