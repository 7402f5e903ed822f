/**
 * Writes to stdout in order and gathers small writes, so that a flood is bound by the reader and not by system calls.
 * Nothing may stay gathered across a wait: call `flush` before a wait.
 */
export interface ByteWriter {
  write(data: string | Uint8Array): void;
  flush(): void;
  /** Whether the reader is behind, so that a writer should wait for `drained`. */
  readonly isFull: boolean;
  /** Resolves once the reader has taken what was flushed. */
  drained(): Promise<void>;
  /** From now on nothing is written any more, not even what is gathered: the stream is cut here. */
  cut(): void;
}

/** A stream that knows when its reader is behind. */
type OutputStream = NodeJS.WritableStream & { readonly writableNeedDrain?: boolean };

const gatherBytes = 64 * 1024;

export function createByteWriter(stream: OutputStream): ByteWriter {
  let gathered = "";
  let isCut = false;
  function flush(): void {
    if (gathered === "" || isCut) return;
    const text = gathered;
    gathered = "";
    stream.write(text);
  }
  return {
    write(data) {
      if (typeof data !== "string") {
        flush();
        if (!isCut) stream.write(data);
        return;
      }
      gathered += data;
      if (gathered.length >= gatherBytes) flush();
    },
    flush,
    drained: () => {
      flush();
      return isCut ? Promise.resolve() : drain(stream);
    },
    get isFull() {
      return stream.writableNeedDrain === true;
    },
    cut: () => {
      isCut = true;
    },
  };
}

/** Resolves once everything written so far has left the process; a process that exits earlier takes it along. */
export function drain(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}
