import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { ListedRoute } from "../../admin/route-list.ts";
import { anthropicDoor } from "../../anthropic/route.ts";
import type { TurnDesk } from "../../door/turn-desk.ts";
import { modelsDoor } from "../../models/route.ts";
import { openaiDoor } from "../../openai/route.ts";
import { createMemoryItemStore } from "../../responses/memory-item-store.ts";
import { responsesDoor } from "../../responses/route.ts";
import { createServer } from "../create-server.ts";
import { createMetrics } from "../metrics.ts";
import type { ServerLimits } from "../server-limits.ts";
import type { TokenGrant } from "../token-store.ts";

export interface StartedServer {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly port: number;
  /** As the router itself told them. */
  readonly routes: readonly ListedRoute[];
  /** By secret; delete one to revoke it. */
  readonly tokens: Map<string, TokenGrant>;
}

/** A whole server with all its doors, on a port of its own. `ready` says whether its only lane could run. */
export async function startServer(
  desk: TurnDesk,
  { ready = true, ...limits }: Partial<ServerLimits> & { ready?: boolean } = {},
): Promise<StartedServer> {
  const tokens = new Map<string, TokenGrant>([
    ["good", { name: "good", scopes: ["turns", "models"], workspace: "/w" }],
    ["boss", { name: "boss", scopes: ["admin"] }],
    ["meter", { name: "meter", scopes: ["metrics"] }],
  ]);
  const door = { desk, now: () => 0, newId: () => "1", showActivity: "none", keepAliveMs: 60_000 } as const;
  const app = createServer({
    doors: [
      anthropicDoor(door),
      openaiDoor(door),
      responsesDoor({ ...door, items: createMemoryItemStore() }),
      modelsDoor({ models: { list: async () => [{ id: "auto", name: "Auto" }] } }),
    ],
    tokens: { find: (secret) => tokens.get(secret) },
    limits,
    readiness: async () => ({ version: "1.2.3", lanes: [{ lane: "sim", ready, simulated: true }] }),
    metrics: createMetrics(),
    version: "1.2.3",
    newId: () => "made-up",
  });
  const routes: ListedRoute[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, url });
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { app, url, port: (app.server.address() as AddressInfo).port, routes, tokens };
}

/** Send these bytes and read until the server closes the connection, or has said its status line. */
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
  // A server that refuses may reset the connection; what it said before counts.
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
