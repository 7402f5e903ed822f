import { openDatabase, openFleetSeat, openPostgresEventStore, readDatabaseAddress } from "@caret/fleet";
import { CaretError, Secret } from "@caret/protocol";
import type { LogWriter } from "@caret/runtime/log/event-store.ts";
import { type AppenderJob, type AppenderReport, BENCH_TURN } from "./appender-job.ts";

/** What a worker of the fleet has to do with the log, without agents: it holds sessions and appends to them at a given rate. */
const job = JSON.parse(process.argv[2] ?? "") as AppenderJob;
const onError = (error: CaretError): void => console.error(error.message);
const database = openDatabase(readDatabaseAddress(job.store), { name: "caret worker" });
const seat = openFleetSeat({ database, fleetKey: new Secret(job.fleetKey), machine: "appender", onError });
const store = await openPostgresEventStore({
  database,
  owner: seat.owner,
  fenceOf: seat.leases.fenceOf,
  newLeaseMs: seat.leases.newLeaseMs,
  mayDelete: false,
  role: "worker",
  isOwnerAlive: () => true,
  onAppended: (sessionId) => seat.notifier.hint({ kind: "log", id: sessionId }),
});
const renewing = setInterval(() => void seat.leases.renew().catch((reason) => onError(CaretError.from(reason))), 3_000);

const sessions = Array.from({ length: job.sessions }, (_, index) => ({ id: `${job.name}-${index}`, seq: 0 }));
const writers = new Map<string, LogWriter>();
for (const { id } of sessions) {
  await seat.leases.claim(id);
  await store.createSession({ id, workspace: job.workspace, createdAt: Date.now() });
  writers.set(id, {});
}
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));

const report = job.perSecond === undefined ? await appendWithoutPause() : await appendAtRate(job.perSecond);
process.stdout.write(`${JSON.stringify(report satisfies AppenderReport)}\n`);
clearInterval(renewing);
await store.close();
await seat.close();
await database.close();

/** Each append carries when it was asked for. Nobody waits for it, as nobody waits for an agent's words. */
async function appendAtRate(perSecond: number): Promise<AppenderReport> {
  const began = performance.now();
  const all: Promise<unknown>[] = [];
  const count = (perSecond * job.ms) / 1_000;
  for (let number = 0; number < count; number += 1) {
    const wait = began + (number * 1_000) / perSecond - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const session = sessions[number % sessions.length];
    if (session === undefined) break;
    const text = String(performance.timeOrigin + performance.now());
    all.push(append(session, text));
  }
  await Promise.all(all);
  return { appends: count, ms: performance.now() - began };
}

/** As many as there can be, one under way for each session. */
async function appendWithoutPause(): Promise<AppenderReport> {
  const began = performance.now();
  let appends = 0;
  await Promise.all(
    sessions.map(async (session) => {
      while (performance.now() - began < job.ms) {
        await append(session, "word");
        appends += 1;
      }
    }),
  );
  return { appends, ms: performance.now() - began };
}

async function append(session: { readonly id: string; seq: number }, text: string): Promise<void> {
  const event = { type: "text-delta", blockId: "block", text } as const;
  const writer = writers.get(session.id) ?? {};
  const seq = session.seq;
  session.seq += 1;
  const entries = [{ turnId: BENCH_TURN, event }];
  // In a closed loop the writer waits for the disk.
  await store.append(session.id, seq, job.perSecond === undefined ? entries : () => entries, { writer });
}
