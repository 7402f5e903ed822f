import type { CaretError } from "@caret/protocol";
import type { AccessToken } from "../../credentials/credentials.ts";
import type { ApiAccess } from "./api-access.ts";
import { runHeaders } from "./api-headers.ts";
import type { ApiHost } from "./api-host.ts";
import type { StoredConversation } from "./conversation-store.ts";
import { openRunStream, type RunStream } from "./transport/run-stream.ts";

export interface RunStreamsOptions {
  readonly host: ApiHost;
  readonly access: ApiAccess;
  /** For the first stream; later ones look for a currently valid token. */
  readonly token: AccessToken;
  readonly signal: AbortSignal;
  readonly conversation: StoredConversation;
  readonly runId: string;
  readonly allowsOnly: "all" | "mcp" | "none";
}

/** The streams of one turn. */
export interface RunStreams {
  /** Makes the next stream use another token. */
  rejectToken(): void;
  /** Rejects with a `CaretError` if there is no token or no connection. `reset` ends the stream. */
  open(): Promise<{ readonly stream: RunStream; readonly reset: (reason: CaretError) => void }>;
}

/** Opens the streams of one turn: each has its own request id and token, and all name the first request. */
export function createRunStreams(options: RunStreamsOptions): RunStreams {
  const { host, access, signal, conversation, runId, allowsOnly } = options;
  const { credentials } = access;
  let { token } = options;
  let isRejected = false;
  let isFirst = true;

  const findToken = async (): Promise<AccessToken> => {
    if (isRejected) token = await credentials.replaceRejected(token, signal);
    else if (!isFirst) token = await credentials.accessToken(signal);
    isRejected = false;
    return token;
  };

  return {
    rejectToken() {
      isRejected = true;
    },
    async open() {
      const found = await findToken();
      const link = await access.agent(found, signal);
      signal.throwIfAborted();
      const requestId = isFirst ? runId : host.newId();
      isFirst = false;
      const controller = new AbortController();
      const headers = runHeaders(
        { token: found.secret, requestId, originalRequestId: runId },
        { encryptionKey: conversation.encryptionKey, allowsOnly },
      );
      const stream = openRunStream({
        link,
        headers,
        requestId,
        signal: AbortSignal.any([signal, controller.signal]),
        maxMessageBytes: host.maxMessageBytes,
        now: host.monotonic,
      });
      return { stream, reset: (reason: CaretError) => controller.abort(reason) };
    },
  };
}
