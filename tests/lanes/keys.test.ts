import { hash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { simulatorCommand } from "@caret/simulator";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf, playTurn } from "../turns/play-turn.ts";
import { type Invocation, TurnBench } from "../turns/turn-bench.ts";
import { openApiStage } from "./api-bench.ts";

/** Only ends what hangs: the full run begins a few hundred agents, one after the other. */
const WALK_MS = 600_000;

let bench: TurnBench;
beforeEach(() => {
  bench = new TurnBench();
});
afterEach(() => bench.remove());

/** What one turn ended like, and what its agent was started with. */
interface Seen {
  readonly end: string;
  readonly key: string | undefined;
  readonly mark: string | undefined;
}

/** Everything that an agent is made from and that can be another in the next turn. */
class World {
  readonly keyFile = join(bench.directory, "key");
  readonly program = join(bench.directory, "versions", "2026.09.15-be9c4a1", "agent-of-keys");
  readonly workspace = bench.workspace();
  #programs = 0;
  #edits = 0;

  constructor() {
    mkdirSync(bench.configDir, { recursive: true });
    this.setKey("key-0");
    this.replaceProgram();
    this.logIn();
  }

  setKey(key: string): void {
    writeFileSync(this.keyFile, key, { mode: 0o600 });
  }

  takeKeyAway(): void {
    rmSync(this.keyFile, { force: true });
  }

  logIn(): void {
    writeFileSync(join(bench.configDir, "auth.json"), '{"accessToken":"simulated"}');
  }

  logOut(): void {
    writeFileSync(join(bench.configDir, "auth.json"), "{}");
  }

  /** Another file in the program's place; it says which one it is. */
  replaceProgram(): string {
    const { file, args } = simulatorCommand();
    this.#programs += 1;
    const mark = `program-${this.#programs}`;
    const draft = `${this.program}.new`;
    bench.program(draft, `#!/bin/sh\nexport CARET_SIM_MARK=${mark}\nexec '${file}' '${args.join("' '")}' "$@"\n`);
    renameSync(draft, this.program);
    return mark;
  }

  /** Of the user, which an agent starts with itself. */
  editServers(): void {
    this.#edits += 1;
    writeFileSync(join(bench.configDir, "mcp.json"), JSON.stringify({ mcpServers: {}, edit: this.#edits }));
  }

  settings(lane: "acp" | "cli") {
    return {
      lane,
      warm: { idleMs: 60_000 },
      cli: { command: this.program },
      profiles: { default: { apiKeyFile: this.keyFile } },
    };
  }
}

type Lane = "acp" | "cli";

/** What the agent of the last turn was started with. */
function lastAgent(lane: Lane): Invocation | undefined {
  const agents = bench.invocations();
  if (lane === "cli") return agents.findLast(({ argv }) => argv.includes("--print") || argv.includes("-p"));
  const pid = bench.acpRequests("session/prompt").at(-1)?.["pid"];
  return agents.find((agent) => agent.pid === pid && agent.argv.includes("acp"));
}

function digestOf(key: string): string {
  return `${key.length} characters, sha256 ${hash("sha256", key, "hex").slice(0, 12)}`;
}

/** Each is one ingredient that is changed between two turns. */
const changes = [
  "nothing",
  "another key",
  "no key",
  "another key",
  "a bad key",
  "another key",
  "another program",
  "other servers",
] as const;
type Change = (typeof changes)[number];

/** Changes the world, and says what a turn is to see from now on. */
function createChanges(world: World) {
  let seen: Seen = { end: "completed", key: digestOf("key-0"), mark: "program-1" };
  let keys = 0;
  const expect = (change: Partial<Seen>): void => {
    seen = { ...seen, ...change };
  };
  const apply: Readonly<Record<Change, () => void>> = {
    "another key"() {
      keys += 1;
      world.setKey(`key-${keys}`);
      expect({ end: "completed", key: digestOf(`key-${keys}`) });
    },
    "no key"() {
      world.takeKeyAway();
      expect({ end: "invalid-config" });
    },
    "a bad key"() {
      world.setKey("bad");
      expect({ end: "bad-key" });
    },
    "another program": () => expect({ mark: world.replaceProgram() }),
    "other servers": () => world.editServers(),
    nothing: () => undefined,
  };
  return {
    apply: (change: Change): void => apply[change](),
    expected: (): Partial<Seen> => (seen.end === "completed" ? seen : { end: seen.end }),
  };
}

/** What the turn ended like, and what its agent was started with where it had one that answered. */
function seenOf(lane: Lane, end: string): Partial<Seen> {
  if (end !== "completed") return { end };
  const values = lastAgent(lane)?.env.values;
  return { end, key: values?.["CURSOR_API_KEY"], mark: values?.["CARET_SIM_MARK"] };
}

describe.each(["acp", "cli"] as const)("a turn of the %s lane", (lane) => {
  const name = "is run with the key and the program that are there when it begins, whatever was there before";
  test(name, { timeout: WALK_MS }, async () => {
    const world = new World();
    const { engine } = await bench.open({ settings: world.settings(lane), keepWarm: true });
    const { apply, expected } = createChanges(world);
    const step = fc.record({ change: fc.constantFrom(...changes), goesOn: fc.boolean() });
    const play = async (steps: readonly { readonly change: Change; readonly goesOn: boolean }[]): Promise<void> => {
      let sessionId: string | undefined;
      for (const { change, goesOn } of steps) {
        apply(change);
        const where = goesOn && sessionId !== undefined ? { sessionId } : { workspace: world.workspace };
        const { outcome, turn } = await playTurn(engine, { prompt: "Hello", ...where });
        expect([change, seenOf(lane, endOf(outcome))]).toEqual([change, expected()]);
        sessionId = outcome.kind === "completed" ? turn.sessionId : undefined;
      }
    };
    const inTurn = (goesOn: boolean) => changes.map((change) => ({ change, goesOn }));
    if (isFullRun()) await play([...inTurn(false), ...inTurn(true)]);
    // Every change, and one lane goes on at those at which the other begins.
    else await play(changes.map((change, index) => ({ change, goesOn: (index % 2 === 0) === (lane === "acp") })));
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), play), {
      numRuns: barSize({ quick: 1, full: 30 }),
    });
    const waiting = (): number => bench.acpProcesses(world.workspace).length;
    if (lane === "acp") await eventually(() => waiting() <= 1, "the former ones to leave");
  });

  test("fails after a logout and works after a login, also where an agent from before waits", async () => {
    const world = new World();
    const { profiles: _, ...settings } = world.settings(lane);
    const { engine } = await bench.open({ settings, keepWarm: true });
    const ends: string[] = [];
    for (const change of [() => undefined, () => world.logOut(), () => world.logIn(), () => world.logOut()]) {
      change();
      ends.push(endOf((await playTurn(engine, { prompt: "Hello", workspace: world.workspace })).outcome));
    }
    expect(ends).toEqual(["completed", "not-logged-in", "completed", "not-logged-in"]);
  });
});

