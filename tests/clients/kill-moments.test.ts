import { setTimeout as sleep } from "node:timers/promises";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { describe, expect, it } from "vitest";
import { MortalGateway } from "../native/mortal-gateway.ts";
import { seed, seededRandom } from "../native/seeded-random.ts";
import { Kitchen } from "./dialogue/kitchen-tools.ts";
import { runPatientClient, type TaskReport } from "./patient-client.ts";
import { killVictims } from "./victims.ts";

const victims = ["agent", "bridge", "gateway"] as const;
type Victim = (typeof victims)[number];

const MOMENTS = Math.ceil(200 / victims.length);
/** About how long the requests of a task take when nothing goes wrong; the first one has to start the agent. */
const REQUESTS_MS = [800, 150, 150, 150];

interface Moment {
  readonly title: string;
  readonly basket: string;
  readonly isStreaming: boolean;
  /** The request that is under way, and how long after it went out. */
  readonly request: number;
  readonly afterMs: number;
}

function momentsOf(victim: Victim): readonly Moment[] {
  const random = seededRandom(seed + victims.indexOf(victim));
  const first = Math.floor(random() * REQUESTS_MS.length);
  return Array.from({ length: MOMENTS }, (_, index) => {
    const place = (first + index) % REQUESTS_MS.length;
    const afterMs = Math.floor(random() * (REQUESTS_MS[place] ?? 0));
    const isStreaming = random() < 0.5;
    const manner = isStreaming ? "streaming" : "whole";
    const title = `no. ${index + 1}: ${afterMs} ms into request ${place + 1}, ${manner}`;
    return { title, basket: `basket-${victim}-${index}.txt`, isStreaming, request: place + 1, afterMs };
  });
}

/** Strikes as soon as there is a process to strike. False when the task was over before. */
async function strike(victim: Victim, gateway: MortalGateway, isOver: () => boolean): Promise<boolean> {
  if (victim === "gateway") {
    if (isOver()) return false;
    // The client waits for the next one by `running`, which also fails when there is none.
    void gateway.dieAndReturn().catch(() => undefined);
    return true;
  }
  for (; !isOver(); await sleep(10)) if (killVictims(gateway.home, victim)) return true;
  return false;
}

async function workThrough(victim: Victim, gateway: MortalGateway, moment: Moment) {
  let isOver = false;
  let blow: Promise<boolean> | undefined;
  const report = await runPatientClient({
    task: `Read apples.txt and pears.txt, then run \`wc -l apples.txt\`, then create ${moment.basket} with the content full`,
    kitchen: new Kitchen(),
    isStreaming: moment.isStreaming,
    address: () => gateway.running(),
    onRequest(count) {
      if (count === moment.request) blow = sleep(moment.afterMs).then(() => strike(victim, gateway, () => isOver));
    },
  });
  isOver = true;
  return { report, hasHit: (await blow) ?? false };
}

/** What must hold whichever process was killed, and when. */
function wrongsOf({ end, ran, askedAgain }: TaskReport): readonly string[] {
  const writes = ran.filter(({ name }) => name === "write").map(({ input }) => JSON.stringify(input));
  return [
    ...(end.kind === "failure" ? [`no end: ${end.reason}`] : []),
    ...(end.kind === "answer" && end.text === "" ? ["an empty answer"] : []),
    ...askedAgain.map((callId) => `asked again: ${callId}`),
    ...writes.filter((input, index) => writes.indexOf(input) !== index).map((input) => `written twice: ${input}`),
  ];
}

// By moments that are not random: loops-light kills agent and gateway, parked-turns the bridge.
describe.runIf(isFullRun())("at random moments", () => {
  it.concurrent.for(victims)(
    `a client whose %s is killed in the middle of a task gets an end, and nothing is done twice (seed ${seed})`,
    { timeout: 60_000 + MOMENTS * 60_000 },
    async (victim, { annotate }) => {
      const gateway = await MortalGateway.start();
      const wrongs: unknown[] = [];
      let [hits, retries] = [0, 0];
      for (const moment of momentsOf(victim)) {
        await gateway.running();
        const { report, hasHit } = await workThrough(victim, gateway, moment);
        if (hasHit) hits += 1;
        retries += report.retries.length;
        const found = wrongsOf(report);
        if (found.length > 0) wrongs.push({ moment: moment.title, found, report });
      }
      const left = await gateway.stop();
      gateway.home.remove();
      await annotate(`${hits} of ${MOMENTS} blows at the ${victim} hit; ${retries} requests were sent again`);
      expect({ wrongs, left, hasHit: hits > 0 }, `seed ${seed}`).toEqual({ wrongs: [], left: [], hasHit: true });
    },
  );
});
