import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { createLineSplitter } from "../../framing/line-splitter.ts";
import {
  type AnswerCall,
  type BridgeReply,
  type BridgeRequest,
  bridgeRequestSchema,
  type ClientTool,
} from "./bridge-messages.ts";

const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Connections that have not said who they are; more than this at once are turned away. */
const MAX_STRANGERS = 64;
const HELLO_MS = 10_000;

export interface BridgeTurn {
  readonly tools: readonly ClientTool[];
  readonly onCall: AnswerCall;
}

export interface BridgeHub {
  readonly socketPath: string;
  /** Let the agent of a turn in. The secret is the turn's own; nothing else can be reached through the socket. */
  admit(turnId: string, turn: BridgeTurn): { readonly secret: string; readonly dismiss: () => void };
  close(): Promise<void>;
}

/** The gateway's end of the bridges: one Unix socket, private to the user, on which every agent's bridge reports. */
export async function openBridgeHub(socketPath: string): Promise<BridgeHub> {
  const turns = new Map<string, BridgeTurn & { readonly secret: Buffer; readonly sockets: Set<Socket> }>();
  const sockets = new Set<Socket>();
  let strangers = 0;

  mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 });
  rmSync(socketPath, { force: true });
  const server = createServer((socket) => {
    if (strangers >= MAX_STRANGERS) return void socket.destroy();
    strangers += 1;
    sockets.add(socket);
    let isStranger = true;
    const settle = (): void => {
      if (isStranger) strangers -= 1;
      isStranger = false;
    };
    socket.once("close", () => {
      settle();
      sockets.delete(socket);
    });
    serveBridge(socket, (turnId, secret) => {
      const turn = turns.get(turnId);
      const given = Buffer.from(secret);
      if (turn === undefined || given.length !== turn.secret.length || !timingSafeEqual(given, turn.secret))
        return undefined;
      settle();
      turn.sockets.add(socket);
      socket.once("close", () => turn.sockets.delete(socket));
      return turn;
    });
  });
  const previous = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socketPath, resolve));
  } finally {
    process.umask(previous);
  }
  chmodSync(socketPath, 0o600);

  return {
    socketPath,
    admit(turnId, turn) {
      const secret = randomBytes(24).toString("base64url");
      const entry = { ...turn, secret: Buffer.from(secret), sockets: new Set<Socket>() };
      turns.set(turnId, entry);
      const dismiss = (): void => {
        turns.delete(turnId);
        for (const socket of entry.sockets) socket.destroy();
      };
      return { secret, dismiss };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** One connection: a hello with the right secret first, then calls. Anything else ends it. */
function serveBridge(socket: Socket, identify: (turnId: string, secret: string) => BridgeTurn | undefined): void {
  const splitter = createLineSplitter({ maxLineBytes: MAX_LINE_BYTES });
  const calls = new Map<string, AbortController>();
  let turn: BridgeTurn | undefined;
  const send = (reply: BridgeReply): void => void socket.write(`${JSON.stringify(reply)}\n`);
  const timer = setTimeout(() => turn === undefined && socket.destroy(), HELLO_MS);
  timer.unref();

  const onRequest = (request: BridgeRequest): void => {
    if (request.type === "hello") {
      turn ??= identify(request.turnId, request.secret);
      if (turn === undefined)
        socket.end(`${JSON.stringify({ type: "refused", reason: "no such turn" } satisfies BridgeReply)}\n`);
      else send({ type: "welcome", tools: turn.tools.map((tool) => ({ ...tool })) });
    } else if (turn === undefined) socket.destroy();
    else if (request.type === "cancel") calls.get(request.id)?.abort();
    else void answer(turn, request);
  };

  const answer = async (
    owner: BridgeTurn,
    { id, name, input }: Extract<BridgeRequest, { type: "call" }>,
  ): Promise<void> => {
    const controller = new AbortController();
    calls.set(id, controller);
    const result = await owner.onCall({ name, input }, controller.signal);
    calls.delete(id);
    send({ type: "result", id, ...result });
  };

  socket.on("data", (chunk) => {
    const { lines, failure } = splitter.push(chunk);
    for (const line of lines) {
      const request = parseRequest(line);
      if (request === undefined) return void socket.destroy();
      onRequest(request);
    }
    if (failure !== undefined) socket.destroy();
  });
  socket.on("error", () => socket.destroy()); // the agent died with its bridge: its turn ends by itself
  socket.once("close", () => {
    clearTimeout(timer);
    for (const controller of calls.values()) controller.abort();
  });
}

function parseRequest(line: string): BridgeRequest | undefined {
  try {
    return bridgeRequestSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // no JSON: whoever this is, it is not our bridge
  }
}
