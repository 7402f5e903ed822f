import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import type { PluginTool } from "./open-code.ts";
import { inProject } from "./project-path.ts";

const MAX_BYTES = 1024 * 1024;
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
    await context.ask({
      permission: "bash",
      patterns: [command],
      always: [`${command.split(" ")[0]} *`],
      metadata: {},
    });
    const options = { cwd: inProject(context, cwd ?? "."), timeout, maxBuffer: MAX_BYTES, signal: context.abort };
    try {
      const { stdout, stderr } = await promisify(execFile)("sh", ["-c", command], options);
      return `${stdout}${stderr}`;
    } catch (reason) {
      // What a command prints before it fails is what the model needs to go on.
      const {
        stdout = "",
        stderr = "",
        code,
        message,
      } = reason as Error & { stdout?: string; stderr?: string; code?: unknown };
      return `${stdout}${stderr}\nThe command failed (${typeof code === "number" ? `exit code ${code}` : message.split("\n")[0]}).`;
    }
  },
};
