import { realpathSync, statSync } from "node:fs";
import type { Spawner } from "../../process/child-handle.ts";
import type { ResolvedLaunch } from "../../process/resolve-launch.ts";

const DEADLINE_MS = 10_000;
const versionPattern = /\b\d{4}\.\d{2}\.\d{2}-[0-9a-z]+\b/i;

/** Finds out which version of the CLI a launch would run. The CLI updates itself at any time, even within a session. */
export interface VersionProbe {
  /** The version if it is known already, without asking. */
  known(launch: ResolvedLaunch): string | undefined;
  /** Asks the program unless its file is the one that was asked before. Undefined when it does not say. */
  find(launch: ResolvedLaunch, env: Readonly<Record<string, string>>): Promise<string | undefined>;
}

export function createVersionProbe(spawner: Spawner): VersionProbe {
  const found = new Map<string, Promise<string | undefined>>();
  const settled = new Map<string, string>();

  const ask = async (launch: ResolvedLaunch, env: Readonly<Record<string, string>>): Promise<string | undefined> => {
    const child = spawner.spawn({
      file: launch.file,
      args: [...launch.args, "--version"],
      cwd: "/",
      env,
      stdin: "closed",
    });
    const timer = setTimeout(() => void child.stop({ reason: "took too long", graceMs: 0 }), DEADLINE_MS);
    const chunks: Uint8Array[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk);
    clearTimeout(timer);
    await child.stop();
    return versionPattern.exec(Buffer.concat(chunks).toString("utf8"))?.[0];
  };

  return {
    known: (launch) => versionInPath(launch.file) ?? settled.get(identityOf(launch) ?? ""),
    find(launch, env) {
      const installed = versionInPath(launch.file);
      const identity = identityOf(launch);
      if (installed !== undefined || identity === undefined) return Promise.resolve(installed);
      const asked = found.get(identity) ?? ask(launch, env);
      found.set(identity, asked);
      void asked.then((version) => version !== undefined && settled.set(identity, version));
      return asked;
    },
  };
}

/** The installer keeps each version in a directory of its name, and links to it. */
function versionInPath(file: string): string | undefined {
  try {
    return versionPattern.exec(realpathSync(file))?.[0];
  } catch {
    return undefined; // not there: starting it will say so
  }
}

function identityOf({ file, args }: ResolvedLaunch): string | undefined {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return JSON.stringify([file, args, mtimeMs, size, ino]);
  } catch {
    return undefined; // not there: starting it will say so
  }
}
