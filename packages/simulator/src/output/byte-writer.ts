/**
 * Writes to stdout in order and gathers small writes, so that a flood is bound by the reader and not by system calls.
 * Nothing may stay gathered across a wait: whoever waits calls `flush` first.
 */
export interface ByteWriter {
  write(data: string | Uint8Array): void;
  flush(): void;
  /** Resolves once the reader has taken what was flushed. */
  drained(): Promise<void>;
}

const gatherBytes = 64 * 1024;

export function createByteWriter(stream: NodeJS.WritableStream): ByteWriter {
  let gathered = "";
  function flush(): void {
    if (gathered === "") return;
    const text = gathered;
    gathered = "";
    stream.write(text);
  }
  return {
    write(data) {
      if (typeof data !== "string") {
        flush();
        stream.write(data);
        return;
      }
      gathered += data;
      if (gathered.length >= gatherBytes) flush();
    },
    flush,
    drained: () => {
      flush();
      return new Promise((resolve) => {
        stream.write("", () => resolve());
      });
    },
  };
}
