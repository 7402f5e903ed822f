import { hash } from "node:crypto";
import { MAX_DIRECT_TOOLS } from "../../turns/tools/offered-tools.ts";
import type { LaneEntry } from "../lane.ts";
import type { AgentHost } from "./agent-host.ts";
import { countTools } from "./count-tools.ts";
import type { RegisteredServers } from "./registered-servers.ts";

/** Those of Caret's own server: see `agents/tools`. */
const OWN_TOOLS = 7;

/** How many tools servers have, by their configuration and environment: asked once for as long as the gateway runs. */
const known = new WeakMap<WarnedTurn["host"], Map<string, Promise<number>>>();

export interface WarnedTurn {
  readonly host: Pick<AgentHost, "spawn">;
  readonly servers: Pick<RegisteredServers, "users">;
  /** Of the agent, which starts the servers with it. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
}

/**
 * Puts a notice into a turn when its servers have more tools than an agent takes: before the first batch after they were counted.
 * The turn does not wait for that.
 */
export function warnOfTooManyTools(turn: WarnedTurn): (entries: readonly LaneEntry[]) => readonly LaneEntry[] {
  const names = Object.keys(turn.servers.users);
  if (names.length === 0) return (entries) => entries;
  let due: LaneEntry | undefined;
  counted(turn).then(
    (count) => {
      if (count + OWN_TOOLS > MAX_DIRECT_TOOLS) due = tooMany(count, names);
    },
    () => undefined, // the count is tried again with the next turn; the agent has its servers either way
  );
  return (entries) => {
    if (due === undefined) return entries;
    const warned = [due, ...entries];
    due = undefined;
    return warned;
  };
}

function counted({ host, servers: { users }, env, workspace }: WarnedTurn): Promise<number> {
  const counts = known.get(host) ?? new Map<string, Promise<number>>();
  known.set(host, counts);
  // They are started with its environment: other keys may see other tools.
  const key = hash("sha256", JSON.stringify([users, env]), "hex");
  const spawner = { spawn: host.spawn, close: async () => undefined };
  const counting = counts.get(key) ?? countTools({ servers: users, spawner, env, cwd: workspace });
  counts.set(key, counting);
  counting.catch(() => counts.delete(key));
  return counting;
}

function tooMany(count: number, names: readonly string[]): LaneEntry {
  const message = `Your MCP servers (${names.join(", ")}) have ${count} tools and Caret's has ${OWN_TOOLS}, but an agent takes ${MAX_DIRECT_TOOLS} of all servers together. Take servers out of your mcp.json, or change the agent with --no-user-servers`;
  return { event: { type: "notice", kind: "not-obeyed", message } };
}
