import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { CaretError } from "@caret/protocol";
import { within } from "../../async/within.ts";
import type { ChildCommand, ChildExit, ChildHandle, Spawner, SpawnOptions } from "../child-handle.ts";
import { type Launch, type LaunchedProcess, signalGroup } from "../process-group.ts";
import { isAlive, type ProcessIdentity } from "../process-identity.ts";
import { openProcessRegistry, type ProcessRegistry } from "../process-registry.ts";
import { superviseChild } from "../supervise-child.ts";
import { killMarked } from "../sweep-leftovers.ts";
import { openStream } from "./open-stream.ts";
import { Seats } from "./seats.ts";
import { SpawnerLink } from "./spawner-link.ts";
import { type ChildReport, type StreamName, socketGreeting } from "./spawner-messages.ts";

/** Long enough for a loaded machine; beyond it the spawner is stuck and the turn should fail. */
const START_MS = 30_000;
/** If the spawner does not end its children or seats within this time, it is killed, and they are killed from here. */
const END_MS = 2_000;

export interface ProcessSpawnerOptions {
  readonly registryDir?: string | undefined;
  /** Parent of the stream socket's directory. Keep it short: a socket path holds about 100 bytes. */
  readonly socketDir: string;
  /** How many processes started ahead wait for `seated` commands. */
  readonly seats?: number | undefined;
  /** Maximum waiting after many were used at once. */
  readonly mostSeats?: number | undefined;
  /** A spawner process forked earlier; used until it dies. */
  readonly forked?: ChildProcess | undefined;
}

/** The gateway's record of one child of the spawner. */
interface RemoteChild {
  readonly link: SpawnerLink;
  readonly start: PromiseWithResolvers<ProcessIdentity | CaretError>;
  readonly exited: PromiseWithResolvers<ChildExit>;
  readonly reaped: PromiseWithResolvers<void>;
  identity?: ProcessIdentity;
}

/** Starts children through a spawner process, and replaces the spawner if it dies. */
export class ProcessSpawner implements Spawner {
  readonly #socketDir: string;
  readonly #registryDir: string | undefined;
  readonly #registry: ProcessRegistry | undefined;
  readonly #remotes = new Map<string, RemoteChild>();
  /** Children that keep this process alive: all but waiting seats. */
  readonly #held = new Set<string>();
  readonly #children = new Set<ChildHandle>();
  readonly #seats: Seats;
  #link: SpawnerLink | undefined;
  #closed = false;

  constructor({ registryDir, socketDir, seats = 0, mostSeats, forked }: ProcessSpawnerOptions) {
    this.#socketDir = socketDir;
    this.#registryDir = registryDir;
    this.#registry = registryDir === undefined ? undefined : openProcessRegistry(registryDir);
    const launch: Launch = (command, { signal }) => this.#start(command, signal);
    this.#seats = new Seats({ launch, least: seats, most: mostSeats });
    this.#link = this.#open(forked);
  }

  /** The spawner process itself; undefined if it died and no new one was needed yet. */
  get pid(): number | undefined {
    return this.#link?.isAlive ? this.#link.pid : undefined;
  }

  /** Number of processes waiting to become a command. */
  get seats(): number {
    return this.#seats.size;
  }

