import { readdirSync, readFileSync } from "node:fs";

/** What the processes of one kind take together. Shared pages count in part for each, so that sums are true. */
export interface MemoryShare {
  readonly processes: number;
  readonly megabytes: number;
}

/** The memory of a process and all that come from it, by what they are. */
export function memoryBelow(pid: number): Readonly<Record<string, MemoryShare>> {
  const shares: Record<string, MemoryShare> = {};
  for (const member of familyOf(pid)) {
    const kind = kindOf(readText(`/proc/${member}/cmdline`));
    const { processes, megabytes } = shares[kind] ?? { processes: 0, megabytes: 0 };
    shares[kind] = { processes: processes + 1, megabytes: megabytes + megabytesOf(member) };
  }
  return shares;
}

function familyOf(pid: number): readonly number[] {
  const parents = new Map(
    readdirSync("/proc")
      .map(Number)
      .filter(Number.isInteger)
      .map((member) => [member, Number(/^PPid:\s+(\d+)/m.exec(readText(`/proc/${member}/status`))?.[1])]),
  );
  const family = [pid];
  // Members are added while the list is gone through: the children of each stand behind it.
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

function kindOf(commandLine: string): string {
  if (commandLine.includes("mcp-bridge")) return "bridges";
  if (/^[^\0]*\bbwrap\0/.test(commandLine)) return "sandboxes";
  if (commandLine.includes("caret-sim-agent")) return "agents";
  return commandLine.includes("spawner") ? "spawner" : "gateway";
}

function megabytesOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // the process has ended meanwhile
  }
}
