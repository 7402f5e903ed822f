import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { claudeCode } from "./claude-code.ts";
import { installClient } from "./client-package.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { continueDev } from "./continue.ts";
import { droid } from "./droid.ts";
import { openClaws } from "./open-claw.ts";
import { openCodes } from "./open-code.ts";
import { pis } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
import { type RecordingProxy, startRecordingProxy } from "./recording-proxy.ts";
import { runClient } from "./run-client.ts";
import { ScratchRepository, task } from "./scratch-repository.ts";

const clients = [claudeCode, ...openCodes, ...pis, codex, qwenCode, continueDev, cline, droid, ...openClaws];

let home: GatewayHome;
let repository: ScratchRepository;
let gateway: GatewayProcess;
let proxy: RecordingProxy;

beforeAll(async () => {
  for (const { package: wanted } of clients) await installClient(wanted);
});
beforeEach(async () => {
  home = new GatewayHome();
  repository = new ScratchRepository();
  gateway = await startGateway(home);
  proxy = await startRecordingProxy(gateway.url);
});
afterEach(async () => {
  proxy.close();
  await gateway.stop();
  home.remove();
  repository.remove();
});

/** What a client did with the task, and what it took: of the agent, and of requests. */
async function doTask(client: Parameters<typeof runClient>[0], wanted = task) {
  const exit = await runClient(client, { url: proxy.url, token: gateway.token, repository }, wanted);
  // Chores like titles are asked for without tools, and answered by an agent that cannot change anything.
  const worked = home.turns().filter(({ argv }) => !argv.includes("ask"));
  const { code: gatewayCode } = await gateway.stop();
  return {
    exit,
    basket: repository.basket(),
    prompts: worked.map(({ prompt }) => prompt.includes(wanted)),
    requests: proxy.withTools.length,
    gatewayCode,
    left: home.agents(),
  };
}

it.each(clients.map((client) => [client.name, client] as const))(
  "%s does a task with its own tools, by one agent that is sent it once",
  async (_, client) => {
    // Two files are read together, so that four calls take four requests and not five.
    expect(await doTask(client)).toEqual({
      exit: { code: 0, stdout: expect.stringContaining("3 apples.txt"), stderr: expect.any(String) },
      basket: "full",
      prompts: [true],
      requests: 4,
      gatewayCode: 0,
      left: [],
    });
  },
);

it("Codex runs the tools that it offers by other ways than a shell, those with a namespace included", async () => {
  const wanted = `${task}, then call the tool get_goal, then call the tool close_agent with {"target":"nobody"}`;
  const { exit, ...rest } = await doTask(codex, wanted);
  expect([exit.code, exit.stdout, rest]).toEqual([
    0,
    expect.stringMatching(/"goal":null[\s\S]*invalid agent id nobody/),
    { basket: "full", prompts: [true], requests: 6, gatewayCode: 0, left: [] },
  ]);
});
