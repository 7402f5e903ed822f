import { changedFiles } from "./changed-files.ts";
import {
  changesDirectory,
  type Directories,
  directoriesAfter,
  firstDirectories,
  inDirectory,
} from "./followed-directories.ts";
import { parseShellLine } from "./parse-shell-line.ts";
import { readLaunch } from "./read-launch.ts";
import type { SimpleCommand } from "./shell-findings.ts";
import { isHarmlessVariable } from "./shell-variables.ts";
import { fixedWord, type ShellWord } from "./shell-word.ts";
import { twistOf } from "./twisting-builtins.ts";

/** A command that will run. */
export interface RunCommand {
  readonly words: readonly ShellWord[];
  /** Whether it may run in another directory than the line. If so, it need not be what a person or a rule allowed. */
  readonly isElsewhere: boolean;
}

/** What a command line will do, as far as its text shows. */
export interface CommandLine {
  /** Every command that will run, including those started by others. */
  readonly commands: readonly RunCommand[];
  /** Files written by redirections. Unknowable ones are in `opaque`. */
  readonly writes: readonly string[];
  /** Files that commands such as `mv` or `sort -o` change through operands and options. Unknowable ones are in `opaque`. */
  readonly changes: readonly string[];
  /** Files read by redirections. */
  readonly reads: readonly ShellWord[];
  /** Whether commands may run in directories the line does not name. */
  readonly wanders: boolean;
  /** What could not be understood, in words. */
  readonly opaque: readonly string[];
}

const MAX_DEPTH = 8;
/** `env` accepts any name, and functions exported by bash have odd ones. */
const ASSIGNMENT = /^([^=]*?)\+?=/;

/** Reads a command as passed to a tool: a line of shell, or a list of words that no shell sees. */
export function readCommandLine(command: unknown): CommandLine {
  const found: Found = { commands: [], started: [], writes: [], reads: [], opaque: [] };
  const line = { depth: 0, repeats: false, isElsewhere: false };
  if (typeof command === "string") readSource(command, found, line);
  else if (Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string"))
    readWords(command.map(fixedWord), found, line);
  else found.opaque.push("a command that is no text");
  return withFiles(found);
}

interface Found {
  readonly commands: RunCommand[];
  /** Every command, including wrappers, in source order. */
  readonly started: SimpleCommand[];
  readonly writes: ShellWord[];
  readonly reads: ShellWord[];
  readonly opaque: string[];
}

/** Context of a command. */
interface Place {
  readonly depth: number;
  readonly repeats: boolean;
  readonly isElsewhere: boolean;
}

function readSource(source: string, found: Found, place: Place): void {
  const { commands, writes, reads, opaque } = parseShellLine(source);
  // Pushed individually: there may be more than a call can take as arguments.
  for (const what of new Set(opaque)) found.opaque.push(what);
  for (const word of reads) found.reads.push(word);
  for (const word of writes) found.writes.push(word);
  for (const { words, repeats } of commands) readWords(words, found, { ...place, repeats: place.repeats || repeats });
}

function readWords(words: readonly ShellWord[], found: Found, place: Place): void {
  if (place.depth > MAX_DEPTH) {
    found.opaque.push("commands within commands within commands");
    return;
  }
  const rest = withoutAssignments(words, found);
  const [first] = rest;
  if (first === undefined) return;
  const twist = twistOf(rest);
  if (!first.fixed || (first.spread && first.text !== "[")) found.opaque.push("a command whose name is computed");
  else if (twist !== undefined) found.opaque.push(twist);
  else readCommand(rest, found, place);
}

function readCommand(words: readonly ShellWord[], found: Found, place: Place): void {
  const launch = readLaunch(words);
  const isElsewhere = place.isElsewhere || launch.isElsewhere === true;
  const inside = { ...place, isElsewhere, depth: place.depth + 1 };
  found.started.push({ words, repeats: place.repeats });
  if (launch.shown) found.commands.push({ words: launch.words ?? words, isElsewhere });
  if (launch.opaque !== undefined) found.opaque.push(launch.opaque);
  for (const inner of launch.inner ?? []) readWords(inner, found, inside);
  if (launch.source !== undefined) readSource(launch.source, found, inside);
}

/** `PATH=… ls` need not be the usual `ls`: only known harmless variables are ignored. */
function withoutAssignments(words: readonly ShellWord[], { opaque }: Found): readonly ShellWord[] {
  const start = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
  const assigned = start === -1 ? words : words.slice(0, start);
  for (const { text, fixed, quoted, spread } of assigned) {
    const name = ASSIGNMENT.exec(text)?.[1] ?? "";
    if (!isHarmlessVariable(name)) opaque.push(`a variable is set: ${name}`);
    else if (spread || !(fixed || quoted)) opaque.push("a computed word before a command");
  }
  return start === -1 ? [] : words.slice(start);
}

/** Adds the files that commands and redirections write, given the directories they may run in. */
function withFiles({ commands, started, writes, reads, opaque }: Found): CommandLine {
  const mover = started.find(({ words }) => changesDirectory(words))?.words;
  const unknown = "a file that cannot be known is written";
  const files = (target: ShellWord, directories: Directories): readonly string[] => {
    const paths = writtenFiles(target, directories);
    if (paths === undefined) opaque.push(unknown);
    return paths ?? [];
  };
  const first = firstDirectories(started);
  let directories = first;
  const changes = started.flatMap(({ words }) => {
    directories = directoriesAfter(words, directories);
    return changedFiles(words).flatMap((target) => files(target, directories));
  });
  return {
    commands: commands.map((command) => ({ ...command, isElsewhere: command.isElsewhere || isMoved(command, mover) })),
    changes,
    writes: writes.filter(({ text }) => !isSink(text)).flatMap((target) => files(target, directories)),
    reads,
    wanders: first === undefined,
    opaque,
  };
}

/** If only one command changes the line's directory, that command itself runs in the line's directory. */
function isMoved({ words }: RunCommand, mover: readonly ShellWord[] | undefined): boolean {
  return mover !== undefined && words !== mover;
}

function writtenFiles({ text, fixed, spread }: ShellWord, directories: Directories): readonly string[] | undefined {
  if (!fixed || spread) return undefined;
  if (text.startsWith("/")) return [text];
  return directories?.map((directory) => inDirectory(directory, text));
}

function isSink(path: string): boolean {
  return /^\/dev\/(null|stdout|stderr|tty)$/.test(path);
}
