import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createNativeClient } from "@caret/protocol";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AcpClient, type AcpClientOptions, choosing, refusal } from "./acp-client.ts";
import { acpScenario } from "./acp-scenario.ts";
import { GatewayHome } from "./gateway-home.ts";
import { command, type GatewayProcess, startGateway } from "./gateway-process.ts";

/** `caret acp` by itself, and over its own restarts and those of a gateway. */
let home: GatewayHome;
let gateway: GatewayProcess | undefined;
const clients: AcpClient[] = [];

beforeEach(() => {
  home = new GatewayHome(acpScenario);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.stop()));
  await gateway?.stop();
  gateway = undefined;
  home.remove();
});

async function open(options: AcpClientOptions = {}): Promise<AcpClient> {
  const client = await AcpClient.start(home, options);
  clients.push(client);
  return client;
}

async function startServing(...args: readonly string[]): Promise<GatewayProcess> {
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace, ...args] });
  return gateway;
}

function otherDirectory(): string {
  const other = join(home.directory, "other");
  mkdirSync(other);
  return other;
}

describe("without a gateway", () => {
  it("runs turns in its own process, ends a running one with the client, and another client resumes, loads and deletes", async () => {
    const first = await open({ decide: choosing("allow_once") });
    const cwd = home.workspace;
    const { sessionId } = await first.newSession(cwd);
    const other = otherDirectory();
    await first.newSession(other);
    expect(first.stderr().trimEnd().split("\n")).toEqual([
      "caret: turns run in this process: no gateway runs for this data directory",
      `caret: turns may work in ${other} until the gateway ends; \`${command} workspaces allow\` keeps a directory`,
    ]);
    expect(await first.prompt(sessionId, "What is 2 + 3?")).toMatchObject({ stopReason: "end_turn" });
    const prompt = first.prompt(sessionId, "Sleep").catch(() => "gone");
    await expect.poll(() => first.calls(sessionId)["`sleep 600`"]?.length).toBe(3);
    expect([await first.stop(), await prompt, first.asked.length]).toEqual([0, "gone", 1]);
    await expect.poll(() => home.agents()).toEqual([]);

    const second = await open();
    await second.agent.request("session/resume", { sessionId, cwd });
    expect(second.updates.filter(({ update }) => update.sessionUpdate !== "available_commands_update")).toEqual([]);
    await second.prompt(sessionId, "What is 3 + 3?");
    expect(second.said(sessionId, "agent_message_chunk")).toBe("3 + 3 = 6");
    await second.agent.request("session/close", { sessionId });
    expect(await refusal(second.prompt(sessionId, "Hello"))).toEqual([-32_002, undefined]);
    second.updates.length = 0;
    const loaded = await second.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
    const { sessions } = await second.agent.request("session/list", { cwd });
    expect([
      second.said(sessionId, "user_message_chunk"),
      second.said(sessionId, "agent_message_chunk"),
      loaded.modes?.currentModeId,
      sessions,
      (await second.agent.request("session/list", {})).sessions.length,
    ]).toEqual([
      "What is 2 + 3?SleepWhat is 3 + 3?",
      "2 + 3 = 5I begin.3 + 3 = 6",
      "agent",
      [{ sessionId, cwd, title: "What is 2 + 3?", updatedAt: expect.any(String) }],
      2,
    ]);
    await second.agent.request("session/delete", { sessionId });
    expect(await refusal(second.agent.request("session/load", { sessionId, cwd, mcpServers: [] }))).toEqual([
      -32_002,
      "session-not-found",
    ]);
  });
});

