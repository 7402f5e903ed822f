import { execFile } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Small enough to read at a glance, with one thing to fix: the test fails until the greeting is friendlier. */
const files: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify(
    {
      name: "caret-sample",
      version: "1.0.0",
      private: true,
      type: "module",
      scripts: { start: "node greet.js", test: "node --test" },
    },
    null,
    2,
  )}\n`,
  "greet.js":
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of the sample
    'export function greet(name) {\n  return `Hello ${name}`;\n}\n\nconsole.log(greet(process.argv[2] ?? "you"));\n',
  "greet.test.js": [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    'import { greet } from "./greet.js";',
    "",
    'test("greets by name, and is glad about it", () => {',
    '  assert.equal(greet("Ada"), "Hello Ada!");',
    "});",
    "",
  ].join("\n"),
  "README.md": [
    "# Caret's sample project",
    "",
    "A place to try an agent on. Nothing here matters: change it, break it, delete it.",
    "",
    "- `Read package.json and tell me the name`",
    "- `Run npm test and fix greet.js`",
    "",
  ].join("\n"),
};

/** The sample project's directory, created on first use. Later changes to it are kept. */
export async function makeSampleProject(dataDir: string): Promise<string> {
  const directory = join(dataDir, "sample-project");
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    await commit(directory);
  }
  return realpathSync(directory);
}

/** Makes a first commit, so the page can show an agent's changes. The sample works without git too. */
async function commit(directory: string): Promise<void> {
  const git = (...args: readonly string[]) =>
    promisify(execFile)("git", ["-c", "user.name=Caret", "-c", "user.email=caret@localhost", ...args], {
      cwd: directory,
    });
  try {
    await git("init", "--quiet", "--initial-branch=main");
    await git("add", ".");
    await git("commit", "--quiet", "--no-gpg-sign", "--message=Sample project");
  } catch {
    // git is missing or refuses to commit here; the files exist, which is what the sample is for.
  }
}
