import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { caret } from "../clients/gateway-process.ts";
import { MortalGateway } from "../native/mortal-gateway.ts";
import { httpTransport, McpHost, type Report, stdioTransport, textOf } from "./mcp-host.ts";

const offered = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });
const questions = [
  {
    id: "colour",
    prompt: "Which colour?",
    options: [
      { id: "r", label: "Red" },
      { id: "b", label: "Blue" },
    ],
  },
];
const scenario: ScenarioInput = {
  turns: [
    { when: "a file", steps: [offered("write", { path: "one.txt", content: "1\n" }), { text: "Written." }] },
    { when: "ask me", steps: [offered("ask_user", { questions }), { text: "Thank you." }] },
    { when: "for ever", steps: [{ text: "Still here. " }, { hang: true }] },
    { when: "fail", steps: [{ fail: "usage-limit" }] },
    { when: "say pear", steps: [{ text: "Pear." }, { usage: { inputTokens: 1200, outputTokens: 40 } }] },
  ],
};

let gateway: MortalGateway;
beforeAll(async () => {
  gateway = await MortalGateway.start(scenario);
});
afterAll(() => gateway.remove());

const hosts: McpHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const ways = {
  "over HTTP": () => httpTransport(gateway.process),
  "over standard input and output": () => stdioTransport(gateway.home),
};

async function connect(way: keyof typeof ways, options: Parameters<typeof McpHost.connect>[1] = {}): Promise<McpHost> {
  const host = await McpHost.connect(ways[way](), options);
  hosts.push(host);
  return host;
}

const roots = (): readonly string[] => [gateway.home.workspace];
const names = ["run", "start", "status", "result", "answer", "compare", "cancel"];

/** One server behind both transports; how they differ is tested below. */
const shownBy = (Object.keys(ways) as (keyof typeof ways)[]).slice(0, barSize({ quick: 1, full: 2 }));

describe.each(shownBy)("a host %s", (way) => {
  it("gives an agent a task in its own root, and gets the answer, its cost and where to read more", async () => {
    const host = await connect(way, { roots: roots() });
    const { tools } = await host.client.listTools();
    const { session, ...report } = await host.call("run", { prompt: "say pear" });
    expect([tools.map(({ name }) => name), report]).toEqual([
      names,
      {
        turn: expect.any(String),
        state: "completed",
        answer: "Pear.",
        files: [],
        usage: "1.2k in, 40 out, $0.0017",
        transcript: `caret://sessions/${session}/transcript`,
        diff: `caret://sessions/${session}/diff`,
        next: expect.stringContaining("run"),
      },
    ]);
    expect((await gateway.client().getSession(session)).workspace).toBe(gateway.home.workspace);
  });

  it("is given back a question with a handle, and the turn goes on with its answer", async () => {
    const host = await connect(way, { roots: roots() });
    const asked = await host.call("run", { prompt: "Please ask me" });
    expect(asked).toMatchObject({
      state: "waiting",
      ask: { kind: "question", questions: [{ id: "colour", options: questions[0]?.options }] },
    });
    const answers = [{ question: "colour", options: ["b"] }];
    const { session } = asked;
    const answered = await host.call("answer", { session, request: asked.ask?.request, answers });
    expect([answered.state, answered.answer, answered.session]).toEqual(["completed", "Thank you.", session]);
  });

  it("decides about an approval, and hears what was changed", async () => {
    const host = await connect(way, { roots: roots() });
    const file = join(gateway.home.workspace, "one.txt");
    rmSync(file, { force: true });
    const asked = await host.call("run", { prompt: "Write a file", permission: "supervised" });
    expect([asked.state, asked.ask?.kind, asked.ask?.subject, existsSync(file)]).toEqual([
      "waiting",
      "approval",
      "write",
      false,
    ]);
    const { session } = asked;
    const status = await host.call("status", { session });
    const approved = await host.call("answer", { session, request: asked.ask?.request, decision: "approved" });
    expect([status.state, approved.state, approved.files, existsSync(file)]).toEqual([
      "waiting",
      "completed",
      ["one.txt"],
      true,
    ]);
  });

  it("does not wait with start, reads how it stands, and cancels it", async () => {
    const host = await connect(way, { roots: roots() });
    const { session, state } = await host.call("start", { prompt: "Go on for ever" });
    const waited = await host.call("result", { session, wait_seconds: 0 });
    const cancelled = await host.call("cancel", { session });
    expect([state, waited.state, cancelled.state]).toEqual(["running", "running", "cancelled"]);
  });

  it("cancels the turn by cancelling its call, and was told of progress before", async () => {
    const host = await connect(way, { roots: roots() });
    const leaving = new AbortController();
    const told: string[] = [];
    const onprogress = ({ message = "" }: { readonly message?: string | undefined }): void => {
      told.push(message);
      leaving.abort();
    };
    const params = { name: "run", arguments: { prompt: "Go on for ever", title: `left ${way}` } };
    await expect(host.client.callTool(params, { onprogress, signal: leaving.signal })).rejects.toThrow();
    const state = async () => {
      const { sessions } = await gateway.client().listSessions({ search: `left ${way}` });
      return sessions.map(({ status }) => (status.kind === "ended" ? status.outcome : status.kind));
    };
    await expect.poll(state).toEqual(["cancelled"]);
    expect(told).toEqual(["The agent has started"]);
  });

  it("hears of failures as results that say what to do", async () => {
    const host = await connect(way, { roots: roots() });
    const failed = await host.raw("run", { prompt: "fail" });
    const forbidden = await host.raw("run", { prompt: "say pear", workspace: "/etc" });
    const unknown = await host.raw("result", { session: "nobody" });
    const wrong = await host.raw("answer", { session: 7 });
    expect([failed, forbidden, unknown, wrong].map(({ isError }) => isError)).toEqual([true, true, true, true]);
    expect(failed.structuredContent).toMatchObject({ state: "failed", error: { code: "usage-limit" } });
    expect(textOf(forbidden)).toMatch(/\[workspace-forbidden\]\n.*caret.* workspaces allow/);
    expect(textOf(unknown)).toMatch(/\[session-not-found\]\n.*caret.* sessions ls/);
    expect(textOf(wrong)).toMatch(/session: must be a string/);
  });

  it("reads a session's transcript and its diff as resources", async () => {
    const host = await connect(way, { roots: roots() });
    const { session } = await host.call("run", { prompt: "say pear" });
    const { resources } = await host.client.listResources();
    const read = async (kind: string) => await host.client.readResource({ uri: `caret://sessions/${session}/${kind}` });
    expect(resources.map(({ uri }) => uri)).toContain(`caret://sessions/${session}/diff`);
    expect(await read("transcript")).toMatchObject({
      contents: [{ mimeType: "text/markdown", text: expect.stringContaining("Pear.") }],
    });
    expect(await read("diff")).toMatchObject({ contents: [{ text: expect.stringContaining("no git repository") }] });
    await expect(host.client.readResource({ uri: "caret://sessions/nobody/diff" })).rejects.toThrow(
      /caret.* sessions ls/,
    );
  });

  it("is served by the protocol of 2026 as well", async () => {
    const host = await connect(way, { isModern: true });
    const { tools } = await host.client.listTools();
    const { state, answer } = await host.call("run", { prompt: "say pear", workspace: gateway.home.workspace });
    expect([host.client.getProtocolEra(), tools.map(({ name }) => name), state, answer]).toEqual([
      "modern",
      names,
      "completed",
      "Pear.",
    ]);
  });
});

