import { closeSync, readdirSync } from "node:fs";
import { readProcFile } from "./process-identity.ts";

const CLOSE_ON_EXEC = 0o2000000;

/**
 * The descriptors that this process was born with and would hand on to its children. What Node opens itself closes on
 * exec; what a careless parent left open does not, and would reach every agent.
 */
function listInheritedDescriptors(): number[] {
  return listDescriptors()
    .sort((a, b) => a - b)
    .filter((descriptor) => {
      const flags = /^flags:\s*([0-7]+)/m.exec(readProcFile(`/proc/self/fdinfo/${descriptor}`) ?? "")?.[1];
      return descriptor > 2 && flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
    });
}

/** Those of them that a child can be given something else in their place: one above our limit cannot be replaced. */
export function listHideableDescriptors(): number[] {
  const limit = /^Max open files\s+(\d+)/m.exec(readProcFile("/proc/self/limits") ?? "")?.[1];
  return listInheritedDescriptors().filter((descriptor) => descriptor < Number(limit ?? Number.POSITIVE_INFINITY));
}

/**
 * Closes them. Only for a process of our own making: in the gateway such a descriptor may be a listening socket that it
 * was given on purpose.
 */
export function closeInheritedDescriptors(): void {
  for (const descriptor of listInheritedDescriptors()) closeSync(descriptor);
}

function listDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return []; // not Linux
  }
}
