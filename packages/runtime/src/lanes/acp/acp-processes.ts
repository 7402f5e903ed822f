import { CaretError } from "@caret/protocol";
import type { AgentOrigin } from "../../process/warm-pool.ts";
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
  readonly madeFrom: string;
  readonly workspace: string;
  readonly started: Promise<AcpProcess>;
  turns: number;
  idle?: NodeJS.Timeout;
}

export interface AcpProcesses {
  /** One that runs already and is made from what is there now, or a new one; the one before it gets no other turn. */
  take(origin: AgentOrigin, command: AcpCommand): Promise<AcpLease>;
  /** One for this turn alone. */
  takeOwn(command: AcpCommand): Promise<AcpLease>;
  /** End those without a turn in this workspace. */
  release(workspace: string): Promise<void>;
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
 * others had one later. One that died, that was given up on, or whose key, environment or program is another by now, is replaced
 * by the turn that comes next.
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
    // Behind those that have waited for longer.
    kept.delete(key);
    kept.set(key, entry);
    for (const [oldKey, old] of beyond(kept, max)) void retire(oldKey, old, "others were used later");
  };

  /** Its turns go on; without one it ends now. */
  const replace = async (key: string, entry: Kept): Promise<void> => {
    drop(key, entry);
    (await entry.started).retire();
    if (entry.turns === 0) await retire(key, entry, "its key, environment or program was replaced");
  };

  const find = ({ slot: key, madeFrom }: AgentOrigin, command: AcpCommand): Kept => {
    const found = kept.get(key);
    if (found?.madeFrom === madeFrom) return found;
    if (found !== undefined) replace(key, found).catch(() => undefined); // it did not start: the turns that wait for it fail with that reason
    const entry = { madeFrom, workspace: command.workspace, started: startAcpProcess(command), turns: 0 };
    kept.set(key, entry);
    entry.started.catch(() => drop(key, entry)); // the turns that wait for it reject
    return entry;
  };

  return {
    async take(origin, command) {
      if (isClosed) throw new CaretError("interrupted", "Caret is stopping");
      const entry = find(origin, command);
      // At once: one that is taken is not ended for another.
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

/** Of a process that one turn has to itself. */
function ownLease(process: AcpProcess, end: (process: AcpProcess, reason: string) => Promise<void>): AcpLease {
  const leave = (reason: string) => () => end(process, reason);
  return { process, release: leave("the turn is over"), abandon: leave("the turn was stopped") };
}

/** What other turns use as well outlives one that was stopped. */
async function stays(): Promise<void> {}

/** Without those that never became usable. */
async function startedOf(entries: readonly Kept[]): Promise<readonly AcpProcess[]> {
  const started = await Promise.allSettled(entries.map((entry) => entry.started));
  return started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

/** Of those without a turn, the ones that have waited longest and are more than may wait. */
function beyond(kept: ReadonlyMap<string, Kept>, max: number): readonly (readonly [string, Kept])[] {
  const idle = [...kept].filter(([, entry]) => entry.turns === 0 && entry.idle !== undefined);
  return idle.slice(0, Math.max(0, idle.length - max));
}
