import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";

/** The entry next to this file, as source or as built. */
const entry = new URL(`./spawner-main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** It does little and lives long: compilers would cost more memory than the time they save. */
const WITHOUT_COMPILERS = ["--no-opt", "--no-maglev", "--no-sparkplug"];
/** Collects garbage before growing the heap: each fork copies the page tables. */
const SMALL_HEAP = ["--max-semi-space-size=1", "--max-old-space-size=96", "--optimize-for-size", "--expose-gc"];

/**
 * Starts a spawner process without any request. It neither keeps this process alive nor outlives it. This file loads nothing else, so a
 * gateway can boot its spawner while it is still loading.
 */
export function forkSpawner(): ChildProcess {
  const child = fork(entry, [], {
    cwd: "/",
    env: compileCache(), // nothing else: its children could read it through /proc
    execArgv: [...WITHOUT_COMPILERS, ...SMALL_HEAP],
    detached: true, // Ctrl-C in the terminal is meant for the gateway only
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  // If it cannot be forked, or died before it was needed, the first start that needs it replaces it. Without a listener it would end this
  // process, which is still loading.
  child.on("error", () => undefined);
  holdSpawner(child, false);
  return child;
}

/** While held, the spawner keeps this process alive. */
export function holdSpawner(child: ChildProcess, isHeld: boolean): void {
  for (const part of [child, child.channel, child.stderr as unknown as Refable | null])
    if (isHeld) part?.ref();
    else part?.unref();
}

/** A child's pipe can be unreferenced like the child itself, but the type of a plain stream does not say so. */
interface Refable {
  ref(): void;
  unref(): void;
}

/** This process's V8 compile cache, if it has one: with it the spawner starts in half the time. */
function compileCache(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}
