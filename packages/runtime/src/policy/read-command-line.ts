import { changedFiles } from "./changed-files.ts";
import { type Launch, programName } from "./launch.ts";
import { parseShellLine } from "./parse-shell-line.ts";
import { readLaunch } from "./read-launch.ts";
import type { ShellWord } from "./shell-cursor.ts";

/** What a command line will do, as far as its text shows. */
export interface CommandLine {
  /** Every command that will run, by its words; the commands that others start are among them. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Files that redirections write. One that cannot be known is among `opaque`. */
  readonly writes: readonly string[];
  /** Files that commands such as `mv` or `sort -o` change by their operands and options. One that cannot be known is among `opaque`. */
  readonly changes: readonly string[];
  /** Files that redirections read. */
  readonly reads: readonly ShellWord[];
  /** What could not be understood, in words. */
  readonly opaque: readonly string[];
}

const MAX_DEPTH = 8;
/** A line that changes its directory so often is followed no further. */
const MAX_DIRECTORIES = 32;
/** Words that stand before a command and leave it what it is. */
const lead = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{"]);
/** Words that end something and may only be followed by redirections. */
const trail = new Set(["fi", "done", "esac", "}"]);
/** Words after which the words that follow mean something else than they say. */
const twisting = new Set([
  ...["case", "select", "function", "coproc", "[[", "alias", "unalias", "export", "declare", "typeset", "readonly"],
  ...["local", "set", "shopt", "trap", "enable", "source", ".", "hash", "bind", "complete", "let", "read", "mapfile"],
  ...["readarray", "compgen", "fc", "history", "getopts"],
]);
/** Variables that change what a program says, not which program it is or what it does. */
const HARMLESS =
  /^(NODE_ENV|CI|DEBUG|FORCE_COLOR|NO_COLOR|CLICOLOR|COLUMNS|LANG|LC_\w+|TZ|TERM|RUST_BACKTRACE|RUST_LOG|LOG_LEVEL)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/;

/** Read a command as a tool gets it: a line of shell, or a list of words that no shell sees. */
export function readCommandLine(command: unknown): CommandLine {
  const found: Found = { commands: [], writes: [], changes: [], reads: [], opaque: [], directories: ["."] };
  if (typeof command === "string") readSource(command, found, 0);
  else if (Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string"))
    readWords(command.map(fixedWord), found, 0);
  else found.opaque.push("a command that is no text");
  return found;
}

interface Found {
  readonly commands: (readonly ShellWord[])[];
  readonly writes: string[];
  readonly changes: string[];
  readonly reads: ShellWord[];
  readonly opaque: string[];
  /** Where its commands may run, from where the line starts; undefined: anywhere. */
  directories: readonly string[] | undefined;
}

function fixedWord(text: string): ShellWord {
  return { text, fixed: true, quoted: true, spread: false };
}

function readSource(source: string, found: Found, depth: number): void {
  const { commands, writes, reads, opaque } = parseShellLine(source);
  found.opaque.push(...opaque);
  found.reads.push(...reads);
  for (const words of commands) readWords(words, found, depth);
  for (const target of writes) readWrite(target, found, found.writes);
}

function readWrite({ text, fixed, spread }: ShellWord, found: Found, files: string[]): void {
  if (files === found.writes && isSink(text)) return;
  const isAbsolute = text.startsWith("/");
  if (!fixed || spread || (found.directories === undefined && !isAbsolute))
    found.opaque.push("a file that cannot be known is written");
  else if (isAbsolute) files.push(text);
  else files.push(...(found.directories ?? []).map((directory) => inDirectory(directory, text)));
}

/** Not normalised: where `..` leads depends on the links before it. */
function inDirectory(directory: string, path: string): string {
  return directory === "." ? path : `${directory}/${path}`;
}

function isSink(path: string): boolean {
  return /^\/dev\/(null|stdout|stderr|tty)$/.test(path);
}

function readWords(words: readonly ShellWord[], found: Found, depth: number): void {
  if (depth > MAX_DEPTH) {
    found.opaque.push("commands within commands within commands");
    return;
  }
  const rest = withoutAssignments(withoutLead(withoutLoopHead(words)), found);
  const [first] = rest;
  if (first === undefined || isTrail(first)) return;
  if (!first.fixed || (first.spread && first.text !== "[")) found.opaque.push("a command whose name is computed");
  else if (twisting.has(first.text)) found.opaque.push(`\`${first.text}\``);
  else readCommand(rest, found, depth);
}

function readCommand(words: readonly ShellWord[], found: Found, depth: number): void {
  const launch: Launch = readLaunch(words);
  found.directories = directoriesAfter(words, found.directories);
  for (const target of changedFiles(words)) readWrite(target, found, found.changes);
  if (launch.shown) found.commands.push(launch.words ?? words);
  if (launch.opaque !== undefined) found.opaque.push(launch.opaque);
  for (const inner of launch.inner ?? []) readWords(inner, found, depth + 1);
  if (launch.source !== undefined) readSource(launch.source, found, depth + 1);
}

/**
 * Where commands may run after this one. A `cd` is followed from every directory before it, since it may have failed, or
 * have been in a subshell. After `ln` a relative path may lead anywhere.
 */
function directoriesAfter(words: readonly ShellWord[], before: Found["directories"]): Found["directories"] {
  const name = programName(words[0]?.text ?? "");
  if (/^(pushd|popd|ln)$/.test(name)) return undefined;
  if (name !== "cd" || before === undefined) return before;
  const [target, ...others] = words.slice(1).filter(({ text }) => !/^(-[LPe@]+|--)$/.test(text));
  const isKnown = target?.fixed === true && !target.spread && !/^[~-]/.test(target.text) && others.length === 0;
  if (!isKnown || before.length >= MAX_DIRECTORIES) return undefined;
  const { text } = target;
  return [...new Set([...before, ...before.map((each) => (text.startsWith("/") ? text : inDirectory(each, text)))])];
}

function withoutLead(words: readonly ShellWord[]): readonly ShellWord[] {
  const start = words.findIndex(({ text, quoted }) => quoted || !lead.has(text));
  return start === -1 ? [] : words.slice(start);
}

/** `PATH=… ls` is not the `ls` one knows: only variables known to be harmless are looked past. */
function withoutAssignments(words: readonly ShellWord[], found: Found): readonly ShellWord[] {
  const start = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
  const assigned = start === -1 ? words : words.slice(0, start);
  for (const { text } of assigned) {
    const name = ASSIGNMENT.exec(text)?.[1] ?? "";
    if (!HARMLESS.test(name)) found.opaque.push(`a variable is set: ${name}`);
  }
  return start === -1 ? [] : words.slice(start);
}

function isTrail({ text, quoted }: ShellWord): boolean {
  return !quoted && trail.has(text);
}

/** `for file in a b`: nothing runs before its `do`, which may stand on the same line when nothing is listed. */
function withoutLoopHead(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex(({ text, quoted }) => quoted || !lead.has(text));
  const [first, , third] = words.slice(at);
  if (at === -1 || first === undefined || first.quoted || first.text !== "for") return words;
  return third === undefined || third.text === "in" ? [] : words.slice(at + 2);
}
