import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** More than bubblewrap reports for one container: a pid, its namespaces and an exit code. */
const STATUS_BYTES = 1024;
/** Number of files kept for reuse; the others are closed after a burst. */
const MOST_FREE = 2;
const blank = Buffer.alloc(STATUS_BYTES);
const heard = Buffer.alloc(STATUS_BYTES);

/** Where one process reports its state, to be read on demand. */
export interface StatusFile {
  /** For the process to write to, from the beginning. `handedOn` closes our copy. */
  readonly descriptor: number;
  /** Call once the process has its copy. */
  handedOn(): void;
  /** The report so far. Empty after `release`. */
  text(): string;
  /** The process is gone: the file can be reused. */
  release(): void;
}

/**
 * Unnamed files, reused by one process after the other. A pipe would need a listener, which cost the spawner a twelfth of a start, and
 * most reports are never read. A file's space is allocated when it is made: a disk that fills up later does not prevent reports.
 */
export class StatusFiles {
  readonly #directory: string;
  readonly #free: number[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Undefined if no file can be made. */
  take(): StatusFile | undefined {
    try {
      const file = this.#free[0] ?? this.#make();
      writeSync(file, blank, 0, STATUS_BYTES, 0);
      const opened = this.#open(file);
      this.#free.shift();
      return opened;
    } catch {
      return undefined; // a full disk or file table: the process starts anyway, but without a report
    }
  }

  close(): void {
    for (const file of this.#free.splice(0)) closeSync(file);
  }

  #make(): number {
    const directory = mkdtempSync(join(this.#directory, "caret-"));
    try {
      const file = openSync(join(directory, "status"), "wx+", 0o600);
      this.#free.push(file);
      return file;
    } finally {
      rmSync(directory, { recursive: true });
    }
  }

  #open(file: number): StatusFile {
    // Reopened, because a descriptor keeps its write position and Node cannot rewind it.
    const descriptor = openSync(`/proc/self/fd/${file}`, "r+");
    let isTaken = true;
    return {
      descriptor,
      handedOn: () => closeSync(descriptor),
      text() {
        if (!isTaken) return "";
        const length = readSync(file, heard, 0, STATUS_BYTES, 0);
        return heard.toString("latin1", 0, length);
      },
      release: () => {
        if (!isTaken) return;
        isTaken = false;
        if (this.#free.length < MOST_FREE) this.#free.push(file);
        else closeSync(file);
      },
    };
  }
}
