import { CaretError } from "@caret/protocol";
import type { AcpProcess } from "./acp-process.ts";
import { type AcpCommand, startAcpProcess } from "./start-acp-process.ts";

/** A process, for as long as one turn needs it. */
export interface AcpLease {
  readonly process: AcpProcess;
  /** The turn is over. Resolves when what was only for it is gone. */
  release(): Promise<void>;
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

/**
 * The processes of `agent acp`: one for all sessions of a workspace and a login, ended when it had no turn for a while. One
 * that died, or that was given up on, is replaced by the turn that comes next.
 */
export function createAcpProcesses(idleMs: number): AcpProcesses {
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

  const releaseShared = async (key: string, entry: Kept, process: AcpProcess): Promise<void> => {
    entry.turns -= 1;
    if (!process.isUsable) drop(key, entry);
    if (entry.turns > 0) return;
    if (!process.isUsable || isClosed || idleMs === 0) {
      drop(key, entry);
      return await end(process, "it is not needed any more");
    }
    entry.idle = setTimeout(() => {
      drop(key, entry);
      void end(process, "it was idle");
    }, idleMs).unref();
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
      const process = await entry.started;
      if (!process.isUsable) {
        drop(key, entry);
        return await this.take(key, command);
      }
      clearTimeout(entry.idle);
      entry.turns += 1;
      return { process, release: () => releaseShared(key, entry, process) };
    },
    async takeOwn(command) {
      const process = await startAcpProcess(command);
      return { process, release: () => end(process, "the turn is over") };
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
