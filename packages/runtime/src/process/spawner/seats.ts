import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { ChildCommand } from "../child-handle.ts";
import type { Launch, LaunchedProcess } from "../process-group.ts";
import { assertStartable } from "../start-failure.ts";
import { PROCESS_MARK } from "../sweep-leftovers.ts";
import { type GivingWay, givingWays, seatCommandOf, seatKeyOf, seatLineOf } from "./seat.ts";

export interface SeatsOptions {
  /** Starts the waiting shells. */
  readonly launch: Launch;
  /** How many wait at most. */
  readonly max: number;
  /** When no seat was taken for so long, all of them are ended. */
  readonly idleMs?: number;
  /** How long after a start the seats are filled up: by then the agent that was started has the processor to itself. */
  readonly refillMs?: number;
}

interface Seat {
  readonly key: string;
  readonly launched: LaunchedProcess;
}

const IDLE_MS = 60_000;
const REFILL_MS = 10;

/**
 * Processes that were started ahead and wait for what they are to become: the fork, the namespaces and the streams of an
 * agent are then made before its request comes, and starting it is a write to a socket. Each is used once, by a
 * command with the very environment and container it was made with: nothing of one turn is there for the next.
 */
export class Seats {
  readonly #options: Required<SeatsOptions>;
  readonly #waiting: Seat[] = [];
  readonly #abort = new AbortController();
  #givingWay: Promise<GivingWay | undefined> | undefined;
  #ready: GivingWay | undefined;
  #wanted: ChildCommand | undefined;
  #refill: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #coming = 0;

  constructor(options: SeatsOptions) {
    this.#options = { idleMs: IDLE_MS, refillMs: REFILL_MS, ...options };
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** A process that is about to become the command; undefined where none waits for it. Throws as an ordinary start does. */
  take(command: ChildCommand): LaunchedProcess | undefined {
    const seatCommand = seatCommandOf(command);
    if (seatCommand === undefined || this.#abort.signal.aborted) return undefined;
    this.#wanted = seatCommand;
    this.#refill ??= setTimeout(() => this.#fill(), this.#options.refillMs).unref();
    const key = seatKeyOf(seatCommand);
    const index = this.#waiting.findIndex((seat) => seat.key === key);
    const line = index === -1 || this.#ready === undefined ? undefined : seatLineOf(command, this.#ready);
    if (line === undefined) return undefined;
    assertStartable(command);
    const [seat] = this.#waiting.splice(index, 1);
    return seat === undefined ? undefined : occupy(seat, line, command.stdin === "closed");
  }

  async close(): Promise<void> {
    clearTimeout(this.#refill);
    clearTimeout(this.#idle);
    this.#abort.abort();
    await this.#endAll();
  }

  #fill(): void {
    this.#refill = undefined;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#endAll(), this.#options.idleMs).unref();
    const command = this.#wanted;
    if (command === undefined) return;
    const key = seatKeyOf(command);
    // Seats for another environment make way: turns of today are like the newest one.
    const others = this.#waiting.filter((seat) => seat.key !== key);
    const room = this.#options.max - this.#waiting.length - this.#coming;
    const missing = this.#options.max - (this.#waiting.length - others.length) - this.#coming;
    for (const seat of others.slice(0, Math.max(0, missing - room))) void this.#end(seat);
    for (let made = 0; made < missing; made += 1) void this.#make(command, key);
  }

  async #make(command: ChildCommand, key: string): Promise<void> {
    this.#coming += 1;
    try {
      this.#givingWay ??= findGivingWay(this.#options.launch, command, this.#abort.signal);
      this.#ready = await this.#givingWay;
      if (this.#ready === undefined) return;
      const seat = { key, launched: await this.#options.launch(command, { signal: this.#abort.signal }) };
      if (this.#abort.signal.aborted) return await end(seat);
      letGo(seat);
      this.#waiting.push(seat);
      void seat.launched.exited.then(() => this.#end(seat));
    } catch {
      // A seat that cannot be made is only missing: the start that finds none says what is wrong.
    } finally {
      this.#coming -= 1;
    }
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#waiting].map((seat) => this.#end(seat)));
  }

  /** Nothing happens to one that was taken: it is its command's by then. */
  async #end(seat: Seat): Promise<void> {
    const index = this.#waiting.indexOf(seat);
    if (index === -1) return;
    this.#waiting.splice(index, 1);
    await end(seat);
  }
}

function occupy({ launched }: Seat, line: string, isStdinClosed: boolean): LaunchedProcess {
  for (const socket of socketsOf(launched)) socket.ref();
  const { stdin } = launched;
  if (!isStdinClosed) {
    stdin?.write(line);
    return launched;
  }
  stdin?.end(line);
  return { ...launched, stdin: undefined };
}

async function end({ launched }: Seat): Promise<void> {
  for (const socket of socketsOf(launched)) socket.destroy();
  launched.signal("SIGKILL");
  await launched.exited;
  await launched.reap("now");
}

/** Unused so far: its streams must not keep this process alive, nor break it. */
function letGo({ launched }: Seat): void {
  for (const socket of socketsOf(launched)) {
    socket.on("error", ignoreError);
    socket.unref();
  }
}

/** The exit of the process is what tells that a stream is gone. */
function ignoreError(): void {}

function socketsOf({ stdin, stdout, stderr }: LaunchedProcess): readonly Socket[] {
  return [stdin, stdout, stderr].filter((stream) => stream !== undefined) as unknown as readonly Socket[];
}

/** The first way in which this machine's shell hands the environment on unchanged; undefined when there is none. */
async function findGivingWay(launch: Launch, seat: ChildCommand, signal: AbortSignal): Promise<GivingWay | undefined> {
  for (const givingWay of givingWays) {
    const command = { ...seat, cwd: "/", ...(seat.contained === undefined ? printer : insideOf(seat)) };
    const line = seatLineOf(command, givingWay);
    const launched = await launch(seat, { signal });
    launched.stdin?.on("error", ignoreError);
    launched.stdin?.end(line ?? "\n");
    launched.stderr.resume();
    const printed = await text(launched.stdout);
    await launched.exited;
    await launched.reap("soon");
    if (isUnchanged(printed, seat)) return givingWay;
  }
  return undefined;
}

const printer = { file: "/usr/bin/env", args: ["-0"] };

function insideOf({ file, args }: ChildCommand): Pick<ChildCommand, "file" | "args" | "contained"> {
  return { file, args, contained: printer };
}

function isUnchanged(printed: string, { env }: ChildCommand): boolean {
  const found = printed.split("\0").filter((entry) => entry !== "" && !entry.startsWith(`${PROCESS_MARK}=`));
  const wanted = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return found.sort().join("\0") === wanted.sort().join("\0");
}