describe("at a gateway", () => {
  it("a session goes on with its running turn, and with what that waits for, after a restart of the client", async () => {
    await startServing();
    const first = await open();
    const { sessionId } = await first.newSession(home.workspace);
    const prompt = first.prompt(sessionId, "Run it").catch(() => "gone");
    await first.untilAsked();
    await first.kill();
    expect(await prompt).toBe("gone");
    const second = await open({ decide: choosing("allow_once") });
    await second.agent.request("session/resume", { sessionId, cwd: home.workspace });
    await second.untilAsked();
    await expect.poll(() => second.said(sessionId, "agent_message_chunk")).toBe("Done.");
  });

  it.runIf(isFullRun())(
    "a session goes on after a restart of the gateway, at another port, and its interrupted prompt is answered",
    async () => {
      const before = await startServing();
      const client = await open({ decide: choosing("allow_once") });
      const { sessionId } = await client.newSession(home.workspace);
      const interrupted = refusal(client.prompt(sessionId, "Sleep"));
      await expect.poll(() => client.calls(sessionId)["`sleep 600`"]?.length).toBe(3);
      before.kill("SIGKILL");
      await before.exited;
      await startServing();
      expect(await interrupted).toEqual([-32_603, "interrupted"]);
      expect([
        client.calls(sessionId)["`sleep 600`"]?.at(-1),
        await client.prompt(sessionId, "What is 2 + 3?"),
      ]).toMatchObject(["failed", { stopReason: "end_turn" }]);
    },
  );

  it.runIf(isFullRun())(
    "a directory that is opened is allowed until the gateway ends, which is said, and refused with --no-allow",
    async () => {
      const { url, token } = await startServing();
      const other = otherDirectory();
      const [strict, client] = await Promise.all([open({ args: ["--no-allow"] }), open()]);
      expect(await refusal(strict.newSession(other))).toEqual([-32_602, "workspace-forbidden"]);
      const { sessionId } = await client.newSession(other);
      const page = createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
      expect([
        (await page.about()).workspaces,
        client.stderr().split("\n").at(-2),
        existsSync(join(home.dataDir, "workspaces.json")),
        await strict.agent.request("session/resume", { sessionId, cwd: other }).then(() => "resumed"),
        await strict.prompt(sessionId, "What is 2 + 3?"),
      ]).toMatchObject([
        expect.arrayContaining([other]),
        `caret: turns may work in ${other} until the gateway ends; \`${command} workspaces allow\` keeps a directory`,
        false,
        "resumed",
        { stopReason: "end_turn" },
      ]);
    },
  );
});

/** One transparent pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

it("answers bad input with an error of its kind, and serves on", async () => {
  const client = new AcpClient(home);
  clients.push(client);
  const { agent } = client;
  expect(await refusal(client.newSession(home.workspace))).toEqual([-32_600, undefined]);
  await agent.request("initialize", { protocolVersion: 1 });
  client.write("this is no JSON\n\n[]\n{}\n");
  const { sessionId } = await client.newSession(home.workspace);
  const prompt = (blocks: readonly object[]) =>
    refusal(agent.request("session/prompt", { sessionId, prompt: blocks as never }));
  const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
  const broken = { type: "image", data: "AAAA", mimeType: "image/png" };
  const sse = { type: "sse", name: "old", url: "http://localhost/", headers: [] };
  expect([
    await refusal(agent.request("session/nonsense", {})),
    await refusal(agent.request("session/prompt", { sessionId } as never)),
    await refusal(client.prompt("nobody", "Hello")),
    await refusal(client.newSession("relative/path")),
    await refusal(client.newSession(join(home.directory, "missing"))),
    await refusal(client.newSession(home.workspace, { mcpServers: [sse] })),
    await refusal(agent.request("authenticate", { methodId: "magic" })),
    await prompt([]),
    await prompt([audio]),
    await prompt([{ type: "text", text: "Look" }, broken]),
  ]).toEqual([
    [-32_601, undefined],
    [-32_602, undefined],
    [-32_002, undefined],
    [-32_602, "invalid-request"],
    [-32_602, "workspace-missing"],
    [-32_602, "unsupported"],
    [-32_602, "invalid-request"],
    [-32_602, "invalid-request"],
    [-32_602, "unsupported"],
    [-32_602, "invalid-request"],
  ]);
  await client.cancel("nobody");
  expect(await client.prompt(sessionId, "What is 2 + 3?")).toMatchObject({ stopReason: "end_turn" });
});

it("promises no pictures where the lane passes none on, and leaves out those that come, with a word about it", async () => {
  const client = new AcpClient(home);
  clients.push(client);
  const { agentCapabilities } = await client.agent.request("initialize", { protocolVersion: 1 });
  expect(agentCapabilities?.promptCapabilities).toEqual({ image: false, audio: false, embeddedContext: true });
  const { sessionId } = await client.newSession(home.workspace);
  const image = { type: "image", data: PNG, mimeType: "image/png" } as const;
  const prompt = [{ type: "text", text: "What is 2 + 3?" } as const, image];
  expect(await client.agent.request("session/prompt", { sessionId, prompt })).toMatchObject({ stopReason: "end_turn" });
  expect([client.said(sessionId, "agent_message_chunk"), client.said(sessionId, "agent_thought_chunk")]).toEqual([
    expect.stringContaining("5"),
    expect.stringContaining("The agent was not given the pictures"),
  ]);
});
