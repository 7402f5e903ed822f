import type { Socket } from "node:net";
import type { SpawnerLink } from "./spawner-link.ts";
import type { ExpectedStreams } from "./stream-server.ts";

/** A child that has a name and streams before it exists. */
export interface ExpectedChild {
  readonly id: string;
  readonly streams: ExpectedStreams;
}

/** As many as turns usually begin at the same moment. */
export const SPARES = 4;

interface Spare {
  readonly link: SpawnerLink;
  readonly child: ExpectedChild;
  readonly sockets: readonly Socket[];
}

/**
 * Streams that the spawner has opened ahead, so that a child need not wait until three sockets are connected. Only those
 * that have arrived are given out; they belong to one spawner and go with it.
 */
export class SpareStreams {
  readonly #expect: () => ExpectedChild;
  readonly #ready: Spare[] = [];
  #coming = 0;

  constructor(expect: () => ExpectedChild) {
    this.#expect = expect;
  }

  take(link: SpawnerLink): ExpectedChild | undefined {
    const index = this.#ready.findIndex((spare) => spare.link === link);
    const [spare] = index === -1 ? [] : this.#ready.splice(index, 1);
    for (const socket of spare?.sockets ?? []) socket.ref();
    return spare?.child;
  }

  refill(link: SpawnerLink): void {
    while (link.isAlive && this.#ready.length + this.#coming < SPARES) void this.#prepare(link);
  }

  drop(link: SpawnerLink): void {
    for (let lost = this.take(link); lost !== undefined; lost = this.take(link)) lost.streams.forget();
  }

  async #prepare(link: SpawnerLink): Promise<void> {
    const child = this.#expect();
    this.#coming += 1;
    link.send({ type: "prepare", id: child.id });
    const arrived = await Promise.race([child.streams.arrived, link.gone]);
    this.#coming -= 1;
    if (arrived === undefined) return child.streams.forget();
    const sockets = [arrived.stdin, arrived.stdout, arrived.stderr].filter((socket) => socket !== undefined);
    // Unused so far: they must not keep this process alive.
    for (const socket of sockets) socket.unref();
    this.#ready.push({ link, child, sockets });
  }
}
