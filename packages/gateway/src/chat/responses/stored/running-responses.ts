import { CaretError } from "@caret/protocol";
import type { ResponseObject } from "../answer.ts";
import { linesOf } from "../making/event-framing.ts";

/** How long the events of a background response can be read after its end. */
const EVENTS_KEPT_MS = 5 * 60_000;
/** Limit for the events of all ended responses together. */
const MAX_KEPT_CHARACTERS = 32 * 1024 * 1024;

/** A response that is running in the background, or has just ended. */
export interface RunningResponse {
  readonly id: string;
  readonly owner: string;
  readonly hasEnded: boolean;
  /** The response as it stands. */
  response(): ResponseObject;
  /** Passes on its events after number `after`, in order, as they happen. Rejects when the signal aborts. */
  follow(after: number, take: (event: string) => Promise<void> | void, signal: AbortSignal): Promise<void>;
  /** Resolves when the response has ended. */
  cancel(): Promise<ResponseObject>;
}

/** Through this, the maker of a background response reports its progress. */
export interface BackgroundWriter {
  /** Aborts when the response is cancelled or the gateway stops. */
  readonly signal: AbortSignal;
  /** Lines of JSON, one per event. */
  write(lines: string): void;
  end(): void;
}

/** The background responses that this process makes, or whose events it still has. */
export interface RunningResponses {
  find(owner: string, id: string): RunningResponse | undefined;
  add(owner: string, id: string, response: () => ResponseObject): RunningResponse & BackgroundWriter;
  /** Drops the events of a response that has ended. */
  forget(owner: string, id: string): void;
  /** Ends them all; resolves once they are stored in their current state. */
  close(): Promise<void>;
}

export function createRunningResponses(keptMs: number = EVENTS_KEPT_MS): RunningResponses {
  const running = new Map<string, Entry>();
  /** In the order of their ends. */
  const over = new Set<Entry>();
  let characters = 0;

  function forget(entry: Entry): void {
    if (!over.delete(entry)) return;
    running.delete(entry.id);
    characters -= entry.characters;
  }

  function keepForAWhile(entry: Entry): void {
    over.add(entry);
    characters += entry.characters;
    for (const oldest of over) {
      if (characters <= MAX_KEPT_CHARACTERS) break;
      forget(oldest);
    }
    setTimeout(forget, keptMs, entry).unref();
  }

  return {
    find(owner, id) {
      const entry = running.get(id);
      return entry?.owner === owner ? entry : undefined;
    },
    add(owner, id, response) {
      const entry = new Entry(owner, id, response);
      running.set(id, entry);
      void entry.ended.then(() => keepForAWhile(entry));
      return entry;
    },
    forget(owner, id) {
      const entry = running.get(id);
      if (entry?.owner === owner) forget(entry);
    },
    async close() {
      const open = [...running.values()].filter(({ hasEnded }) => !hasEnded);
      for (const entry of open) entry.stop(new CaretError("interrupted", "The gateway is shutting down."));
      await Promise.all(open.map(({ ended }) => ended));
    },
  };
}

class Entry implements RunningResponse, BackgroundWriter {
  readonly owner: string;
  readonly id: string;
  readonly response: () => ResponseObject;
  readonly ended: Promise<void>;
  hasEnded = false;
  characters = 0;
  readonly #events: string[] = [];
  readonly #stop = new AbortController();
  readonly #end: () => void;
  /** Resolves with the next events, or with the end. */
  #news = Promise.withResolvers<void>();

  constructor(owner: string, id: string, response: () => ResponseObject) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.owner = owner;
    this.id = id;
    this.response = response;
    this.ended = promise;
    this.#end = resolve;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  write(lines: string): void {
    for (const line of linesOf(lines)) this.#events.push(line);
    this.characters += lines.length;
    this.#tell();
  }

  end(): void {
    this.hasEnded = true;
    this.#end();
    this.#tell();
  }

  stop(reason: CaretError): void {
    this.#stop.abort(reason);
  }

  async cancel(): Promise<ResponseObject> {
    this.stop(new CaretError("cancelled", "The response was cancelled."));
    await this.ended;
    return this.response();
  }

  async follow(after: number, take: (event: string) => Promise<void> | void, signal: AbortSignal): Promise<void> {
    const gone = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    // Nobody awaits it while an event is being taken.
    gone.catch(() => undefined);
    for (let next = after + 1; ; next += 1) {
      signal.throwIfAborted();
      while (next >= this.#events.length && !this.hasEnded) await Promise.race([this.#news.promise, gone]);
      const event = this.#events[next];
      if (event === undefined) return;
      await take(event);
    }
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
