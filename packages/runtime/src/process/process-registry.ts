import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identifyProcess, type ProcessIdentity, readBootId, readPidNamespace } from "./process-identity.ts";

/** One process of this boot, where there is a /proc. */
type KnownProcess = ProcessIdentity & { readonly startTime: string };

/** One started process as it is written down, so that a later Caret can end what an earlier one could not. */
export interface RegistryEntry {
  readonly mark: string;
  readonly bootId: string;
  /** Where the numbers below count. Absent in what an older Caret wrote. */
  readonly pidNamespace?: string | undefined;
  readonly process: KnownProcess;
  /** The Caret process that answers for it: while that lives, its children are its own business. */
  readonly keeper: KnownProcess;
}

/** Whether this is a whole entry. Checked by hand: the spawner loads this file, and should load no schemas. */
export function isRegistryEntry(value: unknown): value is RegistryEntry {
  if (typeof value !== "object" || value === null) return false;
  const { mark, bootId, pidNamespace, process, keeper } = value as Record<string, unknown>;
  return (
    typeof mark === "string" &&
    mark !== "" &&
    typeof bootId === "string" &&
    (pidNamespace === undefined || typeof pidNamespace === "string") &&
    isKnownProcess(process) &&
    isKnownProcess(keeper)
  );
}

function isKnownProcess(value: unknown): value is KnownProcess {
  if (typeof value !== "object" || value === null) return false;
  const { pid, startTime } = value as Record<string, unknown>;
  return Number.isSafeInteger(pid) && Number(pid) > 0 && typeof startTime === "string";
}

export interface ProcessRegistry {
  add(mark: string, process: ProcessIdentity): void;
  remove(mark: string): void;
}

/** Entries are files named after the mark. Where there is no /proc nothing is written: no sweep could trust it. */
export function openProcessRegistry(directory: string, keeper = identifyProcess(process.pid)): ProcessRegistry {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700); // mkdir obeys the umask and leaves an existing directory alone
  const bootId = readBootId();
  const pidNamespace = readPidNamespace();
  const pathOf = (mark: string): string => join(directory, `${mark}.json`);
  return {
    add(mark, started) {
      const entry: unknown = { mark, bootId, pidNamespace, process: started, keeper };
      if (!isRegistryEntry(entry)) return;
      try {
        writeFileSync(pathOf(mark), JSON.stringify(entry), { mode: 0o600, flag: "wx" });
      } catch {
        // A full disk must not stop an agent. What is lost is one of three ways to find it again.
      }
    },
    remove(mark) {
      try {
        rmSync(pathOf(mark), { force: true });
      } catch {
        // A file system that became read-only must not end the spawner, and with it every agent. The process is gone: the next
        // sweep finds nothing to kill, and tries again to remove the entry.
      }
    },
  };
}
