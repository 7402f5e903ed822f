import type { ClientHttp2Stream, Http2Session } from "node:http2";
import { Http2SessionManager } from "@connectrpc/connect-node";

/**
 * A session manager that leaves nothing behind.
 *
 * The library removes its listener from a connection that it gives up; a later error of such a connection, for example at a GOAWAY, would
 * end the process. It also stops writing to a stream whose response has ended without ending its own side, if a write was under way at
 * that moment: the stream would stay half open as long as the connection.
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
