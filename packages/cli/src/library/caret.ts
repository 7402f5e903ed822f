import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { CaretError, LaneName, NativeClient } from "@caret/protocol";
import type { TurnEvents, WantedTurn } from "./run-turn.ts";

export interface CaretOptions {
  /** How turns reach an agent. `auto` uses what this machine has; `sim` needs no account. Default: as configured. */
  readonly lane?: LaneName | "auto";
  /** Where sessions and everything else are kept. Default: as configured, so the `caret` command sees the same sessions. */
  readonly dataDir?: string;
  /** Directories where turns can work, including subdirectories. Default: as configured, else the current directory. */
  readonly workspaces?: readonly string[];
  /** Other settings by key, `{ "sandbox.mode": "on" }`. They override variables and files. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Called with what a person should know about how turns run here. */
  readonly onNote?: (text: string) => void;
  /** Called with failures in the background, where no call can reject. */
  readonly onError?: (error: CaretError) => void;
}

/** Caret inside this process: the same engine, log and doors as `caret serve`, without a port. */
export interface Caret {
  /** Sessions, turns, events, agents: everything the native door can do. */
  readonly client: NativeClient;
  /** Starts a turn, in a new session unless one is named, and yields its events until it has ended. Leaving the loop cancels it. */
  runTurn(wanted: WantedTurn): TurnEvents;
  /** Reaches every door in memory: pass it to a client's SDK with `url` and `token`. */
  readonly fetch: typeof fetch;
  readonly url: string;
  /** Gives a client full access. Valid until `close`. Tokens of `caret token` are accepted as well. */
  readonly token: string;
  /** Answers a request to your own server, as `caret serve` would: `createServer(caret.handle)`. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** The same for WebSockets: `server.on("upgrade", caret.handleUpgrade)`. */
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Ends running turns as interrupted, and every process. Can be called twice. */
  close(): Promise<void>;
}
