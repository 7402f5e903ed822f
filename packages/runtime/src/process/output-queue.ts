import type { Readable } from "node:stream";
import type { Take } from "@caret/protocol";
import { pulled } from "../async/pulled.ts";
import { within } from "../async/within.ts";
import type { ChildOutput } from "./child-handle.ts";

/** More than any pipe or socket buffer, so the tail of an exited child always fits. */
const TAIL_BYTES = 1024 * 1024;

/**
 * Reads a stream ahead of its reader, up to a limit.
 *
 * A child that exits at once loses what was not read from its pipe, so bytes are read as they come. A ready reader gets them within that
 * read; otherwise they are queued. At the limit the stream is paused, and resumes once the reader has taken the queue.
 */
export class OutputQueue implements ChildOutput {
  readonly #first = Promise.withResolvers<boolean>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #taken = Promise.withResolvers<void>();
  readonly #limitBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #source: Readable | undefined;
  #reader: Take<Uint8Array> | undefined;
  /** The reader returned a promise that has not settled. */
  #isBusy = false;
  #hasBegun = false;
  #closed = false;
  #draining = false;
  #unwanted = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get firstOutput(): Promise<boolean> {
    return this.#first.promise;
  }

  /** True while the reader, not the child, is the bottleneck. */
  get isFull(): boolean {
    return this.#source?.isPaused() ?? false;
  }

  attach(source: Readable): void {
    this.#source = source;
    source.on("data", this.#push);
    source.once("close", () => this.close());
    source.once("end", () => this.close());
    // A reset connection ends the output like any other end; the exit says how the child ended.
    source.on("error", () => this.close());
    source.resume();
    // A silent child that exits at once has ended its stream before we could listen.
    if (source.readableEnded || source.destroyed) this.close();
  }

  /** After the child's exit: reads the rest of the pipe, without waiting for other processes that hold it open. */
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
    this.#giveQueued();
  }

  read(take: Take<Uint8Array>): Promise<void> {
    this.#reader = take;
    this.#giveQueued();
    return this.#taken.promise;
  }

  drop(): void {
    this.#unwanted = true;
    this.#chunks = [];
    this.#noteRoom();
    this.#taken.resolve();
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    return pulled(
      (take) => this.read((chunk) => take(Buffer.from(chunk))),
      () => this.drop(),
    );
  }

  readonly #push = (chunk: Uint8Array): void => {
    if (!this.#hasBegun) this.#first.resolve(true);
    this.#hasBegun = true;
    if (this.#unwanted) return;
    if (this.#reader === undefined || this.#isBusy) this.#keep(chunk);
    else this.#give(this.#reader, chunk);
  };

  #give(reader: Take<Uint8Array>, chunk: Uint8Array): void {
    try {
      const taken = reader(chunk);
      if (taken === undefined) return;
      this.#isBusy = true;
      taken.then(this.#onTaken, this.#fail);
    } catch (reason) {
      this.#fail(reason);
    }
  }

  readonly #onTaken = (): void => {
    this.#isBusy = false;
    this.#giveQueued();
  };

  readonly #fail = (reason: unknown): void => {
    this.#taken.reject(reason);
    this.drop();
  };

  #keep(chunk: Uint8Array): void {
    this.#chunks.push(Buffer.from(chunk));
    this.#bytes += chunk.byteLength;
    if (this.#draining) {
      // Beyond the child's own tail, this is a grandchild flooding the inherited pipe.
      if (this.#bytes >= this.#limitBytes + TAIL_BYTES) this.close();
    } else if (this.#bytes >= this.#limitBytes) this.#source?.pause();
  }

  /** Chunk by chunk, as long as the reader is ready: joining them would double the memory. */
  #giveQueued(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    let given = 0;
    for (let chunk = this.#chunks[given]; chunk !== undefined && !this.#isBusy; chunk = this.#chunks[given]) {
      given += 1;
      this.#bytes -= chunk.byteLength;
      this.#give(reader, chunk);
    }
    if (given > 0) this.#chunks.splice(0, given);
    if (this.#chunks.length > 0 || this.#isBusy) return;
    this.#noteRoom();
    if (this.#closed) this.#taken.resolve();
  }

  #noteRoom(): void {
    this.#bytes = 0;
    if (this.#source?.isPaused()) this.#source.resume();
  }
}
