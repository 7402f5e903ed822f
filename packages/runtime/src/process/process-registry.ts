import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identifyProcess, type ProcessIdentity, readBootId, readPidNamespace } from "./process-identity.ts";

/** One process of this boot, if there is a /proc. */
type KnownProcess = ProcessIdentity & { readonly startTime: string };

/** The record of a started process, so a later Caret can end what an earlier one could not. */
export interface RegistryEntry {
  readonly mark: string;
  readonly bootId: string;
  /** Namespace of the pids below. Missing in entries of older Carets. */
  readonly pidNamespace?: string | undefined;
  readonly process: KnownProcess;
  /** The Caret process responsible for it: while that lives, it handles its own children. */
  readonly keeper: KnownProcess;
}

/** Whether this is a complete entry. Checked by hand: the spawner loads this file and should not load schemas. */
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

/** Entries are files named by their mark. Without /proc nothing is written: no sweep could trust it. */
export function openProcessRegistry(directory: string, keeper = identifyProcess(process.pid)): ProcessRegistry {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700); // mkdir applies the umask and leaves an existing directory unchanged
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
        // A full disk must not stop an agent. We only lose one of three ways to find it again.
      }
    },
    remove(mark) {
      try {
        rmSync(pathOf(mark), { force: true });
      } catch {
        // A file system that became read-only must not end the spawner, and with it every agent. The process is gone: the next sweep finds
        // nothing to kill and tries again to remove the entry.
      }
    },
  };
}
