import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { CaretError, LaneName, NativeClient } from "@caret/protocol";
import type { TurnEvents, WantedTurn } from "./run-turn.ts";

export interface CaretOptions {
  /** How turns reach an agent. `auto` takes what this machine has; `sim` needs no account. Absent: as it is configured. */
  readonly lane?: LaneName | "auto";
  /** Where sessions and everything else is kept. Absent: as it is configured, so that the `caret` command sees the same sessions. */
  readonly dataDir?: string;
  /** Directories that turns may work in, with all below them. Absent: as it is configured, else the current directory. */
  readonly workspaces?: readonly string[];
  /** Other settings by their keys, `{ "sandbox.mode": "on" }`. Variables and files count less. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Called with what a person should know about how turns will run here. */
  readonly onNote?: (text: string) => void;
  /** Called with what fails in the background, where no call can reject. */
  readonly onError?: (error: CaretError) => void;
}

/** Caret inside this process: the same engine, log and doors as `caret serve`, without a port. */
export interface Caret {
  /** Sessions, turns, events, agents: everything that the native door can do. */
  readonly client: NativeClient;
  /** Starts a turn, in a new session unless one is named, and gives its events until it has ended. Leaving the loop cancels it. */
  runTurn(wanted: WantedTurn): TurnEvents;
  /** Reaches every door in memory: pass it to a client's SDK with `url` and `token`. */
  readonly fetch: typeof fetch;
  readonly url: string;
  /** Lets a client do everything. Valid until `close`. Tokens of `caret token` are let in as well. */
  readonly token: string;
  /** Answers a request to a server of yours, as `caret serve` would: `createServer(caret.handle)`. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** The same for WebSockets: `server.on("upgrade", caret.handleUpgrade)`. */
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Ends running turns as interrupted, and every process. May be called twice. */
  close(): Promise<void>;
}
