import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type AgentEvent, assertWellFormedTurn } from "@caret/protocol";
import type { RunningTurn, TurnRequest } from "@caret/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { type OpenedEngine, openEngine } from "../engine/compose.ts";
import type { Host } from "../host/host.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";

/** The whole engine over the simulated agent, with a workspace of the user's that the agent must not touch itself. */
let directory: string;
let workspace: string;
let scratch: string;
let opened: OpenedEngine | undefined;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-tools-")));
  workspace = join(directory, "project");
  mkdirSync(workspace);
});
afterEach(async () => {
  await opened?.close();
  opened = undefined;
  rmSync(directory, { recursive: true, force: true });
});

async function open(env: Readonly<Record<string, string>> = {}): Promise<OpenedEngine> {
  const host = hostOf(env);
  const { config } = loadConfig({ ...host, flags: {}, readFile: () => undefined });
  scratch = join(scratchRoot(config), "session");
  mkdirSync(scratch, { recursive: true });
  opened = await openEngine(host, config, { workspaces: [workspace], keepWarm: false });
  return opened;
}

function hostOf(env: Readonly<Record<string, string>>): Host {
  const stream = () => new PassThrough();
  return {
    argv: [],
    command: "caret",
    env: {
      PATH: process.env["PATH"] ?? "",
      CARET_LANE: "sim",
      CARET_SPAWNER_ENABLED: "false",
      CARET_DATA_DIR: join(directory, "data"),
      ...env,
    },
    cwd: directory,
    home: directory,
    platform: process.platform,
    uid: process.getuid?.(),
    stdin: stream(),
    stdout: stream(),
    stderr: stream(),
    onSignal: () => () => undefined,
  };
}

function scenario(steps: readonly object[]): Readonly<Record<string, string>> {
  const file = join(directory, "scenario.json");
  writeFileSync(file, JSON.stringify({ turns: [steps] }));
  return { CARET_SIM_SCENARIO: file };
}

const byGateway = (): Partial<TurnRequest> => ({ gatewayTools: { system: "", realWorkspace: workspace } });

async function play(request: Partial<TurnRequest>): Promise<readonly AgentEvent[]> {
  const { engine } = opened as OpenedEngine;
  const turn = await engine.startTurn({ prompt: "Go on", workspace: scratch, force: true, ...request });
  const events = await eventsOf(turn);
  await turn.settled;
  assertWellFormedTurn(events);
  return events;
}

async function eventsOf(turn: RunningTurn): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const batch of turn.follow()) {
    events.push(...batch.map(({ event }) => event));
    for (const { callId } of turn.parked?.open() ?? []) turn.parked?.answer(callId, { text: "done", isError: false });
  }
  return events;
}

function callsOf(events: readonly AgentEvent[]) {
  return events.flatMap((event) => {
    if (event.type !== "tool-call") return [];
    const result = events.find((other) => other.type === "tool-result" && other.callId === event.callId);
    return [`${event.owner} ${event.name} ${result?.type === "tool-result" ? result.status : "open"}`];
  });
}

const textOf = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
const outcomeOf = (events: readonly AgentEvent[]) => events.findLast((event) => event.type === "turn-end")?.outcome;

