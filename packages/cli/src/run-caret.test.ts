import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { expect, it } from "vitest";
import { commandExamples, exampleHelp } from "./commands/command-examples.ts";
import { commands } from "./commands/index.ts";
import type { Host } from "./host/host.ts";

const entry = fileURLToPath(new URL("../bin/caret.js", import.meta.url));

it("answers a bare `caret` with where to start, and not with a failure", () => {
  const printed = execFileSync(process.execPath, [entry], { encoding: "utf8", env: {} });
  const headings = printed.split("\n").filter((line) => /^\S.*:$/.test(line));
  expect(headings).toEqual(["Options:", "Start here:", "What is kept:", "Set-up:", "Recordings:", "Examples:"]);
  expect(printed).toContain("npx caret serve ");
});

it.each([
  [["serve", "--port", "abc"], "caret: Invalid configuration\n--port: expected a number"],
  [["sessions", "nope"], "caret: unknown command 'nope'"],
])("names what was typed, with one prefix for every mistake: caret %j", (args, words) => {
  const { stderr, status } = spawnSync(process.execPath, [entry, ...args], {
    encoding: "utf8",
    env: { HOME: "/nonexistent" },
  });
  expect({ status, startsWithWords: stderr.startsWith(words) }).toEqual({ status: 2, startsWithWords: true });
});

it("prints nothing of a file's name that steers the terminal", () => {
  const args = ["token", "create", "x", "--data-dir", "/dev/null/\u001b]52;c;cm0=\u0007x"];
  const { stderr } = spawnSync(process.execPath, [entry, ...args], { encoding: "utf8", env: { HOME: "/nonexistent" } });
  expect(stderr).toBe(
    "caret: ENOTDIR: not a directory, mkdir '/dev/null/x' [storage-failed]\n  Check /dev/null/x and its permissions.\n",
  );
});

it("names a file that it cannot write, and calls that no bug in Caret", () => {
  const { stderr, status } = spawnSync(process.execPath, [entry, "token", "create", "x", "--data-dir", "/dev/null/x"], {
    encoding: "utf8",
    env: { HOME: "/nonexistent" },
  });
  expect({ stderr, status }).toEqual({
    stderr:
      "caret: ENOTDIR: not a directory, mkdir '/dev/null/x' [storage-failed]\n  Check /dev/null/x and its permissions.\n",
    status: 1,
  });
});

it.each([...commands])("lists caret %s in the words of the command itself", async (name, { load, summary }) => {
  const program = new Command();
  (await load())(program, {} as Host, () => undefined);
  expect(program.commands.map((command) => [command.name(), command.description()])).toEqual([[name, summary]]);
});

/** Of a command and everything below it. */
function helpTexts(command: Command): readonly string[] {
  return [command.helpInformation(), ...command.commands.flatMap(helpTexts)];
}

it.each([...commands])("fits the help of caret %s, examples included, into 80 columns", async (name, { load }) => {
  const program = new Command("caret").configureOutput({ getOutHelpWidth: () => 80, getOutHasColors: () => false });
  (await load())(program, {} as Host, () => undefined);
  const examples = exampleHelp(name, "npx caret") ?? "";
  expect(examples.split("\n").slice(0, 2)).toEqual(["", "Examples:"]);
  const lines = [...helpTexts(program), examples].flatMap((text) => text.split("\n"));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

it.each([...commands])("shows examples of caret %s with commands and options that exist", async (name, { load }) => {
  const program = new Command("caret");
  (await load())(program, {} as Host, () => undefined);
  const [command] = program.commands;
  for (const [typed] of commandExamples.get(name) ?? []) {
    const words = typed
      .slice(typed.indexOf(`${name} `) + name.length)
      .trim()
      .split(" ");
    const inner = command?.commands.find((candidate) => candidate.name() === words[0]);
    const flags = (inner ?? command)?.options.flatMap(({ long, short }) => [long, short]);
    expect(typed).toContain(name);
    expect(flags).toEqual(expect.arrayContaining(words.filter((word) => /^--?[a-z]/.test(word))));
    // The first word is a subcommand if the command has any, unless it also works without one.
    const isCommand = inner !== undefined || command?.commands.length === 0 || /^(?:-|$)/.test(words[0] ?? "");
    expect(isCommand).toBe(true);
  }
});

it("says once what a flag is when it is not given", () => {
  const printed = execFileSync(process.execPath, [entry, "decode", "--help"], { encoding: "utf8", env: {} });
  const partial = /--partial\s[\s\S]*?(?=\n {2}--)/.exec(printed)?.[0].replaceAll(/\s+/g, " ");
  expect(partial).toBe("--partial the recording was made with --stream-partial-output (default: yes)");
});
