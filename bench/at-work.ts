import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketFetch } from "@caret/cli/src/gateway/socket-fetch.ts";
import { createNativeClient, type NativeClient } from "@caret/protocol";
import { type AgentCosts, type Gateway, openGateway } from "./at-work/open-gateway.ts";
import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";

const AGENTS = 30;
const QUICK_AGENTS = 8;
/** Long enough for all to be at work at once. */
const DELTAS = 200;
const DELTA_MS = 100;

interface AtWork {
  readonly agents: number;
  /** From the message until the agent's first word, of the fastest, the middle and the slowest, in milliseconds. */
  readonly firstWordMs: readonly [number, number, number];
  /** While all are at work, for each agent. */
  readonly agentMb: number;
  readonly gatewayMb: number;
  readonly gatewayIdleMb: number;
  /** Share of one core, for each agent: its own processes, and the gateway's part. */
  readonly agentCpu: number;
  readonly gatewayCpu: number;
  /** Processes that are left when all are suspended. */
  readonly suspendedProcesses: number;
}

/** Many agents at work at once, over the simulator: what each costs in memory, processor and time to begin. */
export async function benchAtWork({ quick }: BenchOptions): Promise<BenchOutcome> {
  const report = await measure(quick ? QUICK_AGENTS : AGENTS);
  const [fastest, middle, slowest] = report.firstWordMs.map(Math.round);
  const table = [
    `${report.agents} agents at work at once, simulated`,
    `  first word     ${fastest} / ${middle} / ${slowest} ms (fastest, median, slowest)`,
    `  memory         ${report.agentMb.toFixed(1)} MB for each agent (PSS); gateway ${report.gatewayIdleMb.toFixed(0)} MB idle, ${report.gatewayMb.toFixed(0)} MB at work`,
    `  processor      ${(report.agentCpu * 100).toFixed(2)} % of a core for each agent, ${(report.gatewayCpu * 100).toFixed(2)} % in the gateway for it`,
    `  suspended      ${report.suspendedProcesses} processes`,
  ].join("\n");
  return { passed: report.suspendedProcesses === 0, table, report, figures: [], series: [] };
}

async function measure(count: number): Promise<AtWork> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "caret-at-work-")));
  const text = Array.from({ length: DELTAS }, (_, index) => `word${index}`).join(" ");
  const scenario = { turns: [{ when: "work", steps: [{ text, tokensPerDelta: 1, deltaMs: DELTA_MS }] }] };
  writeFileSync(join(home, "scenario.json"), JSON.stringify(scenario));
  mkdirSync(join(home, "workspace"));
  const gateway = await openGateway(home, count);
  try {
    return await measureAt(gateway, home, count);
  } finally {
    await gateway.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureAt(gateway: Gateway, home: string, count: number): Promise<AtWork> {
  const client = createNativeClient({
    baseUrl: "http://localhost",
    fetch: socketFetch(join(home, "data", "gateway.sock")),
  });
  const names = Array.from({ length: count }, (_, index) => `agent-${index}`);
  for (const name of names)
    await client.createAgent({ name, workspace: join(home, "workspace"), permission: "full", lane: "sim" });
  const idle = gateway.costs();
  const first = await Promise.all(names.map((name) => firstWord(client, name)));
  const before = gateway.costs();
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const after = gateway.costs();
  for (const name of names) await client.suspendAgent(name, { now: true });
  const sorted = first.toSorted((a, b) => a - b);
  return {
    agents: count,
    firstWordMs: [sorted[0] ?? 0, sorted[Math.floor(count / 2)] ?? 0, sorted.at(-1) ?? 0],
    agentMb: after.agents.bytes / count / 2 ** 20,
    gatewayMb: after.gateway.bytes / 2 ** 20,
    gatewayIdleMb: idle.gateway.bytes / 2 ** 20,
    agentCpu: share(before, after, "agents") / count,
    gatewayCpu: share(before, after, "gateway") / count,
    suspendedProcesses: gateway.costs().agents.processes,
  };
}

async function firstWord(client: NativeClient, name: string): Promise<number> {
  const { sessionId } = await client.getAgent(name);
  const sentAt = performance.now();
  await client.sendMessage(name, { text: "work" });
  const stop = new AbortController();
  for await (const batch of client.followEvents(sessionId, { after: 0, signal: stop.signal }))
    if (batch.some(({ event }) => event.type === "text-delta")) break;
  stop.abort();
  return performance.now() - sentAt;
}

function share(before: AgentCosts, after: AgentCosts, which: "agents" | "gateway"): number {
  return (after[which].cpuMs - before[which].cpuMs) / (after.atMs - before.atMs);
}
