import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { within } from "../../async/within.ts";
import { TailRing } from "../tail-ring.ts";
import { forkSpawner, holdSpawner } from "./fork-spawner.ts";
import type { ChildReport, SpawnerReport, SpawnerRequest } from "./spawner-messages.ts";

const LEAVE_MS = 2_000;
const STDERR_TAIL_BYTES = 4 * 1024;

export interface SpawnerLinkOptions {
  /** Parent of its socket's directory. */
  readonly socketDir: string;
  readonly registryDir: string | undefined;
  readonly onReport: (report: ChildReport) => void;
  /** A spawner process forked earlier. */
  readonly forked?: ChildProcess | undefined;
}

/** One spawner process with its channel and its listening socket, for as long as it lives. */
export class SpawnerLink {
  /** Where streams of children are opened, once `listening`. */
  readonly socketPath: string;
  readonly #directory: string;
  readonly #process: ChildProcess;
  readonly #listening = Promise.withResolvers<boolean>();
  readonly #gone = Promise.withResolvers<void>();
  readonly #stderr = new TailRing(STDERR_TAIL_BYTES);
  #alive = true;

  constructor({ socketDir, registryDir, onReport, forked }: SpawnerLinkOptions) {
    // Created before the process: an unreachable process would stay as long as this one.
    this.#directory = mkdtempSync(join(socketDir, "caret-"));
    chmodSync(this.#directory, 0o700);
    this.socketPath = join(this.#directory, "streams");
    this.#process = forked ?? forkSpawner();
    this.#process.on("message", (report: SpawnerReport) => {
      if (report.type === "listening") this.#listening.resolve(true);
      else onReport(report);
    });
    this.#process.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    for (const event of ["exit", "disconnect", "error"] as const) this.#process.on(event, () => this.#lose());
    // A process forked earlier may have died before we listened.
    if (!this.#process.connected) this.#lose();
    this.send({ type: "open", socketPath: this.socketPath, registryDir });
    this.hold(false);
  }

  /** Resolves when streams can be opened; false if the process is gone. */
  get listening(): Promise<boolean> {
    return this.#listening.promise;
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Resolves when the process is gone, or disconnected, which amounts to the same. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** The end of its standard error. */
  stderrTail(): string {
    return this.#stderr.text();
  }

  send(request: SpawnerRequest): void {
    // A failed send means that the channel has closed, which `gone` reports.
    if (this.#alive) this.#process.send(request, () => undefined);
  }

  /** While held, the spawner keeps this process alive. */
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
    if (!this.#alive) return;
    this.#alive = false;
    rmSync(this.#directory, { recursive: true, force: true });
    this.#listening.resolve(false);
    this.#gone.resolve();
  }
}
