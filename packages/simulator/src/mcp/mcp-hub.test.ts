import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { connectMcp, type McpHub, type McpOptions } from "./mcp-hub.ts";
import { describeServers, describeTools } from "./mcp-report.ts";
import { disableMcpServer, enableMcpServer } from "./mcp-servers.ts";

const fixture = join(import.meta.dirname, "testing", "fixture-server.ts");

let root: string;
let workspace: string;
let configDir: string;
let diary: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mcp-"));
  workspace = join(root, "workspace");
  configDir = join(root, "config");
  diary = join(workspace, "diary");
  mkdirSync(join(workspace, ".cursor"), { recursive: true });
  mkdirSync(configDir);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A placeholder as users write it into the file. */
function variable(name: string): string {
  return `\${${name}}`;
}

/** The fixture server: it writes to the workspace folder, and the environment sets what it says. */
const local = {
  command: process.execPath,
  args: [fixture, `${variable("workspaceFolder")}/diary`, variable("env:GREETING")],
};

function configure(scope: "project" | "user", mcpServers: object): void {
  const path = scope === "project" ? join(workspace, ".cursor", "mcp.json") : join(configDir, "mcp.json");
  writeFileSync(path, JSON.stringify({ mcpServers }));
}

async function connect(options: Partial<McpOptions> = {}): Promise<McpHub> {
  const env = { PATH: process.env["PATH"], GREETING: "SAID" };
  const hub = await connectMcp({ workspace, configDir, approveMcps: false, env, ...options });
  onTestFinished(() => hub.close());
  return hub;
}

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z");
  } catch {
    return false;
  }
}

const never = new AbortController().signal;

