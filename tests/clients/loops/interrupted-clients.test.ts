import type { ScenarioInput } from "@caret/simulator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import type { CodingClient } from "./coding-client.ts";
import { continueDev } from "./continue.ts";
import { droid } from "./droid.ts";
import { openClaws } from "./open-claw.ts";
import { openCodes } from "./open-code.ts";
import { pis } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
import { goingOn, runClient, startClient } from "./run-client.ts";
import { ScratchRepository } from "./scratch-repository.ts";

/** One way in for each: the doors are the subject of the other tests. */
const clients = [claudeCode, codex, openCodes[0], pis[0], qwenCode, continueDev, cline, droid, openClaws[0]]
  .filter((client) => client !== undefined)
  .map((client) => [client.name, client] as const);

const scenario: ScenarioInput = {
  turns: [
    { when: "Linger(?![\\s\\S]*Say hello)", steps: [{ text: "I am here. " }, { hang: true }] },
    { when: "Tell slowly", steps: [{ text: "Once upon a time. " }, { delay: 3_000 }, { text: "The end." }] },
    { when: "Spend", steps: [{ fail: "usage-limit" }] },
    { when: "Break off", steps: [{ text: "So far so good. " }, { exit: 1 }] },
  ],
};

/** An agent that waits for the next prompt is none that was left behind. */
const settings = { CARET_CLOCKS_GONE_MS: "1000", CARET_WARM_ENABLED: "false" };

let home: GatewayHome;
let repository: ScratchRepository;
let gateway: GatewayProcess;

beforeEach(async () => {
  home = new GatewayHome(scenario);
  repository = new ScratchRepository();
  gateway = await startGateway(home, { env: settings });
});
afterEach(async () => {
  repository.remove();
  await gateway.stop();
  home.remove();
});

const here = () => ({ url: gateway.url, token: gateway.token, repository });

/** Whether an agent has said this, so that its client is in the middle of the answer. */
async function isSaid(words: string): Promise<boolean> {
  const answer = await fetch(`${gateway.url}/api/sessions`, { headers: { authorization: `Bearer ${gateway.token}` } });
  const { sessions } = (await answer.json()) as { readonly sessions: readonly { readonly lastLine: string }[] };
  return sessions.some(({ lastLine }) => lastLine.includes(words));
}

/** Agents that were started for this as the newest question, those of titles and the like left out: they only read. */
const agentsFor = (words: string): number =>
  home.turns().filter(({ argv, prompt }) => {
    const earlier = prompt.lastIndexOf("</earlier_conversation ");
    return !argv.includes("ask") && prompt.slice(earlier + 1).includes(words);
  }).length;

/**
 * What a client does with an answer that breaks off, whatever the error says: Qwen Code asks for the rest of the text, with
 * another request each time; Droid asks again. The gateway's pause for a request that keeps failing ends both.
 */
const habits = new Map([
  ["Qwen Code", 3],
  ["Droid", 2],
]);

/** They may say that the connection was lost, and leave it to the person to ask again. */
const givesUp: ReadonlySet<string> = new Set(["Continue", "Cline"]);

/** Waits for what a client does in its own time. */
const eventually = { timeout: 120_000, interval: 100 };

describe.each(clients)("%s", (_, client) => {
  it("starts one agent for a plan that is used up, and one for an answer that breaks off unless it always asks again", async () => {
    for (const task of ["Spend it", "Break off"]) {
      // A client with one session for all of a home would send the first task with the second.
      const place = { ...here(), repository: new ScratchRepository() };
      await runClient(withPatience(client), place, task);
      place.repository.remove();
    }
    const most = habits.get(client.name) ?? 1;
    expect(agentsFor("Spend it")).toBe(1);
    expect(agentsFor("Break off")).toBeGreaterThan(0);
    expect(agentsFor("Break off")).toBeLessThanOrEqual(most);
  });

  it.each([
    ["Ctrl-C in an answer", "SIGINT", "Linger here", () => isSaid("I am here.")],
    ["Ctrl-C in a tool", "SIGINT", "Run `sh wait.sh`", () => repository.isWaiting],
    ["kill -9 in a tool", "SIGKILL", "Run `sh wait.sh`", () => repository.isWaiting],
  ] as const)("frees its agent soon after %s, and its next message is answered", async (_, signal, task, isThere) => {
    const place = here();
    const running = await startClient(client, place, task);
    await expect.poll(async () => await isThere(), eventually).toBe(true);
    running.signal(signal);
    await expect.poll(() => home.agents(), { timeout: 15_000 }).toEqual([]);
    await running.exit;
    repository.go();
    const next = await runClient(goingOn(client), place, "Say hello");
    expect({ code: next.code, said: /hello/i.test(next.stdout) }).toEqual({ code: 0, said: true });
    await expect.poll(() => home.agents(), { timeout: 15_000 }).toEqual([]);
  });

  it("does its task to the end when the gateway is killed and started again while it runs a tool", async () => {
    const exit = runClient(
      withPatience(client),
      here(),
      "Run `sh wait.sh`, then create basket.txt with the content full",
    );
    await expect.poll(() => repository.isWaiting, eventually).toBe(true);
    await restart();
    repository.go();
    const { code } = await exit;
    expect({ code, basket: repository.basket() }).toEqual({ code: 0, basket: "full" });
  });

  it("asks again when the gateway is killed and started again in an answer, or says that it failed", async () => {
    const exit = runClient(withPatience(client), here(), "Tell slowly");
    await expect.poll(() => isSaid("Once upon a time."), eventually).toBe(true);
    await restart();
    const { code, stdout } = await exit;
    // On a busy machine the gateway may be away for longer than a client tries.
    expect(stdout.includes("The end.") || code !== 0 || givesUp.has(client.name)).toBe(true);
    await expect.poll(() => home.agents(), { timeout: 15_000 }).toEqual([]);
  });
});

async function restart(): Promise<void> {
  gateway.kill("SIGKILL");
  await gateway.exited;
  gateway = await startGateway(home, { args: ["--port", new URL(gateway.url).port], env: settings });
}

/** As its maker ships it: how often it tries is what is looked at. */
function withPatience(client: CodingClient): CodingClient {
  const prepare: CodingClient["prepare"] = (place) => {
    const { args, env } = client.prepare(place);
    const { CLAUDE_CODE_MAX_RETRIES: _, ...rest } = env;
    return { args, env: rest };
  };
  return { ...client, prepare };
}
