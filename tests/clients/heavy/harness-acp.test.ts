import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { installClient } from "../loops/client-package.ts";
import { AcpHome, acpLanes } from "./acp-command.ts";
import { type Load, loadPackages } from "./load-packages.ts";
import { LocalSandbox } from "./local-sandbox.ts";

/** Vercel's harness for agents, over ACP. It installs its bridge and the agent in a sandbox, by pnpm. */
const packages = ["@ai-sdk/harness@1.0.122", "@ai-sdk/harness-acp@1.0.38"];
const pnpm = { spec: "pnpm@10.34.9", command: "pnpm" };

const PATIENCE = { timeout: 30_000 };

interface Part {
  readonly type: string;
  readonly approvalId?: string;
  readonly toolCall?: { readonly toolCallId: string; readonly toolName: string };
}
interface Generated {
  readonly text: string;
  readonly content: readonly Part[];
}
interface Session {
  destroy(): Promise<void>;
}
interface Agent {
  createSession(): Promise<Session>;
  generate(options: object): Promise<Generated>;
}
interface AgentModule {
  readonly HarnessAgent: new (settings: object) => Agent;
}
interface AcpModule {
  createACP(settings: object): object;
}

let load: Load;
let pnpmPath: string;
let home: AcpHome;
let sandbox: LocalSandbox;

beforeAll(async () => {
  load = await loadPackages(packages);
  pnpmPath = await installClient(pnpm);
});
beforeEach(() => {
  home = new AcpHome();
  const { PATH, ...environment } = home.environment();
  // What npm needs to reach its registry from here.
  sandbox = new LocalSandbox(home.workspace, {
    ...process.env,
    ...environment,
    PATH: `${dirname(pnpmPath)}:${PATH}`,
  });
});
afterEach(async () => {
  await sandbox.end();
  home.remove();
});

/** Its own home hides what the agent needs, so the program that it starts sets it again. */
function installCommand(lane: keyof typeof acpLanes): string {
  const path = join(home.directory, "caret-acp");
  const acp = home.program("acp", ["acp", ...acpLanes[lane]]);
  writeFileSync(path, `#!/bin/sh\nHOME='${home.directory}' exec '${acp}'\n`);
  chmodSync(path, 0o755);
  return `ln -sf '${path}' "$HOME/.local/bin/caret-acp"`;
}

async function openAgent(lane: keyof typeof acpLanes): Promise<Agent> {
  const { HarnessAgent } = await load<AgentModule>("@ai-sdk/harness/agent");
  const { createACP } = await load<AcpModule>("@ai-sdk/harness-acp");
  const { PATH: _, HOME: __, ...env } = home.environment();
  const harness = createACP({
    harnessId: "acp-caret",
    source: { type: "install-command", command: installCommand(lane) },
    executable: "caret-acp",
    env,
    modelMapping: { type: "session-config-option", path: "model" },
    permissionModeMapping: {
      "allow-reads": null,
      "allow-edits": { type: "session-config-option", configId: "permission", value: "supervised" },
      "allow-all": null,
    },
  });
  return new HarnessAgent({ harness, sandbox, model: "gpt-5.1", permissionMode: "allow-edits" });
}

/** The harness works in a directory of its own, below the sandbox's. */
function isThere(name: string): boolean {
  const places = readdirSync(home.workspace).filter((entry) => entry.startsWith("acp-caret-"));
  return places.some((place) => existsSync(join(home.workspace, place, name)));
}

/** What decides about the permission that a turn has stopped for. */
function decisionOn({ content }: Generated, approved: boolean): { readonly messages: readonly object[] } {
  const { approvalId, toolCall } = content.find(({ type }) => type === "tool-approval-request") ?? {};
  const request = { type: "tool-approval-request", approvalId, toolCallId: toolCall?.toolCallId };
  return {
    messages: [
      { role: "assistant", content: [{ type: "tool-call", ...toolCall, input: {} }, request] },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved }] },
    ],
  };
}

describe.each(Object.keys(acpLanes) as (keyof typeof acpLanes)[])("harness-acp on the %s lane", (lane) => {
  it("prompts with its model, refuses and allows permissions, cancels in the middle of a tool, and goes on", async () => {
    const agent = await openAgent(lane);
    const session = await agent.createSession();
    expect((await agent.generate({ session, prompt: "What is 2 + 3?" })).text).toBe("2 + 3 = 5");
    expect(home.lastModel()).toBe("gpt-5.1");
    for (const approved of [false, true]) {
      const asking = await agent.generate({ session, prompt: "Run it" });
      const { text } = await agent.generate({ session, ...decisionOn(asking, approved) });
      expect([text, isThere("ran.txt")]).toEqual(["Done.", approved]);
    }
    const stop = new AbortController();
    const asking = await agent.generate({ session, prompt: "Sleep" });
    const slept = agent.generate({ session, ...decisionOn(asking, true), abortSignal: stop.signal });
    slept.catch(() => undefined); // asserted below
    await expect.poll(() => home.isRunning("sleep", "600"), PATIENCE).toBe(true);
    stop.abort();
    await expect(slept).rejects.toThrow("aborted");
    await expect.poll(() => home.isRunning("sleep", "600"), PATIENCE).toBe(false);
    expect((await agent.generate({ session, prompt: "What is 4 + 4?" })).text).toBe("4 + 4 = 8");
    await session.destroy();
  });
});
