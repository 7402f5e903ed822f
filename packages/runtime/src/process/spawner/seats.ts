import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { ChildCommand } from "../child-handle.ts";
import type { Launch, LaunchedProcess } from "../process-group.ts";
import { assertStartable } from "../start-failure.ts";
import { PROCESS_MARK } from "../sweep-leftovers.ts";
import { type GivingWay, givingWays, primingLine, seatCommandOf, seatKeyOf, seatWordsOf, startLine } from "./seat.ts";
import { SeatDemand } from "./seat-demand.ts";

export interface SeatsOptions {
  /** Starts the waiting shells. */
  readonly launch: Launch;
  /** How many wait if few are used. 0: never any. */
  readonly least: number;
  /** Maximum waiting after many agents were started at once. Default: 256. */
  readonly most?: number | undefined;
  /** Time without use after which all seats are ended. */
  readonly idleMs?: number;
  /** Delay after the last start before seats are refilled: until then the started agents have the processor. */
  readonly refillMs?: number;
  /** Interval between seats beyond the minimum, because answers are being written at the same time. */
  readonly paceMs?: number;
}

/** The newest turn's command, and the seats made for it. */
interface Wanted {
  readonly command: ChildCommand;
  readonly seatCommand: ChildCommand;
  readonly key: string;
}

interface Seat {
  readonly key: string;
  /** The words of the command it was primed with. */
  readonly primed: string | undefined;
  readonly launched: LaunchedProcess;
}

const IDLE_MS = 60_000;
const REFILL_MS = 10;
const PACE_MS = 25;
const MOST_SEATS = 256;

/**
 * Processes started ahead that wait for a command: an agent's fork, namespaces and streams are made before its request comes, and starting
 * it is a write to a socket. Each is used once, by a command with exactly the environment and container it was made with, so one turn
 * leaves nothing for the next.
 */
export class Seats {
  readonly #options: Required<SeatsOptions> & { readonly most: number };
  readonly #demand: SeatDemand;
  readonly #waiting: Seat[] = [];
  readonly #abort = new AbortController();
  #givingWay: Promise<GivingWay | undefined> | undefined;
  #ready: GivingWay | undefined;
  #wanted: Wanted | undefined;
  #refill: NodeJS.Timeout | undefined;
  #growth: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #coming = 0;

