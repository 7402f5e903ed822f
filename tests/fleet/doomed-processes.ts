/** A process that can be killed, and the address of the one that runs. */
interface Mortal {
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<unknown>;
}

/** Several processes of one kind, each of which comes back when it was killed. */
export class DoomedProcesses<Process extends Mortal> {
  readonly #start: (index: number) => Promise<Process>;
  readonly #running: Promise<Process>[];
  #isOver = false;
  readonly #ready = new Map<number, Process>();
  readonly #killed = new Set<Process>();
  /** What those said that ended by themselves. */
  readonly crashes: string[] = [];
  kills = 0;

  constructor(count: number, start: (index: number) => Promise<Process>) {
    // As a service manager does: a process that starts while the database is away is started again.
    this.#start = async (index) => {
      for (;;) {
        try {
          const process = await start(index);
          this.#ready.set(index, process);
          void process.exited.then(() => this.#noteEnd(index, process));
          return process;
        } catch (reason) {
          if (!String(reason).includes("PostgreSQL cannot be reached")) throw reason;
        }
      }
    };
    this.#running = Array.from({ length: count }, (_, index) => this.#start(index));
  }

  async ready(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** The process of this number, once it runs. */
  get(index: number): Promise<Process> {
    const found = this.#running[index % this.#running.length];
    if (found === undefined) throw new Error("There are no processes");
    return found;
  }

  /** SIGKILL, and another one in its place. One that is still starting is left alone. */
  kill(index: number): void {
    const process = this.#ready.get(index);
    if (process === undefined || this.#isOver) return;
    this.kills += 1;
    this.#killed.add(process);
    this.#ready.delete(index);
    process.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.ready();
  }

  #noteEnd(index: number, process: Process): void {
    if (this.#isOver) return;
    if (!this.#killed.has(process)) this.crashes.push(process.stderr());
    this.#running[index] = this.#start(index);
  }
}
