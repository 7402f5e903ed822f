import { PassThrough } from "node:stream";
import type { Host } from "../host/host.ts";

/** The process that Caret is to run in. */
export type InProcessHost = Pick<Host, "env" | "cwd" | "home" | "platform" | "uid">;

/** The program that Caret runs in owns the terminal and the signals. */
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
