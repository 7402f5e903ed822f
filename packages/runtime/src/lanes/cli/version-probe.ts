import { realpathSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Spawner } from "../../process/child-handle.ts";
import type { ResolvedLaunch } from "../../process/resolve-launch.ts";
import type { LaneEntry } from "../lane.ts";

/** How long the end of a turn may wait for a version that is still being asked for. */
const LAST_CHANCE_MS = 250;

const DEADLINE_MS = 10_000;
/** A date, perhaps a time, and a hash: `2026.10.01-e373342`, `2026.06.15-03-48-54-da23e37`. */
const versionForm = /^\d{4}\.\d{2}\.\d{2}(?:-[0-9a-z]+)+$/i;

/** What a program says of itself when it is asked for its version. */
export interface VersionAnswer {
  /** Undefined when what it says has not the form of Cursor's versions. */
  readonly version: string | undefined;
  readonly printed: string;
}

/** Finds out which version of the CLI a launch would run. The CLI updates itself at any time, even within a session. */
export interface VersionProbe {
  /** The version if it is known already, without asking. */
  known(launch: ResolvedLaunch): string | undefined;
  /** Asks the program unless its file is the one that was asked before. Undefined when it does not say. */
  find(launch: ResolvedLaunch, env: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** The same, with the program's own words. */
  ask(launch: ResolvedLaunch, env: Readonly<Record<string, string>>): Promise<VersionAnswer>;
  /** The same for the file that the launch names now: it is looked at once, however often its version is asked for. */
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

/** A program's file as it was when it was last examined. */
interface SeenProgram {
  readonly launch: ResolvedLaunch;
  /** The version that its place names, in which case it is not asked. */
  readonly installed: string | undefined;
  /** Another one when the file is another; undefined when there is none. */
  readonly identity: string | undefined;
}

/** The same file is in the same place: its path is resolved once, and every turn only asks whether it is another file by now. */
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

/** The installer keeps each version in a directory of its name, and links to it. */
function versionInPath(file: string): string | undefined {
  try {
    return realpathSync
      .native(file)
      .split(/[\\/]/)
      .find((name) => versionForm.test(name));
  } catch {
    return undefined; // not there: starting it will say so
  }
}

function identityOf({ file, args }: ResolvedLaunch): string | undefined {
  try {
    // A file that is gone gives its number to the next, and an archive its length and time: only when it changed is the kernel's own.
    const { ctimeMs, mtimeMs, size, ino } = statSync(file);
    return JSON.stringify([file, args, ctimeMs, mtimeMs, size, ino]);
  } catch {
    return undefined; // not there: starting it will say so
  }
}

/**
 * Adds the CLI's version to a turn. It is worth knowing, not worth waiting for: it joins the `session-ready` if it is
 * known by then, and else comes in one of its own, before the turn ends.
 */
export interface VersionReport {
  addTo(entries: readonly LaneEntry[]): readonly LaneEntry[];
  /** Waits a moment for a version that is not known yet. To be called before the last batch. */
  lastChance(): Promise<void>;
}

export function createVersionReport(version: Promise<string | undefined>): VersionReport {
  let known: string | undefined;
  let isReported = false;
  void version.then((found) => {
    known = found;
    // There is nothing to report of a program that does not say.
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
