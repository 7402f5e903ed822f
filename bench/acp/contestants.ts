import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createAcpLane, createAgentHost, createSpawner } from "@caret/runtime";
import { simulatorCommand } from "@caret/simulator";

/** Runs one turn in a session of its own, and gives how long its first words took. */
export type Contestant = () => Promise<number>;

export interface AcpContest {
  readonly bare: Contestant;
  readonly caret: Contestant;
  /** Kilobytes that both agents hold; only that of Caret's lane gets further sessions while it is looked at. */
  agentMemory(): number;
  close(): Promise<void>;
}

const TEXT = "Here I am.";

/** The same agent for both, started once for each: what is compared is what lies between it and its client. */
export async function openAcpContest(): Promise<AcpContest> {
  const directory = mkdtempSync(join(tmpdir(), "caret-bench-acp-"));
  const workspace = join(directory, "workspace");
  mkdirSync(workspace);
  const scenario = join(directory, "scenario.json");
  writeFileSync(scenario, JSON.stringify({ turns: [[{ text: TEXT }]] }));
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: directory,
    CURSOR_CONFIG_DIR: join(directory, "cursor"),
    CARET_SIM_SCENARIO: scenario,
  };
  const bare = await startBare(workspace, env);
  const lane = startLane(directory, workspace, env);
  return {
    bare: bare.take,
    caret: lane.take,
    agentMemory,
    async close() {
      bare.child.kill("SIGKILL");
      await lane.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The least that a client of the protocol does: lines in, lines out. */
async function startBare(workspace: string, env: Readonly<Record<string, string>>) {
  const { file, args } = simulatorCommand();
  const child: ChildProcess = spawn(file, [...args, "acp"], { cwd: workspace, env, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
  let onText = (): void => undefined;
  let ids = 0;
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const { id, result, params } = JSON.parse(line) as {
      readonly id?: number;
      readonly result?: Readonly<Record<string, unknown>>;
      readonly params?: { readonly update?: { readonly sessionUpdate: string } };
    };
    if (params?.update?.sessionUpdate === "agent_message_chunk") onText();
    else if (id !== undefined) waiting.get(id)?.(result ?? {});
  });
  const request = (method: string, params: object): Promise<Readonly<Record<string, unknown>>> =>
    new Promise((resolve) => {
      ids += 1;
      waiting.set(ids, resolve);
      child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: ids, method, params })}\n`);
    });
  await request("initialize", { protocolVersion: 1 });
  await request("authenticate", { methodId: "cursor_login" });
  const take: Contestant = async () => {
    const startedAt = performance.now();
    let firstMs = Number.NaN;
    onText = () => {
      if (Number.isNaN(firstMs)) firstMs = performance.now() - startedAt;
    };
    const { sessionId } = await request("session/new", { cwd: workspace, mcpServers: [] });
    await request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go" }] });
    return firstMs;
  };
  return { child, take };
}

/** Caret's lane, from the request to its events. */
function startLane(directory: string, workspace: string, env: Readonly<Record<string, string>>) {
  const spawner = createSpawner({ mode: "inline", dataDir: join(directory, "data"), seats: 0 });
  const host = createAgentHost({
    env,
    home: directory,
    platform: process.platform,
    uid: process.getuid?.(),
    spawner,
    containment: { kind: "none", why: "not measured here" },
    programs: { command: undefined, args: [], promptAsArg: false, models: {} },
    policy: { trust: true, approveMcps: false, sandbox: undefined, maxArgBytes: 100_000 },
    clocks: { firstEventMs: 60_000, idleMs: 60_000, toolMs: 60_000, turnMs: 600_000, graceMs: 500, drainMs: 500 },
    maxLineBytes: 16 * 1024 * 1024,
    profiles: {},
    configDir: env["CURSOR_CONFIG_DIR"],
    agentEnv: {},
    launch: simulatorCommand(),
    warm: undefined,
    openBridge: () => Promise.reject(new Error("No tools are offered here")),
    noteSecrets: () => undefined,
  });
  const lane = createAcpLane({ host, keep: { idleMs: 600_000, max: 64 } });
  let turns = 0;
  const take: Contestant = async () => {
    turns += 1;
    const startedAt = performance.now();
    let firstMs = Number.NaN;
    await lane.runTurn(
      {
        turnId: `turn-${turns}`,
        prompt: "Go",
        workspace,
        model: "composer-2.5-fast",
        mode: "agent",
        force: false,
        upstream: undefined,
        offered: undefined,
        previousTurnId: undefined,
        loadHistory: async () => [],
        acts: { hasActed: false, note: () => undefined, noteEvents: () => undefined },
      },
      (entries) => {
        const events = entries.map(({ event }) => event);
        if (Number.isNaN(firstMs) && events.some(({ type }) => type === "text-delta"))
          firstMs = performance.now() - startedAt;
        const end = events.find((event) => event.type === "turn-end");
        if (end !== undefined && end.outcome.kind !== "completed") throw new Error(JSON.stringify(end));
      },
      new AbortController().signal,
    );
    return firstMs;
  };
  return {
    take,
    async close() {
      await lane.close();
      await host.close();
      await spawner.close();
    },
  };
}

/** Kilobytes that the agents hold: they are our only children. */
function agentMemory(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean);
  const resident = children.map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  });
  return resident.reduce((sum, one) => sum + one, 0);
}
