import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@caret/protocol";
import { createTurnActs } from "../../log/turn-acts.ts";
import { workspaceHash } from "../../paths/physical-path.ts";
import type { Lane, LaneRequest } from "../lane.ts";
import { officialInvocation } from "./agent-arguments.ts";
import type { AgentHost } from "./agent-host.ts";
import { findProgram } from "./agent-program.ts";

/** What is needed to probe an installed agent, by having it answer a question in an empty directory. */
export interface InstallationProbe {
  readonly host: AgentHost;
  readonly lane: Lane;
  readonly model: string;
  readonly signal: AbortSignal;
}

/** The directory by which an agent files its chats. */
export type ChatPlace = "workspace" | "working directory" | "unknown";

const QUESTION = "Answer with the one word ok.";

/** Starts it in one directory with `--workspace` another, and checks under which of the two its chat is filed. */
export async function probeChatPlace({ host, model, signal }: InstallationProbe): Promise<ChatPlace> {
  return await inDirectories(host, async ([cwd = "", workspace = ""]) => {
    const program = findProgram(model, host.programs);
    const [profile, launch] = [await host.resolveProfile("default"), await host.resolveLaunch(program.command)];
    const { args, stdin = "" } = officialInvocation(requestIn(workspace, { model }), program, host.policy, false);
    const command = { file: launch.file, args: [...launch.args, ...args], cwd, env: host.environment(profile) };
    const child = host.spawn({ ...command, stdin: { content: stdin } });
    const stop = (): void => void child.stop({ reason: "took too long", graceMs: 0 });
    signal.addEventListener("abort", stop, { once: true });
    for await (const _ of child.stdout); // its answer does not matter
    await child.exit;
    signal.removeEventListener("abort", stop);
    const configDir = profile.configDir ?? host.chatConfigDir();
    const has = (directory: string): boolean => listed(chatsOf(configDir, directory)).length > 0;
    if (has(workspace)) return "workspace";
    return has(cwd) ? "working directory" : "unknown";
  });
}

/** Whether it can answer if it reaches only the allowed hosts: undefined if so, otherwise what it said. */
export async function probeStrictTurn({ host, lane, model, signal }: InstallationProbe): Promise<string | undefined> {
  return await inDirectories(host, async ([workspace = ""]) => {
    const request = requestIn(workspace, { model, sandbox: SANDBOX });
    return failureIn(await eventsOf(lane, request, signal));
  });
}

export interface ToolServerLife {
  /** The agent's MCP server connected to the gateway from inside the sandbox, and a call succeeded. */
  readonly wasCalled: boolean;
  /** Number of its processes that outlived the turn. */
  readonly left: number;
  readonly failure: string | undefined;
}

/** Offers it a tool in a sandbox: its MCP server is then a child of the agent inside, and talks to the gateway. */
export async function probeToolServer({ host, lane, model, signal }: InstallationProbe): Promise<ToolServerLife> {
  return await inDirectories(host, async ([workspace = ""]) => {
    let wasCalled = false;
    const turnId = host.newId();
    const offered: LaneRequest["offered"] = {
      owner: "client",
      tools: [{ name: "ring", description: "Rings a bell.", inputSchema: { type: "object", properties: {} } }],
      system: "",
      realWorkspace: undefined,
      call: async () => {
        wasCalled = true;
        return { text: "The bell rang.", isError: false };
      },
      announce: () => undefined,
    };
    const prompt = "Call the tool ring once, then answer with the one word ok.";
    const request = requestIn(workspace, { model, sandbox: SANDBOX, offered, prompt, mode: "agent", turnId });
    const failure = failureIn(await eventsOf(lane, request, signal));
    return { wasCalled, left: processesOf(turnId), failure };
  });
}

const SANDBOX = { word: "strict", sessionId: "doctor", additions: {} } as const;

function requestIn(workspace: string, more: Partial<LaneRequest> & Pick<LaneRequest, "model">): LaneRequest {
  const nothing = { upstream: undefined, offered: undefined, previousTurnId: undefined, loadHistory: async () => [] };
  const acts = createTurnActs();
  return { turnId: "doctor", prompt: QUESTION, workspace, mode: "ask", force: true, acts, ...nothing, ...more };
}

async function eventsOf(lane: Lane, request: LaneRequest, signal: AbortSignal): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  await lane.runTurn(request, (batch) => void events.push(...batch.map(({ event }) => event)), signal);
  return events;
}

function failureIn(events: readonly AgentEvent[]): string | undefined {
  const end = events.at(-1);
  if (end?.type !== "turn-end" || end.outcome.kind === "completed") return undefined;
  if (end.outcome.kind === "cancelled") return "it was stopped";
  const { message, upstream } = end.outcome.error;
  return upstream === undefined ? message : `${message}: ${upstream}`;
}

/** Provides two empty directories, then removes them and their chats. */
async function inDirectories<Result>(
  host: AgentHost,
  work: (directories: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "caret-doctor-")));
  const directories = ["one", "two"].map((name) => join(root, name));
  for (const directory of directories) mkdirSync(directory);
  try {
    return await work(directories);
  } finally {
    rmSync(root, { recursive: true, force: true });
    for (const directory of directories)
      rmSync(chatsOf(host.chatConfigDir(), directory), { recursive: true, force: true });
  }
}

function chatsOf(configDir: string, workspace: string): string {
  return join(configDir, "chats", workspaceHash(workspace));
}

/** A bridge knows its turn from its environment, which identifies leftover ones. */
function processesOf(turnId: string): number {
  const pids = listed("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readText(`/proc/${pid}/environ`).includes(`CARET_BRIDGE_TURN=${turnId}`)).length;
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // it does not exist
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // already gone, or another user's
  }
}
