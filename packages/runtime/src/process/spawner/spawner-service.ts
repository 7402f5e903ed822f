import { rmSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { CaretError } from "@caret/protocol";
import { openProcessRegistry, type ProcessRegistry } from "../process-registry.ts";
import { StatusFiles } from "../status-files.ts";
import { createStrayReaper, type ReapTime } from "../stray-reaper.ts";
import { killMarked } from "../sweep-leftovers.ts";
import {
  outputNames,
  type RemoteCommand,
  type SpawnerReport,
  type SpawnerRequest,
  socketGreeting,
  streamNames,
} from "./spawner-messages.ts";
import { type StartedProcess, startProcess } from "./start-process.ts";
import { StreamServer } from "./stream-server.ts";

/** The spawner's side of the protocol with the gateway. */
export class SpawnerService {
  readonly #send: (report: SpawnerReport) => void;
  readonly #reaper = createStrayReaper();
  readonly #running = new Map<string, StartedProcess>();
  readonly #marks = new Set<string>();
  #socketPath = "";
  #streams: StreamServer | undefined;
  #statuses: StatusFiles | undefined;
  #registry: ProcessRegistry | undefined;

  constructor(send: (report: SpawnerReport) => void) {
    this.#send = send;
  }

  async handle(request: SpawnerRequest): Promise<void> {
    switch (request.type) {
      case "open":
        if (request.registryDir !== undefined) this.#registry = openProcessRegistry(request.registryDir);
        return this.#listen(request.socketPath);
      case "spawn":
        return this.#spawn(request.id, request.command);
      case "signal":
        this.#running.get(request.id)?.signal(request.signal);
        return;
      case "reap":
        await this.#reap(request.id, request.strays);
        this.#send({ type: "reaped", id: request.id });
        return;
    }
  }

  async #listen(path: string): Promise<void> {
    this.#socketPath = path;
    this.#statuses = new StatusFiles(dirname(path));
    this.#streams = new StreamServer({ path });
    await this.#streams.listening;
    this.#send({ type: "listening" });
  }

  async #reap(id: string, strays: ReapTime): Promise<void> {
    await this.#running.get(id)?.reap(strays);
    this.#running.delete(id);
    this.#marks.delete(id);
  }

  /** The gateway is gone: kills all that is left, and cleans up what the gateway no longer can. */
  closeDown(): void {
    for (const started of this.#running.values()) started.signal("SIGKILL");
    killMarked(this.#marks);
    for (const mark of this.#marks) this.#registry?.remove(mark);
    if (this.#socketPath !== "") rmSync(dirname(this.#socketPath), { recursive: true, force: true });
  }

  async #spawn(id: string, { hasStdin, ...command }: RemoteCommand): Promise<void> {
    this.#marks.add(id);
    let streams: readonly Socket[] = [];
    try {
      if (this.#streams === undefined) throw new CaretError("internal", "A child was asked for before `open`");
      const names = hasStdin ? streamNames : outputNames;
      streams = await this.#streams.expect(names.map((name) => socketGreeting(id, name)));
      const stdio = hasStdin ? streams : ["ignore" as const, ...streams];
      const options = { stdio, mark: id, reaper: this.#reaper, statuses: this.#statuses, registry: this.#registry };
      const started = await startProcess({ ...command, stdin: hasStdin ? "held" : "closed" }, options);
      this.#follow(id, started, command.contained !== undefined);
    } catch (reason) {
      this.#marks.delete(id);
      this.#send({ type: "failed", id, error: toFailure(reason).toInfo() });
    } finally {
      // The child has its own copies; ours would keep its streams open after its death.
      for (const socket of streams) socket.destroy();
    }
  }

  #follow(id: string, started: StartedProcess, isContained: boolean): void {
    this.#running.set(id, started);
    this.#send({ type: "started", id, ...started.identity });
    void started.exited.then(async (exit) => {
      if (exit.kind !== "exited") return this.#send({ type: "failed", id, error: exit.error.toInfo() });
      if (isContained) await this.#reap(id, "soon");
      this.#send({ type: "exited", id, code: exit.code, signal: exit.signal, isReaped: isContained });
    });
  }
}

function toFailure(reason: unknown): CaretError {
  if (CaretError.is(reason)) return reason;
  return new CaretError("agent-unavailable", "Could not open the streams of a new process", { cause: reason });
}
