import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { identifyProcess, type ProcessIdentity, readProcFile } from "./process-identity.ts";

/** The descriptor on which bubblewrap reports, right after the standard three. */
export const STATUS_FD = 3;

/**
 * Watches bubblewrap's reports and returns a function that names the agent inside it, as seen from outside.
 *
 * Bubblewrap reports its own first process of the new namespace; the agent is that one's only child. Undefined until
 * the agent runs, and when bubblewrap failed before it got there.
 */
export function readContainedAgent(child: ChildProcess): () => ProcessIdentity | undefined {
  const status = child.stdio[STATUS_FD] as Readable;
  let text = "";
  status.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  // The reports are only needed to find the agent; that bubblewrap ended is known from its exit.
  status.on("error", () => undefined);
  return () => {
    const initPid = /"child-pid"\s*:\s*(\d+)/.exec(text)?.[1];
    if (initPid === undefined) return undefined;
    const agentPid = readProcFile(`/proc/${initPid}/task/${initPid}/children`)?.trim().split(" ")[0];
    return agentPid ? identifyProcess(Number(agentPid)) : undefined;
  };
}
