import type { ClientHttp2Stream, Http2Session } from "node:http2";
import { Http2SessionManager } from "@connectrpc/connect-node";

/**
 * A session manager that leaves nothing behind.
 *
 * The library takes its listener off a connection that it gives up; an error that such a connection emits afterwards, at a
 * GOAWAY for instance, would end the process. And it stops writing to a stream whose response has ended without ending its
 * own side, when a write was under way in that moment: the stream would stay half open for as long as the connection.
 */
export class GuardedSessionManager extends Http2SessionManager {
  readonly #guarded = new WeakSet<Http2Session>();

  override async request(...request: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream> {
    const stream = await super.request(...request);
    const { session } = stream;
    stream.once("end", () => void (stream.writableEnded || stream.end()));
    if (session !== undefined && !this.#guarded.has(session)) {
      this.#guarded.add(session);
      session.on("error", () => undefined); // each stream of the connection reports it to its own turn
    }
    return stream;
  }
}
