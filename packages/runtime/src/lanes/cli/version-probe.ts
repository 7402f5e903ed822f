import { realpathSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Spawner } from "../../process/child-handle.ts";
import type { ResolvedLaunch } from "../../process/resolve-launch.ts";
import type { LaneEntry } from "../lane.ts";

/** How long a turn's end may wait for a version still being determined. */
const LAST_CHANCE_MS = 250;

const DEADLINE_MS = 10_000;
/** A date, optionally a time, and a hash: `2026.10.01-e373342`, `2026.06.15-03-48-54-da23e37`. */
const versionForm = /^\d{4}\.\d{2}\.\d{2}(?:-[0-9a-z]+)+$/i;

/** A program's answer when asked for its version. */
export interface VersionAnswer {
  /** Undefined if the answer is not in the form of Cursor's versions. */
  readonly version: string | undefined;
  readonly printed: string;
}

/** Determines which CLI version a launch would run. The CLI updates itself at any time, even during a session. */
export interface VersionProbe {
  /** The version if already known, without asking. */
  known(launch: ResolvedLaunch): string | undefined;
  /** Asks the program unless its file has not changed since it was last asked. Undefined if it does not say. */
  find(launch: ResolvedLaunch, env: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** The same, with the program's own words. */
  ask(launch: ResolvedLaunch, env: Readonly<Record<string, string>>): Promise<VersionAnswer>;
  /** The same for the file that the launch names now, which is examined only once, however often its version is requested. */
  look(launch: ResolvedLaunch): LaunchVersion;
}

/** The version of one program file. */
export interface LaunchVersion {
  known(): string | undefined;
  find(env: Readonly<Record<string, string>>): Promise<string | undefined>;
}

export function createVersionProbe(spawner: Spawner): VersionProbe {
  const asked = new Map<string, Promise<VersionAnswer>>();
  const settled = new Map<string, string>();
  const see = createLook();

  const askOnce = (seen: SeenProgram, env: Readonly<Record<string, string>>): Promise<VersionAnswer> => {
    const { launch, installed, identity } = seen;
    if (installed !== undefined) return Promise.resolve({ version: installed, printed: installed });
    if (identity === undefined) return Promise.resolve({ version: undefined, printed: "" });
    // A program that was merely slow is asked again another time.
    const answer = asked.get(identity) ?? askProgram(spawner, launch, env, () => asked.delete(identity));
    asked.set(identity, answer);
    void answer.then(({ version }) => version !== undefined && settled.set(identity, version));
    return answer;
  };
  const versionOf = ({ installed, identity }: SeenProgram): string | undefined =>
    installed ?? settled.get(identity ?? "");

  return {
    known: (launch) => versionOf(see(launch)),
    ask: (launch, env) => askOnce(see(launch), env),
    find: async (launch, env) => (await askOnce(see(launch), env)).version,
    look(launch) {
      const seen = see(launch);
      return { known: () => versionOf(seen), find: async (env) => (await askOnce(seen, env)).version };
    },
  };
}

async function askProgram(
  spawner: Spawner,
  { file, args }: ResolvedLaunch,
  env: Readonly<Record<string, string>>,
  onLate: () => void,
): Promise<VersionAnswer> {
  const child = spawner.spawn({ file, args: [...args, "--version"], cwd: "/", env, stdin: "closed" });
  const timer = setTimeout(() => {
    onLate();
    void child.stop({ reason: "took too long", graceMs: 0 });
  }, DEADLINE_MS);
  const chunks: Uint8Array[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  clearTimeout(timer);
  await child.stop();
  const printed = Buffer.concat(chunks).toString("utf8").trim();
  return { version: printed.split(/\s+/).find((word) => versionForm.test(word)), printed };
}

/** A program's file as last examined. */
interface SeenProgram {
  readonly launch: ResolvedLaunch;
  /** The version named by its path, in which case it is not asked. */
  readonly installed: string | undefined;
  /** Changes if the file does; undefined if it does not exist. */
  readonly identity: string | undefined;
}

/** An unchanged file has an unchanged path: it is resolved once, and each turn only checks whether the file has changed. */
function createLook(): (launch: ResolvedLaunch) => SeenProgram {
  let last: SeenProgram | undefined;
  return (launch) => {
    const identity = identityOf(launch);
    if (last !== undefined && identity !== undefined && last.identity === identity) return last;
    const seen = { launch, installed: versionInPath(launch.file), identity };
    last = seen;
    return seen;
  };
}

/** The installer keeps each version in a directory named after it and links to it. */
function versionInPath(file: string): string | undefined {
  try {
    return realpathSync
      .native(file)
      .split(/[\\/]/)
      .find((name) => versionForm.test(name));
  } catch {
    return undefined; // missing: starting it will report that
  }
}

function identityOf({ file, args }: ResolvedLaunch): string | undefined {
  try {
    // A deleted file's inode number is reused, and an archive preserves length and time: only ctime is set by the kernel.
    const { ctimeMs, mtimeMs, size, ino } = statSync(file);
    return JSON.stringify([file, args, ctimeMs, mtimeMs, size, ino]);
  } catch {
    return undefined; // missing: starting it will report that
  }
}

/**
 * Adds the CLI's version to a turn. Useful, but not worth waiting for: it joins the `session-ready` if known by then, otherwise a separate
 * one before the turn ends.
 */
export interface VersionReport {
  addTo(entries: readonly LaneEntry[]): readonly LaneEntry[];
  /** Waits briefly for a version that is not known yet. Call before the last batch. */
  lastChance(): Promise<void>;
}

export function createVersionReport(version: Promise<string | undefined>): VersionReport {
  let known: string | undefined;
  let isReported = false;
  void version.then((found) => {
    known = found;
    // A program that does not say has nothing to report.
    isReported ||= found === undefined;
  });
  return {
    addTo(entries) {
      if (isReported || known === undefined) return entries;
      isReported = true;
      const ready = entries.findIndex(({ event }) => event.type === "session-ready");
      const entry = entries[ready];
      if (entry?.event.type !== "session-ready")
        return [{ event: { type: "session-ready", version: known } }, ...entries];
      return entries.with(ready, { ...entry, event: { ...entry.event, version: known } });
    },
    async lastChance() {
      if (!isReported) await Promise.race([version, sleep(LAST_CHANCE_MS, undefined, { ref: false })]);
    },
  };
}
