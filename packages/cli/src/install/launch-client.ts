import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { Launch } from "@caret/protocol/recipes";
import { findOnPath } from "../host/find-on-path.ts";
import type { Host } from "../host/host.ts";

const PRIVATE = 0o600;
const DIRECTORY = "{directory}";
/** What a shell adds to the number of the signal that ended a program. */
const BY_SIGNAL = 128;

interface LaunchOptions {
  readonly host: Host;
  readonly launch: Launch;
  /** What the user wants of the client. */
  readonly args: readonly string[];
}

/** Runs a client until it ends, in this terminal. Resolves to its exit code. Its files of this run go with it. */
export async function launchClient({ host, launch, args }: LaunchOptions): Promise<number> {
  const given = args[0] === "--" ? args.slice(1) : args;
  const [command, own] = launch.command === undefined ? [given[0], given.slice(1)] : [launch.command, given];
  if (command === undefined)
    throw new CaretError("invalid-request", "There is no program to start", {
      fix: "Name it behind the client: `caret launch openai python app.py`.",
    });
  const program = command.includes("/") ? command : findOnPath(host, command);
  if (program === undefined)
    throw new CaretError("not-found", `${command} is not on the PATH`, { fix: "Install the client first." });
  const directory = mkdtempSync(join(tmpdir(), "caret-launch-")); // 0700 by its definition
  try {
    writeFiles(directory, launch.files ?? {});
    const words = launch.args.map((word) => word.replaceAll(DIRECTORY, directory));
    const child = spawn(program, [...words, ...own], {
      cwd: host.cwd,
      env: definedOnly({ ...host.env, ...launch.env }),
      stdio: "inherit",
    });
    return await ended(host, child).catch((reason: unknown) => cannotStart(program, reason));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: PRIVATE });
  }
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function cannotStart(program: string, reason: unknown): never {
  const { code } = reason as NodeJS.ErrnoException;
  throw new CaretError("not-found", `${program} cannot be started: ${code}`, {
    cause: reason,
    fix: "Name a program that is there and that you may execute.",
  });
}

async function ended(host: Host, child: ChildProcess): Promise<number> {
  // Ctrl-C goes to every program of a terminal; only what was sent to us alone is passed on.
  const stopListening = host.onSignal((signal) => {
    if (signal === "SIGTERM" || host.stdin.isTTY !== true) child.kill(signal);
  });
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    stopListening();
  }
}
