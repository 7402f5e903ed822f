import { AnalyticsService, DashboardService } from "@caret/protocol/agent-api/account";
import { AiService } from "@caret/protocol/agent-api/available-models";
import { AgentService } from "@caret/protocol/agent-api/run";
import { ServerConfigService } from "@caret/protocol/agent-api/server-config";
import { createClient } from "@connectrpc/connect";
import { afterEach, describe, expect, it } from "vitest";
import { builtInModels } from "../config/model-catalogue.ts";
import type { ScenarioInput } from "../scenario/scenario.ts";
import { createSelfSigned } from "./net/self-signed.ts";
import { asJson, ask, RunClient, type RunClientOptions } from "./testing/run-client.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

const tls = createSelfSigned();
const open: Upstream[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((upstream) => upstream.close()));
});

async function start(scenario: ScenarioInput = {}): Promise<Upstream> {
  const upstream = await startUpstream({ scenario, tls, seed: "test" });
  open.push(upstream);
  return upstream;
}

const ways = {
  "HTTP/2 over TLS": ({ secureUrl }: Upstream) => ({ url: secureUrl, httpVersion: "2", ca: tls.cert }),
  "HTTP/2 without TLS": ({ url }: Upstream) => ({ url, httpVersion: "2" }),
  "HTTP/1.1 over TLS": ({ secureUrl }: Upstream) => ({ url: secureUrl, httpVersion: "1.1", ca: tls.cert }),
  "HTTP/1.1": ({ url }: Upstream) => ({ url, httpVersion: "1.1" }),
} as const satisfies Readonly<Record<string, (upstream: Upstream) => RunClientOptions>>;
const wayNames = Object.keys(ways) as (keyof typeof ways)[];

describe.each(wayNames)("over %s", (way) => {
  it("a run sends what is thought and said, what it used, and how to go on", async () => {
    const usage = { inputTokens: 120, outputTokens: 34, cacheReadTokens: 100, cacheWriteTokens: 5 };
    const upstream = await start({ turns: [[{ thinking: "Hm." }, { text: "Hello you" }, { usage }]] });
    const seen = await new RunClient(ways[way](upstream)).run(ask("hi"));
    const kept = ["setBlobArgs", "setBlobArgs"];
    expect(seen.kinds).toEqual([
      "requestContextArgs",
      ...kept,
      "userMessageAppended",
      "stepStarted",
      "thinkingDelta",
      "tokenDelta",
      "thinkingCompleted",
      "textDelta",
      "tokenDelta",
      "stepCompleted",
      ...kept,
      "setBlobArgs",
      "conversationCheckpointUpdate",
      "turnEnded",
      "conversationCheckpointUpdate",
    ]);
    expect({ text: seen.text, error: seen.error }).toEqual({ text: "Hello you", error: undefined });
    expect(seen.messages.map(asJson)).toContainEqual({
      interactionUpdate: {
        turnEnded: { inputTokens: "120", outputTokens: "34", cacheReadTokens: "100", cacheWriteTokens: "5" },
      },
    });
  });

  it("a second turn goes on from the checkpoint, whose blobs the client gives back", async () => {
    const client = new RunClient(ways[way](await start()));
    const first = await client.run(ask("My name is Ada"));
    const second = await client.run(ask("What is my name?", first.checkpoint));
    expect(second.text).toContain("Ada");
    expect(second.kinds.filter((kind) => kind === "getBlobArgs")).toHaveLength(2);
    expect((await client.run(ask("What is my name?"))).text).not.toContain("Ada");
  });

  it("tools are the client's to carry out", async () => {
    const upstream = await start();
    const client = new RunClient({
      ...ways[way](upstream),
      onExec: () => ({
        case: "readResult",
        value: {
          result: { case: "success", value: { path: "/work/a.txt", output: { case: "content", value: "alpha" } } },
        },
      }),
    });
    const seen = await client.run(ask("Read a.txt"));
    expect(
      seen.messages.flatMap(({ message }) => (message.case === "execServerMessage" ? [message.value.message] : [])),
    ).toMatchObject([{ case: "requestContextArgs" }, { case: "readArgs", value: { path: "/work/a.txt" } }]);
    expect(seen.text).toContain("alpha");
  });

  it("every call that clients make at their start is answered", async () => {
    const upstream = await start({ upstream: { http2: "FORCE_BIDI_DISABLED", agentUrl: "http://127.0.0.1:1" } });
    const { transport, headers } = new RunClient(ways[way](upstream));
    const ai = createClient(AiService, transport);
    const dashboard = createClient(DashboardService, transport);
    const analytics = createClient(AnalyticsService, transport);
    const options = { headers };
    expect(await createClient(ServerConfigService, transport).getServerConfig({}, options)).toMatchObject({
      http2Config: 3,
      agentUrlConfig: { agentUrl: "http://127.0.0.1:1", agentnUrl: "http://127.0.0.1:1" },
    });
    const usable = await ai.getUsableModels({}, options);
    expect(usable.models.map(({ modelId }) => modelId)).toEqual(
      builtInModels.map(({ id }) => (id === "auto" ? "default" : id)),
    );
    expect(await createClient(AgentService, transport).getUsableModels({}, options)).toEqual(usable);
    expect((await ai.getDefaultModelForCli({}, options)).model?.modelId).toBe("composer-2.5-fast");
    expect((await dashboard.getMe({}, options)).email).toBe("ada@example.com");
    expect((await dashboard.getUserPrivacyMode({}, options)).privacyMode).toBe(2);
    expect(await dashboard.getTeamAdminSettingsOrEmptyIfNotInTeam({}, options)).toMatchObject({ allowedModels: [] });
    expect(await dashboard.getTeamReposOrEmptyIfNotInTeam({}, options)).toMatchObject({ teamRepoType: "" });
    expect((await dashboard.createUserApiKey({ name: "k" }, options)).apiKey).toMatch(/^key_\w{32}$/);
    expect(JSON.parse((await analytics.bootstrapStatsig({}, options)).config)).toMatchObject({ feature_gates: {} });
    await analytics.trackEvents({}, options);
    await analytics.submitLogs({}, options);
  });
});

