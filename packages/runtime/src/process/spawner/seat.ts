import { accessSync, constants } from "node:fs";
import type { ChildCommand } from "../child-handle.ts";

/** Available on every Unix. It reads a socket byte by byte, so it consumes nothing after the line that is meant for the agent. */
const SHELL = "/bin/sh";
const LINE = "caret_seat_line";
/** A newline, which a word of the line cannot contain itself. */
const NEWLINE = "caret_seat_newline";
/** Runs the command the seat was primed with. */
const FAMILIAR = "caret_seat_go";
/** Exactly two lines: a shell that fails to become the agent must not treat the agent's input as commands. */
const WAIT = `${NEWLINE}='\n'\nread -r ${LINE} && eval "$${LINE}" && read -r ${LINE} && eval "$${LINE}"`;

/** Each byte of the line costs a system call. */
const MAX_LINE = 8 * 1024;

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that a shell sets, hides or changes itself. */
const ofShells: ReadonlySet<string> = new Set([
  "IFS",
  "LINENO",
  "OLDPWD",
  "OPTIND",
  "PPID",
  "PWD",
  "SHLVL",
  "_",
  LINE,
  NEWLINE,
]);

/** How a shell gives way to the agent without leaving its own variables in the environment. Some shells need another program for that. */
export const givingWays = ["exec", "exec /usr/bin/env -u _ -u SHLVL"] as const;
export type GivingWay = (typeof givingWays)[number];

/**
 * The command of a seat for this one: a shell with the same environment, inside the same container, that waits for two lines,
 * `primingLine` and `startLine`, and becomes what they say. Undefined if a shell could not pass the environment on unchanged, or if files
 * are covered: such a container is made with the files of a single turn.
 */
export function seatCommandOf(command: ChildCommand): (ChildCommand & { readonly stdin: "held" }) | undefined {
  if (command.covered !== undefined && command.covered.length > 0) return undefined;
  const names = Object.keys(command.env);
  if (!names.every((name) => variableName.test(name) && !ofShells.has(name))) return undefined;
  const shell = { file: SHELL, args: ["-c", WAIT] };
  const { contained, env } = command;
  const seat = { env, cwd: "/", stdin: "held" } as const;
  if (contained === undefined) return { ...seat, ...shell };
  const container = command.args.slice(0, command.args.length - contained.args.length - 1);
  return { ...seat, file: command.file, args: [...container, shell.file, ...shell.args], contained: shell };
}

/** Commands with the same key can take each other's seats. */
export function seatKeyOf({ file, args, env }: ChildCommand): string {
  return JSON.stringify([file, args, env]);
}

/**
 * The first line for a seat, sent as soon as it waits: most agents start like the previous one, and then the shell has already parsed all
 * words. It exists only in the shell's memory, and is gone when the shell becomes another program.
 */
export function primingLine(words: string | undefined): string {
  return words === undefined ? ":\n" : `${FAMILIAR}() { ${words}; }\n`;
}

/** The second line, which turns the shell into a command with these words. */
export function startLine(words: string, primed: string | undefined): string {
  return words === primed ? `${FAMILIAR}\n` : `${words}\n`;
}

/**
 * The words that turn a waiting shell into this command. Undefined if it cannot become one, or if the ordinary start reports the error
 * better.
 */
export function seatWordsOf(command: ChildCommand, givingWay: GivingWay): string | undefined {
  const { file, args } = command.contained ?? command;
  if (!isProgram(file)) return undefined;
  const words = [file, ...args].map(quoted).join(" ");
  const input = command.stdin === "closed" ? " </dev/null" : "";
  // Without -P a shell resolves `link/..` to the directory that contains the link rather than the parent of its target.
  const line = `cd -P ${quoted(command.cwd)} && unset PWD OLDPWD && ${givingWay} ${words}${input}`;
  return line.length > MAX_LINE ? undefined : line;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''").replaceAll("\n", `'"$${NEWLINE}"'`)}'`;
}

function isProgram(file: string): boolean {
  if (!file.startsWith("/")) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // the ordinary start reports what is wrong with it
  }
}
