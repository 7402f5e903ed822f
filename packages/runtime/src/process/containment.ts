import type { ChildCommand, CommandSandbox, Spawner } from "./child-handle.ts";
import { identifyProcess, type ProcessIdentity, readProcFile } from "./process-identity.ts";
import type { StatusFile } from "./status-files.ts";

/** Descriptor for bubblewrap's reports, right after the standard three. */
const STATUS_FD = 3;

/** The minimum that lets bubblewrap keep a whole process tree from outliving us. This is not a sandbox. */
const CONTAIN = ["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--die-with-parent"];

const PROBE_MS = 5_000;

export type Containment =
  | { readonly kind: "bubblewrap"; readonly file: string }
  /** Children are then ended by group, by mark and by the spawner watching its parent. */
  | { readonly kind: "none"; readonly why: string };

/** Tests once, by running it, whether bubblewrap works here. Many systems have it but forbid it. */
export async function probeContainment(options: {
  readonly spawner: Spawner;
  readonly env: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly timeoutMs?: number;
}): Promise<Containment> {
  const { spawner, env, file = "bwrap", timeoutMs = PROBE_MS } = options;
  const probe = spawner.spawn({ file, args: [...CONTAIN, "--", "true"], cwd: "/", env, stdin: "closed" });
  const timer = setTimeout(() => void probe.stop({ reason: "took too long", graceMs: 0 }), timeoutMs);
  const exit = await probe.exit;
  clearTimeout(timer);
  if (exit.kind === "failed-to-start") return { kind: "none", why: exit.error.message };
  if (exit.kind === "exited" && exit.code === 0) return { kind: "bubblewrap", file };
  const words = probe.stopReason ?? probe.stderrTail().trim();
  return { kind: "none", why: `${file} does not work here: ${words || "it gave no reason"}` };
}

/**
 * Wraps the command in its own PID namespace, in which nothing survives the first process, however the gateway dies. Returns it unchanged
 * without containment, except for one that must run in a sandbox: that always does.
 */
export function containCommand(command: ChildCommand, containment: Containment): ChildCommand {
  if (command.sandbox !== undefined) return walledIn(command, command.sandbox);
  if (containment.kind === "none") return command;
  const covers = (command.covered ?? []).flatMap(({ path, by }) => ["--ro-bind", by, path]);
  const args = [...CONTAIN, ...covers, "--json-status-fd", String(STATUS_FD), "--", command.file, ...command.args];
  return { ...command, file: containment.file, args, contained: { file: command.file, args: command.args } };
}

/** Bubblewrap reads its seccomp program from a descriptor, which a shell opens for it. It is closed again inside. */
const FILTER_FD = 9;
const WITH_FILTER = `exec "$@" ${FILTER_FD}<"$0"`;

function walledIn(command: ChildCommand, { file, args: walls, entry, filter }: CommandSandbox): ChildCommand {
  const contained = { file: command.file, args: command.args };
  const words = [...walls, "--json-status-fd", String(STATUS_FD), "--", ...entry, command.file, ...command.args];
  const args = ["-c", WITH_FILTER, filter, file, "--seccomp", String(FILTER_FD), ...words];
  return { ...command, file: "/bin/sh", args, contained };
}

/** A spawner that contains everything it starts, if the machine supports it. */
export function containingSpawner(spawner: Spawner, containment: Containment): Spawner {
  return {
    spawn: (command, options) => spawner.spawn(containCommand(command, containment), options),
    close: () => spawner.close(),
  };
}

export interface ContainedAgent {
  /** The agent inside, as seen from outside; undefined if there is none yet. Call only before bubblewrap's exit. */
  identify(): ProcessIdentity | undefined;
  /** Whether the agent ran at all, asked after the exit. If not, bubblewrap itself failed. */
  hasRun(): boolean;
}

/**
 * Bubblewrap's only child is the first process in the new namespace, whose first child is the agent. At the end bubblewrap reports the
 * agent's exit code, unless it never got to start it.
 */
export function followContainedAgent(pid: number, status: StatusFile | undefined): ContainedAgent {
  return {
    identify() {
      const first = firstChildOf(pid);
      const agent = first === undefined ? undefined : firstChildOf(first);
      return agent === undefined ? undefined : identifyProcess(agent);
    },
    hasRun: () => status === undefined || status.text().includes('"exit-code"'),
  };
}

function firstChildOf(pid: number): number | undefined {
  const child = readProcFile(`/proc/${pid}/task/${pid}/children`)?.trim().split(" ")[0];
  return child ? Number(child) : undefined;
}
