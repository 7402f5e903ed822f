import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@caret/protocol";
import { createRedactor, exportSession, type SessionEngine } from "@caret/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { delta, init, readEnds, readStarts, result } from "../faults/agent-lines.ts";
import { prints } from "../faults/fault.ts";
import { endOf, playTurn } from "./play-turn.ts";
import { type OpenOptions, TurnBench } from "./turn-bench.ts";

/** No pattern knows it for a key, and each encoding spells it differently. */
const canary = 'moss+lantern/71 "vane"?';
/** A key in a file is one word. */
const plainCanary = "quilt-heron-5521-amber";
const base64 = Buffer.from(canary).toString("base64");
const spellings = [
  plainCanary,
  canary,
  JSON.stringify(canary).slice(1, -1),
  JSON.stringify(JSON.stringify(canary).slice(1, -1)).slice(1, -1),
  encodeURIComponent(canary),
  base64.slice(0, -4),
  Buffer.from(canary).toString("hex"),
];

const half = Math.floor(canary.length / 2);
const thinking = (text: string): object => ({ type: "thinking", subtype: "delta", text, timestamp_ms: 1 });
const tool = (call_id: string, subtype: string, tool_call: object): object => ({
  type: "tool_call",
  subtype,
  call_id,
  tool_call,
  timestamp_ms: 1,
});

/** Where a secret has been seen to turn up, or may. Each is a line or two of an agent's output. */
const places: Readonly<Record<string, readonly (object | string)[]>> = {
  text: [delta(`The key is ${canary}, keep it.`)],
  "text cut in two": [delta(`Split: ${canary.slice(0, half)}`), delta(`${canary.slice(half)} end.`)],
  "text cut into characters": [...canary].map((character) => delta(character)),
  "base64 in text": [delta(` Authorization: Basic ${base64} `)],
  "base64 of more than the secret": [delta(` ${Buffer.from(`user:${canary}!`).toString("base64")} `)],
  "hex in text": [delta(` ${Buffer.from(canary).toString("hex")} `)],
  "an address": [delta(` https://example.test/?key=${encodeURIComponent(canary)}&x=1 `)],
  "escaped JSON in text": [delta(` ${JSON.stringify({ key: canary })} `)],
  "a thought cut in two": [thinking(`Hm ${canary.slice(0, 5)}`), thinking(`${canary.slice(5)} hm`)],
  "a tool's arguments": [tool("c1", "started", { shellToolCall: { args: { command: `echo ${canary}` } } })],
  "a tool's output": [
    readStarts("c2"),
    tool("c2", "completed", { readToolCall: { args: {}, result: { success: { content: `K=${canary}\n` } } } }),
  ],
  "a tool's error": [
    readStarts("c3"),
    tool("c3", "completed", { readToolCall: { result: { error: { errorMessage: `No ${canary}` } } } }),
  ],
  "the arguments of an MCP call": [
    tool("c4", "started", { mcpToolCall: { args: { toolName: "x", args: { deep: [{ token: canary }] } } } }),
  ],
  "a list of things to do": [
    tool("c5", "completed", { updateTodosToolCall: { args: { todos: [{ id: "1", content: canary }] } } }),
  ],
  "an event that nobody knows": [{ type: "novelty", payload: { list: [{ value: canary }], [canary]: 1 } }],
  "a line that is no JSON": [`warning: using key ${canary}`],
  "a line that is broken": [`{"type":"assistant","message":"${canary}`],
  "the display name of the model": [{ ...init, model: `Auto ${canary}` }],
  "a notice": [{ type: "retry", subtype: "starting", attempt: 1, error: canary, message: canary }],
};

let bench: TurnBench;
/** One that knows the secret as its own key. */
let shared: SessionEngine;

beforeAll(async () => {
  bench = new TurnBench();
  shared = await open("shared", { env: { CURSOR_API_KEY: canary } });
});
afterAll(() => bench.remove());

/** All data directories lie in one, which is searched as a whole. */
async function open(name: string, { settings, ...options }: OpenOptions): Promise<SessionEngine> {
  const dataDir = join(bench.dataDir, name);
  return (await bench.open({ ...options, settings: { dataDir, ...settings } })).engine;
}

