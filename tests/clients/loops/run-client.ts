import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { installClient } from "./client-package.ts";
import type { ClientPlace, CodingClient } from "./coding-client.ts";

const LIMIT_MS = 140_000;

export interface ClientExit {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Gives a client a task in its repository, as a script would, and waits for its end. */
export async function runClient(client: CodingClient, place: ClientPlace, task: string): Promise<ClientExit> {
  return await (await startClient(client, place, task)).exit;
}

/** A client at work on a task, which is the leader of its process group, as in a terminal. */
export interface RunningClient {
  readonly exit: Promise<ClientExit>;
  /** To the whole group, as a terminal sends Ctrl-C. */
  signal(signal: NodeJS.Signals): void;
}

export async function startClient(client: CodingClient, place: ClientPlace, task: string): Promise<RunningClient> {
  const { args, env } = client.prepare(place);
  for (const command of client.setUp?.(place) ?? []) {
    const { exit } = await startProgram(client, place, command, env);
    const { code, stderr } = await exit;
    if (code !== 0) throw new Error(`${client.name} could not be set up: ${stderr}`);
  }
  return await startProgram(client, place, [...args, task], env);
}

/** The client when it goes on with its session, if it can as a script. */
export function goingOn(client: CodingClient): CodingClient {
  const prepare: CodingClient["prepare"] = (place) => {
    const { args, env } = client.prepare(place);
    return { args: [...(client.goOnFirst ?? []), ...args, ...(client.goOn ?? [])], env };
  };
  return { ...client, prepare };
}

/** Nothing of the machine's settings, nor of the keys of the person who runs this. */
export function clientEnvironment({ repository: { home } }: ClientPlace): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
  };
}

async function startProgram(
  client: CodingClient,
  place: ClientPlace,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningClient> {
  const child = spawn(await installClient(client.package), args, {
    cwd: place.repository.directory,
    env: { ...clientEnvironment(place), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const signal = (name: NodeJS.Signals): void => void process.kill(-(child.pid ?? 0), name);
  return { exit: exitOf(child, () => signal("SIGKILL")), signal };
}

async function exitOf(child: ChildProcessByStdio<null, Readable, Readable>, kill: () => void): Promise<ClientExit> {
  const patience = setTimeout(kill, LIMIT_MS);
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  clearTimeout(patience);
  return { code: code ?? signal ?? "", stdout, stderr };
}
