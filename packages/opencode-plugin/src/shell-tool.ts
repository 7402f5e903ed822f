import { z } from "zod";
import { commandPatterns } from "./command-patterns.ts";
import type { PluginTool } from "./open-code.ts";
import { askOutside, inProject } from "./project-path.ts";
import { runCommand } from "./run-command.ts";

const TIMEOUT_MS = 120_000;

const args = {
  command: z.string().min(1).describe("the command, for a POSIX shell"),
  cwd: z.string().optional().describe("where it runs; by default the project's directory"),
  timeout: z.number().int().positive().max(600_000).optional().describe("after how many milliseconds it is ended"),
};
const schema = z.object(args);

export const shellTool: PluginTool = {
  description: "Run a command in a shell and give what it prints.",
  args,
  async execute(given, context) {
    const { command, cwd, timeout = TIMEOUT_MS } = schema.parse(given);
    await context.ask({ permission: "bash", ...commandPatterns(command), metadata: {} });
    const place = inProject(context, cwd ?? ".");
    await askOutside(context, place, "directory");
    const { output, code, stopped } = await runCommand(command, {
      cwd: place,
      timeoutMs: timeout,
      signal: context.abort,
    });
    // What a command prints before it fails is what the model needs to go on.
    if (stopped !== undefined) return `${output}\nThe command was stopped: ${stopped}.`;
    return code === 0
      ? output
      : `${output}\nThe command failed (${code === null ? "by a signal" : `exit code ${code}`}).`;
  },
};
