import type { EventEnvelope } from "@caret/protocol";
import { type Figure, ownFigure } from "../figures/figure.ts";
import type { FleetStage } from "./fleet-stage.ts";

const SESSIONS = 8;
const MOST_QUEUED_S = 15;
const MOST_RUNNING_S = 20;

/** Of each session: when its running turn was reported interrupted, and when the turn behind it began elsewhere. */
interface FailOver {
  readonly interruptedMs: number;
  readonly startedMs: number;
}

/**
 * The worker with all turns is killed; the other one is on another machine, so that it cannot see that the process is dead
 * and has to wait for the leases.
 */
export async function failOver({ fleet, gateway, worker }: FleetStage): Promise<readonly Figure[]> {
  const client = fleet.client(gateway);
  const ids: string[] = [];
  for (let index = 0; index < SESSIONS; index += 1)
    ids.push((await client.createSession({ workspace: fleet.home.workspace, permission: "full", lane: "sim" })).id);
  // Two at once: the second waits in the queue of the session behind the first.
  const asked = ids.flatMap((id) =>
    ["first", "second"].map((name) => client.startTurn(id, { prompt: `Run \`sleep 90 # ${name}\`` })),
  );
  const accepted = Promise.allSettled(asked);
  const queued = await untilQueued(fleet);
  await fleet.worker("other", { CARET_FLEET_MACHINE: "two" });
  const stop = new AbortController();
  const killedAt = performance.now();
  worker.kill("SIGKILL");
  const measured = await Promise.all(
    queued.map((id) => watch(client.followEvents(id, { after: 0, signal: stop.signal }), killedAt)),
  );
  stop.abort();
  await accepted;
  const slowest = (of: keyof FailOver): number => Math.max(...measured.map((each) => each[of])) / 1_000;
  return [
    ownFigure(`fail-over of ${queued.length} queued turns, slowest`, "s", slowest("startedMs"), MOST_QUEUED_S),
    ownFigure(
      `running turns reported interrupted, slowest of ${queued.length}`,
      "s",
      slowest("interruptedMs"),
      MOST_RUNNING_S,
    ),
  ];
}

/** The sessions with a turn that runs and one that waits: a second request that came too late was refused. */
async function untilQueued({ server }: FleetStage["fleet"]): Promise<readonly string[]> {
  const sql = `select key from caret.turns group by key
    having count(*) filter (where state = 'running') = 1 and count(*) filter (where state = 'queued') = 1`;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const found = server.run("psql", ["-d", "caret_fleet", "-Atc", sql]).trim().split("\n").filter(Boolean);
    if (found.length >= SESSIONS / 2) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("Too few turns came to wait behind others");
}

async function watch(stream: AsyncIterable<readonly EventEnvelope[]>, killedAt: number): Promise<FailOver> {
  const seen: Record<"turn-start" | "turn-end", number[]> = { "turn-start": [], "turn-end": [] };
  for await (const batch of stream) {
    const ms = performance.now() - killedAt;
    for (const { event } of batch)
      if (event.type === "turn-start" || event.type === "turn-end") seen[event.type].push(ms);
    if (seen["turn-start"].length === 2) break;
  }
  const [interruptedMs = Number.NaN, startedMs = Number.NaN] = [seen["turn-end"][0], seen["turn-start"][1]];
  return { interruptedMs, startedMs };
}
