import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AddCommand, commands } from "../index.ts";
import { tryCommand } from "../testing/try-command.ts";
import { addCompletionCommand } from "./completion.ts";

const entry = fileURLToPath(new URL("../../../bin/caret.js", import.meta.url));
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
  }).toEqual({ choices: ["day", "model", "session", "client", "user", "lane"], anyValue: [], unknown: [] });
});

it("offers clients where one is named first, and only there", async () => {
  const [installed, launched] = [await words("install"), await words("launch")];
  expect({
    installed: ["claude-code", "zed", "openclaw"].map((client) => installed.includes(client)),
    launched: ["claude-code", "zed"].map((client) => launched.includes(client)),
    afterOne: await words("install", "zed"),
    elsewhere: (await words("usage")).includes("zed"),
  }).toEqual({
    installed: [true, true, false],
    launched: [true, false],
    afterOne: ["--default", "--dry-run", "--print", "--no-test", "--json", "--config"],
    elsewhere: false,
  });
});

/** Possible next words of each command, according to `caret` itself. */
const typed = ["chat --mo", "attach --", "approve --", "store ", "worker --", "backup --", "install open", "usage --b"];
const offered = [
  ["--mode", "--model"],
  ["--config", "--json", "--plain"],
  ["--always", "--config", "--json", "--yes"],
  ["init", "migrate", "roles", "verify"],
  ["--config", "--data-dir", "--json", "--metrics-port", "--store", "--workspace"],
  ["--config", "--json"],
  ["openai", "opencode", "opencode-plugin"],
  ["--by"],
];

/** Runs a script in a shell, which prints what it offers for each of `typed` on a line. */
function completions(shell: string, args: readonly string[]): readonly (readonly string[])[] {
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: bin, TERM: "dumb" };
  const printed = execFileSync(shell, args, { encoding: "utf8", env });
  const lines = printed.trimEnd().split("\n");
  return lines.map((line) => line.split(" ").filter(Boolean).toSorted());
}

function hasShell(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"]).status === 0;
}

it("completes in bash", () => {
  const each = typed.map((line) => {
    const [command, word] = line.split(" ");
    return `COMP_WORDS=(caret ${command} "${word}"); COMP_CWORD=2; _caret; echo "\${COMPREPLY[@]}"`;
  });
  expect(completions("bash", ["-c", ["source <(caret completion bash)", ...each].join("\n")])).toEqual(offered);
});

describe.runIf(isFullRun())("a shell that is started for it", () => {
  it.skipIf(!hasShell("fish"))("completes in fish", () => {
    const each = typed.map((line) => `echo (complete -C 'caret ${line}' | cut -f1)`);
    expect(completions("fish", ["-c", ["caret completion fish | source", ...each].join("\n")])).toEqual(offered);
  });

  it.skipIf(!hasShell("zsh"))("completes in zsh, at a terminal", () => {
    // Completion of zsh needs its line editor, and that a terminal: zpty is one. What it inserts ends with a space.
    const script = `
    zmodload zsh/zpty
    zpty -b terminal zsh -f -i
    zpty -w terminal 'PS1=; unsetopt beep; autoload -Uz compinit; compinit -u -D; source <(caret completion zsh); print REA""DY'
    zpty -r -m terminal seen '*READY*'
    zpty -w -n terminal $'caret store v\t'
    zpty -r -m terminal seen '*verify*'
    print -r -- verify
    zpty -d terminal`;
    expect(completions("zsh", ["-f", "-c", script])).toEqual([["verify"]]);
  });
});

it("names the shells that it knows", () => {
  const { stderr, status } = spawnSync(process.execPath, [entry, "completion", "tcsh"], { encoding: "utf8", env: {} });
  expect({ status, names: /Allowed choices are bash, zsh, fish/.test(stderr) }).toEqual({ status: 2, names: true });
});