describe("tools that the gateway runs", () => {
  it("change the user's workspace for an agent that works elsewhere", async () => {
    await open();
    const prompt = "Create notes.txt with the content hi and read it back";
    const events = await play({ ...byGateway(), prompt });
    expect([outcomeOf(events), callsOf(events)]).toEqual([
      { kind: "completed" },
      ["gateway write ok", "gateway read ok"],
    ]);
    expect([readFileSync(join(workspace, "notes.txt"), "utf8").trim(), readdirSync(scratch)]).toEqual([
      "hi",
      [".cursor"],
    ]);
    expect(textOf(events)).toContain("hi");
  }, 30_000);

  it("record who allowed them, and what a write changed", async () => {
    await open(scenario([{ tool: { server: "caret", name: "write", args: { path: "a.txt", content: "hi\n" } } }]));
    const events = await play(byGateway());
    const kept = events.filter(({ type }) => /^(approval|tool)-/.test(type));
    expect(kept.map(({ type }) => type)).toEqual(["tool-call", "approval-request", "approval-answer", "tool-result"]);
    expect(kept.at(-1)).toMatchObject({ status: "ok", diff: { path: "a.txt", after: "hi\n" } });
  }, 30_000);

  it("run no command unless the policy lets them, and then report its exit code", async () => {
    const env = scenario([{ tool: { server: "caret", name: "exec", args: { command: "touch made; exit 3" } } }]);
    await open(env);
    const denied = await play(byGateway());
    expect([callsOf(denied), readdirSync(workspace)]).toEqual([["gateway exec rejected"], []]);
    await opened?.close();
    await open({ ...env, CARET_TOOLS_RULES: JSON.stringify([{ effect: "allow", tool: "exec" }]) });
    const allowed = await play(byGateway());
    expect([callsOf(allowed), readdirSync(workspace)]).toEqual([["gateway exec error"], ["made"]]);
    expect(allowed.find((event) => event.type === "tool-result")).toMatchObject({ exitCode: 3 });
  }, 30_000);

  it("work only where turns may work", async () => {
    await open();
    const outside = join(directory, "outside");
    mkdirSync(outside);
    await expect(play({ gatewayTools: { system: "", realWorkspace: outside } })).rejects.toMatchObject({
      code: "workspace-forbidden",
    });
  });

  it("stop an agent that makes the same call again and again", async () => {
    const call = { tool: { server: "caret", name: "read", args: { path: "missing.txt" } } };
    await open(scenario(Array.from({ length: 12 }, () => call)));
    const events = await play(byGateway());
    expect(outcomeOf(events)).toMatchObject({ kind: "failed", error: { code: "loop-stopped" } });
    expect(callsOf(events)).toEqual([...Array(3).fill("gateway read error"), "gateway read rejected"]);
    expect(events.filter((event) => event.type === "notice").map(({ kind }) => kind)).toEqual([
      "loop-warning",
      "loop-warning",
    ]);
  }, 30_000);
});

/** Forty ways to get at files without the offered tools, aimed at the user's workspace and at the agent's own rules. */
function nativeAttempts(): readonly object[] {
  const rounds = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((round) => [
    { tool: { name: "shell", args: { command: `echo bad > ${join(workspace, `shell-${round}.txt`)}` } } },
    { tool: { name: "write", args: { path: join(workspace, `write-${round}.txt`), fileText: "bad" } } },
    { tool: { name: "edit", args: { path: join(workspace, "kept.txt"), oldText: "kept", newText: "bad" } } },
    { tool: { name: "delete", args: { path: join(workspace, "kept.txt") } } },
    { tool: { name: "write", args: { path: ".cursor/cli.json", fileText: '{"permissions":{"allow":["Shell(*)"]}}' } } },
  ]);
  return [...rounds, { text: "I tried." }];
}

describe("the agent's own tools, while a client or Caret runs the tools", () => {
  const byClient = (): Partial<TurnRequest> => ({
    clientTools: { tools: [{ name: "read", inputSchema: {} }], system: "", realWorkspace: workspace },
  });

  it.each([
    ["a client", byClient],
    ["the gateway", byGateway],
  ])(
    "are denied in forty attempts when it is %s, and leave every file as it was",
    async (_who, owner) => {
      writeFileSync(join(workspace, "kept.txt"), "kept\n");
      await open(scenario(nativeAttempts()));
      const events = await play(owner());
      expect([outcomeOf(events), textOf(events)]).toEqual([{ kind: "completed" }, "I tried."]);
      const calls = callsOf(events);
      expect([calls.length, calls.filter((call) => call.endsWith(" ok"))]).toEqual([40, []]);
      expect([readdirSync(workspace), readFileSync(join(workspace, "kept.txt"), "utf8")]).toEqual([
        ["kept.txt"],
        "kept\n",
      ]);
      expect(JSON.parse(readFileSync(join(scratch, ".cursor", "cli.json"), "utf8")).permissions.deny).toContain(
        "Shell(**)",
      );
    },
    60_000,
  );
});

describe("more tools than an agent takes", () => {
  it("are all within its reach: the last of them through the one that passes calls on", async () => {
    const tools = Array.from({ length: 45 }, (_, index) => ({ name: `tool${index}`, inputSchema: { type: "object" } }));
    const passed = { name: "tool44", arguments: { depth: 1 } };
    await open(scenario([{ tool: { server: "caret", name: "call_tool", args: passed } }]));
    const events = await play({ clientTools: { tools, system: "" } });
    expect(events.find((event) => event.type === "tool-call")).toMatchObject({ name: "tool44", input: { depth: 1 } });
    expect(callsOf(events)).toEqual(["client tool44 ok"]);
  }, 30_000);
});