describe("connectMcp", () => {
  it("offers nothing where nothing is configured", async () => {
    const hub = await connect();
    expect([hub.tools, hub.servers, describeServers(hub)]).toEqual([
      [],
      [],
      "No MCP servers configured (expected in .cursor/mcp.json or ~/.cursor/mcp.json)",
    ]);
  });

  it("starts a server of the user's own file without approval and calls its tools", async () => {
    configure("user", { local });
    const hub = await connect();
    expect(hub.tools.map(({ server, name }) => `${server}:${name}`)).toEqual([
      "local:echo",
      "local:fail",
      "local:picture",
      "local:slow",
    ]);
    expect(await hub.call({ server: "local", tool: "echo", args: { text: "hi" } }, never)).toEqual({
      content: [{ text: { text: "SAID: hi" } }],
      isError: false,
    });
    expect(await hub.call({ server: "local", tool: "fail", args: {} }, never)).toEqual({
      content: [{ text: { text: "It did not work." } }],
      isError: true,
    });
    expect(await hub.call({ server: "local", tool: "picture", args: {} }, never)).toEqual({
      content: [{ image: { data: "AAAA", mimeType: "image/png" } }, { text: { text: "a note" } }],
      isError: false,
    });
    expect(describeTools(hub, "local")).toBe(
      "Tools for local (4):\n- echo (text)\n- fail ()\n- picture ()\n- slow (milliseconds, talks)",
    );
  });

  it("looks at the tools again when the server says that they have changed", async () => {
    configure("user", { local: { ...local, args: [...local.args, "growing"] } });
    const hub = await connect();
    const namesOf = () => hub.tools.map(({ name }) => name);
    const late = () => hub.call({ server: "local", tool: "late", args: {} }, never);
    const before = { names: namesOf(), refusal: await late().catch((reason: Error) => reason.message) };
    await hub.call({ server: "local", tool: "grow", args: {} }, never);
    expect({ before, after: { names: namesOf(), answer: await late() } }).toEqual({
      before: { names: ["echo", "fail", "picture", "slow", "grow"], refusal: "Tool late not found on local" },
      after: {
        names: ["echo", "fail", "picture", "slow", "grow", "late"],
        answer: { content: [{ text: { text: "late indeed" } }], isError: false },
      },
    });
  });

  it("does not start a repository's server before it is approved", async () => {
    configure("project", { local });
    const hub = await connect();
    expect({ tools: hub.tools, servers: describeServers(hub), isDiaryThere: existsSync(diary) }).toEqual({
      tools: [],
      servers: "local: not loaded (needs approval)",
      isDiaryThere: false,
    });
    expect((await connect({ approveMcps: true })).tools).toHaveLength(4);
  });

  it("remembers an approval until it is taken back", async () => {
    configure("project", { local });
    expect({
      unknown: enableMcpServer("nobody", { workspace, configDir }),
      known: enableMcpServer("local", { workspace, configDir }),
    }).toEqual({ unknown: false, known: true });
    expect(describeServers(await connect())).toBe("local: ready");
    disableMcpServer("local", { workspace, configDir });
    expect(describeServers(await connect({ approveMcps: true }))).toBe("local: disabled");
    enableMcpServer("local", { workspace, configDir });
    expect(describeServers(await connect())).toBe("local: ready");
  });

  it("forgets the approval of a server whose command changed", async () => {
    configure("project", { local });
    enableMcpServer("local", { workspace, configDir });
    configure("project", { local: { ...local, args: ["-e", "0"] } });
    expect(describeServers(await connect())).toBe("local: not loaded (needs approval)");
  });

  it("lives on without a server that cannot start", async () => {
    configure("user", { local, broken: { command: "/no/such/program" }, odd: {} });
    const hub = await connect();
    expect(hub.servers.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "local ready",
      "broken failed",
      "odd failed",
    ]);
    await expect(hub.call({ server: "broken", tool: "x", args: {} }, never)).rejects.toThrow("not connected");
    await expect(hub.call({ server: "local", tool: "x", args: {} }, never)).rejects.toThrow("Tool x not found");
  });

  it("waits as long as progress comes, and no longer", async () => {
    configure("user", { local });
    const hub = await connect({ callTimeoutMs: 400 });
    const slow = (talks: boolean) =>
      hub.call({ server: "local", tool: "slow", args: { milliseconds: 900, talks } }, never);
    expect(await slow(true)).toEqual({ content: [{ text: { text: "done at last" } }], isError: false });
    await expect(slow(false)).rejects.toThrow(/timed out/i);
  });

  it("gives a call up when the turn is aborted", async () => {
    configure("user", { local });
    const hub = await connect();
    const controller = new AbortController();
    const call = hub.call(
      { server: "local", tool: "slow", args: { milliseconds: 5_000, talks: false } },
      controller.signal,
    );
    controller.abort(new Error("stop it"));
    await expect(call).rejects.toThrow();
  });

  it("leaves no server process behind", async () => {
    configure("user", { local });
    const hub = await connect();
    const pid = Number(readFileSync(diary, "utf8"));
    expect(isRunning(pid)).toBe(true);
    await hub.close();
    expect(isRunning(pid)).toBe(false);
  });

  it("reaches a server over HTTP with the configured headers", async () => {
    const seen: string[] = [];
    const http = await serveOverHttp(seen);
    configure("user", { web: { type: "http", url: http, headers: { "x-token": variable("env:GREETING") } } });
    const hub = await connect();
    expect(await hub.call({ server: "web", tool: "ping", args: {} }, never)).toEqual({
      content: [{ text: { text: "pong" } }],
      isError: false,
    });
    expect(new Set(seen)).toEqual(new Set(["SAID"]));
  });
});

/** The smallest streamable-HTTP server: one session, Node's request turned into the web's. */
async function serveOverHttp(seen: string[]): Promise<string> {
  const mcp = new McpServer({ name: "web", version: "1.0.0" });
  mcp.registerTool("ping", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "pong" }] }));
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => "session-1" });
  await mcp.connect(transport);
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      seen.push(String(request.headers["x-token"]));
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      const headers = Object.entries(request.headers).map(([key, value]): [string, string] => [key, String(value)]);
      void transport
        .handleRequest(
          new Request(`http://loopback${request.url}`, { method: request.method ?? "GET", headers, ...body }),
        )
        .then(async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          for await (const chunk of answer.body ?? []) response.write(chunk);
          response.end();
        });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await mcp.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
