import { closeSync, readdirSync } from "node:fs";
import { readProcFile } from "./process-identity.ts";

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes every descriptor that this process was born with and would hand on to its children.
 *
 * What Node opens itself closes on exec; what a careless parent left open does not, and would reach every agent. Only
 * for a process of our own making: in the gateway such a descriptor may be a listening socket it was given on purpose.
 */
export function closeInheritedDescriptors(): void {
  for (const name of listDescriptors()) {
    const flags = /^flags:\s*([0-7]+)/m.exec(readProcFile(`/proc/self/fdinfo/${name}`) ?? "")?.[1];
    if (Number(name) <= 2 || flags === undefined || Number.parseInt(flags, 8) & CLOSE_ON_EXEC) continue;
    closeSync(Number(name));
  }
}

function listDescriptors(): string[] {
  try {
    return readdirSync("/proc/self/fd");
  } catch {
    return []; // not Linux
  }
}
