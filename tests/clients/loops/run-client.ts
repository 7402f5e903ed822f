import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { installClient } from "./client-package.ts";
import type { ClientPlace, CodingClient } from "./coding-client.ts";

const LIMIT_MS = 100_000;

export interface ClientExit {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Gives a client a task in its repository, as a script would, and waits for its end. */
export async function runClient(client: CodingClient, place: ClientPlace, task: string): Promise<ClientExit> {
  const { args, env } = client.prepare(place);
  for (const command of client.setUp?.(place) ?? []) {
    const exit = await runProgram(client, place, command, env);
    if (exit.code !== 0) return exit;
  }
  return await runProgram(client, place, [...args, task], env);
}

async function runProgram(
  client: CodingClient,
  { repository: { home, directory } }: ClientPlace,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ClientExit> {
  const child = spawn(await installClient(client.package), args, {
    cwd: directory,
    // Nothing of the machine's settings, nor of the keys of the person who runs this.
    env: {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_DATA_HOME: join(home, ".local", "share"),
      XDG_STATE_HOME: join(home, ".local", "state"),
      XDG_CACHE_HOME: join(home, ".cache"),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const patience = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  clearTimeout(patience);
  return { code: code ?? signal ?? "", stdout, stderr };
}
