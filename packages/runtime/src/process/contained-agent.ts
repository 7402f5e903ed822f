import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { createDeferred } from "./deferred.ts";
import { identifyProcess, type ProcessIdentity, readProcFile } from "./process-identity.ts";
import { within } from "./within.ts";

/** The descriptor on which bubblewrap reports, right after the standard three. */
export const STATUS_FD = 3;

const LAST_REPORT_MS = 200;

export interface ContainedAgent {
  /** The agent inside, as seen from outside; undefined while there is none. */
  identify(): ProcessIdentity | undefined;
  /** After the exit: did the agent run at all? If not, what failed was bubblewrap. */
  hasRun(): Promise<boolean>;
}

/**
 * Follows bubblewrap's reports. It names its own first process in the new namespace, whose only child is the agent,
 * and in the end it tells the agent's exit code, unless it never came to start it.
 */
export function followContainedAgent(child: ChildProcess): ContainedAgent {
  const status = child.stdio[STATUS_FD] as Readable;
  const ended = createDeferred<void>();
  let reports = "";
  status.on("data", (chunk: Buffer) => {
    reports += chunk.toString("latin1");
  });
  status.once("close", () => ended.resolve());
  // A broken report is like none at all; that bubblewrap ended is known from its exit.
  status.on("error", () => ended.resolve());
  return {
    identify() {
      const initPid = /"child-pid"\s*:\s*(\d+)/.exec(reports)?.[1];
      if (initPid === undefined) return undefined;
      const agentPid = readProcFile(`/proc/${initPid}/task/${initPid}/children`)?.trim().split(" ")[0];
      return agentPid ? identifyProcess(Number(agentPid)) : undefined;
    },
    async hasRun() {
      await within(ended.promise, LAST_REPORT_MS);
      status.destroy();
      return reports.includes('"exit-code"');
    },
  };
}