  spawn(command: ChildCommand, options?: SpawnOptions): ChildHandle {
    const launch: Launch = (wanted, { signal }) => {
      this.#assertOpen(signal);
      const seated = options?.seated === true ? this.#seats.take(wanted) : undefined;
      return seated ?? this.#start(wanted, signal);
    };
    const child = superviseChild(command, launch, options);
    this.#children.add(child);
    void child.exit.then(() => this.#children.delete(child));
    return child;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stop = { reason: "Caret is shutting down", graceMs: 0 };
    const stopped = Promise.all([...this.#children].map((child) => child.stop(stop)));
    await Promise.all([within(stopped, END_MS), within(this.#seats.close(), END_MS)]);
    await this.#link?.close();
    await stopped;
  }

  #assertOpen(signal: AbortSignal): void {
    if (this.#closed) throw new CaretError("cancelled", "Caret is shutting down");
    signal.throwIfAborted();
  }

  async #start(command: ChildCommand, signal: AbortSignal): Promise<LaunchedProcess> {
    this.#assertOpen(signal);
    const { stdin, ...rest } = command;
    const hasStdin = stdin !== "closed";
    const link = this.#link?.isAlive ? this.#link : this.#open();
    const id = randomUUID();
    const remote = {
      link,
      start: Promise.withResolvers(),
      exited: Promise.withResolvers(),
      reaped: Promise.withResolvers(),
    } as RemoteChild;
    this.#remotes.set(id, remote);
    this.#hold(id, remote);
    link.send({ type: "spawn", id, command: { ...rest, hasStdin } });
    const streams = openStreams(link, id, hasStdin);
    try {
      const [identity, opened] = await inTime(Promise.all([remote.start.promise, streams]), signal);
      if (CaretError.is(identity)) throw identity;
      return { pid: identity.pid, ...opened, ...this.#controls(id, remote) };
    } catch (reason) {
      void streams.then(closeStreams, () => undefined); // failed streams need no closing
      // It may have started even though its streams failed.
      this.#disown(link, id);
      this.#forget(id);
      throw reason;
    }
  }

  #controls(id: string, remote: RemoteChild): Pick<LaunchedProcess, "exited" | "signal" | "reap" | "hold"> {
    const { link, exited, reaped } = remote;
    return {
      exited: exited.promise,
      signal: (signal) => {
        link.send({ type: "signal", id, signal });
        if (signal === "SIGKILL") void this.#killFromHere(id, remote);
      },
      reap: (strays) => {
        if (this.#remotes.has(id)) link.send({ type: "reap", id, strays });
        return reaped.promise;
      },
      hold: (isHeld) => (isHeld ? this.#hold(id, remote) : this.#letGo(id)),
    };
  }

  #open(forked?: ChildProcess): SpawnerLink {
    const onReport = (report: ChildReport): void => this.#hear(link, report);
    const link = new SpawnerLink({ socketDir: this.#socketDir, registryDir: this.#registryDir, onReport, forked });
    void link.gone.then(() => this.#mourn(link));
    this.#link = link;
    return link;
  }

  #hear(link: SpawnerLink, report: ChildReport): void {
    const remote = this.#remotes.get(report.id);
    switch (report.type) {
      case "started":
        if (remote === undefined) return this.#disown(link, report.id);
        remote.identity = { pid: report.pid, startTime: report.startTime };
        return remote.start.resolve(remote.identity);
      case "failed":
        return fail(remote, CaretError.fromInfo(report.error));
      case "exited":
        remote?.exited.resolve({ kind: "exited", code: report.code, signal: report.signal });
        return report.isReaped ? this.#finish(report.id) : undefined;
      case "reaped":
        return this.#finish(report.id);
    }
  }

  /** The spawner died: kills its children from here and rejects their waiters. */
  #mourn(link: SpawnerLink): void {
    const orphans = [...this.#remotes].filter(([, remote]) => remote.link === link);
    for (const [, { identity }] of orphans) if (identity !== undefined) signalGroup(identity, "SIGKILL");
    // The search visits all processes, so skip it if a spawner that left properly had no children.
    if (orphans.length > 0) killMarked(new Set(orphans.map(([id]) => id)));
    for (const [id, remote] of orphans) {
      remote.start.resolve(spawnerDied(link));
      const error = new CaretError("killed", "The process that had started this one died, and took it along");
      remote.exited.resolve({ kind: "lost", error });
      remote.reaped.resolve();
      this.#registry?.remove(id);
      this.#forget(id);
    }
  }

  /** A stuck spawner neither kills nor reports: a stop must not wait for it. */
  async #killFromHere(id: string, { identity, exited }: RemoteChild): Promise<void> {
    if (identity === undefined) return;
    signalGroup(identity, "SIGKILL");
    if ((await within(exited.promise, END_MS)) || isAlive(identity)) return;
    killMarked(new Set([id]));
    exited.resolve({ kind: "exited", code: null, signal: "SIGKILL" });
    this.#registry?.remove(id);
    this.#finish(id);
  }

  #disown(link: SpawnerLink, id: string): void {
    link.send({ type: "signal", id, signal: "SIGKILL" });
    link.send({ type: "reap", id, strays: "now" });
  }

  /** Nothing of the child is left. */
  #finish(id: string): void {
    this.#remotes.get(id)?.reaped.resolve();
    this.#forget(id);
  }

  #forget(id: string): void {
    this.#remotes.delete(id);
    this.#letGo(id);
  }

  #hold(id: string, { link }: RemoteChild): void {
    if (!this.#remotes.has(id)) return;
    this.#held.add(id);
    link.hold(true);
  }

  #letGo(id: string): void {
    if (this.#held.delete(id) && this.#held.size === 0) this.#link?.hold(false);
  }
}

type OpenedStreams = Pick<LaunchedProcess, "stdin" | "stdout" | "stderr">;

/** Opens the streams of one child: all or none. */
async function openStreams(link: SpawnerLink, id: string, hasStdin: boolean): Promise<OpenedStreams> {
  const open = (name: StreamName): Promise<Socket> => openStream(link.socketPath, socketGreeting(id, name));
  const isListening = await link.listening;
  const opening = isListening ? [open("stdout"), open("stderr"), ...(hasStdin ? [open("stdin")] : [])] : [];
  const settled = await Promise.allSettled(opening);
  const [stdout, stderr, stdin] = settled.map((each) => (each.status === "fulfilled" ? each.value : undefined));
  if (stdout !== undefined && stderr !== undefined && (stdin !== undefined || !hasStdin))
    return { stdin, stdout, stderr };
  for (const socket of [stdout, stderr, stdin]) socket?.destroy();
  if (!isListening) throw spawnerDied(link);
  const cause = settled.find((each) => each.status === "rejected")?.reason;
  throw new CaretError("agent-unavailable", "Could not open the streams of a new process", { cause });
}

function closeStreams({ stdin, stdout, stderr }: OpenedStreams): void {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy();
}

function spawnerDied(link: SpawnerLink): CaretError {
  return new CaretError("agent-unavailable", "The spawner process died", { upstream: link.stderrTail() });
}

function fail(remote: RemoteChild | undefined, error: CaretError): void {
  remote?.start.resolve(error);
  remote?.exited.resolve({ kind: "failed-to-start", error });
}

/** Rejects if the spawner does not start the program in time; sooner if the program is no longer wanted. */
function inTime<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = (): void =>
    reject(new CaretError("agent-unavailable", "The spawner process did not start the program in time"));
  let timer = setTimeout(giveUp, START_MS);
  const onAbort = (): void => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, END_MS);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([promise, late]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}
