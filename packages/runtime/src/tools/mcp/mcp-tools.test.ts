import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Secret } from "@caret/protocol";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readProcessStat } from "../../process/process-identity.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { eventually } from "../../testing/eventually.ts";
import { createToolBench, type ToolBench } from "../testing/tool-bench.ts";
import { startServer, type TestServer } from "../web/testing/web-servers.ts";
import type { McpServerConfig } from "./mcp-server-config.ts";
import { createMcpTools, type McpTools } from "./mcp-tools.ts";
import { createExampleServer } from "./testing/example-server.ts";

const program = fileURLToPath(new URL("./testing/example-server.ts", import.meta.url));
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", CURSOR_API_KEY: "ours", LD_PRELOAD: "" };

let directory: string;
let spawner: ReturnType<typeof createInlineSpawner>;
let mcp: McpTools;
let bench: ToolBench;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mcp-test-"));
  spawner = createInlineSpawner();
});

afterEach(async () => {
  await mcp.close();
  await bench.remove();
  await spawner.close();
  rmSync(directory, { recursive: true });
});

const stdio = (changes: Partial<McpServerConfig> = {}): McpServerConfig =>
  ({
    name: "ex",
    transport: "stdio",
    command: process.execPath,
    args: [program, join(directory, "pids")],
    cwd: directory,
    ...changes,
  }) as McpServerConfig;

function connect(...servers: McpServerConfig[]): ReturnType<McpTools["ready"]> {
  mcp = createMcpTools({ servers, spawner, env, backoffMs: () => 20 });
  bench = createToolBench({ tools: () => [], sources: [mcp] });
  return mcp.ready();
}

const names = (): string[] => mcp.tools().map(({ name }) => name);

function livingServers(): number {
  const pids = existsSync(join(directory, "pids"))
    ? readFileSync(join(directory, "pids"), "utf8").trim().split("\n")
    : [];
  return pids.filter((pid) => !["Z", undefined].includes(readProcessStat(Number(pid))?.state)).length;
}

const offered = ["echo", "fail", "picture", "big_one", "environment", "wait", "crash", "learn"];

const oddProgram = fileURLToPath(new URL("./testing/odd-server.ts", import.meta.url));

describe("a server that lists bad tools among good ones", () => {
  const good = { name: "good", inputSchema: { type: "object" } };
  const bad = { name: "bad", inputSchema: { type: "string" } };
  const careless = { name: "careless", description: null, inputSchema: { type: "OBJECT", properties: null } };
  const pages = [
    [good, bad, careless],
    [{ inputSchema: {} }, { name: "late", inputSchema: { required: "a" } }, null],
  ];

  it("offers the good ones of every page, and says which are left out", async () => {
    expect(await connect(stdio({ args: [oddProgram, JSON.stringify(pages)] }))).toEqual([{ server: "ex" }]);
    expect({ names: names(), leftOut: mcp.leftOut(), called: await bench.call("ex__careless", {}) }).toEqual({
      names: ["ex__good", "ex__careless", "ex__late"],
      leftOut: [
        'The tool bad of the MCP server ex is not offered: its input schema must be of type "object", not "string"',
        "A tool of the MCP server ex is not offered: it has no name",
        "A tool of the MCP server ex is not offered: it has no name",
      ],
      called: { status: "ok", output: "called careless", outcomeClass: "success" },
    });
  });
});

describe("tools whose names cannot be offered as they are", () => {
  const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
  const long = "x".repeat(80);

  it("are offered under names of their own, and each call reaches the tool that it names", async () => {
    const pages = [[tool("a_b"), tool("a.b"), tool("a b"), tool(`${long}1`), tool(`${long}2`), tool("\ud83d\ude00")]];
    await connect(stdio({ args: [oddProgram, JSON.stringify(pages)] }));
    const called = await Promise.all(names().map(async (name) => (await bench.call(name, {})).output));
    expect({ called, odd: names().filter((name) => !/^[\w-]{1,64}$/.test(name)), leftOut: mcp.leftOut() }).toEqual({
      called: ["a_b", "a.b", "a b", `${long}1`, `${long}2`, "\ud83d\ude00"].map((name) => `called ${name}`),
      odd: [],
      leftOut: [],
    });
    expect(new Set(names()).size).toBe(6);
  });

  it("are left out where a server has two of one name, or more than are taken, and that is said", async () => {
    const many = Array.from({ length: 130 }, (_, index) => tool(`t${index}`));
    await connect(stdio({ args: [oddProgram, JSON.stringify([[tool("t0"), ...many]])] }));
    expect({ count: names().length, leftOut: mcp.leftOut() }).toEqual({
      count: 128,
      leftOut: [
        "The tool t0 of the MCP server ex is not offered: it is listed twice",
        "The last 2 tools of the MCP server ex are not offered: at most 128 are",
      ],
    });
  });
});