const ofApi =
  "a turn of the api lane is run for the account whose key is there when it begins, and so is what it asks before";
test(ofApi, { timeout: WALK_MS }, async () => {
  const world = new World();
  const stage = await openApiStage(bench, {
    settings: { profiles: { default: { apiKeyFile: world.keyFile } } },
    env: { CURSOR_API_KEY: "" },
  });
  const { engine } = stage.opened;
  let keys = 0;
  /** Which key the requests of the last turn were made with. */
  const play = async (): Promise<readonly unknown[]> => {
    const before = stage.upstream.records.length;
    const { outcome } = await playTurn(engine, { prompt: "Hello", model: "sonnet-4.5", workspace: world.workspace });
    const asked = stage.upstream.records.slice(before).filter((record) => String(record["path"]).includes(".v1."));
    return [endOf(outcome), ...new Set(asked.map((record) => record["madeFrom"]))];
  };
  const steps = fc.array(fc.constantFrom("another", "none", "bad", "same"), { minLength: 3, maxLength: 6 });
  const apply: Readonly<Record<string, () => readonly string[]>> = {
    none() {
      world.takeKeyAway();
      return ["invalid-config"];
    },
    bad() {
      world.setKey("bad");
      return ["bad-key"];
    },
    another() {
      keys += 1;
      return apply["same"]?.() ?? [];
    },
    same() {
      world.setKey(`key-${keys}`);
      return ["completed", hash("sha256", `key-${keys}`, "hex").slice(0, 12)];
    },
  };
  const walk = async (changes: readonly string[]): Promise<void> => {
    for (const change of changes) {
      const expected = apply[change]?.();
      expect([change, await play()]).toEqual([change, expected]);
    }
  };
  await walk(["same", "another", "none", "same", "bad", "another", "same"]);
  await fc.assert(fc.asyncProperty(steps, walk), { numRuns: barSize({ quick: 3, full: 30 }) });
  await stage.close();
});

test("a process of agent acp whose key was replaced gets no other turn, and ends with the one it has", async () => {
  const world = new World();
  const scenario = bench.scenario({
    turns: [[{ text: "Half." }, { delay: 300 }, { text: " Whole." }], [{ text: "New." }]],
  } as never);
  const { engine } = await bench.open({
    settings: world.settings("acp"),
    env: { CARET_SIM_SCENARIO: scenario },
    keepWarm: true,
  });
  const pids: (readonly number[])[] = [];
  const later: Promise<unknown>[] = [];
  const first = await playTurn(
    engine,
    { prompt: "Go", workspace: world.workspace },
    {
      async meanwhile(turn) {
        for await (const batch of turn.follow()) if (batch.some(({ event }) => event.type === "text-delta")) break;
        world.setKey("key-1");
        pids.push(bench.acpProcesses(world.workspace));
        later.push(playTurn(engine, { prompt: "Go", workspace: world.workspace }));
      },
    },
  );
  await Promise.all(later);
  const [[old] = []] = pids;
  await eventually(() => !bench.acpProcesses(world.workspace).includes(old ?? 0), "the old process to leave");
  expect([first.text, bench.acpProcesses(world.workspace).length]).toEqual(["Half. Whole.", 1]);
});