describe("A secret appears nowhere", () => {
  test.each(Object.keys(places))("when the agent puts it into %s", async (place) => {
    const lines = places[place] ?? [];
    const workspace = bench.workspace(
      prints(init, delta("Well. "), ...lines, readStarts("z"), readEnds("z"), result("")),
    );
    const { turn, outcome } = await playTurn(shared, { prompt: "Hello", workspace });
    expect(endOf(outcome)).toBe("completed");
    await expectNowhere(shared, turn.sessionId, outcome);
  });

  test("when the agent fails and says it on standard error", async () => {
    const workspace = bench.workspace(`cat >&2 <<'WORDS'\nError: key ${canary} was refused\nWORDS\nexit 1\n`);
    const engine = await open("token", { env: { CURSOR_AUTH_TOKEN: canary } });
    const { turn, outcome } = await playTurn(engine, { prompt: "Hello", workspace });
    expect(outcome).toMatchObject({ error: { upstream: expect.stringContaining("[redacted] was refused") } });
    await expectNowhere(engine, turn.sessionId, outcome);
  });

  test("when the result is an error that names it", async () => {
    const workspace = bench.workspace(prints(init, result(`No such key: ${canary}`, { is_error: true })));
    const engine = await open("variable", { settings: { cli: { env: { MY_OWN: canary } } } });
    const { turn, outcome } = await playTurn(engine, { prompt: "Hello", workspace });
    expect(endOf(outcome)).toBe("upstream-error");
    await expectNowhere(engine, turn.sessionId, outcome);
  });

  test("when the prompt and the title hold it", async () => {
    const workspace = bench.workspace();
    const prompt = `Use ${canary} to log in`;
    const { turn, outcome } = await playTurn(shared, { prompt, workspace });
    const { title } = await shared.createSession({ workspace, title: `About ${canary}` });
    expect(title).toBe("About [redacted]");
    expect((await shared.store.getSession(turn.sessionId))?.title).toBe("Use [redacted] to log in");
    await expectNowhere(shared, turn.sessionId, outcome);
  });

  test("when it comes from a profile's file and the agent prints it", async () => {
    const apiKeyFile = join(bench.directory, "key");
    writeFileSync(apiKeyFile, `${plainCanary}\n`, { mode: 0o600 });
    const entry = { command: bench.agentPath, args: ["-p"], promptAsArg: true, authProfiles: ["mine"] };
    const engine = await open("profile", { settings: { profiles: { mine: { apiKeyFile } }, models: { own: entry } } });
    const workspace = bench.workspace(
      `printf '%s' "$CURSOR_API_KEY" > "$PWD.key"\n${prints(init, delta(`Got ${plainCanary}.`), result(""))}`,
    );
    const { turn, outcome, text } = await playTurn(engine, { prompt: "Hello", workspace, model: "own" });
    expect(text).toBe("Got [redacted].");
    expect(readFileSync(`${workspace}.key`, "utf8")).toBe(plainCanary);
    await expectNowhere(engine, turn.sessionId, outcome);
  });

  test("on the agent's command line, which every user of the machine can read", async () => {
    await playTurn(shared, { prompt: "Hello", workspace: bench.workspace() });
    const { argv, env } = bench.invocations().at(-1) ?? {};
    expect(JSON.stringify(argv)).not.toContain(canary);
    expect(env?.names).toContain("CURSOR_API_KEY");
  });

  test("when a line is cut in the middle of it", async () => {
    const filler = "x".repeat(2_000);
    const lines = Array.from({ length: 24 }, (_, index) => ({ type: `cut-${index}`, filler, key: canary }));
    const cutAt = JSON.stringify(lines[0]).indexOf("moss");
    const engine = await open("cut", {
      env: { CURSOR_API_KEY: canary },
      settings: { limits: { rawBytes: cutAt + 12 } },
    });
    const workspace = bench.workspace(prints(init, ...lines, result("")));
    const { turn } = await playTurn(engine, { prompt: "Hello", workspace });
    const stored = await engine.store.read(turn.sessionId, { limit: 1_000 });
    expect(stored.filter(({ raw }) => raw?.includes("moss+"))).toEqual([]);
    expect(stored.filter(({ rawCut }) => rawCut === true).length).toBe(24);
  });
});

async function expectNowhere(engine: SessionEngine, sessionId: string, outcome: unknown): Promise<void> {
  const stored = await engine.store.read(sessionId, { limit: 10_000 });
  const redactor = createRedactor({ secrets: [new Secret("nothing in particular")] });
  const exported: string[] = [];
  for await (const line of exportSession(engine.store, sessionId, { redactor })) exported.push(line);
  const sinks: Record<string, string> = {
    outcome: JSON.stringify(outcome),
    events: JSON.stringify(stored),
    export: exported.join(""),
  };
  for (const name of readdirSync(bench.dataDir, { recursive: true, encoding: "utf8" })) {
    sinks[name] = readIfFile(join(bench.dataDir, name));
  }
  const found = Object.entries(sinks).flatMap(([sink, content]) =>
    spellings.filter((spelling) => content.includes(spelling)).map((spelling) => `${sink}: ${spelling}`),
  );
  expect(found).toEqual([]);
  expect(Object.keys(sinks).some((name) => name.endsWith("-wal"))).toBe(true);
}

function readIfFile(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // a directory or a socket
  }
}
