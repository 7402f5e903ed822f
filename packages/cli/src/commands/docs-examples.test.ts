import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const docs = new URL("../../../../docs/", import.meta.url);
const examplesOf = (page: string): readonly Example[] => readExamples(readFileSync(new URL(page, docs), "utf8"));
const entry = fileURLToPath(new URL("../../bin/caret.js", import.meta.url));

interface Step {
  readonly command: string;
  readonly printed: readonly string[];
}

/** A `console` block: lines with `$` are typed, the others printed; `exit=` is what its last command ends with. */
interface Example {
  readonly name: string;
  readonly exitCode: number;
  readonly steps: readonly Step[];
}

function readExamples(text: string): readonly Example[] {
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

/** `…` stands for anything on its line; blanks are not counted. What is printed beyond the example does not matter. */
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

let directory: string;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-docs-")));
  const workspace = join(directory, "workspace");
  const bin = join(directory, "bin");
  for (const path of [workspace, bin]) mkdirSync(path);
  writeFileSync(join(workspace, "note.txt"), "hello\n");
  writeFileSync(join(bin, "caret"), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`);
  chmodSync(join(bin, "caret"), 0o755);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function type(command: string): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const env = {
    PATH: `${join(directory, "bin")}:${process.env["PATH"]}`,
    HOME: join(directory, "workspace"),
    LANG: "C.UTF-8",
    CARET_DATA_DIR: join(directory, "data"),
    CARET_LANE: "sim",
  };
  return new Promise((settle) => {
    const shell = execFile("sh", ["-c", command], { cwd: join(directory, "workspace"), env }, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    shell.stdin?.end();
  });
}

it("has examples of every command that docs/commands.md describes", () => {
  const typed = examplesOf("commands.md")
    .flatMap(({ steps }) => steps.map(({ command }) => command))
    .join("\n");
  for (const name of ["run", "sessions", "chats", "config", "decode", "install", "launch"])
    expect(typed).toContain(`caret ${name}`);
});

describe.each(["commands.md", "guide.md"])("docs/%s", (page) => {
  // In the order of the page: an example may build on those before it.
  it.each(examplesOf(page))("is true: $name", async ({ exitCode, steps }) => {
    for (const [index, { command, printed }] of steps.entries()) {
      const { code, stdout, stderr } = await type(command);
      const expected = index === steps.length - 1 ? exitCode : 0;
      expect({ command, code, stderr: code === expected ? "" : stderr }).toEqual({
        command,
        code: expected,
        stderr: "",
      });
      expect(stdout).toMatch(toPattern(printed));
    }
  });
});
