import { hash } from "node:crypto";
import { within } from "../../async/within.ts";
import type { Spawner } from "../../process/child-handle.ts";
import type { OpenSandbox } from "../../sandbox/sandboxes.ts";
import type { LaneEntry } from "../lane.ts";
import { MAX_DIRECT_TOOLS } from "../offered-tools.ts";
import type { AgentHost } from "./agent-host.ts";
import { countTools, type ToolCount } from "./count-tools.ts";
import type { OfferedTurn } from "./offered-turn.ts";
import type { RegisteredServers } from "./registered-servers.ts";

/** Number of tools of Caret's own server: see `agents/tools`. */
const OWN_TOOLS = 7;

/** How long a turn's end waits for a count that is slower than the turn; no other turn waits. */
const WAIT_MS = 10_000;

/** Tool counts by the servers' configuration and environment: determined once per gateway run. */
const known = new WeakMap<WarnedTurn["host"], Map<string, Promise<ToolCount>>>();

export interface WarnedTurn {
  readonly host: Pick<AgentHost, "spawn">;
  readonly servers: Pick<RegisteredServers, "users">;
  /** Environment of the agent, which the servers inherit. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
  /** The turn's sandbox: servers are asked inside it, because the agent starts them there. */
  readonly sandbox?: Pick<OpenSandbox, "enclose"> | undefined;
}

/**
 * Adds a notice to a turn if its servers have more tools than an agent accepts: before the first batch after they were counted, at the
 * latest before the turn's end, which waits for the count. Nothing else in the turn waits.
 */
export function warnOfTooManyTools(turn: WarnedTurn): Pick<OfferedTurn, "show" | "unfinished" | "leave"> {
  const names = Object.keys(turn.servers.users);
  if (names.length === 0) return { show: (entries) => entries, leave: () => undefined };
  const left = new AbortController();
  let due: LaneEntry | undefined;
  const counting = counted(turn, left.signal).then(
    ({ count }) => {
      if (count + OWN_TOOLS > MAX_DIRECT_TOOLS) due = tooMany(count, names);
    },
    () => undefined, // the next turn counts again; the agent has its servers either way
  );
  return {
    show(entries) {
      if (due === undefined) return entries;
      const warned = [due, ...entries];
      due = undefined;
      return warned;
    },
    unfinished: () => within(counting, WAIT_MS),
    leave() {
      // A sandbox is closed with its turn, and no process may be left in it.
      if (turn.sandbox !== undefined) left.abort();
    },
  };
}

function counted(
  { host, servers: { users }, env, workspace, sandbox }: WarnedTurn,
  signal: AbortSignal,
): Promise<ToolCount> {
  const counts = known.get(host) ?? new Map<string, Promise<ToolCount>>();
  known.set(host, counts);
  // Servers inherit this environment: other keys may expose other tools.
  const key = hash("sha256", JSON.stringify([users, env, sandbox !== undefined]), "hex");
  const spawn: Spawner["spawn"] = (command, options) =>
    host.spawn(sandbox === undefined ? command : sandbox.enclose(command), options);
  const spawner = { spawn, close: async () => undefined };
  const counting = counts.get(key) ?? countTools({ servers: users, spawner, env, cwd: workspace, signal });
  counts.set(key, counting);
  const forget = (): void => void (counts.get(key) === counting && counts.delete(key));
  // A server that was too slow on a busy machine may answer the next time.
  counting.then(({ isWhole }) => isWhole || forget(), forget);
  return counting;
}

function tooMany(count: number, names: readonly string[]): LaneEntry {
  const message = `Your MCP servers (${names.join(", ")}) have ${count} tools and Caret's has ${OWN_TOOLS}, but an agent takes ${MAX_DIRECT_TOOLS} of all servers together. Take servers out of your mcp.json, or change the agent with --no-user-servers`;
  return { event: { type: "notice", kind: "not-obeyed", message } };
}
