import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createNativeClient, type NativeClient } from "@caret/protocol";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AcpClient, choosing, refusal } from "./acp-client.ts";
import { acpScenario, clientServer } from "./acp-scenario.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";

/** The SDK's own client at a gateway on the simulator; `page` is another client of the same gateway. */
let home: GatewayHome;
let gateway: GatewayProcess;
let page: NativeClient;
/** One client for all tests, which shows forms: each has a session of its own. */
let client: AcpClient;

beforeAll(async () => {
  home = new GatewayHome(acpScenario);
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace] });
  page = createNativeClient({ baseUrl: gateway.url, headers: { authorization: `Bearer ${gateway.token}` } });
  client = await AcpClient.start(home, {
    capabilities: { elicitation: { form: {} } },
    fillIn: () => ({ action: "accept", content: { colour: "b" } }),
  });
});
afterEach(() => client.forgetAsked());
afterAll(async () => {
  await client.stop();
  await gateway.stop();
  home.remove();
});

async function openSession(decide?: AcpClient["decide"], permission = "auto-edits"): Promise<string> {
  client.decide = decide;
  const { sessionId } = await client.newSession(home.workspace);
  if (permission !== "auto-edits") await setOption(sessionId, "permission", permission);
  return sessionId;
}

const setOption = (sessionId: string, configId: string, value: string) =>
  client.agent.request("session/set_config_option", { sessionId, configId, value });

