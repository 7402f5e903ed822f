import type { Writable } from "node:stream";
import { within } from "../async/within.ts";
import type { StdinOutcome, StdinTrouble } from "./child-handle.ts";

/** Bytes or characters: small enough that a slow reader is never mistaken for one that does not read at all. */
const SLICE = 64 * 1024;

export interface StdinWriterOptions {
  readonly stallMs: number;
  /** True while the child may be blocked on output that our reader has not taken: then the stall is not its fault. */
  readonly isExcused: () => boolean;
}

/** Writes to a child in order; a child that left or does not read is an outcome, not an exception. */
export class StdinWriter {
  readonly #options: StdinWriterOptions;
  readonly #ready = Promise.withResolvers<Writable | undefined>();
  #stdin: Writable | undefined;
  #last: Promise<unknown> | undefined;
  #trouble: StdinTrouble | undefined;

  constructor(options: StdinWriterOptions) {
    this.#options = options;
  }

  get trouble(): StdinTrouble | undefined {
    return this.#trouble;
  }

  /** Undefined for a child without standard input: every write is then `broken`. */
  attach(stdin: Writable | undefined): void {
    // A child may close its end; the affected write reports that.
    stdin?.on("error", () => this.#note("broken"));
    this.#stdin = stdin;
    this.#ready.resolve(stdin);
  }

  write(bytes: string | Uint8Array): Promise<StdinOutcome> {
    return this.#enqueue((stdin) => this.#writeSlices(stdin, bytes));
  }

  end(): Promise<StdinOutcome> {
    return this.#enqueue((stdin) => {
      stdin.end();
      return "written";
    });
  }

  /** The child is gone: pending writes never complete. */
  close(): void {
    this.#ready.resolve(undefined);
    this.#stdin?.destroy();
  }

  /** The first task runs at once if the streams exist; each later one waits for the previous. */
  #enqueue(task: (stdin: Writable) => Promise<StdinOutcome> | StdinOutcome): Promise<StdinOutcome> {
    const run = (): Promise<StdinOutcome> | StdinOutcome => {
      const stdin = this.#stdin;
      if (stdin === undefined || stdin.destroyed || stdin.writableEnded) return this.#note("broken");
      return task(stdin);
    };
    const isFirst = this.#last === undefined && this.#stdin !== undefined;
    const outcome = isFirst ? Promise.resolve(run()) : (this.#last ?? this.#ready.promise).then(run);
    this.#last = outcome;
    return outcome;
  }

  async #writeSlices(stdin: Writable, content: string | Uint8Array): Promise<StdinOutcome> {
    for (let start = 0, slice = sliceOf(content, 0); slice.length > 0; slice = sliceOf(content, start)) {
      start += slice.length;
      const written = Promise.withResolvers<boolean>();
      stdin.write(slice, (error) => written.resolve(!error));
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

/** Encodes text slice by slice: the child can read the first while the next is made. Never splits a character. */
function sliceOf(content: string | Uint8Array, start: number): string | Uint8Array {
  if (typeof content !== "string") return content.subarray(start, start + SLICE);
  const slice = content.slice(start, start + SLICE);
  return start + slice.length < content.length && isHighSurrogate(slice.at(-1)) ? slice.slice(0, -1) : slice;
}

function isHighSurrogate(unit: string | undefined): boolean {
  return unit !== undefined && unit >= "\ud800" && unit <= "\udbff";
}
