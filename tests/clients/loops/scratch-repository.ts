import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }
}
