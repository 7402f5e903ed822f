import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { delta, init } from "../faults/agent-lines.ts";
import { prints } from "../faults/fault.ts";
import { endOf, playTurn } from "./play-turn.ts";
import { allowedDescriptors, openDescriptors, TurnBench, withSpawner } from "./turn-bench.ts";

/** Leaves every kind of process behind that has been seen to survive: in the group, out of it, deaf to SIGTERM. */
const litters = `sleep 600 &
setsid sleep 600 &
setsid sh -c 'trap "" TERM HUP; sleep 600 & wait' &
trap '' TERM
${prints(init, delta("Working."))}
while :; do sleep 0.05; done
`;

let bench: TurnBench;
beforeAll(() => {
  bench = new TurnBench();
});
afterAll(() => bench.remove());

describe("Nothing outlives its turn or its Caret", () => {
  const aborted = barSize({ quick: 15, full: 100 });
  test(`${aborted} turns stopped at random moments leave no process and no descriptor`, async () => {
    const { engine } = await bench.open({ settings: { ...withSpawner, clocks: { graceMs: 50 } } });
    const allowed = allowedDescriptors();
    const ends = await inGroups(aborted, 6, async (index) => {
      // Every third agent is the simulator, so that real Node programs are stopped while they boot as well.
      const workspace = bench.workspace(index % 3 === 0 ? undefined : litters);
      const waitMs = (index * 37) % 400;
      const played = await playTurn(
        engine,
        { prompt: "Explain everything in 4000 words", workspace },
        { meanwhile: (turn) => void setTimeout(() => turn.cancel(), waitMs) },
      );
      return endOf(played.outcome);
    });
    expect(ends.filter((end) => end !== "cancelled" && end !== "completed")).toEqual([]);
    expect(ends.filter((end) => end === "cancelled").length).toBeGreaterThan(aborted / 2);
    await eventually(() => bench.processes().length === 0, "every process is gone", 2_000);
    await eventually(() => openDescriptors() <= allowed, "every descriptor is closed");
  }, 120_000);

  const running = barSize({ quick: 4, full: 20 });
  test(`a Caret killed in the middle of ${running} turns leaves nobody two seconds later`, async () => {
    const workspaces = Array.from({ length: running }, (_, index) =>
      bench.workspace(index % 4 === 0 ? bench.simulator({ turns: [[{ text: "Working." }, { hang: true }]] }) : litters),
    );
    const script = fileURLToPath(new URL("./doomed-caret.ts", import.meta.url));
    const doomed = spawn(process.execPath, [script, bench.configFile(), ...workspaces], {
      env: bench.environment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said] = (await once(doomed.stdout, "data")) as [Buffer];
    expect(said.toString()).toBe("running\n");
    expect(bench.processes().length).toBeGreaterThan(running * 2);
    doomed.kill("SIGKILL");
    await eventually(() => bench.processes().length === 0, "every descendant is gone", 2_000);
  }, 60_000);

  test("the turns of a killed Caret are interrupted when the next one starts", async () => {
    const { engine } = await bench.open({ settings: withSpawner });
    const { sessions } = await engine.store.listSessions({ limit: 1_000 });
    const ends = await Promise.all(
      sessions.map(async ({ id, lastSeq }) => (await engine.store.read(id, { afterSeq: lastSeq - 1 }))[0]?.event),
    );
    const codes = ends.map((event) => (event?.type === "turn-end" ? endOf(event.outcome) : event?.type));
    expect(codes.filter((code) => code === "interrupted").length).toBe(running);
    expect(codes.filter((code) => code === undefined || code.includes("-"))).toEqual([]);
  });
});

async function inGroups<Result>(
  count: number,
  size: number,
  work: (index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < count; from += size) {
    const group = Array.from({ length: Math.min(size, count - from) }, (_, offset) => work(from + offset));
    results.push(...(await Promise.all(group)));
  }
  return results;
}
