import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killOne } from "../victims.ts";

/** Needs a reader, a shell and a writer; the first two calls are made together. */
export const task =
  "Read apples.txt and pears.txt, then run `wc -l apples.txt`, then create basket.txt with the content full";

/** A directory in which a client works, with another one for everything it keeps about itself. */
export class ScratchRepository {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), "caret-loop-")));
  readonly directory = join(this.#root, "repository");
  readonly home = join(this.#root, "home");

  constructor() {
    // Clients look upwards for a repository and its rules: they find this one, and nothing of the machine's.
    mkdirSync(join(this.directory, ".git"), { recursive: true });
    mkdirSync(this.home);
    writeFileSync(join(this.directory, "apples.txt"), "Boskoop\nElstar\nJonagold\n");
    writeFileSync(join(this.directory, "pears.txt"), "Conference\n");
    writeFileSync(join(this.directory, "wait.sh"), "touch waits\nuntil [ -e go ]; do sleep 0.1; done\n");
  }

  /** Whether `wait.sh` runs; it ends by `go`. */
  get isWaiting(): boolean {
    return existsSync(join(this.directory, "waits"));
  }

  go(): void {
    writeFileSync(join(this.directory, "go"), "");
  }

  /** Writes a file below the client's own directory, and gives its path. */
  keep(path: string, text: string): string {
    const file = join(this.home, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** What the client made of the task, without the line end that some add. */
  basket(): string | undefined {
    try {
      return readFileSync(join(this.directory, "basket.txt"), "utf8").trim();
    } catch {
      return undefined; // no tool has written it
    }
  }

  /** The processes that were started for this home, daemons of the client's included. */
  processes(): readonly number[] {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && environmentOf(pid).includes(`HOME=${this.home}`));
  }

  remove(): void {
    for (const pid of this.processes()) killOne(pid);
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return []; // gone meanwhile, or another user's
  }
}
