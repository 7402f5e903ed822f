import type { ServerHttp2Stream } from "node:http2";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { UpstreamResponse } from "../net/listen-on-one-port.ts";

/** The bits of an envelope's first byte. */
const COMPRESSED = 0x01;
const END_STREAM = 0x02;

const encoders = { gzip: gzipSync, br: brotliCompressSync } as const;
export type Encoding = keyof typeof encoders;

/** One envelope: a byte of flags, the length in four bytes, the payload. */
export function envelope(flags: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt8(flags, 0);
  header.writeUInt32BE(payload.length, 1);
  return Buffer.concat([header, payload]);
}

/** Writes Connect's envelopes to one response, as they should be or as a fault wants them. */
export class FrameWriter {
  /** From now on every message goes out so often. */
  copies = 1;
  /** From now on no write is longer; over HTTP/2 each is a DATA frame of its own. */
  chunkBytes: number | undefined;
  readonly #response: UpstreamResponse;
  #encoding: Encoding | undefined;
  #isOpen = false;
  #isClosed = false;
  #chunks: Promise<void> | undefined;

  constructor(response: UpstreamResponse) {
    this.#response = response;
    // A client that is gone is seen by its close; that a write failed says nothing more.
    response.on("error", () => undefined);
    response.on("close", () => {
      this.#isClosed = true;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  /** The stream below, where the client speaks HTTP/2. */
  get http2(): ServerHttp2Stream | undefined {
    return "stream" in this.#response ? this.#response.stream : undefined;
  }

  /** Compresses messages from now on. The encoding is named in the head, so that it should come before the first frame. */
  set encoding(encoding: Encoding | undefined) {
    this.#encoding = encoding;
  }

  /** Writes the head of a good answer, once. */
  open(): void {
    if (this.#isOpen || this.#isClosed) return;
    this.#isOpen = true;
    const encoding = this.#encoding === undefined ? {} : { "connect-content-encoding": this.#encoding };
    this.#head(200, { "content-type": "application/connect+proto", ...encoding });
    if ("flushHeaders" in this.#response) this.#response.flushHeaders();
  }

  /** An answer that is no stream. Only possible before the first frame. */
  refuse(status: number, headers: Readonly<Record<string, string>>, body: string): void {
    if (this.#isOpen || this.#isClosed) return;
    this.#isOpen = true;
    this.#head(status, headers);
    this.#response.end(body);
  }

  message(payload: Uint8Array): void {
    const encoder = this.#encoding === undefined ? undefined : encoders[this.#encoding];
    const frame = encoder === undefined ? envelope(0, payload) : envelope(COMPRESSED, encoder(payload));
    for (let copy = 0; copy < this.copies; copy += 1) this.raw(frame);
  }

  endStream(end: object): void {
    this.raw(envelope(END_STREAM, Buffer.from(JSON.stringify(end))));
  }

  raw(bytes: Uint8Array): void {
    this.open();
    if (this.#isClosed) return;
    if (this.chunkBytes === undefined && this.#chunks === undefined) this.#put(bytes);
    else this.#chunks = this.#putChunks(bytes, this.#chunks);
  }

  /** Resolves once the client has taken what was written, or is gone. */
  async drained(): Promise<void> {
    await this.#chunks;
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      this.#response.once("close", resolve);
      this.#put(new Uint8Array(), () => {
        this.#response.off("close", resolve);
        resolve();
      });
    });
  }

  /** Ends the response. Without an end frame before it, the client sees a stream that is cut. */
  async end(trailers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#chunks;
    if (this.#isClosed || this.#response.writableEnded) return;
    this.#response.addTrailers(trailers);
    this.#response.end();
  }

  /** Ends the connection below without another byte. */
  destroy(): void {
    const { http2 } = this;
    if (http2 === undefined) this.#response.socket?.destroy();
    else http2.session?.destroy();
  }

  async #putChunks(bytes: Uint8Array, before: Promise<void> | undefined): Promise<void> {
    await before;
    const size = this.chunkBytes ?? bytes.length;
    for (let at = 0; at < bytes.length && !this.#isClosed; at += size) {
      await new Promise<void>((resolve) => this.#put(bytes.subarray(at, at + size), resolve));
    }
  }

  #head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value);
  }

  #put(bytes: Uint8Array, done: () => void = () => undefined): void {
    // The two kinds of response declare their writes apart from each other.
    (this.#response as NodeJS.WritableStream).write(bytes, () => done());
  }
}
