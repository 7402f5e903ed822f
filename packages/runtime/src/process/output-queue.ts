import type { Readable } from "node:stream";
import { within } from "../async/within.ts";

/** More than any pipe or socket holds, so that the tail of an exited child always fits. */
const TAIL_BYTES = 1024 * 1024;

type Result = IteratorResult<Uint8Array, undefined>;

/**
 * Reads a stream ahead of its reader, up to a limit.
 *
 * A child that exits at once loses what was not read from its pipe, so bytes are read as they come. At the limit the
 * stream is paused, and resumes when the reader takes what is queued.
 */
export class OutputQueue implements AsyncIterable<Uint8Array> {
  readonly #first = Promise.withResolvers<boolean>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #readers: ((result: Result) => void)[] = [];
  readonly #limitBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #source: Readable | undefined;
  #closed = false;
  #draining = false;
  #unwanted = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get firstOutput(): Promise<boolean> {
    return this.#first.promise;
  }

  /** True while the reader, not the child, is what holds things up. */
  get isFull(): boolean {
    return this.#source?.isPaused() ?? false;
  }

  attach(source: Readable): void {
    this.#source = source;
    source.on("data", (chunk: Uint8Array) => this.#push(chunk));
    source.once("close", () => this.close());
    source.once("end", () => this.close());
    // A reset connection is the end of the output like any other; its exit says how the child ended.
    source.on("error", () => this.close());
    source.resume();
  }

  /** After the child's exit: read what is still in the pipe, but do not wait for other processes that hold it open. */
  async drain(drainMs: number): Promise<void> {
    this.#draining = true;
    this.#source?.resume();
    await within(this.#ended.promise, drainMs);
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#source?.destroy();
    this.#first.resolve(false);
    this.#ended.resolve();
    for (const read of this.#readers.splice(0)) read({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: () => this.#next(),
      return: async () => {
        this.#unwanted = true;
        this.#take();
        return { done: true, value: undefined };
      },
    };
  }

  #next(): Promise<Result> {
    const value = this.#take();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#closed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  #push(chunk: Uint8Array): void {
    this.#first.resolve(true);
    if (this.#unwanted) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#keep(chunk);
    else reader({ done: false, value: chunk });
  }

  #keep(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#draining) {
      // Past the tail of the child itself this is a grandchild that floods the pipe it inherited.
      if (this.#bytes >= this.#limitBytes + TAIL_BYTES) this.close();
    } else if (this.#bytes >= this.#limitBytes) this.#source?.pause();
  }

  /** Everything queued, as one piece. */
  #take(): Uint8Array | undefined {
    const [first] = this.#chunks;
    if (first === undefined) return undefined;
    const value = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    if (this.#source?.isPaused()) this.#source.resume();
    return value;
  }
}
