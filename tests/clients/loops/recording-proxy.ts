import { once } from "node:events";
import { createServer, request as sendOn } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Stands between a client and a gateway and remembers what was asked. Changes nothing on the way. */
export interface RecordingProxy {
  readonly url: string;
  /** The bodies that offered tools, oldest first. */
  readonly withTools: readonly Readonly<Record<string, unknown>>[];
  close(): void;
}

export async function startRecordingProxy(upstream: string): Promise<RecordingProxy> {
  const { hostname, port, host } = new URL(upstream);
  const withTools: Record<string, unknown>[] = [];
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming);
    if (body.length > 0) {
      const asked = JSON.parse(body.toString()) as Record<string, unknown>;
      if (Array.isArray(asked["tools"]) && asked["tools"].length > 0) withTools.push(asked);
    }
    const { method, url: path, headers } = incoming;
    const passed = sendOn({ hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy()); // the gateway is gone, and so is its answer
    passed.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    withTools,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
