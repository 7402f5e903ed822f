import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { availableParallelism } from "node:os";
import { parseJson } from "@caret/protocol";
import { type AgentTool, type AnswerCall, type BridgeHello, bridgeHelloSchema } from "../../calls/tool-call.ts";
import { servePrivately } from "../../paths/serve-privately.ts";
import { offerTools, type ToolOffer } from "../offered-tools.ts";
import { readFirstLine } from "./read-first-line.ts";
import type { ToolServer } from "./serve-tools.ts";
import { createStartQueue } from "./start-queue.ts";

/** Maximum of unidentified connections; further ones are turned away. */
const MAX_STRANGERS = 64;
const HELLO_MS = 10_000;
/** An agent whose bridge has not connected by then may connect only when it needs to. */
const START_MS = 10_000;

export interface BridgeHubOptions {
  readonly socketPath: string;
  /** Our version, shown to agents. */
  readonly version: string;
  /** Maximum of agents starting at once, up to their first hello. */
  readonly maxStarting?: number;
  readonly startMs?: number;
  /** How often an agent gets progress while its call waits. */
  readonly progressMs?: number;
}

export interface BridgeTurn {
  readonly tools: readonly AgentTool[];
  /** Further tools may be offered while the turn runs. */
  readonly mayGrow?: boolean;
  readonly onCall: AnswerCall;
}

export interface Admission {
  /** The secret that admits the turn's bridge. It gives access to the turn's tools only. */
  readonly secret: string;
  /** The agent works, with or without its bridge: the next one may start. A hello has the same effect. */
  readonly started: () => void;
  /** Replaces the turn's tools and notifies its agent. */
  readonly offer: (tools: readonly AgentTool[]) => void;
  readonly dismiss: () => void;
}

export interface BridgeHub {
  readonly socketPath: string;
  /**
   * Admits the agent of a turn; start it once this resolves. An agent gives up on a tool server that takes too long to start, so agents
   * start a few at a time, and later ones wait here. Rejects if the signal aborts before.
   */
  admit(turnId: string, turn: BridgeTurn, signal: AbortSignal): Promise<Admission>;
  close(): Promise<void>;
}

interface AdmittedTurn {
  readonly secret: Buffer;
  offer: ToolOffer;
  readonly onCall: AnswerCall;
  readonly started: () => void;
  readonly sockets: Set<Socket>;
  readonly servers: Set<ToolServer>;
}

/** The gateway's end of the bridges: one Unix socket, private to the user, to which every agent's bridge connects. */
export async function openBridgeHub(options: BridgeHubOptions): Promise<BridgeHub> {
  const { socketPath, version, progressMs, startMs = START_MS } = options;
  // Takes a while to load, and most commands have no turns with bridges.
  const { serveTools } = await import("./serve-tools.ts");
  const queue = createStartQueue(options.maxStarting ?? Math.max(4, availableParallelism() * 2));
  const turns = new Map<string, AdmittedTurn>();
  const strangers = new Set<Socket>();

  const welcome = (socket: Socket, hello: BridgeHello | undefined): void => {
    strangers.delete(socket);
    const turn = hello && turns.get(hello.turnId);
    if (turn === undefined || !isSame(turn.secret, hello?.secret ?? "")) return void socket.destroy();
    turn.started();
    turn.sockets.add(socket);
    const progress = progressMs === undefined ? {} : { progressMs };
    const serving = serveTools(socket, { offer: () => turn.offer, onCall: turn.onCall, version, ...progress });
    void serving.then((served) => turn.servers.add(served));
    socket.once("close", () => {
      turn.sockets.delete(socket);
      void serving.then((served) => turn.servers.delete(served));
    });
  };

  const server = createServer((socket) => {
    if (strangers.size >= MAX_STRANGERS) return void socket.destroy();
    strangers.add(socket);
    const timer = setTimeout(() => strangers.has(socket) && socket.destroy(), HELLO_MS).unref();
    socket.on("error", () => socket.destroy()); // the agent died with its bridge: its turn ends on its own
    socket.once("close", () => {
      clearTimeout(timer);
      strangers.delete(socket);
    });
    readFirstLine(socket, (line) => welcome(socket, line === undefined ? undefined : parseHello(line)));
  });
  const { close } = await servePrivately(server, socketPath);

  return {
    socketPath,
    async admit(turnId, { tools, mayGrow = false, onCall }, signal) {
      const started = await queue.enter(signal);
      const timer = setTimeout(started, startMs).unref();
      const secret = randomBytes(24).toString("base64url");
      const turn: AdmittedTurn = {
        secret: Buffer.from(secret),
        offer: offerTools(tools, { mayGrow }),
        onCall,
        started,
        sockets: new Set(),
        servers: new Set(),
      };
      turns.set(turnId, turn);
      const offer = (others: readonly AgentTool[]): void => {
        turn.offer = offerTools(others, { mayGrow });
        for (const served of turn.servers) served.toolsChanged();
      };
      const dismiss = (): void => {
        clearTimeout(timer);
        started();
        turns.delete(turnId);
        for (const socket of turn.sockets) socket.destroy();
      };
      return { secret, started, offer, dismiss };
    },
    close,
  };
}

function parseHello(line: string): BridgeHello | undefined {
  return bridgeHelloSchema.safeParse(parseJson(line)).data;
}

function isSame(secret: Buffer, text: string): boolean {
  const given = Buffer.from(text);
  return given.length === secret.length && timingSafeEqual(given, secret);
}