  constructor(options: SeatsOptions) {
    const { least, most = Math.max(least, MOST_SEATS) } = options;
    this.#options = { idleMs: IDLE_MS, refillMs: REFILL_MS, paceMs: PACE_MS, ...options, most };
    this.#demand = new SeatDemand(this.#options);
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** A process about to become the command; undefined if none waits for it. Throws like an ordinary start. */
  take(command: ChildCommand): LaunchedProcess | undefined {
    if (this.#options.least === 0 || this.#abort.signal.aborted) return undefined;
    const seatCommand = seatCommandOf(command);
    if (seatCommand === undefined) return undefined;
    const key = seatKeyOf(seatCommand);
    this.#wanted = { command: withoutInput(command), seatCommand, key };
    this.#fillSoon();
    this.#demand.note();
    const index = this.#waiting.findIndex((seat) => seat.key === key);
    const words = index === -1 || this.#ready === undefined ? undefined : seatWordsOf(command, this.#ready);
    if (words === undefined) return undefined;
    assertStartable(command);
    const [seat] = this.#waiting.splice(index, 1);
    if (seat === undefined) return undefined;
    return occupy(seat, startLine(words, seat.primed), command.stdin === "closed");
  }

  async close(): Promise<void> {
    clearTimeout(this.#refill);
    clearTimeout(this.#growth);
    clearTimeout(this.#idle);
    this.#abort.abort();
    await this.#endAll();
  }

  /** Postponed by every start: while agents are being started, they need not share the processor. */
  #fillSoon(): void {
    clearTimeout(this.#growth);
    if (this.#refill === undefined) this.#refill = setTimeout(() => this.#fill(), this.#options.refillMs).unref();
    else this.#refill.refresh();
  }

  #fill(): void {
    this.#refill = undefined;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#rest(), this.#options.idleMs).unref();
    if (this.#wanted === undefined) return;
    const { least, paceMs } = this.#options;
    const { wanted } = this.#demand;
    const { key } = this.#wanted;
    // Seats for another environment make way: upcoming turns will resemble the newest one.
    const others = this.#waiting.filter((seat) => seat.key !== key);
    const present = this.#waiting.length - others.length + this.#coming;
    const missing = Math.max(least - present, Math.min(1, wanted - present));
    const room = wanted - present - others.length;
    for (const seat of others.slice(0, Math.max(0, missing - room))) void this.#end(seat);
    for (let made = 0; made < missing; made += 1) void this.#make(this.#wanted);
    if (present + missing < wanted) this.#growth = setTimeout(() => this.#fill(), paceMs).unref();
    else this.#demand.endBurst();
  }

  async #make({ command, seatCommand, key }: Wanted): Promise<void> {
    this.#coming += 1;
    try {
      this.#ready = await this.#findGivingWay(seatCommand);
      if (this.#ready === undefined) return this.#stopGrowing();
      const primed = seatWordsOf(command, this.#ready);
      const launched = await this.#options.launch(seatCommand, { signal: this.#abort.signal });
      const seat = { key, primed, launched };
      if (this.#abort.signal.aborted) return await end(seat);
      letGo(seat);
      launched.stdin?.write(primingLine(primed));
      this.#waiting.push(seat);
      void launched.exited.then(() => this.#lose(seat));
    } catch {
      // If a seat cannot be made it is merely missing: a start without one reports the error.
      this.#stopGrowing();
    } finally {
      this.#coming -= 1;
    }
  }

  /** Determined once for all seats; again after a failed start, which says nothing about the shell. */
  #findGivingWay(seat: ChildCommand): Promise<GivingWay | undefined> {
    this.#givingWay ??= findGivingWay(this.#options.launch, seat, this.#abort.signal).catch((reason: unknown) => {
      this.#givingWay = undefined;
      throw reason;
    });
    return this.#givingWay;
  }

  /** Until the next start: a seat that keeps failing would otherwise be remade at every interval without success. */
  #stopGrowing(): void {
    clearTimeout(this.#growth);
  }

  /** It ended. If it was neither taken nor ended by us, others like it would fail as well. */
  #lose(seat: Seat): void {
    if (this.#waiting.includes(seat)) this.#stopGrowing();
    void this.#end(seat);
  }

  /** No seat was taken for a long time: none is needed. */
  #rest(): void {
    this.#stopGrowing();
    this.#demand.forget();
    void this.#endAll();
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#waiting].map((seat) => this.#end(seat)));
  }

  /** Leaves a taken seat alone: it belongs to its command. */
  async #end(seat: Seat): Promise<void> {
    const index = this.#waiting.indexOf(seat);
    if (index === -1) return;
    this.#waiting.splice(index, 1);
    await end(seat);
  }
}

/** A prompt may be megabytes and must not be kept for other commands. */
function withoutInput(command: ChildCommand): ChildCommand {
  return typeof command.stdin === "object" ? { ...command, stdin: "held" } : command;
}

function occupy({ launched }: Seat, line: string, isStdinClosed: boolean): LaunchedProcess {
  for (const socket of socketsOf(launched)) socket.ref();
  launched.hold?.(true);
  const { stdin } = launched;
  if (!isStdinClosed) {
    stdin?.write(line);
    return launched;
  }
  // This end is ours alone, and Node does not close an unread socket when its peer is gone.
  stdin?.end(line, () => stdin.destroy());
  return { ...launched, stdin: undefined };
}

async function end({ launched }: Seat): Promise<void> {
  for (const socket of socketsOf(launched)) socket.destroy();
  launched.signal("SIGKILL");
  await launched.exited;
  await launched.reap("now");
}

/** While unused, it and its streams must neither keep this process alive nor crash it. */
function letGo({ launched }: Seat): void {
  launched.hold?.(false);
  for (const socket of socketsOf(launched)) {
    socket.on("error", ignoreError);
    socket.unref();
  }
}

/** A lost stream is reported by the process's exit. */
function ignoreError(): void {}

function socketsOf({ stdin, stdout, stderr }: LaunchedProcess): readonly Socket[] {
  return [stdin, stdout, stderr].filter((stream) => stream !== undefined) as unknown as readonly Socket[];
}

/** The first method by which this machine's shell passes the environment on unchanged; undefined if there is none. */
async function findGivingWay(launch: Launch, seat: ChildCommand, signal: AbortSignal): Promise<GivingWay | undefined> {
  for (const givingWay of givingWays) {
    const command = { ...seat, cwd: "/", ...(seat.contained === undefined ? printer : insideOf(seat)) };
    const words = seatWordsOf(command, givingWay);
    const launched = await launch(seat, { signal });
    const printed = await answerOf(launched, primingLine(words) + startLine(words ?? "exit", words));
    if (isUnchanged(printed, seat)) return givingWay;
  }
  return undefined;
}

/** What a seat prints when given these lines and no other input. Rejects if its container could not be made. */
async function answerOf(launched: LaunchedProcess, lines: string): Promise<string> {
  try {
    launched.stdin?.on("error", ignoreError);
    launched.stdin?.end(lines);
    launched.stderr.resume();
    const printed = await textOf(launched.stdout);
    const exit = await launched.exited;
    if (exit.kind !== "exited") throw exit.error;
    return printed;
  } finally {
    // Half-open sockets: the end of the other side does not close them.
    for (const socket of socketsOf(launched)) socket.destroy();
    await launched.reap("soon");
  }
}

async function textOf(output: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  output.on("data", (chunk: Uint8Array) => chunks.push(Buffer.from(chunk))).resume();
  await finished(output, { writable: false });
  return Buffer.concat(chunks).toString();
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