describe("a prompt", () => {
  it("is answered in chunks, ends with a stop reason, and is a session of the page's", async () => {
    const id = await openSession();
    const { stopReason } = await client.prompt(id, "What is 2 + 3?");
    expect([
      stopReason,
      client.said(id, "agent_message_chunk"),
      client.said(id, "user_message_chunk"),
      client.sent(id, "session_info_update").map(({ title }) => title),
      (await page.getSession(id)).title,
      client.stderr(),
    ]).toEqual([
      "end_turn",
      "2 + 3 = 5",
      "",
      ["What is 2 + 3?"],
      "What is 2 + 3?",
      expect.stringMatching(/^caret: sessions are those of the gateway at http:\/\/127\.0\.0\.1:\d+\n$/),
    ]);
  });

  it("of a turn that fails is rejected with the turn's error, and the session lives on", async () => {
    const id = await openSession();
    expect(await refusal(client.prompt(id, "Fail, please"))).toEqual([-32_603, "usage-limit"]);
    expect(await client.prompt(id, "What is 1 + 1?")).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("a permission", () => {
  it("that is allowed runs the call, and one that is rejected does not", async () => {
    const allowing = await openSession(choosing("allow_once"), "supervised");
    await client.prompt(allowing, "Write a.txt");
    expect([readFileSync(join(home.workspace, "a.txt"), "utf8"), client.calls(allowing)]).toEqual([
      "hi\n",
      { "write a.txt": ["in_progress", "pending", "in_progress", "completed"] },
    ]);
    expect(client.asked).toMatchObject([
      {
        toolCall: {
          title: "write a.txt",
          kind: "edit",
          content: [{ type: "content" }, { type: "diff", path: join(home.workspace, "a.txt"), newText: "hi\n" }],
        },
      },
    ]);
    const rejecting = await openSession(choosing("reject_once"));
    expect(await client.prompt(rejecting, "Run it")).toMatchObject({ stopReason: "end_turn" });
    expect([client.calls(rejecting), existsSync(join(home.workspace, "ran.txt"))]).toEqual([
      { "`echo ran > ran.txt`": ["in_progress", "pending", "failed"] },
      false,
    ]);
  });

  it("that is allowed for the session is not asked for again", async () => {
    const id = await openSession(choosing("allow_always"));
    await client.prompt(id, "Run it");
    await client.prompt(id, "Run it again");
    await client.prompt(id, "/grants");
    expect([client.asked.length, client.said(id, "agent_message_chunk")]).toEqual([
      1,
      expect.stringMatching(/^Done\.Done\.- exactly `echo ran` \(1 use\)$/),
    ]);
  });
});

describe("a question", () => {
  it("is a form where the client shows forms", async () => {
    const id = await openSession();
    expect(await client.prompt(id, "Question")).toMatchObject({ stopReason: "end_turn" });
    expect(await answersIn(id)).toEqual([["answered", [{ questionId: "colour", optionIds: ["b"] }]]]);
  });

  it.runIf(isFullRun())(
    "is a permission with its options where the client shows none, and can be skipped",
    async () => {
      const plain = await AcpClient.start(home);
      const ask = async (decide: AcpClient["decide"]): Promise<unknown> => {
        plain.decide = decide;
        const { sessionId } = await plain.newSession(home.workspace);
        await plain.prompt(sessionId, "Question");
        return await answersIn(sessionId);
      };
      const answers = [await ask(choosing("allow_once")), await ask(choosing("reject_once"))];
      expect([plain.asked[0]?.options.map(({ name }) => name), ...answers]).toEqual([
        ["Red", "Blue", "Skip"],
        [["answered", [{ questionId: "colour", optionIds: ["r"] }]]],
        [["skipped", undefined]],
      ]);
      await plain.stop();
    },
  );

  async function answersIn(id: string) {
    const { events } = await page.readLog(id, { after: 0, limit: 500 });
    return events.flatMap(({ event }) =>
      event.type === "question-answer" ? [[event.outcome, event.answers] as const] : [],
    );
  }
});

describe("a session that others have open too", () => {
  it("shows a turn of the page, and withdraws what the page has answered", async () => {
    const id = await openSession();
    await page.startTurn(id, { prompt: "Run it" });
    await client.untilAsked();
    const { events } = await page.readLog(id, { after: 0, limit: 500 });
    const requestId = events.flatMap(({ event }) => (event.type === "approval-request" ? [event.requestId] : []))[0];
    await page.answerApproval(id, requestId ?? "", { decision: "rejected", reason: "Not now" });
    await expect.poll(() => client.said(id, "agent_message_chunk")).toBe("Done.");
    expect([client.said(id, "user_message_chunk"), client.withdrawn, client.calls(id)]).toEqual([
      "Run it",
      ["`echo ran > ran.txt`"],
      { "`echo ran > ran.txt`": ["in_progress", "pending", "failed"] },
    ]);
  });

  it.runIf(isFullRun())("decides for the page what the client was asked", async () => {
    const id = await openSession(choosing("reject_once"));
    const { turnId } = await page.startTurn(id, { prompt: "Run it" });
    await expect.poll(async () => (await page.getSession(id)).status).toMatchObject({ kind: "ended", turnId });
    expect(client.asked.length).toBe(1);
  });

  it("shows what was changed on the page", async () => {
    const id = await openSession();
    await page.changeSession(id, { title: "Another name", permission: "supervised" });
    await expect.poll(() => client.sent(id, "session_info_update").map(({ title }) => title)).toEqual(["Another name"]);
    await expect
      .poll(() => chosen(client.sent(id, "config_option_update")[0]?.configOptions, "permission"))
      .toBe("supervised");
  });
});

function chosen(options: readonly { readonly id: string; readonly currentValue: unknown }[] | undefined, id: string) {
  return options?.find((option) => option.id === id)?.currentValue;
}

describe("cancelling", () => {
  it("in the middle of a tool closes the tool's updates and answers the prompt; another prompt was refused meanwhile", async () => {
    const id = await openSession(choosing("allow_once"));
    const prompt = client.prompt(id, "Sleep");
    await expect.poll(() => client.calls(id)).toEqual({ "`sleep 600`": ["in_progress", "pending", "in_progress"] });
    expect(await refusal(client.prompt(id, "What is 2 + 3?"))).toEqual([-32_600, "session-busy"]);
    await client.cancel(id);
    expect([await prompt, client.calls(id)]).toMatchObject([
      { stopReason: "cancelled" },
      { "`sleep 600`": ["in_progress", "pending", "in_progress", "failed"] },
    ]);
    expect(await client.prompt(id, "What is 2 + 3?")).toMatchObject({ stopReason: "end_turn" });
  });

  it("while a permission is open ends the turn without a decision", async () => {
    const id = await openSession();
    const prompt = client.prompt(id, "Run it");
    await client.untilAsked();
    await client.cancel(id);
    expect(await prompt).toMatchObject({ stopReason: "cancelled" });
    await expect.poll(() => client.withdrawn).toEqual(["`echo ran > ran.txt`"]);
  });
});

describe("options", () => {
  it("change the model, the effort, the mode, the permission and the lane of the turns that follow", async () => {
    const id = await openSession();
    const set = (configId: string, value: string) => setOption(id, configId, value);
    await set("model", "claude-opus-5");
    const { configOptions } = await set("effort", "claude-opus-5-thinking-high");
    await set("permission", "full");
    await set("lane", "sim");
    await client.agent.request("session/set_mode", { sessionId: id, modeId: "ask" });
    await client.prompt(id, "What is 2 + 3?");
    const { model, permission, lane } = await page.getSession(id);
    expect([chosen(configOptions, "model"), chosen(configOptions, "effort"), model, permission, lane]).toEqual([
      ...["claude-opus-5", "claude-opus-5-thinking-high", "claude-opus-5-thinking-high", "full", "sim"],
    ]);
    expect(home.turns().at(-1)?.argv).toEqual(
      expect.arrayContaining(["--model", "claude-opus-5-thinking-high", "--mode", "ask"]),
    );
    await client.agent.request("session/set_model", { sessionId: id, modelId: "auto" });
    expect((await page.getSession(id)).model).toBe("auto");
  });

  it("that do not exist are refused by name", async () => {
    const id = await openSession();
    const set = (configId: string, value: string) => refusal(setOption(id, configId, value));
    expect([await set("colour", "red"), await set("permission", "all"), await set("model", "no-such-model")]).toEqual([
      [-32_602, "invalid-request"],
      [-32_602, "invalid-request"],
      [-32_602, "model-unknown"],
    ]);
  });
});

it("shows todos as a plan, and a plan as words", async () => {
  const id = await openSession(undefined, "full");
  expect(await client.prompt(id, "Plan it")).toMatchObject({ stopReason: "end_turn" });
  expect([client.sent(id, "plan").map(({ entries }) => entries), client.said(id, "agent_message_chunk")]).toEqual([
    [[{ content: "Look", priority: "medium", status: "pending" }]],
    expect.stringContaining("1. Look"),
  ]);
});

it("gives the agent the MCP servers of the client, and ends them with the session", async () => {
  client.decide = choosing("allow_once");
  const token = `hush-${randomUUID()}`;
  const mcpServers = [clientServer(join(home.directory, "server-pids"), token)];
  const { sessionId: id } = await client.newSession(home.workspace, { mcpServers });
  expect(await client.prompt(id, "Echo")).toMatchObject({ stopReason: "end_turn" });
  expect(client.calls(id)).toEqual({
    'My-tools: echo {"text":"from afar"}': ["in_progress", "pending", "in_progress", "completed"],
  });
  expect(processesWith(`MY_TOKEN=${token}`).length).toBeGreaterThan(0);
  await client.agent.request("session/close", { sessionId: id });
  await expect.poll(() => processesWith(`MY_TOKEN=${token}`)).toEqual([]);
});

function processesWith(variable: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(variable);
    } catch {
      return false; // gone meanwhile, or another user's
    }
  });
}

it("runs two sessions at once, each with its own updates", async () => {
  client.decide = choosing("allow_once");
  const [one, two] = await Promise.all([client.newSession(home.workspace), client.newSession(home.workspace)]);
  const slow = client.prompt(one.sessionId, "Sleep");
  await expect.poll(() => client.said(one.sessionId, "agent_message_chunk")).toBe("I begin.");
  expect(await client.prompt(two.sessionId, "What is 2 + 3?")).toMatchObject({ stopReason: "end_turn" });
  await client.cancel(one.sessionId);
  expect([await slow, client.said(two.sessionId, "agent_message_chunk")]).toMatchObject([
    { stopReason: "cancelled" },
    "2 + 3 = 5",
  ]);
});
