import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentEvent, CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pullTurn } from "../testing/pull-turn.ts";
import type { ModelEntry } from "./agent-program.ts";
import { createCliLane } from "./cli-lane.ts";
import type { AgentHostOptions } from "./create-agent-host.ts";
import { type CliBench, collectEvents, createCliBench, saysHello, unstopped } from "./testing/cli-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = createCliBench();
});
afterEach(() => bench.close());

/** Records each attempt's login and model, then does what the case says. */
function agent(cases: string): void {
  bench.agent(`cat > /dev/null\nlogin=$(basename "$CURSOR_CONFIG_DIR")\nwhile [ $# -gt 1 ]; do [ "$1" = --model ] && model=$2; shift; done
echo "$login $model" >> "${bench.workbench.path("attempts")}"\ncount=$(wc -l < "${bench.workbench.path("attempts")}")
case "$login $model $count" in\n${cases}\nesac\n`);
}

const attempts = (): readonly string[] => readFileSync(bench.workbench.path("attempts"), "utf8").trim().split("\n");

const refuses = `echo "Error: Authentication required." >&2; exit 1`;
const limits = `echo "You've hit your usage limit." >&2; exit 1`;
const notInPlan = `echo "ActionRequiredError: Named models unavailable Free plans can only use Auto." >&2; exit 1`;
const breaks = `echo "Error: T: [unavailable] x" >&2; exit 1`;

const entry: ModelEntry = {
  args: ["-p", "--stream-partial-output", "--model", "first"],
  promptAsArg: true,
  authProfiles: ["one", "two"],
  fallbackModels: ["second"],
  enabled: true,
};

function laneOf(more: Partial<AgentHostOptions> = {}): ReturnType<typeof createCliLane> {
  const profile = (name: string) => ({ configDir: join(bench.workbench.directory, name) });
  const models = { first: entry, second: { ...entry, args: ["-p", "--model", "second"], fallbackModels: [] } };
  const { programs } = bench.host();
  const host = bench.host({
    programs: { ...programs, models },
    profiles: { one: profile("one"), two: profile("two") },
    ...more,
  });
  return createCliLane({ name: "cli", host });
}

async function play(lane = laneOf(), model = "first"): Promise<readonly AgentEvent[]> {
  return await collectEvents(pullTurn(lane, bench.request({ model }), unstopped()));
}

function story(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "notice") return [event.kind];
    if (event.type === "text-delta") return [event.text];
    if (event.type !== "turn-end") return [];
    return [event.outcome.kind === "failed" ? event.outcome.error.code : event.outcome.kind];
  });
}

