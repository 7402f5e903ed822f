import { startUpstream, type Upstream } from "@caret/simulator/upstream";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { installClient } from "./client-package.ts";
import type { ClientPlace, CodingClient } from "./coding-client.ts";
import { piProviders } from "./pi-provider.ts";
import { runClient } from "./run-client.ts";
import { ScratchRepository, task } from "./scratch-repository.ts";

const key = "key_of_a_test";
const { throughGateway, inProcess } = piProviders;

let home: GatewayHome;
let repository: ScratchRepository;
let upstream: Upstream;
let gateway: GatewayProcess | undefined;

beforeAll(async () => {
  await installClient(inProcess.package);
});
beforeEach(async () => {
  home = new GatewayHome();
  repository = new ScratchRepository();
  upstream = await startUpstream({
    scenario: { turns: [{ when: "^Ponder", steps: [{ thinking: "Let me see." }, { text: "Done pondering." }] }] },
  });
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await upstream.close();
  home.remove();
  repository.remove();
});

/** Where the form's other side is: a gateway whose lane is the API, or the upstream itself. */
async function placeOf(client: CodingClient): Promise<ClientPlace> {
  if (client === inProcess) return { url: upstream.url, token: key, repository };
  const env = { CURSOR_AGENT_URL: upstream.url, CURSOR_API_KEY: key };
  gateway = await startGateway(home, { args: ["--port", "0", "--lane", "api"], env });
  return { url: gateway.url, token: gateway.token, repository };
}

const asked = (path: string): number =>
  upstream.records.filter((record) => record["event"] === "request" && record["path"] === path).length;

/** What Pi prints in its JSON mode, one object a line. */
interface Printed {
  readonly type: string;
  readonly assistantMessageEvent?: { readonly type: string; readonly delta?: string };
  readonly message?: { readonly role: string; readonly content: readonly object[]; readonly usage?: object };
}

function inJson(client: CodingClient): CodingClient {
  const prepare: CodingClient["prepare"] = (place) => {
    const { args, env } = client.prepare(place);
    return { args: [...args, "--mode", "json"], env };
  };
  return { ...client, prepare };
}

function withEnv(client: CodingClient, more: Readonly<Record<string, string>>): CodingClient {
  const prepare: CodingClient["prepare"] = (place) => {
    const { args, env } = client.prepare(place);
    return { args, env: { ...env, ...more } };
  };
  return { ...client, prepare };
}

async function printedBy(client: CodingClient, wanted: string): Promise<readonly Printed[]> {
  const { stdout } = await runClient(inJson(client), await placeOf(client), wanted);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Printed);
}

const deltasOf = (printed: readonly Printed[], type: string): string =>
  printed.map(({ assistantMessageEvent: event }) => (event?.type === type ? event.delta : "")).join("");

describe.each([throughGateway, inProcess])("$name", (client) => {
  it("does a task with Pi's own tools, by one run of the upstream's that is given it once", async () => {
    const exit = await runClient(client, await placeOf(client), task);
    expect([
      exit,
      repository.basket(),
      asked("/agent.v1.AgentService/Run"),
      asked("/auth/exchange_user_api_key"),
    ]).toEqual([{ code: 0, stdout: expect.stringContaining("3 apples.txt"), stderr: "" }, "full", 1, 1]);
  });

  it("streams thinking and text", async () => {
    const printed = await printedBy(client, "Ponder the weather");
    expect([deltasOf(printed, "thinking_delta").trim(), deltasOf(printed, "text_delta")]).toEqual([
      "Let me see.",
      "Done pondering.",
    ]);
  });

  it("streams calls of Pi's tools, and counts what was used", async () => {
    const printed = await printedBy(client, "Read pears.txt");
    const calls = printed.filter(({ assistantMessageEvent: event }) => event?.type === "toolcall_end");
    const answers = printed.filter(({ type, message }) => type === "message_end" && message?.role === "assistant");
    expect([calls.length, answers.map(({ message }) => message?.usage)]).toEqual([
      1,
      [
        expect.objectContaining({ input: expect.any(Number), output: expect.any(Number) }),
        expect.objectContaining({ input: expect.any(Number), output: expect.any(Number) }),
      ],
    ]);
  });

  it("lists models with their limits", async () => {
    const lister: CodingClient = {
      ...client,
      prepare: (place) => {
        const { args, env } = client.prepare(place);
        return { args: [...args.slice(1, 3), "--list-models"], env };
      },
    };
    const { stdout } = await runClient(lister, await placeOf(client), "gpt-5.1");
    expect(stdout).toMatch(/caret\S* +gpt-5\.1 +\d+K +16\.4K/);
  });
});

it("Pi starts, and says what is missing, when no gateway runs, nobody is logged in, or a setting is wrong", async () => {
  const noGateway = await runClient(throughGateway, { url: "", token: "", repository }, "Hello");
  const noLogin = await runClient(inProcess, { url: upstream.url, token: "", repository }, "Hello");
  const foreign = await runClient(inProcess, { url: "https://example.com", token: key, repository }, "Hello");
  const broken = withEnv(inProcess, { CARET_LANE: "bus" });
  const wrong = await runClient(broken, { url: upstream.url, token: key, repository }, "Hello");
  expect([noGateway, noLogin, foreign, wrong].map(({ code, stderr }) => [code, stderr])).toEqual([
    [1, expect.stringContaining("Start one with `caret serve`")],
    [1, expect.stringContaining("caret login")],
    [1, expect.stringContaining("example.com, which is not a host of Cursor's")],
    [1, expect.stringContaining("CARET_LANE")],
  ]);
  expect(noGateway.stderr).not.toContain("Failed to load extension");
});
