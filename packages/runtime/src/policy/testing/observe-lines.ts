import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program started by a line. */
interface StartedProgram {
  readonly words: readonly string[];
  /** Whether it was the program the shell found under this name before the line. */
  readonly isGenuine: boolean;
  /** Whether it ran in the line's directory, with unchanged lookup of programs and settings. */
  readonly isUnchanged: boolean;
}

/** Observed effects of a line. */
export interface ObservedLine {
  readonly started: readonly StartedProgram[];
  readonly wroteOutside: boolean;
}

const recorded = ["git", "ls", "rm", "tee", "touch", "npm"];
/** Nested so deep that `cd ../..` stays within the observed tree. */
const WORKSPACE = ["w", "x", "y", "z", "workspace"];

/**
 * Runs each line with a shell in its own directory. `PATH` has programs that only record how they were started; the workspace's `bin` has
 * programs of the same names, standing for those of a hostile repository.
 */
export function observeLines(shell: string, lines: readonly string[]): readonly ObservedLine[] {
  const root = mkdtempSync(join(tmpdir(), "caret-observed-"));
  try {
    const log = join(root, "log");
    writeFileSync(log, "");
    makeRecorder(root, log);
    for (const index of lines.keys()) makeWorld(join(root, String(index)), root);
    const script = lines.map((_, index) => runLine(shell, join(root, String(index)), index)).join("");
    const result = spawnSync("/bin/bash", ["-c", script, "bash", ...lines], { env: {}, timeout: 3_600_000 });
    if (result.status !== 0) throw new Error(`the lines did not run: ${result.stderr}`);
    const started = startsIn(readFileSync(log, "utf8"));
    return lines.map((_, index) => observed(root, String(index), started));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function makeRecorder(root: string, log: string): void {
  const recorder = join(root, "recorder");
  const fields = `"$0" "$PWD" "$PATH" "$HOME" "$#" "$@"`;
  writeFileSync(recorder, `#!/bin/sh\nprintf '%s\\0' ${fields} >> '${log}'\n`);
  chmodSync(recorder, 0o755);
  for (const directory of ["genuine", "hostile"]) {
    mkdirSync(join(root, directory));
    for (const name of recorded) symlinkSync(recorder, join(root, directory, name));
  }
  for (const name of ["env", "sh", "nohup", "xargs"]) symlinkSync(`/usr/bin/${name}`, join(root, "genuine", name));
}

function makeWorld(world: string, root: string): void {
  const workspace = join(world, ...WORKSPACE);
  mkdirSync(join(workspace, "src"), { recursive: true });
  symlinkSync(join(root, "genuine"), join(world, "genuine"));
  symlinkSync(join(root, "hostile"), join(workspace, "bin"));
  writeFileSync(join(workspace, "name"), "./bin\n");
}

function runLine(shell: string, world: string, index: number): string {
  const workspace = join(world, ...WORKSPACE);
  const parameter = `"\${${index + 1}}"`;
  return `( cd '${workspace}' && PATH='${world}/genuine' HOME='${world}/home' exec /usr/bin/timeout -s KILL 10 '${shell}' -c ${parameter} ) </dev/null >/dev/null 2>&1\ntrue\n`;
}

function startsIn(log: string): readonly (readonly string[])[] {
  const fields = log.split("\0");
  const starts: (readonly string[])[] = [];
  for (let at = 0; at + 4 < fields.length; ) {
    const end = at + 5 + Number(fields[at + 4]);
    starts.push(fields.slice(at, end));
    at = end;
  }
  return starts;
}

function observed(root: string, index: string, starts: readonly (readonly string[])[]): ObservedLine {
  const world = join(root, index);
  const workspace = join(world, ...WORKSPACE);
  const own = starts.filter((fields) => fields.slice(0, 4).some((field) => `${field}/`.startsWith(`${world}/`)));
  const started = own.map(([file = "", directory, path, home, , ...given]) => ({
    words: [file.slice(file.lastIndexOf("/") + 1), ...given],
    isGenuine: file.startsWith(`${world}/genuine/`),
    isUnchanged: directory === workspace && path === `${world}/genuine` && home === `${world}/home`,
  }));
  const around = WORKSPACE.map((_, depth) => readdirSync(join(world, ...WORKSPACE.slice(0, depth))).length);
  // The world itself contains the programs, too.
  return { started, wroteOutside: around.some((count, depth) => count !== (depth === 0 ? 2 : 1)) };
}