describe("a call that the upstream does not know", () => {
  it("gets an empty message, and is named in the records", async () => {
    const upstream = await start();
    const call = (type: string) =>
      fetch(`${upstream.url}/aiserver.v1.DashboardService/GetWeather`, {
        method: "POST",
        headers: { authorization: "Bearer simulated", "content-type": type },
      });
    const answers = [await call("application/proto"), await call("application/json")];
    expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]))).toEqual([
      [200, ""],
      [200, "{}"],
    ]);
    expect(upstream.records.filter(({ event }) => event === "unknown-call")).toEqual([
      { event: "unknown-call", path: "/aiserver.v1.DashboardService/GetWeather" },
      { event: "unknown-call", path: "/aiserver.v1.DashboardService/GetWeather" },
    ]);
  });
});

describe("a run", () => {
  it("takes appended messages by their numbers, whatever the order of their arrival", async () => {
    const upstream = await start();
    const seen = await new RunClient({ ...ways["HTTP/1.1"](upstream), swapsAppends: true }).run(ask("Read a.txt"));
    // Its result comes after the close of the exec, and is taken all the same.
    expect(seen.text).toContain("Not here");
  });

  it("fails when the client has lost a blob of its checkpoint", async () => {
    const client = new RunClient(ways["HTTP/2 without TLS"](await start()));
    const first = await client.run(ask("My name is Ada"));
    client.blobs.clear();
    const second = await client.run(ask("What is my name?", first.checkpoint));
    expect(second.error?.rawMessage).toMatch(/^Blob not found: [0-9a-f]{64}$/);
  });

  it("has only the tools that the headers leave", async () => {
    const headers = { "x-cursor-agent-allowed-tools": "" };
    const upstream = await start();
    const seen = await new RunClient({ ...ways["HTTP/1.1"](upstream), headers }).run(ask("Read a.txt"));
    expect(seen.kinds).not.toContain("readArgs");
  });

  it("ends in good order when the client cancels it", async () => {
    const upstream = await start({ turns: [[{ text: "Working" }, { hang: true }]] });
    let open = 0;
    const client = new RunClient({
      ...ways["HTTP/2 without TLS"](upstream),
      onMessage: ({ message }, say) => {
        if (message.case !== "interactionUpdate" || message.value.message.case !== "textDelta") return;
        open = upstream.openRuns;
        void say({
          case: "conversationAction",
          value: { action: { case: "cancelAction", value: { reason: "user" } } },
        });
      },
    });
    const seen = await client.run(ask("hi"));
    expect(open).toBe(1);
    expect([seen.text, seen.kinds.includes("turnEnded"), seen.error]).toEqual(["Working", true, undefined]);
    await expect.poll(() => upstream.openRuns).toBe(0);
  });

  it("asks the client to stop what it was asked to carry out, when the turn is cancelled", async () => {
    const upstream = await start({ turns: [[{ tool: { name: "shell", args: { command: "sleep 60" } } }]] });
    const client = new RunClient({
      ...ways["HTTP/2 without TLS"](upstream),
      onExec: () => ({ case: "shellStream", value: { event: { case: "start", value: {} } } }),
      closesExecs: false,
      onMessage: ({ message }, say) => {
        if (message.case !== "execServerMessage" || message.value.message.case !== "shellStreamArgs") return;
        void say({
          case: "conversationAction",
          value: { action: { case: "cancelAction", value: { reason: "user" } } },
        });
      },
    });
    const seen = await client.run(ask("hi"));
    expect(seen.kinds.slice(seen.kinds.indexOf("shellStreamArgs") + 1)).toContain("execServerControlMessage");
    expect([seen.kinds.includes("turnEnded"), seen.error]).toEqual([true, undefined]);
  });

  it("takes up what the user says while it runs", async () => {
    const upstream = await start({ turns: [[{ text: "One. " }, { delay: 2000 }, { text: "Two." }]] });
    let isSaid = false;
    const client = new RunClient({
      ...ways["HTTP/2 without TLS"](upstream),
      onMessage: ({ message }, say) => {
        if (isSaid || message.case !== "interactionUpdate" || message.value.message.case !== "textDelta") return;
        isSaid = true;
        const payload = { case: "userContext", value: { userMessage: { text: "Also this" } } } as const;
        const value = { injectionId: "i1", expectedRunId: "", payload };
        void say({ case: "conversationAction", value: { action: { case: "injectContextAction", value } } });
      },
    });
    const seen = await client.run(ask("hi"));
    expect(seen.messages.map(asJson)).toContainEqual({
      interactionUpdate: { contextInjectionState: { injectionId: "i1", state: { delivered: {} } } },
    });
  });

  it("floods a client that reads slowly, and loses nothing", async () => {
    const text = "word ".repeat(20_000);
    const upstream = await start({ tokensPerDelta: 1, turns: [[{ text }]] });
    const seen = await new RunClient(ways["HTTP/2 without TLS"](upstream)).run(ask("hi"));
    expect([seen.text === text, seen.kinds.filter((kind) => kind === "textDelta").length]).toEqual([true, 20_001]);
  });

  it("is never asked what does not fit in the first window, where the settings open no other", async () => {
    const upstream = await start({ upstream: { settings: { initialWindowSize: 0 } } });
    void new RunClient(ways["HTTP/2 without TLS"](upstream)).run(ask("x".repeat(200_000)));
    await expect.poll(() => upstream.records.map(({ event }) => event)).toEqual(["request"]);
    await fetch(`${upstream.url}/v1/models`);
    expect(upstream.records.map(({ event }) => event)).toEqual(["request", "request"]);
  });

  it("says that it is alive while nothing happens", async () => {
    const upstream = await start({
      upstream: { heartbeatMs: 5 },
      turns: [[{ text: "a" }, { delay: 50 }, { text: "b" }]],
    });
    const { messages } = await new RunClient(ways["HTTP/2 without TLS"](upstream)).run(ask("hi"));
    expect(messages.map(asJson)).toContainEqual({ interactionUpdate: { heartbeat: {} } });
  });
});
