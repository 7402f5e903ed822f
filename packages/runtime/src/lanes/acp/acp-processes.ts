import { CaretError } from "@caret/protocol";
import type { AcpProcess } from "./acp-process.ts";
import { type AcpCommand, startAcpProcess } from "./start-acp-process.ts";

/** A process, for as long as one turn needs it. */
export interface AcpLease {
  readonly process: AcpProcess;
  /** The turn is over. Resolves when what was only for it is gone. */
  release(): Promise<void>;
  /** The turn was stopped, and is over when the log has its end: what is only for it is ended now. */
  abandon(): Promise<void>;
}

interface Kept {
  readonly started: Promise<AcpProcess>;
  turns: number;
  idle?: NodeJS.Timeout;
}

export interface AcpProcesses {
  /** One that runs already for this workspace and login, or a new one. */
  take(key: string, command: AcpCommand): Promise<AcpLease>;
  /** One for this turn alone. */
  takeOwn(command: AcpCommand): Promise<AcpLease>;
  /** End those without a turn whose key ends like this. */
  release(keyEnd: string): Promise<void>;
  close(): Promise<void>;
}

export interface KeptProcesses {
  /** How long a process is kept that has no turn; 0 ends it with its last turn. */
  readonly idleMs: number;
  /** How many are kept that have none: a client that names no workspace gets a new one with each conversation. */
  readonly max: number;
}

/**
 * The processes of `agent acp`: one for all sessions of a workspace and a login, ended when it had no turn for a while or
 * others had one later. One that died, or that was given up on, is replaced by the turn that comes next.
 */
export function createAcpProcesses({ idleMs, max }: KeptProcesses): AcpProcesses {
  const kept = new Map<string, Kept>();
  /** What is being ended. */
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

  const retire = async (key: string, entry: Kept, reason: string): Promise<void> => {
    drop(key, entry);
    await end(await entry.started, reason);
  };

  const releaseShared = async (key: string, entry: Kept, process: AcpProcess): Promise<void> => {
    entry.turns -= 1;
    if (!process.isUsable) drop(key, entry);
    if (entry.turns > 0) return;
    const isNeeded = process.isUsable && !isClosed && idleMs > 0 && max > 0;
    if (!isNeeded) return await retire(key, entry, "it is not needed any more");
    entry.idle = setTimeout(() => void retire(key, entry, "it was idle"), idleMs).unref();
    // Behind those that have waited for longer.
    kept.delete(key);
    kept.set(key, entry);
    for (const [oldKey, old] of beyond(kept, max)) void retire(oldKey, old, "others were used later");
  };

  const find = (key: string, command: AcpCommand): Kept => {
    const found = kept.get(key);
    if (found !== undefined) return found;
    const entry: Kept = { started: startAcpProcess(command), turns: 0 };
    kept.set(key, entry);
    entry.started.catch(() => drop(key, entry)); // the turns that wait for it reject
    return entry;
  };

  return {
    async take(key, command) {
      if (isClosed) throw new CaretError("interrupted", "Caret is stopping");
      const entry = find(key, command);
      // At once: one that is taken is not ended for another.
      entry.turns += 1;
      clearTimeout(entry.idle);
      const process = await entry.started;
      if (process.isUsable) return { process, release: () => releaseShared(key, entry, process), abandon: stays };
      entry.turns -= 1;
      drop(key, entry);
      return await this.take(key, command);
    },
    async takeOwn(command) {
      const process = await startAcpProcess(command);
      const over = (reason: string) => () => end(process, reason);
      return { process, release: over("the turn is over"), abandon: over("the turn was stopped") };
    },
    async release(keyEnd) {
      const idle = [...kept].filter(([key, { turns }]) => turns === 0 && key.endsWith(keyEnd));
      for (const [key, entry] of idle) drop(key, entry);
      const started = await Promise.allSettled(idle.map(([, entry]) => entry.started));
      await Promise.all(
        started.map((one) => one.status === "fulfilled" && end(one.value, "its workspace is released")),
      );
    },
    async close() {
      isClosed = true;
      const entries = [...kept.values()];
      kept.clear();
      for (const { idle } of entries) clearTimeout(idle);
      const started = await Promise.allSettled(entries.map((entry) => entry.started));
      for (const result of started) if (result.status === "fulfilled") void end(result.value, "Caret is stopping");
      await Promise.all(leaving);
    },
  };
}

/** What other turns use as well outlives one that was stopped. */
async function stays(): Promise<void> {}

/** Of those without a turn, the ones that have waited longest and are more than may wait. */
function beyond(kept: ReadonlyMap<string, Kept>, max: number): readonly (readonly [string, Kept])[] {
  const idle = [...kept].filter(([, entry]) => entry.turns === 0 && entry.idle !== undefined);
  return idle.slice(0, Math.max(0, idle.length - max));
}
