import { hash } from "node:crypto";
import { LONGEST_TIMER_MS } from "@caret/protocol";
import type { ChildCommand, ChildHandle } from "./child-handle.ts";

interface WarmPoolOptions {
  readonly spawn: (command: ChildCommand) => ChildHandle;
  /** Maximum of waiting agents over all profiles. 0 disables the pool. */
  readonly max: number;
  /** A waiting agent is ended after this time: its login may have expired, and it costs memory. */
  readonly idleMs: number;
  /**
   * Minimum wait before an agent can make room for another: it may not even have booted. When many turns end at once, each would otherwise
   * start an agent only to end that of the previous turn.
   */
  readonly settleMs?: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * Agents started ahead of their prompt, waiting for it on standard input, which hides their boot time. Each is used at most once. One that
 * exits or prints before its prompt is defective and discarded.
 */
export interface WarmPool {
  /** A waiting agent of exactly this profile; the caller must now feed and stop it. */
  take(profile: WarmKey): ChildHandle | undefined;
  /** Starts one agent of this profile unless one waits. Call it when a turn has ended, not while one begins. */
  refill(profile: WarmKey): void;
  /** Ends the agents waiting in a directory. Resolves when they are gone. */
  release(directory: string): Promise<void>;
  readonly size: number;
  /** Ends every waiting agent. Nothing is warmed afterwards. */
  close(): Promise<void>;
}

interface WarmAgent {
  readonly key: string;
  readonly origin: AgentOrigin;
  readonly directory: string;
  readonly child: ChildHandle;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

const SETTLE_MS = 1_000;

export function createWarmPool({ spawn, max, idleMs, settleMs = SETTLE_MS, now }: WarmPoolOptions): WarmPool {
  /** In order of use: the first is the least recently wanted. */
  const waiting = new Map<string, WarmAgent>();
  const leaving = new Set<Promise<unknown>>();
  let closed = false;

  const release = (agent: WarmAgent): boolean => {
    clearTimeout(agent.timer);
    return waiting.get(agent.key) === agent && waiting.delete(agent.key);
  };

  const evict = (agent: WarmAgent, reason: string): void => {
    if (!release(agent)) return;
    const left = agent.child.stop({ reason, graceMs: 0 });
    leaving.add(left);
    void left.finally(() => leaving.delete(left));
  };

  const add = (key: string, { command, origin }: WarmKey): void => {
    const child = spawn(command);
    const timer = setTimeout(() => evict(agent, "waited too long for a prompt"), Math.min(idleMs, LONGEST_TIMER_MS));
    timer.unref();
    const agent: WarmAgent = { key, origin, directory: command.cwd, child, since: now(), timer };
    waiting.set(key, agent);
    void child.firstOutput.then(() => evict(agent, "spoke or left before it was asked"));
    void child.exit.then(() => release(agent));
  };

  return {
    take(profile) {
      if (waiting.size === 0) return undefined;
      for (const other of waiting.values())
        if (isOutdated(other.origin, profile.origin)) evict(other, "its key, environment or program was replaced");
      const agent = waiting.get(keyOf(profile));
      if (agent === undefined) return undefined;
      if (now() - agent.since >= idleMs) {
        // The timer is late, for example after the machine slept.
        evict(agent, "waited too long for a prompt");
        return undefined;
      }
      release(agent);
      return agent.child;
    },
    refill(profile) {
      if (closed || max <= 0) return;
      const key = keyOf(profile);
      const present = waiting.get(key);
      if (present !== undefined) {
        waiting.delete(key);
        waiting.set(key, present);
        return;
      }
      const [oldest] = waiting.values();
      if (oldest !== undefined && waiting.size >= max) {
        if (now() - oldest.since < settleMs) return;
        evict(oldest, "made room for another");
      }
      add(key, profile);
    },
    async release(directory) {
      for (const agent of waiting.values())
        if (agent.directory === directory) evict(agent, "its session was suspended");
      await Promise.all(leaving);
    },
    get size() {
      return waiting.size;
    },
    async close() {
      closed = true;
      for (const agent of waiting.values()) evict(agent, "Caret is shutting down");
      await Promise.all(leaving);
    },
  };
}

/** Where an agent belongs, and what it was made from. */
export interface AgentOrigin {
  /** The same for all agents of a profile, a program and a workspace. */
  readonly slot: string;
  /**
   * A digest of the environment with its key, the program's file and the files it reads at start. Within a slot, only agents made from the
   * current state are usable.
   */
  readonly madeFrom: string;
}

/** Everything that makes a warm agent unfit for another turn; all but the prompt. */
export interface WarmKey {
  readonly origin: AgentOrigin;
  /** Its working directory is the workspace. Standard input must be `held`. */
  readonly command: ChildCommand & { readonly stdin: "held" };
  readonly model: string;
  /** The upstream session that it resumes, if any. */
  readonly resumedSession?: string | undefined;
  readonly cliVersion: string;
}

function isOutdated(origin: AgentOrigin, { slot, madeFrom }: AgentOrigin): boolean {
  return origin.slot === slot && origin.madeFrom !== madeFrom;
}

/** A profile is looked up when a turn starts and again when it has ended. */
const keys = new WeakMap<WarmKey, string>();

function keyOf(profile: WarmKey): string {
  const known = keys.get(profile);
  if (known !== undefined) return known;
  const key = warmKey(profile);
  keys.set(profile, key);
  return key;
}

/** The same text for equal profiles, regardless of the order of variables. */
export function warmKey({ origin, command, model, resumedSession, cliVersion }: WarmKey): string {
  const env = Object.entries(command.env).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [
    origin.slot,
    origin.madeFrom,
    command.file,
    command.args,
    command.cwd,
    env,
    command.contained !== undefined,
    model,
    resumedSession ?? null,
    cliVersion,
  ];
  return hash("sha256", JSON.stringify(parts), "hex");
}
