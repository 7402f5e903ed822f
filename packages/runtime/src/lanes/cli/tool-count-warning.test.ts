import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import type { LaneEntry } from "../lane.ts";
import { pullTurn } from "../testing/pull-turn.ts";
import { createCliLane } from "./cli-lane.ts";
import { collectEvents, createCliBench, saysHello, unstopped } from "./testing/cli-bench.ts";
import { warnOfTooManyTools } from "./tool-count-warning.ts";

/** An MCP server with this many tools, which reports its start on standard error. */
const program = `
const slowness = Number(process.argv[2] ?? 0);
const tools = Array.from({ length: Number(process.argv[1]) }, (_, index) => ({ name: "t" + index, inputSchema: { type: "object" } }));
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "many", version: "1" } },
  "tools/list": { tools },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) setTimeout(() => console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} })), slowness);
});`;

const spawner = createInlineSpawner();
afterAll(() => spawner.close());

/** A machine that counts what is started on it. */
function machine() {
  let started = 0;
  const spawn: typeof spawner.spawn = (command, options) => {
    started += 1;
    return spawner.spawn(command, options);
  };
  return { spawn, started: () => started };
}

const said: readonly LaneEntry[] = [{ event: { type: "text-delta", blockId: "b", text: "Hello" } }];

/** The first batch that has more than was said, of a turn whose user's server has so many tools. */
async function warned(host: ReturnType<typeof machine>, count: number): Promise<readonly LaneEntry[]> {
  const users = { many: { command: process.execPath, args: ["-e", program, String(count)] } };
  const { show } = warnOfTooManyTools({ host, servers: { users }, env: {}, workspace: tmpdir() });
  let shown = said;
  await expect
    .poll(() => {
      shown = show(said);
      return shown.length;
    })
    .toBe(2);
  return [...shown, ...show(said)];
}

describe("an agent with more tools than it takes", () => {
  it("is warned once in each turn, before what it says next, and the servers are asked once", async () => {
    const host = machine();
    const first = await warned(host, 34);
    const second = await warned(host, 34);
    const notice = {
      event: {
        type: "notice",
        kind: "not-obeyed",
        message: expect.stringMatching(
          /^Your MCP servers \(many\) have 34 tools and Caret's has 7, but an agent takes 40/,
        ),
      },
    };
    expect({ first, second, started: host.started() }).toEqual({
      first: [notice, ...said, ...said],
      second: [notice, ...said, ...said],
      started: 1,
    });
  });

  it("is not warned while they fit, and nothing is started where the user's servers are not wanted", async () => {
    const host = machine();
    const users = { few: { command: process.execPath, args: ["-e", program, "33"] } };
    const { show } = warnOfTooManyTools({ host, servers: { users }, env: {}, workspace: tmpdir() });
    // Counting another server takes at least as long.
    await warned(host, 50);
    const { show: without } = warnOfTooManyTools({ host, servers: { users: {} }, env: {}, workspace: tmpdir() });
    expect({ shown: show(said), without: without(said), started: host.started() }).toEqual({
      shown: said,
      without: said,
      started: 2,
    });
  });

  it("is warned before the end of its first turn, also where the turn is over sooner than the servers answer", async () => {
    const bench = createCliBench();
    const agent = bench.agent(saysHello);
    const registration = {
      directory: join(bench.workbench.directory, "ann"),
      server: { command: "true", args: [], env: {} },
      withUserServers: true,
      socket: "",
      program: [],
    };
    mkdirSync(registration.directory);
    const config = join(bench.workbench.directory, "config");
    mkdirSync(config);
    for (let run = 0; run < 3; run += 1) {
      const many = { command: process.execPath, args: ["-e", program, "34", String(run * 300)] };
      writeFileSync(join(config, "mcp.json"), JSON.stringify({ mcpServers: { many } }));
      const programs = { command: agent, args: [], promptAsArg: false, models: {} };
      const lane = createCliLane({ name: "cli", host: bench.host({ programs }) });
      const events = await collectEvents(pullTurn(lane, bench.request({ registration }), unstopped()));
      const kinds = events.flatMap((event) => (event.type === "notice" ? [event.kind] : []));
      expect([kinds, events.at(-1)]).toEqual([["not-obeyed"], { type: "turn-end", outcome: { kind: "completed" } }]);
    }
    await bench.close();
  });
});
