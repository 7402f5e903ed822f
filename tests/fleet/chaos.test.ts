import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentEvent, assertWellFormedTurn } from "@caret/protocol";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GatewayProcess } from "../clients/gateway-process.ts";
import { type CuttableSocket, openCuttableSocket } from "./cuttable-socket.ts";
import { DoomedProcesses } from "./doomed-processes.ts";
import { FleetHome, type WorkerProcess } from "./fleet-home.ts";
import { type ClientTurn, PatientClient } from "./patient-client.ts";

const SESSIONS = barSize({ quick: 10, full: 100 });
const TURNS = barSize({ quick: 5, full: 5, bar: 30 });
const WORKER_KILL_MS = 1_500;
const GATEWAY_KILL_MS = 5_000;
const CUT_MS = 20_000;
const PROGRESS_MS = 10_000;
/** Two cores start an agent for each of 3,000 turns beside the workers and gateways that start again: a few turns per second. */
const LIMIT_MS = barSize({ quick: 300_000, full: 5_400_000 });
/** Workers that start quickly, since they are killed as quickly. */
const light = { CARET_FLEET_CAPACITY: "6", CARET_SPAWNER_ENABLED: "false" };

let fleet: FleetHome;
let gateways: DoomedProcesses<GatewayProcess>;
let workers: DoomedProcesses<WorkerProcess>;
let cuttable: CuttableSocket;
beforeAll(async () => {
  fleet = await FleetHome.open(undefined, { fsync: true });
  cuttable = openCuttableSocket(new URL(fleet.url).searchParams.get("host") ?? "");
  const first = await fleet.worker("worker-0", { CARET_STORE: cuttable.url(fleet.url), ...light });
  workers = new DoomedProcesses(3, async (index) => {
    if (index === 0 && workers === undefined) return first;
    const env = { ...light, ...(index === 0 ? { CARET_STORE: cuttable.url(fleet.url) } : {}) };
    return await fleet.worker(`worker-${index}`, env);
  });
  gateways = new DoomedProcesses(3, (index) => fleet.gateway(`gateway-${index}`));
  await Promise.all([workers.ready(), gateways.ready()]);
});
afterAll(async () => {
  await fleet.remove();
  cuttable.close();
});

/** Does something again and again until it is stopped. */
function every(ms: number, work: (count: number) => void): () => void {
  let count = 0;
  const timer = setInterval(() => work(count++), ms);
  return () => clearInterval(timer);
}

async function runClient(index: number, onTurn: () => void): Promise<{ client: PatientClient; turns: ClientTurn[] }> {
  let asked = index;
  const client = new PatientClient(() => gateways.get(asked++));
  await client.create(fleet.home.workspace, `session-${index}`);
  const turns: ClientTurn[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const mark = `s${index}-t${turn}`;
    turns.push(await client.turn(`Run \`echo ${mark} >> effects.txt\``, mark));
    onTurn();
  }
  return { client, turns };
}

