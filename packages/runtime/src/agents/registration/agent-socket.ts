import { createServer, type Socket } from "node:net";
import { CaretError, type ErrorInfo, parseJson } from "@caret/protocol";
import { z } from "zod";
import { readFirstLine } from "../../lanes/bridge/read-first-line.ts";
import { type PrivateServer, servePrivately } from "../../paths/serve-privately.ts";
import type { AgentCalls } from "./agent-calls.ts";

/** Version of the socket protocol, described in docs/agents.md. */
const AGENT_RPC_VERSION = 1;

/** Maximum of connections to one agent's socket: its server and other programs it runs. */
const MAX_CONNECTIONS = 16;
const HELLO_MS = 10_000;

const helloSchema = z.object({ caret: z.number(), agent: z.string() });

export interface AgentSocketOptions {
  readonly name: string;
  readonly path: string;
  /** Caret's own version, shown to the agent. */
  readonly version: string;
  /** Called at the first connection: the tools load much that is not needed before. */
  readonly openCalls: () => Promise<AgentCalls>;
}

/** The socket of one agent: a program that can connect to it speaks as this agent and no other. */
export type AgentSocket = PrivateServer;

/**
 * Listens on the socket of an agent. The first line of a connection is a hello, which is answered; after that the lines are JSON-RPC 2.0,
 * with MCP's methods.
 */
export async function openAgentSocket(options: AgentSocketOptions): Promise<AgentSocket> {
  const server = createServer((socket) => {
    const timer = setTimeout(() => socket.destroy(), HELLO_MS).unref();
    socket.on("error", () => socket.destroy()); // the agent died with its server: its turn ends on its own
    socket.once("close", () => clearTimeout(timer));
    readFirstLine(socket, (line) => {
      clearTimeout(timer);
      void welcome(socket, line, options);
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  return await servePrivately(server, options.path);
}

async function welcome(socket: Socket, line: string | undefined, options: AgentSocketOptions): Promise<void> {
  const { name, version, openCalls } = options;
  try {
    assertHello(line, name);
    const { offer, call } = await openCalls();
    const { serveTools } = await import("../../lanes/bridge/serve-tools.ts");
    socket.write(toLine({ caret: AGENT_RPC_VERSION, agent: name }));
    await serveTools(socket, { offer: () => offer, onCall: call, version });
  } catch (reason) {
    // The other end reads what was wrong; the gateway itself is not affected.
    socket.end(toLine({ caret: AGENT_RPC_VERSION, error: CaretError.from(reason).toInfo() }));
  }
}

function assertHello(line: string | undefined, name: string): void {
  const hello = helloSchema.safeParse(line === undefined ? undefined : parseJson(line)).data;
  if (hello === undefined)
    throw new CaretError("invalid-request", "The first line must be a hello", {
      fix: `Send {"caret":${AGENT_RPC_VERSION},"agent":"${name}"} and a newline first.`,
    });
  if (hello.caret !== AGENT_RPC_VERSION)
    throw new CaretError("unsupported", `Version ${hello.caret} of the socket's protocol is not spoken here`, {
      fix: `Use version ${AGENT_RPC_VERSION}.`,
    });
  if (hello.agent !== name)
    throw new CaretError("forbidden", `This is the socket of the agent ${name}, not of ${hello.agent}`);
}

type Reply = { readonly caret: number; readonly agent: string } | { readonly caret: number; readonly error: ErrorInfo };

function toLine(reply: Reply): string {
  return `${JSON.stringify(reply)}\n`;
}
