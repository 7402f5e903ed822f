import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { ToolContext } from "./open-code.ts";
import { shellTool } from "./shell-tool.ts";

let directory: string;
let context: ToolContext;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-shell-")));
  context = { directory, worktree: directory, abort: new AbortController().signal, ask: async () => undefined };
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The process whose number a command has printed first; a zombie has ended too. */
const isGone = (output: string): boolean => {
  const stat = `/proc/${output.split("\n")[0]}/stat`;
  return !existsSync(stat) || readFileSync(stat, "utf8").includes(") Z ");
};
const grandchild = "sh -c 'echo $$; exec sleep 1000' | cat";

it.each([
  ["echo out; echo err >&2", "out\nerr\n"],
  ["echo no; exit 3", "no\n\nThe command failed (exit code 3)."],
  ["kill -9 $$", "\nThe command failed (by a signal)."],
])("gives what %j prints, and how it failed", async (command, output) => {
  expect(await shellTool.execute({ command }, context)).toBe(output);
});

it.each([
  ["git log --oneline", { patterns: ["git log --oneline"], always: ["git *"] }],
  ["git log; rm -r ~", { patterns: ["sh -c git log; rm -r ~", "git log", "rm -r ~"], always: [] }],
  ["git log $(rm -r ~)", { patterns: ["sh -c git log $(rm -r ~)", "git log", "rm -r ~"], always: [] }],
  ["git log\nrm -r ~", { patterns: ["sh -c git log\nrm -r ~", "git log", "rm -r ~"], always: [] }],
  ["git log >~/.bashrc", { patterns: ["sh -c git log >~/.bashrc", "git log >~/.bashrc"], always: [] }],
])("asks about each command of %j, and remembers one alone", async (command, asked) => {
  const asks: unknown[] = [];
  const ask: ToolContext["ask"] = async (request) => {
    asks.push(request);
    throw new Error("refused");
  };
  await expect(shellTool.execute({ command }, { ...context, ask })).rejects.toThrow("refused");
  expect(asks).toEqual([{ permission: "bash", ...asked, metadata: {} }]);
});

it("ends everything that a command has started when it takes too long, and says so", async () => {
  const output = await shellTool.execute({ command: grandchild, timeout: 300 }, context);
  expect(output).toMatch(/^\d+\n\nThe command was stopped: it did not end within 300 ms\.$/);
  await vi.waitUntil(() => isGone(output));
});

it("ends everything that a command has started when the turn is cancelled", async () => {
  const cancel = new AbortController();
  const running = shellTool.execute({ command: `touch begun; ${grandchild}` }, { ...context, abort: cancel.signal });
  await vi.waitUntil(() => existsSync(join(directory, "begun")));
  cancel.abort();
  const output = await running;
  expect(output).toContain("The command was stopped: the turn was cancelled.");
});

it("stops a command that floods, with what it printed before", async () => {
  const output = await shellTool.execute({ command: "yes" }, context);
  expect([output.startsWith("y\ny\n"), output.endsWith("it printed more than 1048576 bytes.")]).toEqual([true, true]);
});

it("does not wait for what a command leaves running in the background", async () => {
  const output = await shellTool.execute({ command: "sleep 3 & echo started" }, context);
  expect(output).toBe("started\n");
});
