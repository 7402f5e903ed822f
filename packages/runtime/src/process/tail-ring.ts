/** Keeps the last bytes of a stream at the cost of a reference per chunk. */
export class TailRing {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    for (let oldest = this.#chunks[0]; oldest !== undefined; oldest = this.#chunks[0]) {
      if (this.#bytes - oldest.byteLength < this.#maxBytes) return;
      this.#chunks.shift();
      this.#bytes -= oldest.byteLength;
    }
  }

  text(): string {
    const tail = Buffer.concat(this.#chunks).subarray(-this.#maxBytes);
    let start = 0;
    // The cut may fall inside a character; its remaining bytes would be garbage.
    if (this.#bytes > this.#maxBytes) while (start < 3 && ((tail[start] ?? 0) & 0xc0) === 0x80) start += 1;
    return tail.toString("utf8", start);
  }
}
