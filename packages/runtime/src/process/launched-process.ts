import type { Readable, Writable } from "node:stream";
import type { ChildCommand } from "./child-command.ts";
import type { ChildExit } from "./child-handle.ts";
import type { ReapTime } from "./stray-reaper.ts";

/** The bare ends of a running process, wherever it was started. */
export interface LaunchedProcess {
  readonly pid: number;
  /** Absent when the command's standard input is closed. */
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ChildExit>;
  /** Signals the whole group. Does nothing when the group is gone. */
  signal(signal: NodeJS.Signals): void;
  /** Kills whatever the process left behind, after its exit: the group at once, strays outside it when told. */
  reap(strays: ReapTime): Promise<void>;
}

/** Rejects with a CaretError when the process cannot start, also when the signal aborts before it did. */
export type Launch = (command: ChildCommand, options: { readonly signal: AbortSignal }) => Promise<LaunchedProcess>;
