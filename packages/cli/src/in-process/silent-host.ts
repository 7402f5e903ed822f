import { PassThrough } from "node:stream";
import type { Host } from "../host/host.ts";

/** The process that hosts Caret. */
export type InProcessHost = Pick<Host, "env" | "cwd" | "home" | "platform" | "uid">;

/** The hosting program owns the terminal and the signals. */
export function silentHost(from: InProcessHost): Host {
  const sink = new PassThrough().resume();
  return {
    ...from,
    argv: [],
    command: "caret",
    stdin: new PassThrough().end(),
    stdout: sink,
    stderr: sink,
    onSignal: () => () => undefined,
  };
}
