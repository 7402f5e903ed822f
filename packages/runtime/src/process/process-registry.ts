import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { identifyProcess, type ProcessIdentity, readBootId, readPidNamespace } from "./process-identity.ts";

const identitySchema = z.object({ pid: z.number().int().positive(), startTime: z.string() });

/** One started process as it is written down, so that a later Caret can end what an earlier one could not. */
export const registryEntrySchema = z.object({
  mark: z.string().min(1),
  bootId: z.string(),
  /** Where the numbers below count. Absent in what an older Caret wrote. */
  pidNamespace: z.string().optional(),
  process: identitySchema,
  /** The Caret process that answers for it: while that lives, its children are its own business. */
  keeper: identitySchema,
});

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
      const entry = registryEntrySchema.safeParse({ mark, bootId, pidNamespace, process: started, keeper });
      if (!entry.success) return;
      try {
        writeFileSync(pathOf(mark), JSON.stringify(entry.data), { mode: 0o600, flag: "wx" });
      } catch {
        // A full disk must not stop an agent. What is lost is one of three ways to find it again.
      }
    },
    remove: (mark) => rmSync(pathOf(mark), { force: true }),
  };
}
