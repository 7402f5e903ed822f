import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type Conversations, Secret, type Tracer } from "@caret/protocol";
import type { FastifyInstance } from "fastify";
import { cutPageSecret } from "../../access/authenticate.ts";
import type { TokenGrant } from "../../access/token-store.ts";
import { createMetrics } from "../../admin/metrics.ts";
import type { ListedRoute } from "../../admin/openapi.ts";
import { anthropicDoor } from "../../chat/anthropic/route.ts";
import { openaiDoor } from "../../chat/openai/route.ts";
import { createMemoryItemStore } from "../../chat/responses/item-store.ts";
import { responsesDoor } from "../../chat/responses/route.ts";
import { modelsDoor } from "../../models/route.ts";
import { nativeDoor } from "../../native/native-door.ts";
import type { NativeDoorOptions } from "../../native/native-door-options.ts";
import { nativeOptions } from "../../native/testing/native-options.ts";
import { ScriptedSessions } from "../../native/testing/scripted-sessions.ts";
import { type PageFiles, pageDoor } from "../../page/page-door.ts";
import { createServer } from "../create-server.ts";
import type { ServerLimits } from "../server-limits.ts";

export interface StartedServer {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly port: number;
  /** As the router itself lists them. */
  readonly routes: readonly ListedRoute[];
  /** By secret; delete one to revoke it. */
  readonly tokens: Map<string, TokenGrant>;
}

export interface StartOptions extends Partial<ServerLimits> {
  /** Whether its only lane could run. */
  readonly ready?: boolean;
  readonly sessions?: ScriptedSessions;
  readonly native?: Partial<NativeDoorOptions>;
  readonly page?: PageFiles;
  readonly origins?: readonly string[];
  readonly tracer?: Tracer;
  readonly newId?: () => string;
  readonly socketAgeMs?: number;
}

const smallPage: PageFiles = new Map([
  ["/", { bytes: Buffer.from("<!doctype html>"), mediaType: "text/html; charset=utf-8", immutable: false }],
  ["/assets/a.js", { bytes: Buffer.from("1"), mediaType: "text/javascript; charset=utf-8", immutable: true }],
]);

/** A whole server with all its doors, on its own port. */
export async function startServer(conversations: Conversations, options: StartOptions = {}): Promise<StartedServer> {
  const {
    ready = true,
    sessions = new ScriptedSessions(),
    native,
    page = smallPage,
    origins,
    tracer,
    newId = () => "1",
    socketAgeMs,
    ...limits
  } = options;
  const tokens = new Map<string, TokenGrant>([
    ["good", { name: "good", scopes: ["turns", "models"], workspace: "/w" }],
    ["boss", { name: "boss", scopes: ["admin"] }],
    ["page", { name: "page", scopes: ["sessions"] }],
    ["meter", { name: "meter", scopes: ["metrics"] }],
  ]);
  const door = {
    conversations: conversations,
    now: () => 0,
    newId,
    showActivity: "none",
    keepAliveMs: 60_000,
  } as const;
  const app = createServer({
    doors: [
      anthropicDoor(door),
      openaiDoor(door),
      responsesDoor({ ...door, items: createMemoryItemStore(), socketAgeMs }),
      modelsDoor({
        models: { list: async () => [{ id: "auto", name: "Auto", isDefault: true }], resolve: async () => "auto" },
      }),
      nativeDoor({ ...nativeOptions(sessions, tokens), ...native }),
      pageDoor({ paths: [...page.keys()], read: () => page }),
    ],
    tokens: {
      find: (secret) => tokens.get(secret),
      knowsCookie: (half) =>
        [...tokens].some(([secret, { name }]) => name.startsWith("browser-") && cookieOf(secret) === half),
    },
    limits,
    ...(origins === undefined ? {} : { origins }),
    readiness: async () => ({ version: "1.2.3", lanes: [{ lane: "sim", ready, simulated: true }] }),
    metrics: createMetrics(),
    tracer,
    version: "1.2.3",
    command: "npx caret",
    newId: () => "made-up",
  });
  const routes: ListedRoute[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, url });
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { app, url, port: (app.server.address() as AddressInfo).port, routes, tokens };
}

const cookieOf = (secret: string): string => cutPageSecret(new Secret(secret)).cookie;

/** Sends these bytes and reads until the server closes the connection or has sent a whole head. */
export async function exchange(port: number, request: string): Promise<string> {
  const socket = await openSocket(port);
  socket.write(request);
  let answer = "";
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.includes("\r\n\r\n")) break;
  }
  socket.destroy();
  return answer;
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.setEncoding("utf8");
  // A server that rejects may reset the connection; what it sent before counts.
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
