import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildCommand, ChildHandle, ChildStdin } from "../child-handle.ts";
import { readProcessStat, readProcFile } from "../process-identity.ts";

/** A temporary directory in which tests write tiny real programs and learn their pids. */
export interface Workbench {
  readonly directory: string;
  path(name: string): string;
  /** Writes an executable file. */
  program(name: string, text: string): string;
  /** A shell command in which `note` records the calling process, for `survivors`. */
  sh(script: string, stdin?: ChildStdin): ChildCommand;
  node(script: string, stdin?: ChildStdin): ChildCommand;
  /** How many processes said `note`. */
  noted(): number;
  /** The recorded processes that are still alive. Zombies count as dead. */
  survivors(): number[];
  remove(): void;
}

export const testEnv = { PATH: "/usr/local/bin:/usr/bin:/bin" };

export function createWorkbench(): Workbench {
  const directory = mkdtempSync(join(tmpdir(), "process-test-"));
  const path = (name: string): string => join(directory, name);
  const notes = path("pids");
  const notedPids = (): number[] =>
    existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n").filter(Boolean).map(Number) : [];
  // In a subshell, $$ would be the outer shell; a shell started by sh -c reports itself.
  const note = `note() { sh -c 'echo $PPID' >> ${notes}; }`;
  const base = { cwd: directory, env: testEnv };
  return {
    directory,
    path,
    program(name, text) {
      writeFileSync(path(name), text);
      chmodSync(path(name), 0o755);
      return path(name);
    },
    sh: (script, stdin = "closed") => ({ ...base, file: "/bin/sh", args: ["-c", `${note}\n${script}`], stdin }),
    node: (script, stdin = "closed") => ({ ...base, file: process.execPath, args: ["-e", script], stdin }),
    noted: () => notedPids().length,
    survivors: () =>
      notedPids().filter((pid) => {
        const state = readProcessStat(pid)?.state;
        return state !== undefined && state !== "Z" && state !== "X";
      }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export async function readAll(child: ChildHandle): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The pid of a started process. Never a placeholder: 0 and -1 would mean ourselves and everyone. */
export function pidOf({ pid }: { readonly pid?: number | undefined }): number {
  if (pid === undefined) throw new Error("It has not started");
  return pid;
}

/** In what `ls -l /proc/self/fd` prints: what is open beyond the standard three, an empty device and the list itself. */
export function foreignDescriptors(listing: string): string[] {
  const links = listing.split("\n").flatMap((line) => /(\d+) -> (.*)$/.exec(line)?.slice(1, 3).join(" ") ?? []);
  return links.filter((link) => !/^[012] | \/dev\/null$| \/proc\/\d+\/fd$/.test(link));
}

export function countDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The shells below this process that wait to become a program. */
export function waitingSeats(ancestor: number): readonly number[] {
  const isBelow = (pid: number): boolean => {
    const parent = readProcessStat(pid)?.parentPid ?? 0;
    return parent > 1 && (parent === ancestor || isBelow(parent));
  };
  const isSeat = (pid: number): boolean =>
    readProcFile(`/proc/${pid}/cmdline`)?.startsWith("/bin/sh\0-c\0caret_seat_") ?? false;
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => isSeat(pid) && isBelow(pid));
}
