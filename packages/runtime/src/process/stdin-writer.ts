import type { Writable } from "node:stream";
import { within } from "../async/within.ts";
import type { StdinOutcome, StdinTrouble } from "./child-handle.ts";

/** Small enough that a child which reads slowly, but reads, is never taken for one that does not read at all. */
const SLICE_BYTES = 64 * 1024;

export interface StdinWriterOptions {
  readonly stallMs: number;
  /** True while the child may be blocked on output that our reader has not taken: then the stall is not its fault. */
  readonly isExcused: () => boolean;
}

/** Writes to a child in order, and takes a child that left or does not read for an outcome, not an exception. */
export class StdinWriter {
  readonly #options: StdinWriterOptions;
  readonly #ready = Promise.withResolvers<Writable | undefined>();
  #last: Promise<unknown> = Promise.resolve();
  #trouble: StdinTrouble | undefined;

  constructor(options: StdinWriterOptions) {
    this.#options = options;
  }

  get trouble(): StdinTrouble | undefined {
    return this.#trouble;
  }

  /** Undefined for a child without standard input: every write is then `broken`. */
  attach(stdin: Writable | undefined): void {
    // A child that closes its end is normal; the write that met it reports it.
    stdin?.on("error", () => this.#note("broken"));
    this.#ready.resolve(stdin);
  }

  write(bytes: string | Uint8Array): Promise<StdinOutcome> {
    const content = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    return this.#enqueue((stdin) => this.#writeSlices(stdin, content));
  }

  end(): Promise<StdinOutcome> {
    return this.#enqueue(async (stdin) => {
      stdin.end();
      return "written";
    });
  }

  /** The child is gone: whatever still waits to be written never will be. */
  async close(): Promise<void> {
    this.#ready.resolve(undefined);
    (await this.#ready.promise)?.destroy();
  }

  #enqueue(task: (stdin: Writable) => Promise<StdinOutcome>): Promise<StdinOutcome> {
    const outcome = this.#last.then(async () => {
      const stdin = await this.#ready.promise;
      if (stdin === undefined || stdin.destroyed || stdin.writableEnded) return this.#note("broken");
      return task(stdin);
    });
    this.#last = outcome;
    return outcome;
  }

  async #writeSlices(stdin: Writable, content: Uint8Array): Promise<StdinOutcome> {
    for (let start = 0; start < content.byteLength; start += SLICE_BYTES) {
      const written = Promise.withResolvers<boolean>();
      stdin.write(content.subarray(start, start + SLICE_BYTES), (error) => written.resolve(!error));
      while (!(await within(written.promise, this.#options.stallMs))) {
        if (this.#options.isExcused()) continue;
        this.#note("timed-out");
        stdin.destroy();
        return "timed-out";
      }
      // A write cut short by our own destroy() may be called back without an error.
      if (!(await written.promise) || stdin.destroyed) return this.#note("broken");
    }
    return "written";
  }

  #note(trouble: StdinTrouble): StdinTrouble {
    this.#trouble ??= trouble;
    return this.#trouble;
  }
}
