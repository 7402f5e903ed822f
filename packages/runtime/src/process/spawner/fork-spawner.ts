import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";

/** The entry beside this file, as source or as built. */
const entry = new URL(`./spawner-main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** It does little and lives long: compilers would cost more memory than they save time. */
const WITHOUT_COMPILERS = ["--no-opt", "--no-maglev", "--no-sparkplug"];
/** Garbage is collected before the heap grows: each fork copies the tables of all pages. */
const SMALL_HEAP = ["--max-semi-space-size=1", "--max-old-space-size=96", "--optimize-for-size", "--expose-gc"];

/**
 * A spawner process that nothing has been asked of. It does not keep this process from ending, and ends with it. This file
 * loads nothing else, so that a gateway can have its spawner boot while it still loads itself.
 */
export function forkSpawner(): ChildProcess {
  const child = fork(entry, [], {
    cwd: "/",
    env: compileCache(), // nothing else: its children could read it through /proc
    execArgv: [...WITHOUT_COMPILERS, ...SMALL_HEAP],
    detached: true, // Ctrl-C in the gateway's terminal is for the gateway
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  // One that cannot be forked, or has died before it was needed, is replaced by the first start that needs it: without a
  // listener it would end this process, which still loads itself.
  child.on("error", () => undefined);
  holdSpawner(child, false);
  return child;
}

/** While held, the spawner keeps this process from ending by itself. */
export function holdSpawner(child: ChildProcess, isHeld: boolean): void {
  for (const part of [child, child.channel, child.stderr as unknown as Refable | null])
    if (isHeld) part?.ref();
    else part?.unref();
}

/** A pipe of a child can be let go of like the child itself; the type of a plain stream does not say so. */
interface Refable {
  ref(): void;
  unref(): void;
}

/** V8's compile cache of this process, where it has one: with it the spawner starts in half the time. */
function compileCache(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}
