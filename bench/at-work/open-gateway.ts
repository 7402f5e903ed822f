import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { processTree, readProc } from "../doors/process-tree.ts";
import { caretProgram } from "../doors/serve-door.ts";

/** Of the kernel's clock, which counts the processor's time in hundredths of a second. */
const TICK_MS = 10;
const FIRST_TIME = 11;

interface Costs {
  readonly processes: number;
  /** Memory by its proportional share, so that what processes share is counted once. */
  readonly bytes: number;
  readonly cpuMs: number;
}

/** What the gateway and its helpers cost, and what the agents do with all that belongs to them. */
export interface AgentCosts {
  readonly atMs: number;
  readonly gateway: Costs;
  readonly agents: Costs;
}

export interface Gateway {
  costs(): AgentCosts;
  close(): Promise<void>;
}

/** A gateway whose agents are simulated. Seats and warm agents are off: only agents at work are counted. */
export async function openGateway(home: string, maxAtWork: number): Promise<Gateway> {
  const child = spawn(process.execPath, [caretProgram, "serve", "--lane", "sim", "--port", "0", "--json"], {
    cwd: join(home, "workspace"),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      CARET_DATA_DIR: join(home, "data"),
      CARET_SIM_SCENARIO: join(home, "scenario.json"),
      CARET_AGENTS_MAX_AT_WORK: String(maxAtWork),
      CARET_SPAWNER_SEATS: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const { pid = 0 } = child;
  return {
    costs: () => costsOf(pid),
    async close() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Agents carry the mark of their turn's process in their environment; the gateway and its spawner do not. */
function costsOf(root: number): AgentCosts {
  const pids = processTree(root).map(({ pid }) => pid);
  const isAgent = (pid: number): boolean => readProc(`${pid}/environ`).includes("CARET_PROCESS_ID=");
  const agents = pids.filter(isAgent);
  const gateway = pids.filter((pid) => !agents.includes(pid));
  return { atMs: performance.now(), gateway: sumOf(gateway), agents: sumOf(agents) };
}

function sumOf(pids: readonly number[]): Costs {
  const sum = (each: (pid: number) => number): number => pids.reduce((total, pid) => total + each(pid), 0);
  return { processes: pids.length, bytes: sum(memoryOf), cpuMs: sum(cpuOf) };
}

function memoryOf(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readProc(`${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
}

function cpuOf(pid: number): number {
  const fields = readProc(`${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[FIRST_TIME] ?? 0) + Number(fields[FIRST_TIME + 1] ?? 0)) * TICK_MS;
}
