import type { ChildProcess } from "node:child_process";
import { within } from "../../async/within.ts";
import { TailRing } from "../tail-ring.ts";
import { forkSpawner, holdSpawner } from "./fork-spawner.ts";
import type { SpawnerReport, SpawnerRequest } from "./spawner-messages.ts";

const LEAVE_MS = 2_000;
const STDERR_TAIL_BYTES = 4 * 1024;

/** One spawner process and the channel to it, for as long as it lives. */
export class SpawnerLink {
  readonly #process: ChildProcess;
  readonly #gone = Promise.withResolvers<void>();
  readonly #stderr = new TailRing(STDERR_TAIL_BYTES);
  #alive = true;

  constructor(onReport: (report: SpawnerReport) => void, process = forkSpawner()) {
    this.#process = process;
    this.#process.on("message", onReport);
    this.#process.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    for (const event of ["exit", "disconnect", "error"] as const) this.#process.on(event, () => this.#lose());
    // One that was forked earlier may have died before anybody listened.
    if (!process.connected) this.#lose();
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
    holdSpawner(this.#process, isHeld);
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
