import type { CaretError, Take } from "@caret/protocol";

/** How a child ended. `lost`: it ran, but its end is unknown. */
export type ChildExit =
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "failed-to-start"; readonly error: CaretError }
  | { readonly kind: "lost"; readonly error: CaretError };

/** `broken`: the child closed its end or is gone. `timed-out`: it did not read for so long that we closed ours. */
export type StdinTrouble = "broken" | "timed-out";
export type StdinOutcome = "written" | StdinTrouble;

export interface StopStages {
  /** Why; `stopReason` keeps the first reason given. */
  readonly reason?: string;
  /** A last message on standard input, for protocols that have one, and how long to wait for its effect. */
  readonly cancel?: string | Uint8Array;
  readonly cancelMs?: number;
  /** How long the group may take to react to SIGTERM before SIGKILL; 0 kills at once. */
  readonly graceMs?: number;
}

/** A child's output. Can be read once, in one of two ways. */
export interface ChildOutput extends AsyncIterable<Uint8Array> {
  /**
   * Calls the reader with every chunk, within the read that brought it if the reader is ready. Resolves when the last one was taken;
   * rejects with the reader's error, and drops the rest. A chunk is valid only during the call: a later read may overwrite it.
   */
  read(take: Take<Uint8Array>): Promise<void>;
  /** Discards the rest, so the child does not wait for a reader. Leaving a loop does the same. */
  drop(): void;
}

/**
 * One child process, from before its start until nothing of it is left.
 *
 * - No promise of a handle rejects, and none stays pending once the child is gone.
 * - `stdout` can be read once. It ends when the child has exited and its last bytes are in, or `drainMs` after its exit if a grandchild
 *   holds the pipe open.
 * - The child's output is read ahead into a bounded queue, so a child that exits in a hurry loses nothing; beyond the limit it is slowed
 *   down.
 * - Whatever the child leaves behind in its group, or started away from it, is killed after its exit.
 */
export interface ChildHandle {
  /** Undefined until the process has started. */
  readonly pid: number | undefined;
  /** True once the process runs, false if it could not start. */
  readonly started: Promise<boolean>;
  readonly stdout: ChildOutput;
  /** True at the first byte of standard output, false if it ended without one. */
  readonly firstOutput: Promise<boolean>;
  /** Writes in call order. Read `stdout` at the same time: a child whose output is not read may stop reading. */
  writeStdin(bytes: string | Uint8Array): Promise<StdinOutcome>;
  /** Ends standard input after everything written so far. */
  endStdin(): Promise<StdinOutcome>;
  /** What went wrong on standard input, if anything. */
  readonly stdinTrouble: StdinTrouble | undefined;
  /** The last 64 KiB of standard error; complete once `exit` has resolved. */
  stderrTail(): string;
  /** Resolves when the process is gone and we have all its output, read or not. */
  readonly exit: Promise<ChildExit>;
  readonly stopReason: string | undefined;
  /**
   * Ends the child in stages; resolves with its exit, once nothing of it is left. Later calls can only speed it up. A child that left by
   * itself is not cleaned up again: its group is gone, and its strays will be within a second.
   */
  stop(stages?: StopStages): Promise<ChildExit>;
}

export interface SpawnOptions {
  /** How long output may still arrive after the exit. */
  readonly drainMs?: number;
  /** Read-ahead in bytes before the child is slowed down. */
  readonly readAheadBytes?: number;
  /** How long the child may leave a write unread before its standard input is closed. */
  readonly writeStallMs?: number;
  /** How long to wait for a killed process to die before it is given up as `lost`. */
  readonly abandonMs?: number;
  /** Use a process started ahead if one waits, and prepare more for similar commands. */
  readonly seated?: boolean;
}

/** Starts child processes. Both kinds, in this process and in a helper process, follow the same contract. */
export interface Spawner {
  /** Returns at once; a child that cannot start has an exit of kind `failed-to-start`. */
  spawn(command: ChildCommand, options?: SpawnOptions): ChildHandle;
  /** Kills all remaining children. Nothing can be spawned afterwards. */
  close(): Promise<void>;
}

/**
 * The child's standard input: empty (`closed`), whatever `writeStdin` passes until `endStdin` (`held`), or the given content. Content is
 * wrapped so that a prompt reading "held" stays a prompt.
 */
export type ChildStdin = "closed" | "held" | { readonly content: string | Uint8Array };

/** An existing file, and the file bind-mounted over it for the child. */
export interface CoveredFile {
  readonly path: string;
  readonly by: string;
}

/** Bubblewrap with the arguments that make it a sandbox. */
export interface CommandSandbox {
  /** Bubblewrap itself: needed for the sandbox, whether or not other children are contained. */
  readonly file: string;
  readonly args: readonly string[];
  /** The first program inside; the command's own words are its last arguments. */
  readonly entry: readonly string[];
  /** A file with a seccomp program. */
  readonly filter: string;
}

export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The child's working directory. It must exist. */
  readonly cwd: string;
  /** The complete environment: a child inherits nothing else. See `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: ChildStdin;
  /** Files hidden from the child. Only if it is contained; otherwise it sees them unchanged. */
  readonly covered?: readonly CoveredFile[];
  /** The walls to run in, as further arguments of bubblewrap. The command never runs without them. */
  readonly sandbox?: CommandSandbox;
  /**
   * Set by `containCommand`: `file` is bubblewrap, and this runs inside it; its words are the last arguments. SIGTERM is then sent to the
   * agent, because bubblewrap would die of it and kill the agent without asking.
   */
  readonly contained?: { readonly file: string; readonly args: readonly string[] };
}
