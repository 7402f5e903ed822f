import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clientServer } from "../acp-scenario.ts";
import { AcpHome, acpLanes } from "./acp-command.ts";
import { type Load, loadPackages } from "./load-packages.ts";

/** Vercel's AI SDK over ACP, by a provider of others. It is built on an SDK of ACP from before config options. */
const packages = ["@mcpc-tech/acp-ai-provider@0.2.9", "ai@6.0.0"];

interface Provider {
  languageModel(): unknown;
  readonly tools: unknown;
  initSession(): Promise<{
    readonly sessionId: string;
    readonly models?: { readonly availableModels: readonly object[] };
  }>;
  setModel(model: string): Promise<void>;
  cleanup(): void;
}
interface ProviderModule {
  createACPProvider(settings: object): Provider;
}
interface AiModule {
  generateText(options: object): Promise<{ readonly text: string }>;
}

const PATIENCE = { timeout: 30_000 };

let load: Load;
let home: AcpHome;
const providers: Provider[] = [];

beforeAll(async () => {
  load = await loadPackages(packages);
});
beforeEach(() => {
  home = new AcpHome();
});
afterEach(() => {
  for (const provider of providers.splice(0)) provider.cleanup();
  home.remove();
});

async function open(settings: object, session: object = {}): Promise<Provider> {
  const { createACPProvider } = await load<ProviderModule>("@mcpc-tech/acp-ai-provider");
  const provider = createACPProvider({
    ...settings,
    env: home.environment(),
    session: { cwd: home.workspace, mcpServers: [], ...session },
    persistSession: true,
  });
  providers.push(provider);
  return provider;
}

async function ask(provider: Provider, prompt: string): Promise<{ readonly text: string }> {
  const { generateText } = await load<AiModule>("ai");
  return await generateText({ model: provider.languageModel(), prompt, tools: provider.tools });
}

describe.each(Object.keys(acpLanes) as (keyof typeof acpLanes)[])("acp-ai-provider on the %s lane", (lane) => {
  const launch = () => ({ command: home.program("acp", ["acp", ...acpLanes[lane]]), args: [] });

  it("prompts, has its permissions answered, and changes the model", async () => {
    const provider = await open(launch());
    expect((await ask(provider, "What is 2 + 3?")).text).toContain("2 + 3 = 5");
    await ask(provider, "Run it");
    expect(existsSync(join(home.workspace, "ran.txt"))).toBe(true);
    await provider.setModel("gpt-5.1");
    await ask(provider, "What is 3 + 3?");
    expect(home.lastModel()).toBe("gpt-5.1");
  });

  it("ends the tool of a turn that it leaves; it knows no way to cancel", async () => {
    const provider = await open(launch());
    void ask(provider, "Sleep").catch(() => undefined); // it may reject or never settle: the agent is gone
    await expect.poll(() => home.isRunning("sleep", "600"), PATIENCE).toBe(true);
    provider.cleanup();
    await expect.poll(() => home.isRunning("sleep", "600"), PATIENCE).toBe(false);
  });

  it("resumes a session in a new process, and has its own MCP server used", async () => {
    const first = await open(launch());
    const { sessionId } = await first.initSession();
    await ask(first, "What is 2 + 3?");
    first.cleanup();
    const { env, ...server } = clientServer(join(home.directory, "pids"), "hush-hush-hush");
    const second = await open({ ...launch(), existingSessionId: sessionId }, { mcpServers: [{ ...server, env }] });
    expect((await ask(second, "Echo")).text).toContain("Echoed.");
    expect((await second.initSession()).sessionId).toBe(sessionId);
  });
});