describe("a server on standard streams", () => {
  it("offers its tools under its name, whatever it prints besides", async () => {
    expect(await connect(stdio())).toEqual([{ server: "ex" }]);
    expect(names()).toEqual(offered.map((name) => `ex__${name}`));
    expect(await bench.call("ex__echo", { text: "hi" })).toEqual({
      status: "ok",
      output: "hi",
      outcomeClass: "success",
    });
  });

  it("is not bothered with arguments its own schema refuses", async () => {
    await connect(stdio());
    expect(await bench.call("ex__echo", { txt: "hi" })).toEqual({
      status: "rejected",
      output: "Invalid arguments for ex__echo: input.text is missing",
      outcomeClass: "validation",
    });
  });

  it("may fail, send pictures, or talk too much", async () => {
    await connect(stdio());
    expect(await bench.call("ex__fail", {})).toEqual({
      status: "error",
      output: "It is broken",
      outcomeClass: "tool_error",
    });
    expect((await bench.call("ex__picture", {})).output).toBe("[image: image/png, 6 bytes]");
    const { output } = await bench.call("ex__big_one", {});
    expect({
      isAtMost64KiB: Buffer.byteLength(output) <= 64 * 1024,
      tellsTheWholeLength: output.includes("the output has 200000 bytes"),
    }).toEqual({ isAtMost64KiB: true, tellsTheWholeLength: true });
  });

  it("sees a chosen environment and what it was given", async () => {
    await connect(stdio({ env: { SERVER_TOKEN: new Secret("s3cret") } }));
    const { output } = await bench.call("ex__environment", {});
    const seen = output.split(",").filter((name) => ["CURSOR_API_KEY", "LD_PRELOAD", "SERVER_TOKEN"].includes(name));
    expect(seen).toEqual(["SERVER_TOKEN"]);
  });

  it("may take no longer than its limit, and can be cancelled", async () => {
    await connect(stdio({ callTimeoutMs: 50 }));
    expect(await bench.call("ex__wait", {})).toEqual({
      status: "error",
      output: "The MCP server ex did not answer in time",
      outcomeClass: "timeout",
    });
    const cancel = new AbortController();
    const waiting = bench.call("ex__wait", {}, { signal: cancel.signal });
    cancel.abort();
    expect((await waiting).status).toBe("interrupted");
    expect((await bench.call("ex__echo", { text: "still here" })).output).toBe("still here");
  });

  it("that crashes fails the call, is started again, and keeps its tools meanwhile", async () => {
    await connect(stdio());
    const crashed = await bench.call("ex__crash", {});
    expect([crashed.status, crashed.output]).toEqual([
      "error",
      "The MCP server ex cannot be reached: Connection closed",
    ]);
    expect(names()).toEqual(offered.map((name) => `ex__${name}`));
    expect((await bench.call("ex__echo", { text: "again" })).output).toBe("again");
    expect(livingServers()).toBe(1);
  });

  it("that crashes is started again even when nobody calls", async () => {
    await connect(stdio());
    await bench.call("ex__crash", {});
    await eventually(() => livingServers() === 1, "the server to be started again");
  });

  it("may learn a tool later", async () => {
    await connect(stdio());
    await bench.call("ex__learn", {});
    await eventually(() => names().includes("ex__news"), "the new tool to be listed");
    expect((await bench.call("ex__news", {})).output).toBe("new");
  });

  it("is gone when it is closed", async () => {
    await connect(stdio());
    expect(livingServers()).toBe(1);
    await mcp.close();
    expect(livingServers()).toBe(0);
  });
});

it("a server that never answers does not hold up the end", async () => {
  const silent = stdio({ command: "/bin/sh", args: ["-c", `echo $$ >> pids; exec sleep 1000`] });
  const attempt = connect(silent);
  await eventually(() => livingServers() === 1, "the server to start");
  await mcp.close();
  expect([livingServers(), (await attempt)[0]?.problem]).toMatchObject([0, { code: "upstream-unreachable" }]);
});

it("a server that cannot be started takes nothing from the others", async () => {
  const lost = stdio({ name: "lost", command: join(directory, "none"), args: [] });
  const sad = stdio({ name: "sad", command: "/bin/sh", args: ["-c", "echo no licence >&2; exit 1"] });
  const outcomes = await connect(lost, sad, stdio());
  expect(outcomes.map(({ server, problem }) => [server, (problem as { code?: string } | undefined)?.code])).toEqual([
    ["lost", "cli-missing"],
    ["sad", "upstream-unreachable"],
    ["ex", undefined],
  ]);
  expect(outcomes[1]?.problem).toMatchObject({ upstream: "no licence\n" });
  expect((await bench.call("ex__echo", { text: "hi" })).output).toBe("hi");
});

describe("a server over HTTP", () => {
  let server: TestServer;
  let seen: (string | undefined)[] = [];

  const serve = async (port = 0): Promise<TestServer> => {
    const handler = createMcpHandler(createExampleServer);
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      seen.push(request.headers.authorization);
      const body = request.method === "POST" ? await new Response(request as never).text() : undefined;
      const headers = new Headers(request.headers as Record<string, string>);
      const url = `http://127.0.0.1${request.url}`;
      const answered = await handler.fetch(
        new Request(url, { method: request.method ?? "GET", headers, ...(body === undefined ? {} : { body }) }),
      );
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.end(await answered.text());
    };
    return startServer((request, response) => void answer(request, response), "127.0.0.1", port);
  };

  beforeEach(async () => {
    seen = [];
    server = await serve();
  });

  afterEach(() => server.close());

  const http = (): McpServerConfig => ({
    name: "web",
    transport: "http",
    url: `${server.origin}/mcp`,
    headers: { authorization: new Secret("Bearer token") },
  });

  it("offers its tools, too, and hears our credentials", async () => {
    expect(await connect(http())).toEqual([{ server: "web" }]);
    expect((await bench.call("web__echo", { text: "hi" })).output).toBe("hi");
    expect(new Set(seen)).toEqual(new Set(["Bearer token"]));
  });

  it("that goes away and comes back is used again", async () => {
    await connect(http());
    await server.close();
    const { status, output } = await bench.call("web__echo", { text: "hi" });
    expect({ status, namesTheServer: output.startsWith("The MCP server web cannot be reached") }).toEqual({
      status: "error",
      namesTheServer: true,
    });
    server = await serve(server.port);
    expect((await bench.call("web__echo", { text: "back" })).output).toBe("back");
  });
});
