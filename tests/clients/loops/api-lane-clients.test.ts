import { startUpstream, type Upstream, type UpstreamRecord } from "@caret/simulator/upstream";
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
import { runClient } from "./run-client.ts";
import { ScratchRepository, task } from "./scratch-repository.ts";

const clients = [claudeCode, ...openCodes, ...pis, codex, qwenCode, continueDev, cline, droid, ...openClaws];

let home: GatewayHome;
let repository: ScratchRepository;
let gateway: GatewayProcess;
let upstream: Upstream;

beforeAll(async () => {
  for (const { package: wanted } of clients) await installClient(wanted);
});
beforeEach(async () => {
  home = new GatewayHome();
  repository = new ScratchRepository();
  upstream = await startUpstream();
  const env = { CURSOR_AGENT_URL: upstream.url, CURSOR_API_KEY: "key_of_a_test" };
  gateway = await startGateway(home, { args: ["--port", "0", "--lane", "api"], env });
});
afterEach(async () => {
  await gateway.stop();
  await upstream.close();
  home.remove();
  repository.remove();
});

interface RunRequest {
  readonly action?: {
    readonly userMessageAction?: { readonly userMessage?: { readonly text?: string; readonly mode?: string } };
  };
}

/** The runs that were given the task. Chores like titles are asked for in a mode that changes nothing. */
function runsOfTask(): number {
  const requests = upstream.records.flatMap(({ message }: UpstreamRecord) => {
    const { runRequest } = (message ?? {}) as { readonly runRequest?: RunRequest };
    return runRequest?.action?.userMessageAction?.userMessage ?? [];
  });
  return requests.filter(({ text = "", mode }) => text.includes(task) && mode !== "AGENT_MODE_ASK").length;
}

it.each(clients.map((client) => [client.name, client] as const))(
  "%s does a task with its own tools over the api lane, in one run that waits for each call",
  async (_, client) => {
    const exit = await runClient(client, { url: gateway.url, token: gateway.token, repository }, task);
    const { code } = await gateway.stop();
    expect([exit.code, exit.stdout, repository.basket(), runsOfTask(), code, upstream.openRuns]).toEqual([
      0,
      expect.stringContaining("3 apples.txt"),
      "full",
      1,
      0,
      0,
    ]);
  },
);
