import { posix } from "node:path";
import { CaretError } from "@caret/protocol";
import { findLaunches, type ResolvedLaunch, type ResolveLaunchOptions } from "../../process/resolve-launch.ts";
import type { VersionAnswer } from "./version-probe.ts";

export interface FindCursorCliOptions extends Omit<ResolveLaunchOptions, "command" | "beyondPath"> {
  readonly home: string;
  /** The program's output when asked for its version. Must be cheap for a program asked before. */
  readonly askVersion: (launch: ResolvedLaunch) => Promise<VersionAnswer>;
}

/** Only Cursor's installer creates this name. */
const OWN_NAME = "cursor-agent";
/** Cursor's main name for it, which other vendors use as well: the last installer run owns it. */
const SHARED_NAME = "agent";

const MAX_SHOWN_LENGTH = 60;

/**
 * Finds Cursor's own CLI, never another vendor's program of the same name, which would get the person's prompt. Searches the directories
 * of Cursor's installer even if they are not on PATH, as in a service.
 */
export async function findCursorCli({ home, askVersion, ...machine }: FindCursorCliOptions): Promise<ResolvedLaunch> {
  const beyondPath = machine.platform === "win32" ? [] : installerDirectories(home, machine.listDirectory);
  const [own] = findLaunches({ ...machine, beyondPath, command: OWN_NAME });
  if (own !== undefined) return own;
  const strangers: string[] = [];
  for (const launch of findLaunches({ ...machine, beyondPath, command: SHARED_NAME })) {
    const { version, printed } = await askVersion(launch);
    if (version !== undefined) return launch;
    strangers.push(`${launch.file} is not Cursor's (its --version prints ${inQuotes(printed)})`);
  }
  const missing = `Found no ${SHARED_NAME} or ${OWN_NAME} to start`;
  if (strangers.length === 0) throw new CaretError("cli-missing", missing);
  const upstream = [...new Set(strangers)].join("; ");
  throw new CaretError("cli-missing", `${missing}: ${upstream}`, { upstream });
}

/** Where Cursor's installer puts its links, then the versions behind them, newest first. */
function installerDirectories(home: string, listDirectory: (path: string) => readonly string[]): readonly string[] {
  const versions = posix.join(home, ".local", "share", "cursor-agent", "versions");
  const newestFirst = [...listDirectory(versions)].sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return [posix.join(home, ".local", "bin"), ...newestFirst.map((version) => posix.join(versions, version))];
}

function inQuotes(printed: string): string {
  const [line = ""] = printed.split("\n", 1);
  return line.trim() === "" ? "nothing" : JSON.stringify(line.trim().slice(0, MAX_SHOWN_LENGTH));
}
