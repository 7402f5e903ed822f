import { spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { BenchSetting } from "./bench-setting.ts";
import { type ChatMessage, chatRequest, getRequest } from "./chat-request.ts";
import type { ServedDoor } from "./serve-door.ts";

export interface LoadPlan {
  /** What is asked in each request. */
  readonly dialogues: readonly (readonly ChatMessage[])[];
  /** `spread`: they begin spread over `ms`; `sequence`: each begins `ms` after the end of the one before. */
  readonly order: "spread" | "sequence";
  readonly ms: number;
  /** How many deltas the agent was asked for in each. */
  readonly deltas: number;
}

export interface Answer {
  /** 200, and all its deltas came. */
  readonly isWhole: boolean;
  readonly firstTokenMs: number;
  readonly wholeMs: number;
}

export interface LoadResult {
  readonly answers: readonly Answer[];
  /** How long each delta of all answers was on its way. */
  readonly latenciesMs: readonly number[];
  /** The latest that a request was sent after its time, and the processor time of the client: what the client distorts. */
  readonly latestMs: number;
  readonly clientCpuMs: number;
}

export interface Load {
  readonly result: Promise<LoadResult>;
  /** Ends the client, and with it all its connections. There is no result then. */
  hangUp(): void;
}

const US_PER_MS = 1000;

/** What `agents/load.c` prints; its comment describes the numbers. */
interface LoadOutput {
  readonly answers: readonly (readonly [status: number, first: number, whole: number, deltas: number, late: number])[];
  readonly latencies: readonly number[];
  readonly cpu: number;
}

/** Ask for chat completions from a process of its own, and note when each delta arrives. */
export async function startLoad(setting: BenchSetting, door: ServedDoor, plan: LoadPlan): Promise<Load> {
  const requests = plan.dialogues.map((messages) => chatRequest(door, messages));
  return await startClient(setting, door, { ...plan, requests });
}

async function startClient(
  { load }: BenchSetting,
  door: ServedDoor,
  { requests, order, ms, deltas }: Omit<LoadPlan, "dialogues"> & { readonly requests: readonly Buffer[] },
): Promise<Load> {
  const { hostname, port } = new URL(door.url);
  const { address } = await lookup(hostname, { family: 4 });
  const child = spawn(load, [], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  child.stdin.on("error", () => undefined); // it has ended, and the missing result says so
  child.stdin.write(`${address} ${port || 80} ${order} ${ms} ${deltas} ${requests.length}\n`);
  for (const request of requests) {
    child.stdin.write(`${request.byteLength}\n`);
    child.stdin.write(request);
  }
  child.stdin.end();
  const read = async (): Promise<LoadResult> => {
    const [output] = await Promise.all([text(child.stdout), exited]);
    if (output === "") throw new Error("The load generator ended without a result");
    return toResult(JSON.parse(output) as LoadOutput, deltas);
  };
  return { result: read(), hangUp: () => void child.kill("SIGKILL") };
}

/** The same, for callers that need only the result. */
export async function loadDoor(setting: BenchSetting, door: ServedDoor, plan: LoadPlan): Promise<LoadResult> {
  return await (await startLoad(setting, door, plan)).result;
}

/** How long each of so many GET requests took, one after the other. */
export async function timeGets(
  setting: BenchSetting,
  door: ServedDoor,
  path: string,
  count: number,
): Promise<readonly number[]> {
  const requests = Array.from({ length: count }, () => getRequest(door, path));
  const { result } = await startClient(setting, door, { requests, order: "sequence", ms: 0, deltas: 0 });
  const { answers } = await result;
  if (!answers.every(({ isWhole }) => isWhole))
    throw new Error(`${door.name} did not answer every request for ${path}`);
  return answers.map(({ wholeMs }) => wholeMs);
}

function toResult({ answers, latencies, cpu }: LoadOutput, wanted: number): LoadResult {
  return {
    answers: answers.map(([status, first, whole, deltas]) => ({
      isWhole: status === 200 && whole >= 0 && deltas === wanted,
      firstTokenMs: first < 0 ? Number.NaN : first / US_PER_MS,
      wholeMs: whole < 0 ? Number.NaN : whole / US_PER_MS,
    })),
    latenciesMs: latencies.map((us) => us / US_PER_MS),
    latestMs: Math.max(...answers.map(([, , , , late]) => late)) / US_PER_MS,
    clientCpuMs: cpu / US_PER_MS,
  };
}