describe("a turn whose attempt fails before it says anything", () => {
  it("is tried with the next profile when the login was refused, and the refused one rests", async () => {
    agent(`one*) ${refuses} ;;\n*) ${saysHello} ;;`);
    const lane = laneOf();
    expect(story(await play(lane))).toEqual(["profile-rotation", "Hello.", "completed"]);
    expect(story(await play(lane))).toEqual(["Hello.", "completed"]);
    expect(attempts()).toEqual(["one first", "two first", "two first"]);
  });

  it("is not tried with another model when every login was refused", async () => {
    agent(`*) ${refuses} ;;`);
    expect(story(await play())).toEqual(["profile-rotation", "not-logged-in"]);
    expect(attempts()).toEqual(["one first", "two first"]);
  });

  it("is tried with the next profile when the allowance of the first is used up, which then rests", async () => {
    agent(`"one first"*) ${limits} ;;\n*) ${saysHello} ;;`);
    const lane = laneOf();
    expect(story(await play(lane))).toEqual(["profile-rotation", "Hello.", "completed"]);
    expect(story(await play(lane))).toEqual(["Hello.", "completed"]);
    expect(attempts()).toEqual(["one first", "two first", "two first"]);
  });

  it("is tried with the next profile when the plan of the first does not include the model", async () => {
    agent(`one*) ${notInPlan} ;;\n*) ${saysHello} ;;`);
    expect(story(await play())).toEqual(["profile-rotation", "Hello.", "completed"]);
    expect(attempts()).toEqual(["one first", "two first"]);
  });

  it("is tried with the next model when every profile's allowance for this one is used up", async () => {
    agent(`*first*) ${limits} ;;\n*) ${saysHello} ;;`);
    expect(story(await play())).toEqual(["profile-rotation", "model-fallback", "Hello.", "completed"]);
    expect(attempts()).toEqual(["one first", "two first", "two second"]);
  });

  it("is tried once more when the connection broke", async () => {
    agent(`*1) ${breaks} ;;\n*) ${saysHello} ;;`);
    expect(story(await play())).toEqual(["retry", "Hello.", "completed"]);
    expect(attempts()).toEqual(["one first", "one first"]);
  });

  it("fails in the end, with the last failure, when nothing is left to try", async () => {
    agent(`*) ${breaks} ;;`);
    expect(story(await play())).toEqual(["retry", "profile-rotation", "model-fallback", "upstream-unreachable"]);
    expect(attempts()).toEqual(["one first", "one first", "two first", "two second"]);
  });

  it("tells each step in words that name what failed and what comes next", async () => {
    agent(`one*) ${refuses} ;;\n*) ${saysHello} ;;`);
    const notices = (await play()).filter((event) => event.type === "notice");
    expect(notices.map(({ message }) => message)).toEqual([
      "The profile one failed (The agent is not logged in); trying two",
    ]);
  });
});

describe("a turn that has begun to answer", () => {
  it("is never tried again", async () => {
    const half = saysHello.split("\n").slice(0, 2).join("\n");
    agent(`*) ${half}\n${breaks} ;;`);
    expect(story(await play())).toEqual(["Hello.", "upstream-unreachable"]);
    expect(attempts()).toEqual(["one first"]);
  });
});

describe("a turn that cannot be started", () => {
  it.each([
    ["with a model that is switched off", { first: { ...entry, enabled: false } }, "model-unknown"],
    ["with a program that is not there", { first: { ...entry, command: "/nowhere/agent" } }, "cli-missing"],
    ["with a profile that nobody described", { first: { ...entry, authProfiles: ["three"] } }, "invalid-config"],
  ])("%s fails as a turn, not as an exception", async (_name, models, code) => {
    const { programs } = bench.host();
    expect(story(await play(laneOf({ programs: { ...programs, models } })))).toEqual([code]);
  });

  it("with the name of a model that would be an option fails as well", async () => {
    expect(story(await play(laneOf(), "--force"))).toEqual(["model-unknown"]);
  });

  it("because it was cancelled before starts nothing that lives on", async () => {
    agent(`*) ${saysHello} ;;`);
    const events = await collectEvents(pullTurn(laneOf(), bench.request({ model: "first" }), AbortSignal.abort()));
    expect(story(events)).toEqual(["cancelled"]);
  });

  it("because the gateway stopped it before fails of the reason, and is not tried again", async () => {
    agent(`*) ${saysHello} ;;`);
    const stopped = AbortSignal.abort(new CaretError("agent-unavailable", "Stopped for this"));
    const events = await collectEvents(pullTurn(laneOf(), bench.request({ model: "first" }), stopped));
    expect(story(events)).toEqual(["agent-unavailable"]);
  });
});

