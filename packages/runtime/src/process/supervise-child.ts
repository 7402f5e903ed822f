import { CaretError } from "@caret/protocol";
import { within } from "../async/within.ts";
import type {
  ChildCommand,
  ChildExit,
  ChildHandle,
  ChildOutput,
  SpawnOptions,
  StdinOutcome,
  StdinTrouble,
  StopStages,
} from "./child-handle.ts";
import { OutputQueue } from "./output-queue.ts";
import type { Launch, LaunchedProcess } from "./process-group.ts";
import { explainBroken, isBrokenProgram } from "./start-failure.ts";
import { StdinWriter } from "./stdin-writer.ts";
import { TailRing } from "./tail-ring.ts";

const STDERR_TAIL_BYTES = 64 * 1024;

const defaults = {
  drainMs: 2_000,
  readAheadBytes: 8 * 1024 * 1024,
  writeStallMs: 30_000,
  abandonMs: 30_000,
  seated: false,
};

/** Launches a command and supervises it until nothing of it is left. */
export function superviseChild(command: ChildCommand, launch: Launch, options: SpawnOptions = {}): ChildHandle {
  const child = new SupervisedChild(command, { ...defaults, ...options });
  void child.live(launch);
  return child;
}

class SupervisedChild implements ChildHandle {
  readonly #command: ChildCommand;
  readonly #options: Required<SpawnOptions>;
  readonly #stdout: OutputQueue;
  readonly #stderr = new OutputQueue(STDERR_TAIL_BYTES);
  readonly #tail = new TailRing(STDERR_TAIL_BYTES);
  readonly #stdin: StdinWriter;
  readonly #launching = Promise.withResolvers<LaunchedProcess | undefined>();
  readonly #exit = Promise.withResolvers<ChildExit>();
  readonly #abandoned = Promise.withResolvers<ChildExit>();
  readonly #hurry = Promise.withResolvers<void>();
  readonly #abort = new AbortController();
  #launched: LaunchedProcess | undefined;
  #tailKept: Promise<void> = Promise.resolve();
  #stopping: Promise<ChildExit> | undefined;
  #stopReason: string | undefined;
  #hasLeft = false;

  constructor(command: ChildCommand, options: Required<SpawnOptions>) {
    this.#command = command;
    this.#options = options;
    this.#stdout = new OutputQueue(options.readAheadBytes);
    this.#stdin = new StdinWriter({ stallMs: options.writeStallMs, isExcused: () => this.#stdout.isFull });
  }

  get pid(): number | undefined {
    return this.#launched?.pid;
  }
  get started(): Promise<boolean> {
    return this.#launching.promise.then((launched) => launched !== undefined);
  }
  get stdout(): ChildOutput {
    return this.#stdout;
  }
  get firstOutput(): Promise<boolean> {
    return this.#stdout.firstOutput;
  }
  get stdinTrouble(): StdinTrouble | undefined {
    return this.#stdin.trouble;
  }
  get exit(): Promise<ChildExit> {
    return this.#exit.promise;
  }
  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  writeStdin(bytes: string | Uint8Array): Promise<StdinOutcome> {
    return this.#stdin.write(bytes);
  }
  endStdin(): Promise<StdinOutcome> {
    return this.#stdin.end();
  }
  stderrTail(): string {
    return this.#tail.text();
  }

  /** The whole life of the child, run once: start, feed, wait for the exit, drain, clean up. */
  async live(launch: Launch): Promise<void> {
    try {
      const launching = launch(this.#command, { signal: this.#abort.signal });
      // A process started ahead exists at once and is written to within the call that needs it.
      this.#launched = launching instanceof Promise ? await launching : launching;
    } catch (reason) {
      return this.#settle({ kind: "failed-to-start", error: CaretError.from(reason) });
    }
    this.#attach(this.#launched);
    const status = await Promise.race([this.#launched.exited, this.#abandoned.promise]);
    this.#hasLeft = true;
    const { drainMs } = this.#options;
    this.#stdin.close();
    await Promise.all([this.#stdout.drain(drainMs), this.#stderr.drain(drainMs)]);
    // The search for strays visits all processes: a turn that ended well does not wait for it.
    void this.#launched.reap("soon");
    await this.#tailKept;
    this.#settle(await this.#explain(status));
  }

  stop(stages: StopStages = {}): Promise<ChildExit> {
    this.#stopReason ??= stages.reason ?? "stopped";
    // It left by itself, and what it left behind is already being searched for.
    if (this.#stopping === undefined && this.#hasLeft) return this.#exit.promise;
    if (stages.graceMs === 0) this.#hurry.resolve();
    this.#stopping ??= this.#stopInStages(stages);
    return this.#stopping;
  }

  #attach(launched: LaunchedProcess): void {
    this.#stdout.attach(launched.stdout);
    this.#stderr.attach(launched.stderr);
    this.#tailKept = this.#stderr.read((chunk) => this.#tail.push(Buffer.from(chunk)));
    this.#stdin.attach(launched.stdin);
    const { stdin } = this.#command;
    if (typeof stdin === "object") {
      void this.#stdin.write(stdin.content);
      void this.#stdin.end();
    }
    this.#launching.resolve(launched);
  }

  async #explain(status: ChildExit): Promise<ChildExit> {
    if (status.kind !== "exited" || this.#stopReason !== undefined || (await this.#stdout.firstOutput)) return status;
    if (!(await isBrokenProgram(this.#command, status.code))) return status;
    return { kind: "failed-to-start", error: explainBroken(this.#command, this.stderrTail()) };
  }

  #settle(exit: ChildExit): void {
    this.#stdout.close();
    this.#stderr.close();
    this.#stdin.close();
    this.#launching.resolve(undefined);
    this.#exit.resolve(exit);
  }

  async #stopInStages({ cancel, cancelMs = 1_000, graceMs = 5_000 }: StopStages): Promise<ChildExit> {
    this.#abort.abort(new CaretError("cancelled", "The program was stopped before it had started"));
    const launched = await this.#launching.promise;
    if (launched === undefined) return this.#exit.promise;
    const gone = launched.exited;
    // It left by itself, and what it left behind is already being searched for.
    if (await within(gone, 0)) return this.#exit.promise;
    if (cancel !== undefined) {
      void this.#stdin.write(cancel);
      await this.#patience(gone, cancelMs);
    }
    if (!(await within(gone, 0))) {
      launched.signal("SIGTERM");
      // A stopped process handles SIGTERM only after SIGCONT.
      launched.signal("SIGCONT");
      await this.#patience(gone, graceMs);
    }
    const { abandonMs } = this.#options;
    if (!(await within(gone, 0))) {
      launched.signal("SIGKILL");
      if (!(await within(gone, abandonMs))) this.#abandon();
    }
    // At once, without draining: no reader waits for output of processes that still hold the pipe. With a limit: a stuck spawner never
    // answers, and the turn must still end.
    await within(launched.reap("now"), abandonMs);
    return this.#exit.promise;
  }

  /** Waits for the exit, unless a later call to stop() is in a hurry. */
  async #patience(gone: Promise<unknown>, ms: number): Promise<void> {
    await within(Promise.race([gone, this.#hurry.promise]), ms);
  }

  #abandon(): void {
    const error = new CaretError("killed", `${this.#command.file} did not end after SIGKILL and is abandoned`);
    this.#abandoned.resolve({ kind: "lost", error });
  }
}
