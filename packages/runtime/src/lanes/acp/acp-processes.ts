import { CaretError } from "@caret/protocol";
import type { AgentOrigin } from "../../process/warm-pool.ts";
import type { AcpProcess } from "./acp-process.ts";
import { type AcpCommand, startAcpProcess } from "./start-acp-process.ts";

/** A process on loan for one turn. */
export interface AcpLease {
  readonly process: AcpProcess;
  /** The turn is over. Resolves when everything held only for it is gone. */
  release(): Promise<void>;
  /** The turn was stopped but is not over until its end is logged: ends now whatever is held only for it. */
  abandon(): Promise<void>;
}

interface Kept {
  readonly madeFrom: string;
  readonly workspace: string;
  readonly started: Promise<AcpProcess>;
  turns: number;
  idle?: NodeJS.Timeout;
}

export interface AcpProcesses {
  /** Returns a running process made from the current configuration, or a new one; an outdated one takes no further turns. */
  take(origin: AgentOrigin, command: AcpCommand): Promise<AcpLease>;
  /** A process for this turn alone. */
  takeOwn(command: AcpCommand): Promise<AcpLease>;
  /** Ends this workspace's processes that have no turn. */
  release(workspace: string): Promise<void>;
  close(): Promise<void>;
}

export interface KeptProcesses {
  /** How long a process without a turn is kept; 0 ends it with its last turn. */
  readonly idleMs: number;
  /** Maximum of idle processes kept: a client that names no workspace gets a new one with each conversation. */
  readonly max: number;
}

/**
 * The processes of `agent acp`: one for all sessions of a workspace and a login, ended after it was idle for a while or others were used
 * more recently. The next turn replaces one that died, that was given up on, or whose key, environment or program has changed.
 */
export function createAcpProcesses({ idleMs, max }: KeptProcesses): AcpProcesses {
  const kept = new Map<string, Kept>();
  /** Processes that are being ended. */
  const leaving = new Set<Promise<void>>();
  let isClosed = false;

  const end = (process: AcpProcess, reason: string): Promise<void> => {
    const left = process.stop(reason).finally(() => leaving.delete(left));
    leaving.add(left);
    return left;
  };
  const drop = (key: string, entry: Kept): void => {
    clearTimeout(entry.idle);
    if (kept.get(key) === entry) kept.delete(key);
  };

  const endAll = async (entries: readonly (readonly [string, Kept])[], reason: string): Promise<void> => {
    for (const [key, entry] of entries) drop(key, entry);
    const started = await startedOf(entries.map(([, entry]) => entry));
    await Promise.all(started.map((process) => end(process, reason)));
  };

  const retire = (key: string, entry: Kept, reason: string): Promise<void> => endAll([[key, entry]], reason);

  const releaseShared = async (key: string, entry: Kept, process: AcpProcess): Promise<void> => {
    entry.turns -= 1;
    if (!process.isUsable) drop(key, entry);
    if (entry.turns > 0) return;
    if (!process.isUsable || isClosed || idleMs <= 0 || max <= 0) return await retire(key, entry, "it is not needed");
    entry.idle = setTimeout(() => void retire(key, entry, "it was idle"), idleMs).unref();
    // Moves it behind those that have been idle for longer.
    kept.delete(key);
    kept.set(key, entry);
    for (const [oldKey, old] of beyond(kept, max)) void retire(oldKey, old, "others were used later");
  };

  /** Its turns continue; without one it ends now. */
  const replace = async (key: string, entry: Kept): Promise<void> => {
    drop(key, entry);
    (await entry.started).retire();
    if (entry.turns === 0) await retire(key, entry, "its key, environment or program was replaced");
  };

  const find = ({ slot: key, madeFrom }: AgentOrigin, command: AcpCommand): Kept => {
    const found = kept.get(key);
    if (found?.madeFrom === madeFrom) return found;
    if (found !== undefined) replace(key, found).catch(() => undefined); // failed to start: the turns waiting for it fail with that reason
    const entry = { madeFrom, workspace: command.workspace, started: startAcpProcess(command), turns: 0 };
    kept.set(key, entry);
    entry.started.catch(() => drop(key, entry)); // the turns waiting for it reject
    return entry;
  };

  return {
    async take(origin, command) {
      if (isClosed) throw new CaretError("interrupted", "Caret is stopping");
      const entry = find(origin, command);
      // At once, so it is not ended to make room for another.
      entry.turns += 1;
      clearTimeout(entry.idle);
      const process = await entry.started;
      if (process.isUsable)
        return { process, release: () => releaseShared(origin.slot, entry, process), abandon: stays };
      entry.turns -= 1;
      drop(origin.slot, entry);
      return await this.take(origin, command);
    },
    async takeOwn(command) {
      return ownLease(await startAcpProcess(command), end);
    },
    async release(workspace) {
      const isIdle = ({ turns, workspace: of }: Kept): boolean => turns === 0 && of === workspace;
      await endAll(
        [...kept].filter(([, entry]) => isIdle(entry)),
        "its workspace is released",
      );
    },
    async close() {
      isClosed = true;
      await endAll([...kept], "Caret is stopping");
      await Promise.all(leaving);
    },
  };
}

/** A lease of a process used by one turn only. */
function ownLease(process: AcpProcess, end: (process: AcpProcess, reason: string) => Promise<void>): AcpLease {
  const leave = (reason: string) => () => end(process, reason);
  return { process, release: leave("the turn is over"), abandon: leave("the turn was stopped") };
}

/** A process shared with other turns outlives a stopped one. */
async function stays(): Promise<void> {}

/** The processes that started, without failed starts. */
async function startedOf(entries: readonly Kept[]): Promise<readonly AcpProcess[]> {
  const started = await Promise.allSettled(entries.map((entry) => entry.started));
  return started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

/** Idle processes above the limit, longest idle first. */
function beyond(kept: ReadonlyMap<string, Kept>, max: number): readonly (readonly [string, Kept])[] {
  const idle = [...kept].filter(([, entry]) => entry.turns === 0 && entry.idle !== undefined);
  return idle.slice(0, Math.max(0, idle.length - max));
}
