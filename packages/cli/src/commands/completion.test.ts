import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addCompletionCommand } from "./completion.ts";
import { type AddCommand, commands } from "./index.ts";
import { tryCommand } from "./testing/try-command.ts";

const entry = fileURLToPath(new URL("../../bin/caret.js", import.meta.url));
let bin: string;

beforeAll(() => {
  bin = mkdtempSync(join(tmpdir(), "caret-completion-"));
  writeFileSync(join(bin, "caret"), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`, { mode: 0o755 });
});
afterAll(() => rmSync(bin, { recursive: true }));

async function words(...typed: readonly string[]): Promise<readonly string[]> {
  const trial = { cwd: "/", env: {}, stdin: "" };
  const add: AddCommand = (program, host, done) => addCompletionCommand(program, host, done, commands);
  const { stdout } = await tryCommand(add, ["completion", "words", "--", ...typed], trial);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t")[0] ?? "");
}

it("offers every command, then a command's own subcommands and options", async () => {
  expect(await words()).toEqual([...commands.keys()]);
  expect(await words("token")).toEqual(["create", "ls", "print", "revoke"]);
  expect(await words("usage", "--json")).toEqual(["--by", "--days", "--json", "--config"]);
});

it("offers the choices of an option, and nothing where any value or no command fits", async () => {
  expect({
    choices: await words("usage", "--by"),
    anyValue: await words("usage", "--days"),
    unknown: await words("nonsense"),
  }).toEqual({ choices: ["day", "model", "session", "client", "lane"], anyValue: [], unknown: [] });
});

it("completes in bash", () => {
  const script = `source <(caret completion bash); COMP_WORDS=(caret usage --b); COMP_CWORD=2; _caret; echo "\${COMPREPLY[@]}"`;
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  expect(execFileSync("bash", ["-c", script], { encoding: "utf8", env })).toBe("--by\n");
});

it("names the shells that it knows", () => {
  const { stderr, status } = spawnSync(process.execPath, [entry, "completion", "tcsh"], { encoding: "utf8", env: {} });
  expect({ status, names: /Allowed choices are bash, zsh, fish/.test(stderr) }).toEqual({ status: 2, names: true });
});
