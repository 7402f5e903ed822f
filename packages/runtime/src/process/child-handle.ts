import type { CaretError, Take } from "@caret/protocol";

/** How a child ended. `lost`: it ran, and how it ended is unknown. */
export type ChildExit =
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "failed-to-start"; readonly error: CaretError }
  | { readonly kind: "lost"; readonly error: CaretError };

/** `broken`: the child closed its end or is gone. `timed-out`: it did not read for so long that we closed ours. */
export type StdinTrouble = "broken" | "timed-out";
export type StdinOutcome = "written" | StdinTrouble;

export interface StopStages {
  /** Why; the first reason given is kept in `stopReason`. */
  readonly reason?: string;
  /** A last message on standard input, for protocols that have one, and how long to wait for it to work. */
  readonly cancel?: string | Uint8Array;
  readonly cancelMs?: number;
  /** How long the group may take to heed SIGTERM before SIGKILL; 0 kills at once. */
  readonly graceMs?: number;
}

/** What a child prints. To be read once, in one of two ways. */
export interface ChildOutput extends AsyncIterable<Uint8Array> {
  /**
   * Calls the reader with every chunk, in the very read that it came with where the reader is ready. Resolves when the
   * last was taken; rejects with what the reader throws, and drops the rest. A chunk is the reader's for the length of the call: a
   * later read may be written over it.
   */
  read(take: Take<Uint8Array>): Promise<void>;
  /** Nobody wants the rest: it is thrown away, so that the child does not wait for a reader. Leaving a loop does the same. */
  drop(): void;
}

/**
 * One child process, from before it starts until nothing of it is left.
 *
 * - No promise of a handle rejects, and none is left pending once the child is gone.
 * - `stdout` may be read once. It ends when the child has exited and its last bytes are in, or `drainMs` after its exit
 *   when a grandchild holds the pipe open.
 * - The child is read ahead of the reader into a queue with a limit, so that a child that exits in a hurry loses
 *   nothing; beyond the limit it is slowed down.
 * - Whatever the child leaves behind in its group, or started away from it, is killed after its exit.
 */
export interface ChildHandle {
  /** Undefined until the process has started. */
  readonly pid: number | undefined;
  /** True once the process runs, false when it could not start. */
  readonly started: Promise<boolean>;
  readonly stdout: ChildOutput;
  /** True at the first byte of standard output, false when it ended without one. */
  readonly firstOutput: Promise<boolean>;
  /** Writes in order of the calls. Read `stdout` meanwhile: a child whose output is not read may stop reading too. */
  writeStdin(bytes: string | Uint8Array): Promise<StdinOutcome>;
  /** Ends standard input after everything written so far. */
  endStdin(): Promise<StdinOutcome>;
  /** What went wrong on standard input, if anything did. */
  readonly stdinTrouble: StdinTrouble | undefined;
  /** The last 64 KiB of standard error; complete once `exit` has resolved. */
  stderrTail(): string;
  /** Resolves when the process is gone and its output is in our hands, read or not. */
  readonly exit: Promise<ChildExit>;
  readonly stopReason: string | undefined;
  /**
   * Ends the child in stages; resolves with its exit, when nothing of it is left. A later call may only hurry it. One that
   * had left by itself is not looked after again: its group is gone, and strays of it will be within a second.
   */
  stop(stages?: StopStages): Promise<ChildExit>;
}

export interface SpawnOptions {
  /** How long output may trickle in after the exit. */
  readonly drainMs?: number;
  /** Read-ahead in bytes before the child is slowed down. */
  readonly readAheadBytes?: number;
  /** How long the child may leave a write lying before its standard input is closed. */
  readonly writeStallMs?: number;
  /** How long to wait for a killed process that does not die before it is given up as `lost`. */
  readonly abandonMs?: number;
  /** Take a process that was started ahead where one waits, and have others ready for commands like this one. */
  readonly seated?: boolean;
}

/** Starts child processes. Both kinds, in this process and in a helper process, keep the same contract. */
export interface Spawner {
  /** Returns at once; a child that cannot start is an exit of kind `failed-to-start`. */
  spawn(command: ChildCommand, options?: SpawnOptions): ChildHandle;
  /** Kills every child that is left. No spawning afterwards. */
  close(): Promise<void>;
}

/**
 * What the child finds on its standard input: nothing and an end (`closed`), whatever `writeStdin` gives it until
 * `endStdin` (`held`), or the content and then an end. Content is wrapped so that a prompt reading "held" stays a prompt.
 */
export type ChildStdin = "closed" | "held" | { readonly content: string | Uint8Array };

/** A file that exists, and the file that is bind-mounted over it for the child. */
export interface CoveredFile {
  readonly path: string;
  readonly by: string;
}

/** Bubblewrap with all that makes it a sandbox. */
export interface CommandSandbox {
  /** Bubblewrap itself: a sandbox is wanted for itself, whether or not other children are contained. */
  readonly file: string;
  readonly args: readonly string[];
  /** What runs first inside; the command's own words are its last. */
  readonly entry: readonly string[];
  /** A file with a seccomp program. */
  readonly filter: string;
}

export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The directory the child works in. It must exist. */
  readonly cwd: string;
  /** The whole environment: a child inherits nothing that is not named here. See `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: ChildStdin;
  /** What the child is not to see. Only where it is contained; elsewhere it sees the files as they are. */
  readonly covered?: readonly CoveredFile[];
  /** The walls it is to run in: more arguments for bubblewrap. It never runs without them. */
  readonly sandbox?: CommandSandbox;
  /**
   * Set by `containCommand`: the file is bubblewrap, and this runs inside it; its words are the last arguments. A polite
   * signal then goes to the agent, because bubblewrap dies of it and takes the agent along unasked.
   */
  readonly contained?: { readonly file: string; readonly args: readonly string[] };
}
