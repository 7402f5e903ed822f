import { existsSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Agents, type Caller, CaretError } from "@caret/protocol";
import { withdrawApprovals } from "../../lanes/cli/registered-approvals.ts";
import type { Registration } from "../../lanes/registration.ts";
import { type AgentStore, unknownAgent } from "../../log/agent-store.ts";
import { makePrivateDirectory } from "../../paths/private-files.ts";
import { socketPathIn } from "../../paths/socket-path.ts";
import type { PolicyRule } from "../../policy/policy-parts.ts";
import type { Spawner } from "../../process/child-handle.ts";
import { createOutputStore, type OutputStore } from "../../tools/outputs/output-store.ts";
import { type AgentSocket, openAgentSocket } from "./agent-socket.ts";

const SOCKET = "agent.sock";

/** The variable by which Caret's server finds the socket. */
const SOCKET_VARIABLE = "CARET_AGENT_SOCKET";

export interface AgentRegistrationsOptions {
  readonly store: Pick<AgentStore, "find" | "ofSession">;
  readonly agents: () => Agents;
  /** The caller on whose behalf a session's agent acts. */
  readonly callerOf: (sessionId: string) => Promise<Caller>;
  /** A directory of ours, with a subdirectory for each agent. */
  readonly directory: string;
  /** How `caret mcp` is started, without its arguments. */
  readonly command: { readonly file: string; readonly args: readonly string[] };
  /** Files that must be readable for that inside a sandbox. */
  readonly program: readonly string[];
  readonly version: string;
  readonly rules: readonly PolicyRule[];
  /** Whether agents created without a choice get the user's own servers. */
  readonly userServers: boolean;
  readonly spawner: Spawner;
  readonly newId: () => string;
  readonly onError: (error: CaretError) => void;
}

/** Registers Caret's MCP server with agents that run their own tools. */
export interface AgentRegistrations {
  /** Opens the socket of the agent that a session belongs to. Undefined: the session has no agent. */
  of(sessionId: string): Promise<Registration | undefined>;
  /** Removes everything made for an agent that is gone. */
  forget(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Reopens the sockets of agents that had one: processes left running by an agent find them again. */
export function createAgentRegistrations(options: AgentRegistrationsOptions): AgentRegistrations {
  const { store, directory } = options;
  const sockets = new Map<string, Promise<AgentSocket>>();
  const outputs = createOutputStore({ parentDir: tmpdir() });
  const placeOf = (name: string): string => join(directory, name);

  const listen = (name: string): Promise<AgentSocket> => {
    const known = sockets.get(name);
    if (known !== undefined) return known;
    makePrivateDirectory(placeOf(name));
    const path = socketPathIn(placeOf(name), SOCKET);
    const opening = openAgentSocket({ ...options, name, path, openCalls: () => openCalls(options, name, outputs) });
    sockets.set(name, opening);
    opening.catch(() => sockets.delete(name));
    return opening;
  };

  const shut = async (name: string): Promise<void> => {
    const socket = await sockets.get(name);
    sockets.delete(name);
    await socket?.close();
    if (socket !== undefined && dirname(socket.path) !== placeOf(name))
      rmSync(dirname(socket.path), { recursive: true, force: true });
  };

  const reopening = reopen(options, listen).catch((reason: unknown) => options.onError(CaretError.from(reason)));

  return {
    async of(sessionId) {
      const agent = await store.ofSession(sessionId);
      if (agent === undefined) return undefined;
      const { path } = await listen(agent.name);
      const withUserServers = agent.userServers ?? options.userServers;
      return { ...registrationOf(options, agent.name, path), directory: placeOf(agent.name), withUserServers };
    },
    async forget(name) {
      await shut(name);
      withdrawApprovals(placeOf(name));
      rmSync(placeOf(name), { recursive: true, force: true });
    },
    async close() {
      await reopening;
      await Promise.all([...sockets.keys()].map(shut));
      await outputs.close();
    },
  };
}

/** Removes directories of agents that are gone: a gateway was killed while removing them. */
async function reopen(
  { directory, store, onError }: AgentRegistrationsOptions,
  listen: (name: string) => Promise<AgentSocket>,
): Promise<void> {
  for (const name of existsSync(directory) ? readdirSync(directory) : []) {
    if ((await store.find(name)) !== undefined) {
      // One failure is no reason to leave the others closed.
      await listen(name).catch((reason: unknown) => onError(CaretError.from(reason)));
      continue;
    }
    withdrawApprovals(join(directory, name));
    rmSync(join(directory, name), { recursive: true, force: true });
  }
}

function registrationOf(
  { command, program }: AgentRegistrationsOptions,
  name: string,
  socket: string,
): Pick<Registration, "server" | "socket" | "program"> {
  const args = [...command.args, "mcp", "--agent-id", name];
  return { server: { command: command.file, args, env: { [SOCKET_VARIABLE]: socket } }, socket, program };
}

async function openCalls(
  options: AgentRegistrationsOptions,
  name: string,
  outputs: OutputStore,
): ReturnType<Parameters<typeof openAgentSocket>[0]["openCalls"]> {
  const { createAgentCalls } = await import("./agent-calls.ts");
  const agent = await options.store.find(name);
  if (agent === undefined) throw unknownAgent(name);
  const caller = await options.callerOf(agent.sessionId);
  return createAgentCalls({ ...options, agents: options.agents(), caller, name, outputs });
}
