import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const docs = new URL("../../../../../docs/", import.meta.url);
const entry = fileURLToPath(new URL("../../../bin/caret.js", import.meta.url));

interface Step {
  readonly command: string;
  readonly printed: readonly string[];
}

/** A `console` block: lines with `$` are typed, the others are output; `exit=` is the exit code of its last command. */
export interface DocExample {
  readonly name: string;
  readonly exitCode: number;
  readonly steps: readonly Step[];
}

/** The examples of a page below `docs`. */
export function examplesOf(page: string): readonly DocExample[] {
  const text = readFileSync(new URL(page, docs), "utf8");
  return Array.from(text.matchAll(/^```console(?: exit=(\d+))?\n([\s\S]*?)^```$/gm), ([, exit = "0", body = ""]) => {
    const steps = body
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = "", ...printed] = step.trimEnd().split("\n");
        return { command, printed };
      });
    return { name: steps[0]?.command ?? "", exitCode: Number(exit), steps };
  });
}

/** `…` matches anything on its line; white space is not compared. Output beyond the example does not matter. */
function toPattern(printed: readonly string[]): RegExp {
  const lines = printed.map((line) =>
    line
      .split("…")
      .map((part) => part.trim().split(/\s+/).map(literally).join("\\s+"))
      .join(".*"),
  );
  return new RegExp(`^${lines.map((line) => `\\s*${line}\\s*?`).join("\\n")}`);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** A machine for typing examples: an empty home with `note.txt`, and `caret` and `npx` on the path. */
export class DocMachine {
  readonly #directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-docs-")));
  readonly home = join(this.#directory, "workspace");

  constructor() {
    const bin = join(this.#directory, "bin");
    for (const path of [this.home, bin]) mkdirSync(path);
    writeFileSync(join(this.home, "note.txt"), "hello\n");
    const programs = { caret: `exec "${process.execPath}" "${entry}" "$@"`, npx: 'exec "$@"' };
    for (const [name, line] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`);
      chmodSync(join(bin, name), 0o755);
    }
  }

  /** Types an example's commands in order and compares output and exit codes. */
  async follow({ exitCode, steps }: DocExample): Promise<void> {
    for (const [index, { command, printed }] of steps.entries()) {
      const { code, stdout, stderr } = await this.#type(command);
      const expected = index === steps.length - 1 ? exitCode : 0;
      const complaint = code === expected ? "" : stderr;
      expect({ command, code, stderr: complaint }).toEqual({ command, code: expected, stderr: "" });
      expect(stdout).toMatch(toPattern(printed));
    }
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #type(command: string): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
    const env = {
      PATH: `${join(this.#directory, "bin")}:${process.env["PATH"]}`,
      HOME: this.home,
      LANG: "C.UTF-8",
      CARET_DATA_DIR: join(this.#directory, "data"),
      CARET_LANE: "sim",
    };
    return new Promise((settle) => {
      const shell = execFile("sh", ["-c", command], { cwd: this.home, env }, (error, stdout, stderr) =>
        settle({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
      shell.stdin?.end();
    });
  }
}
