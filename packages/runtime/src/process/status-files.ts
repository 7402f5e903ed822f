import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** More than bubblewrap reports of one container: a process number, its namespaces and an exit code. */
const STATUS_BYTES = 1024;
/** How many are kept for later: after a burst the others are closed. */
const MOST_FREE = 2;
const blank = Buffer.alloc(STATUS_BYTES);
const heard = Buffer.alloc(STATUS_BYTES);

/** Where one process reports its state, to be read when somebody asks. */
export interface StatusFile {
  /** For the process to write to, from the beginning. Ours is closed by `handedOn`. */
  readonly descriptor: number;
  /** The process has its copy. */
  handedOn(): void;
  /** What was reported so far. Nothing after `release`. */
  text(): string;
  /** The process is gone: another's may use the file. */
  release(): void;
}

/**
 * Files without a name, used by one process after the other. A pipe would have to be listened to, which cost the spawner a
 * twelfth of a start, and most reports are read by nobody. The room in a file is taken when it is made: a disk that is full later
 * does not keep a process from reporting.
 */
export class StatusFiles {
  readonly #directory: string;
  readonly #free: number[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Undefined where no file can be made. */
  take(): StatusFile | undefined {
    try {
      const file = this.#free[0] ?? this.#make();
      writeSync(file, blank, 0, STATUS_BYTES, 0);
      const opened = this.#open(file);
      this.#free.shift();
      return opened;
    } catch {
      return undefined; // a full disk or table of files: a process starts all the same, and its report is missing
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
    // Opened again, since a descriptor that was written to goes on where it is, and Node cannot wind it back.
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