describe("the upstream session", () => {
  it("is reported before the answer, with where and by which version it is kept", async () => {
    bench.agent(`cat > /dev/null\n${saysHello}`);
    const lane = createCliLane({ name: "cli", host: bench.host() });
    const entries = (await Array.fromAsync(pullTurn(lane, bench.request(), unstopped()))).flat();
    const told = entries.flatMap(({ event, upstream }) => upstream ?? (event.type === "text-start" ? "answer" : []));
    expect(told).toEqual([
      {
        lane: "cli",
        sessionId: "0d6f0000-0000-4000-8000-000000000001",
        configDir: join(bench.workspace, "..", "config"),
        version: "2026.10.01-c0ffee1",
      },
      "answer",
    ]);
  });

  it("cannot be resumed or found where the CLI has no chat of it", () => {
    const lane = createCliLane({ name: "cli", host: bench.host() });
    const sessionId = "0d6f0000-0000-4000-8000-000000000001";
    expect(lane.canResume({ lane: "cli", sessionId }, bench.workspace)).toBe(false);
    expect(lane.findSession?.("../../etc", bench.workspace)).toBeUndefined();
  });
});

describe("a program of one's own", () => {
  const turnOf = (models: Readonly<Record<string, ModelEntry>>, model = "own") =>
    play(laneOf({ programs: { command: undefined, args: [], promptAsArg: false, models } }), model);
  const own = (script: string, fallbackModels: readonly string[] = []): ModelEntry => {
    count += 1;
    const path = bench.workbench.path(`own-${count}.sh`);
    writeFileSync(path, script);
    return { command: "/bin/sh", args: [path], promptAsArg: false, authProfiles: [], fallbackModels, enabled: true };
  };
  let count = 0;
  const says = (type: string, data: object): string => `echo '${JSON.stringify({ type, data })}'\n`;
  const drifts = says("protocol", { version: "9.9" });
  const answers = says("assistant_delta", { content: "Here." }) + says("done", {});

  it("with a protocol that is not supported gives way to the next model, and a notice says why", async () => {
    const events = await turnOf({ own: own(drifts, ["other"]), other: own(answers) });
    expect(story(events)).toEqual(["model-fallback", "Here.", "completed"]);
    expect(events.find((event) => event.type === "notice")?.message).toContain("protocol version 9.9");
  });

  it("with a protocol that is not supported fails closed where it has said something, or nothing is left to try", async () => {
    const late = says("assistant_delta", { content: "Half." }) + drifts;
    expect(story(await turnOf({ own: own(late, ["other"]), other: own(answers) }))).toEqual([
      "Half.",
      "protocol-drift",
    ]);
    expect(story(await turnOf({ own: own(drifts) }))).toEqual(["protocol-drift"]);
  });

  it.each(["exit 1", "exit 0", "exit 3"])(
    "that says nothing at all and does %s is explained with a test to type",
    async (ends) => {
      const events = await turnOf({ own: own(`read turn\n${ends}\n`) });
      const end = events.at(-1);
      const error = end?.type === "turn-end" && end.outcome.kind === "failed" ? end.outcome.error : undefined;
      const code = Number(ends.slice(-1));
      const silence =
        code === 0
          ? "The agent ended before it said anything, without a result and without an error"
          : `The agent ended with exit code ${code} before it said anything, and wrote nothing to standard error`;
      expect([error?.code, error?.message]).toEqual([code === 0 ? "no-result" : "agent-crashed", silence]);
      expect(error?.fix).not.toContain("agent update");
      const [, test = ""] = /`([^`]+)`/.exec(error?.fix ?? "") ?? [];
      const typed = spawnSync("/bin/sh", ["-c", test], { encoding: "utf8" });
      expect([test, typed.status, typed.stdout, typed.stderr]).toEqual([
        expect.stringContaining('"type":"turn"'),
        code,
        "",
        "",
      ]);
    },
  );

  it("that starts as Cursor's CLI does is not advised to update the CLI", async () => {
    const command = bench.agent("exit 1");
    const events = await play(laneOf({ programs: { command, args: [], promptAsArg: false, models: {} } }), "auto");
    const end = events.at(-1);
    const fix = end?.type === "turn-end" && end.outcome.kind === "failed" ? end.outcome.error.fix : undefined;
    expect(fix).toContain(`${command} -p --output-format stream-json --stream-partial-output hi | cat`);
    expect(fix).not.toContain("agent update");
  });
});
