import type { IncomingMessage, Server } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { boundHeap } from "./bound-heap.ts";

/** A gateway without requests for this long is idle. */
const IDLE_MS = 1_000;

/** Supervisors poll it constantly, so it does not count as work. */
const HEALTH_CHECK = "/healthz";

/**
 * Ends what bin/start.js began: V8 compiles and optimizes again from the first request on. If none comes for a while, garbage from startup
 * is collected, and V8's new space shrinks from 16 MB to 1.
 */
export function endLightStart(server: Server): void {
  const timer = setTimeout(() => {
    keepCompiled();
    collectGarbage();
  }, IDLE_MS);
  timer.unref();
  const end = ({ url }: IncomingMessage): void => {
    if (url === HEALTH_CHECK) return;
    server.off("request", end);
    clearTimeout(timer);
    setFlagsFromString("--opt");
    setFlagsFromString("--maglev");
    setFlagsFromString("--sparkplug");
    boundHeap();
  };
  server.on("request", end);
}

/** Calls the hook that bin/load-bundle.js leaves if it has no cache yet: later V8 may drop code compiled during startup. */
function keepCompiled(): void {
  const { [Symbol.for("caret.started")]: keep } = globalThis as { readonly [hook: symbol]: (() => void) | undefined };
  keep?.();
}

/** V8 offers no other way: the function exists in contexts created while the flag is set. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: {
    readonly type: "major";
    readonly flavor: "last-resort";
  }) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", flavor: "last-resort" });
}
