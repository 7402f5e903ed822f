import type { AgentHost } from "./agent-host.ts";
import { childCommandOf } from "./child-command-of.ts";

const DEADLINE_MS = 15_000;
const uuidPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/**
 * Makes the CLI create a chat ahead of its first turn. Undefined if it takes too long: the id may be printed by a process that then never
 * exits, so the id is used as soon as it appears, without waiting for the process.
 */
export async function createChat(options: {
  readonly host: AgentHost;
  readonly workspace: string;
  readonly signal: AbortSignal;
  readonly deadlineMs?: number;
}): Promise<string | undefined> {
  const { host, workspace, signal, deadlineMs = DEADLINE_MS } = options;
  const profile = await host.resolveProfile("default");
  const launch = await host.resolveLaunch(host.programs.command);
  const args = ["create-chat", "--workspace", workspace];
  const child = host.spawn(childCommandOf({ host, launch, args, workspace, profile, stdin: "closed" }));
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  const stop = (): void => void child.stop({ reason: "took too long", graceMs: 0 });
  deadline.addEventListener("abort", stop, { once: true });
  if (deadline.aborted) stop();
  let printed = "";
  try {
    for await (const chunk of child.stdout) {
      printed += Buffer.from(chunk).toString("utf8");
      const id = uuidPattern.exec(printed)?.[0];
      if (id !== undefined) return id;
    }
    return undefined;
  } finally {
    deadline.removeEventListener("abort", stop);
    await child.stop({ graceMs: host.clocks.graceMs });
  }
}
