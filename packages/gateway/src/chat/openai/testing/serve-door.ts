import type { AddressInfo } from "node:net";
import { type FastifyInstance, type FastifyPluginAsync, fastify } from "fastify";
import { setRequestContext } from "../../../http/request-context.ts";

export interface ServedDoor extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly url: string;
}

/** A real server with one door. It admits all requests, under the token name in `x-tester`; `signal` aborts when the server stops. */
export async function serveDoor(
  door: FastifyPluginAsync,
  signal: AbortSignal = new AbortController().signal,
): Promise<ServedDoor> {
  const app = fastify({ bodyLimit: 10_000, forceCloseConnections: true });
  app.addHook("onRequest", async (request) => {
    if (request.headers["x-stranger"] !== undefined) return;
    const { "x-tester": tokenName = "tester" } = request.headers;
    setRequestContext(request, { caller: { tokenName: String(tokenName), workspace: undefined }, signal });
  });
  await app.register(door);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => app.close() };
}
