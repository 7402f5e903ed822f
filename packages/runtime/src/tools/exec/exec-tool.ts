import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { ChildCommand, ChildExit, ChildHandle } from "../../process/child-handle.ts";
import { containCommand } from "../../process/containment.ts";
import { graceOfStop } from "../../process/hurried-stop.ts";
import { toolEnvironment } from "../../process/tool-environment.ts";
import { withConfined } from "../files/confined-path.ts";
import type { OutputStore } from "../outputs/output-store.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutput } from "../tool.ts";
import { MAX_TIMEOUT_MS } from "./exec-limits.ts";
import { type EndedCommand, execOutput, withNote } from "./exec-output.ts";
import { runInEditor } from "./run-in-editor.ts";

/**
 * Shell script that gives a command one pipe for both outputs and then becomes the command. Arguments: path for the named pipe, the
 * program, and the program's arguments.
 *
 * A child's streams are sockets, and a socket cannot be opened by name: `echo oops > /dev/stderr` would fail. So `cat` copies from a pipe
 * to the socket. It is detached (a program may wait for all its children), ignores polite signals (to keep a stopped command's last
 * output), and ends with the pipe. It closes descriptor 3, bubblewrap's report channel. Without named pipes, the socket has to do.
 */
const relayScript = `
pipe=$1
shift
if command -p mkfifo -m 600 "$pipe" 2>/dev/null; then
  ( ( trap "" HUP INT TERM; exec 3>&-; command -p cat <"$pipe" ) & )
  exec >"$pipe" 2>&1
  command -p rm -f "$pipe"
else
  exec 2>&1
fi
exec "$@"
`;

const DEFAULT_TIMEOUT_MS = 120_000;
/** How long a command can take to heed SIGTERM. */
const GRACE_MS = 2_000;

/**
 * How long the relay can take for its last bytes on a busy machine: anything else that could hold the pipe open ends with the container.
 */
const RELAY_MS = 30_000;

const NOT_CONTAINED = { kind: "none", why: "nothing was set up" } as const;

interface ExecInput {
  readonly command?: string;
  readonly argv?: readonly string[];
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

export function createExecTool({ outputs }: { readonly outputs: OutputStore }): Tool {
  return defineTool<ExecInput>({
    name: "exec",
    aliases: ["bash", "shell"],
    description:
      "Run a command in the workspace: `command` through /bin/sh, or `argv`, a program and its arguments without a " +
      "shell. Standard output and error come back together, in order. There is no standard input and no terminal, and " +
      "whatever is left running in the background is ended with the command.",
    kind: "shell",
    // The command has its own limit; this one applies if even killing it does not help.
    timeLimitMs: MAX_TIMEOUT_MS + 60_000,
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1 },
        argv: { type: "array", items: { type: "string" }, minItems: 1 },
        cwd: { type: "string", minLength: 1, description: "A directory of the workspace, which is the default." },
        timeoutMs: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: `In milliseconds; ${DEFAULT_TIMEOUT_MS} by default.`,
        },
        description: { type: "string", description: "What the command is for; only shown to people." },
      },
      oneOf: [{ required: ["command"] }, { required: ["argv"] }],
      additionalProperties: false,
    },
    async preview({ cwd }, context) {
      await directoryIn(context, cwd ?? ".");
      return {};
    },
    async run(input, context) {
      const { timeoutMs = DEFAULT_TIMEOUT_MS } = input;
      const wanted = await toShellCommand(input, context);
      context.signal.throwIfAborted();
      const inEditor = await runInEditor(context, { wanted, timeoutMs, outputs });
      if (inEditor !== undefined) return inEditor;
      const command = await toChildCommand(wanted, context, outputs);
      const child = context.spawner.spawn(command, command.contained === undefined ? {} : { drainMs: RELAY_MS });
      const stop = stopInTime(child, timeoutMs, context.signal);
      const collector = outputs.collect();
      const decoder = new TextDecoder();
      try {
        for await (const chunk of child.stdout) {
          context.onOutput?.(decoder.decode(chunk, { stream: true }));
          await collector.push(chunk);
        }
      } catch (reason) {
        // The output cannot be stored (disk full) and is no longer read, so the command would block forever.
        void child.stop({ reason: "output lost", graceMs: 0 });
        throw reason;
      } finally {
        // In any case, leave nothing running and end the time limit.
        await (child.stopReason === undefined ? child.exit : child.stop());
        stop.clear();
      }
      const text = await collector.finish();
      return toOutput(await child.exit, { text, cut: collector.cut(), child, timeoutMs }, context);
    },
  });
}

interface ShellCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

async function toShellCommand(
  { command, argv = [], cwd = "." }: ExecInput,
  context: ToolContext,
): Promise<ShellCommand> {
  // A shell reports why a program cannot be started; bubblewrap's error would look like its own failure.
  const script = command === undefined ? ['exec "$@"', "sh", ...argv] : [command];
  return { command: "/bin/sh", args: ["-c", ...script], cwd: await directoryIn(context, cwd) };
}

/** The relay stays outside the container: it delivers the last bytes after everything inside has ended. */
async function toChildCommand(
  { command: file, args, cwd }: ShellCommand,
  { env, containment = NOT_CONTAINED, enclose = (plain) => plain }: ToolContext,
  outputs: OutputStore,
): Promise<ChildCommand> {
  const pipe = join(await outputs.privateDir(), `pipe-${randomUUID()}`);
  const wanted: ChildCommand = { file, args, cwd, env: toolEnvironment({ parent: env }), stdin: "closed" };
  const contained = containCommand(enclose(wanted), containment);
  return {
    ...contained,
    file: "/bin/sh",
    args: ["-c", relayScript, "sh", pipe, contained.file, ...contained.args],
  };
}

/** The command itself can go anywhere: this only catches a wrong directory passed off as one of the workspace. */
function directoryIn(
  { workspace, judgedPaths }: Pick<ToolContext, "workspace" | "judgedPaths">,
  path: string,
): Promise<string> {
  return withConfined({ workspace, judgedPaths, path }, async (target) => {
    const directory = await target.directory.enter(target.name);
    await directory.close();
    return target.path === "" ? workspace : `${workspace}/${target.path}`;
  });
}

function stopInTime(child: ChildHandle, timeoutMs: number, signal: AbortSignal): { clear(): void } {
  const timer = setTimeout(() => void child.stop({ reason: "timeout", graceMs: GRACE_MS }), timeoutMs);
  const onAbort = (): void => void child.stop({ reason: "cancelled", graceMs: graceOfStop(signal, GRACE_MS) });
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  return {
    clear() {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    },
  };
}

interface Ended extends Pick<EndedCommand, "text" | "cut"> {
  readonly child: ChildHandle;
  readonly timeoutMs: number;
}

function toOutput(exit: ChildExit, { text, cut, child, timeoutMs }: Ended, context: ToolContext): ToolOutput {
  const { stopReason } = child;
  if (exit.kind === "failed-to-start" && stopReason === undefined) throw exit.error;
  if (exit.kind !== "exited" && stopReason === undefined)
    throw new CaretError("killed", withNote(text, "its end was not seen"));
  const [exitCode, signal] = exit.kind === "exited" ? [exit.code, exit.signal] : [null, null];
  return execOutput({ text, cut, stopReason, exitCode, signal, timeoutMs }, context);
}