it(
  "loses, doubles and strands no turn while workers, gateways and the database die under it",
  async () => {
    let done = 0;
    let isCutOff = false;
    const all = SESSIONS * TURNS;
    const at = (share: number, act: () => void): (() => void) => {
      let isDone = false;
      return () => {
        if (isDone || done < all * share) return;
        isDone = true;
        act();
      };
    };
    const restarts: Promise<void>[] = [];
    const disasters = [
      at(0.25, () => restarts.push(fleet.server.restart())),
      at(0.65, () => restarts.push(fleet.server.restart())),
      at(0.4, () => {
        isCutOff = true;
        cuttable.cut();
        restarts.push(
          new Promise((resolve) => setTimeout(resolve, CUT_MS)).then(() => {
            cuttable.mend();
            isCutOff = false;
          }),
        );
      }),
    ];
    const startedAt = performance.now();
    const stops = [
      every(PROGRESS_MS, () => {
        const seconds = Math.round((performance.now() - startedAt) / 1_000);
        const kills = `${workers.kills} workers and ${gateways.kills} gateways killed`;
        process.stdout.write(`${seconds} s: ${done} of ${all} turns, ${kills}, ${restarts.length} disasters\n`);
      }),
      // The worker that is cut off lives on: that is what is hard about it.
      every(WORKER_KILL_MS, (count) => workers.kill(isCutOff ? 1 + (count % 2) : count % 3)),
      every(GATEWAY_KILL_MS, (count) => gateways.kill(count % 3)),
    ];
    const onTurn = (): void => {
      done += 1;
      for (const disaster of disasters) disaster();
    };
    const clients = await Promise.all(Array.from({ length: SESSIONS }, (_, index) => runClient(index, onTurn)));
    for (const stop of stops) stop();
    await Promise.all(restarts);
    await Promise.all([workers.stop(), gateways.stop()]);

    expect([...workers.crashes, ...gateways.crashes]).toEqual([]);
    const turns = clients.flatMap((client) => client.turns);
    const effects = readFileSync(join(fleet.home.workspace, "effects.txt"), "utf8").trim().split("\n");
    const counted = Map.groupBy(effects, (mark) => mark);
    const outcomes = Object.groupBy(turns, ({ outcome }) => outcome);
    process.stdout.write(
      JSON.stringify({
        turns: turns.length,
        ...Object.fromEntries(Object.entries(outcomes).map(([outcome, those]) => [outcome, those?.length])),
        workerKills: workers.kills,
        gatewayKills: gateways.kills,
        seconds: Math.round((performance.now() - startedAt) / 1_000),
      }),
    );
    expect({
      turns: turns.length,
      doubled: [...counted].filter(([, lines]) => lines.length > 1).map(([mark]) => mark),
      lost: turns.filter(({ outcome, prompt }) => outcome === "completed" && !counted.has(markOf(prompt))),
      gaps: clients.filter(({ client }) => client.events.some(({ seq }, index) => seq !== index + 1)).length,
    }).toEqual({ turns: all, doubled: [], lost: [], gaps: 0 });
    for (const { client, turns: asked } of clients) assertSession(client, asked);
    await expect.poll(() => left(), { timeout: 40_000 }).toEqual("");
  },
  LIMIT_MS,
);

const markOf = (prompt: string): string => /s\d+-t\d+/.exec(prompt)?.[0] ?? "";

/** Each turn of the log once, well-formed, in the order in which the client asked; none that it did not ask for. */
function assertSession({ events }: PatientClient, asked: readonly ClientTurn[]): void {
  const byTurn = Map.groupBy(events, ({ turnId }) => turnId);
  for (const turn of byTurn.values()) assertWellFormedTurn(turn.map(({ event }) => event));
  const logged = [...byTurn.values()].map(([first, ...rest]) => ({
    prompt: first?.event.type === "turn-start" ? (first.event.prompt ?? "") : "",
    isBegun: rest.length > 1 || !hasFailed(rest[0]?.event),
  }));
  // A turn that never began is in the log with its failure alone; its client was refused, and has asked again.
  const started = logged
    .filter(({ prompt, isBegun }, index) => isBegun || logged[index + 1]?.prompt !== prompt)
    .map(({ prompt }) => prompt);
  const wanted = asked.map(({ prompt }) => prompt);
  expect(started).toEqual(wanted.filter((prompt) => started.includes(prompt)));
  const begun = asked.filter(({ turnId }) => turnId !== undefined).map(({ prompt }) => prompt);
  expect(begun.filter((prompt) => !started.includes(prompt))).toEqual([]);
}

function hasFailed(event: AgentEvent | undefined): boolean {
  return event?.type === "turn-end" && event.outcome.kind === "failed";
}

/** Turns that nobody has ended, and jobs of the fleet that wait or run for nothing. */
function left(): string {
  const sql = `select 'turn', state, id, key from caret.turns where state in ('queued', 'running')
    union all select 'job in ' || name, state::text, id::text, singleton_key from caret_jobs.job
    where state in ('created', 'retry', 'active')`;
  return fleet.server.run("psql", ["-d", "caret_fleet", "-Atc", sql]).trim();
}
