import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { EventEnvelope } from "@caret/protocol";
import type { ScenarioInput } from "@caret/simulator";
import { expect, it, onTestFinished } from "vitest";
import { Received } from "./event-reader.ts";
import { MortalGateway } from "./mortal-gateway.ts";
import { socket } from "./socket-readers.ts";
import { sseByHeader } from "./sse-readers.ts";
import { UnreliableLine } from "./unreliable-line.ts";

let gateway: MortalGateway;
let line: UnreliableLine;
let stop: AbortController;

/** A gateway whose agent says these steps, and a session to say them in. */
async function start(scenario: ScenarioInput): Promise<string> {
  stop = new AbortController();
  gateway = await MortalGateway.start(scenario);
  onTestFinished(() => gateway.remove());
  // Nothing is broken here; it only says the token for readers that cannot.
  line = await UnreliableLine.open({ gateway: () => gateway.process, random: Math.random });
  onTestFinished(() => line.close());
  onTestFinished(() => stop.abort());
  return (await gateway.client().createSession({ permission: "full" })).id;
}

/** Called with every event at the moment of its arrival. */
class Witness extends Received {
  readonly #see: (envelope: EventEnvelope) => void;

  constructor(see: (envelope: EventEnvelope) => void) {
    super();
    this.#see = see;
  }

  override add(text: string): void {
    this.#see(JSON.parse(text) as EventEnvelope);
    super.add(text);
  }
}

async function readTurn(sessionId: string, witnesses: Readonly<Record<"sse" | "socket", Received>>): Promise<void> {
  const options = { baseUrl: line.url, sessionId, random: Math.random, signal: stop.signal };
  const reading = [sseByHeader(options, witnesses.sse), socket(options, witnesses.socket)];
  const { turnId } = await gateway.client().startTurn(sessionId, { prompt: "Go on" });
  for (const received of Object.values(witnesses))
    await expect.poll(() => received.hasEnd(turnId), { timeout: 20_000 }).toBe(true);
  stop.abort();
  await Promise.all(reading);
}

it("an event that arrives can be read from the log by any other process, whatever it came over", async () => {
  // Deltas of one block may be joined into one event on a busy machine; a change of block never is.
  const steps = Array.from({ length: 20 }, () => [{ thinking: "What next? " }, { text: "One after the other. " }]);
  const sessionId = await start({ deltaMs: 3, turns: [steps.flat()] });
  const database = new DatabaseSync(join(gateway.home.dataDir, "caret.db"), { readOnly: true });
  const find = database.prepare("select turn_id from event where session_id = ? and seq = ?");
  const early: number[] = [];
  const look = ({ seq, turnId }: EventEnvelope): void => {
    if (find.get(sessionId, seq)?.["turn_id"] !== turnId) early.push(seq);
  };
  const witnesses = { sse: new Witness(look), socket: new Witness(look) };
  await readTurn(sessionId, witnesses);
  database.close();
  const { length } = witnesses.sse.texts;
  expect({ early, isEnough: length > 50, overSocket: witnesses.socket.texts.length }).toEqual({
    early: [],
    isEnough: true,
    overSocket: length,
  });
});

const tracer = "strace";
const canTrace = spawnSync(tracer, ["-o", "/dev/null", "true"]).status === 0;
const CALLS = "fdatasync,pwrite64,write,writev,sendto,sendmsg";
const WORDS = 60;

/** Follows what the gateway asks of the kernel, once it says that it does. */
async function trace(path: string): Promise<ChildProcess> {
  const args = ["-f", "-y", "-s", "100000", "-e", `trace=${CALLS}`, "-o", path, "-p", String(gateway.process.pid)];
  const child = spawn(tracer, args, { stdio: ["ignore", "ignore", "pipe"] });
  await once(child.stderr, "data");
  return child;
}

interface Sync {
  readonly began: number;
  readonly ended: number;
}

/** The lines between which the journal was synced. */
function syncsIn(lines: readonly string[]): readonly Sync[] {
  const begun = new Map<string, number>();
  return lines.flatMap((text, at) => {
    const [thread = ""] = text.split(" ", 1);
    if (/ fdatasync\(.*-wal>.*= 0$/.test(text)) return [{ began: at, ended: at }];
    if (/ fdatasync\(.*-wal>/.test(text)) begun.set(thread, at);
    if (!/<\.\.\. fdatasync resumed>.*= 0$/.test(text)) return [];
    return [{ began: begun.get(thread) ?? at, ended: at }];
  });
}

it.skipIf(!canTrace)("an event is on disk, synced, before the first byte of it leaves for a reader", async () => {
  const words = Array.from({ length: WORDS }, (_, index) => `marker-${index}.`);
  const text = words.map((text) => ({ text: `${text} `, deltaMs: 5 }));
  const sessionId = await start({ deltaMs: 5, turns: [text] });
  const path = join(gateway.home.directory, "calls.txt");
  const tracing = await trace(path);
  await readTurn(sessionId, { sse: new Received(), socket: new Received() });
  tracing.kill("SIGINT");
  await once(tracing, "exit");

  const lines = readFileSync(path, "utf8").split("\n");
  const syncs = syncsIn(lines);
  const found = words.map((word) => {
    const written = lines.findIndex((line) => line.includes("-wal>") && line.includes(word));
    const sent = lines.findIndex((line) => line.includes("<socket:") && line.includes(word));
    const isSynced = syncs.some(({ began, ended }) => began > written && ended < sent);
    return written === -1 || sent === -1 ? `${word} was not seen` : `${word} ${isSynced ? "synced" : "too early"}`;
  });
  expect(found).toEqual(words.map((word) => `${word} synced`));
});
