import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { within } from "../../async/within.ts";
import { TailRing } from "../tail-ring.ts";
import type { SpawnerReport, SpawnerRequest } from "./spawner-messages.ts";

const LEAVE_MS = 2_000;
const STDERR_TAIL_BYTES = 4 * 1024;

/** The entry beside this file, as source or as built. */
const entry = new URL(`./spawner-main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** One spawner process and the channel to it, for as long as it lives. */
export class SpawnerLink {
  readonly #process: ChildProcess;
  readonly #gone = Promise.withResolvers<void>();
  readonly #stderr = new TailRing(STDERR_TAIL_BYTES);
  #alive = true;

  constructor(onReport: (report: SpawnerReport) => void) {
    this.#process = fork(entry, [], {
      cwd: "/",
      env: compileCache(), // nothing else: its children could read it through /proc
      // It does little and lives long: optimizing compilers, and room for garbage, would cost more memory than they save time.
      execArgv: ["--no-opt", "--no-maglev", "--max-semi-space-size=1", "--max-old-space-size=96"],
      detached: true, // Ctrl-C in the gateway's terminal is for the gateway
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#process.on("message", onReport);
    this.#process.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    for (const event of ["exit", "disconnect", "error"] as const) this.#process.on(event, () => this.#lose());
    this.hold(false);
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Resolves when the process is gone, or deaf, which is as good as gone. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Its last words. */
  stderrTail(): string {
    return this.#stderr.text();
  }

  send(request: SpawnerRequest): void {
    // A failed send means that the channel has closed, which `gone` reports.
    if (this.#alive) this.#process.send(request, () => undefined);
  }

  /** While held, the spawner keeps this process from ending by itself. */
  hold(isHeld: boolean): void {
    for (const part of [this.#process, this.#process.channel, this.#process.stderr as unknown as Refable | null])
      if (isHeld) part?.ref();
      else part?.unref();
  }

  async close(): Promise<void> {
    this.hold(true);
    const exited = new Promise<void>((resolve) => this.#process.once("exit", () => resolve()));
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    if (this.#process.connected) this.#process.disconnect();
    if (!(await within(exited, LEAVE_MS))) this.#process.kill("SIGKILL");
  }

  #lose(): void {
    this.#alive = false;
    this.#gone.resolve();
  }
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