describe("where an agent works", () => {
  it("has to be said by a host over HTTP that names no root, or several", async () => {
    const silent = await connect("over HTTP");
    const many = await connect("over HTTP", { roots: ["/one", "/two"] });
    const said = await Promise.all([silent, many].map((host) => host.raw("run", { prompt: "say pear" })));
    expect(said.map(textOf)).toEqual([
      expect.stringContaining("There is no directory to work in by default: name the workspace [invalid-request]"),
      expect.stringContaining("The host works in /one and /two: name the workspace [invalid-request]"),
    ]);
  });

  it("is where `caret mcp` was started, for a host that names no root", async () => {
    const host = await connect("over standard input and output");
    const { session } = await host.call("run", { prompt: "say pear" });
    expect((await gateway.client().getSession(session)).workspace).toBe(gateway.home.workspace);
  });
});

describe("what a host may let happen without asking", () => {
  it("is limited: `full` has to be allowed by who starts the server", async () => {
    const host = await connect("over HTTP", { roots: roots() });
    const wide = await McpHost.connect(stdioTransport(gateway.home, ["--permission", "full"]), { roots: roots() });
    hosts.push(wide);
    const refused = await host.raw("run", { prompt: "say pear", permission: "full" });
    const { state } = await wide.call("run", { prompt: "say pear", permission: "full" });
    expect([textOf(refused), state]).toEqual([
      expect.stringContaining("permission: must be one of supervised, auto-edits, auto"),
      "completed",
    ]);
  });
});

describe("a connection over HTTP", () => {
  it("belongs to the token that has opened it", async () => {
    const { token } = await gateway.client().createToken("other");
    const transport = httpTransport(gateway.process);
    hosts.push(await McpHost.connect(transport));
    const send = async (secret: string) => {
      const response = await fetch(new URL("/mcp", gateway.process.url), {
        method: "POST",
        headers: {
          authorization: `Bearer ${secret}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-session-id": transport.sessionId ?? "",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 9, method: "ping" }),
      });
      await response.body?.cancel();
      return response.status;
    };
    const tokens = [gateway.process.token, token];
    expect(await Promise.all(tokens.map(send))).toEqual([200, 403]);
  });
});

describe("`caret mcp` without a gateway", () => {
  it("starts one in its own process, says so on standard error only, and leaves nothing behind", async () => {
    const home = new GatewayHome(scenario);
    const transport = stdioTransport(home);
    const stderr = text(transport.stderr as Readable);
    const host = await McpHost.connect(transport);
    const { state } = await host.call("run", { prompt: "say pear" });
    await host.close();
    expect([state, await stderr, home.agents(), existsSync(join(home.dataDir, "gateway.json"))]).toEqual([
      "completed",
      expect.stringMatching(/^caret: started a gateway at http:\S+ that ends with this process: no gateway runs/),
      [],
      false,
    ]);
    home.remove();
  });

  it("prints nothing but the protocol on standard output", async () => {
    const { dataDir, directory, workspace } = gateway.home;
    const child = spawn(process.execPath, [caret, "mcp"], {
      cwd: workspace,
      env: { HOME: directory, CARET_DATA_DIR: dataDir, PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const request = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "h", version: "1" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: request })}\n`);
    const [line] = (await new Promise((resolve) => child.stdout.once("data", (chunk) => resolve([chunk])))) as [Buffer];
    child.stdin.end();
    const rest = await text(child.stdout);
    expect([JSON.parse(String(line)), rest]).toMatchObject([{ id: 1, result: { serverInfo: { name: "caret" } } }, ""]);
  });
});

/** A report is what the structure says and what the text says: some hosts show the one, some the other. */
it("says the same in its structure and in its text", async () => {
  const host = await connect("over HTTP", { roots: roots() });
  const result = await host.raw("run", { prompt: "say pear" });
  expect(JSON.parse(textOf(result))).toEqual(result.structuredContent as unknown as Report);
});
