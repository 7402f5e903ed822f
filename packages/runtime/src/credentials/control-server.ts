import { CaretError, type Secret } from "@caret/protocol";
import { allowedUrl } from "./allowed-url.ts";
import { unreachable } from "./upstream-failure.ts";

const PATIENCE_MS = 30_000;
/** Tokens and keys are a few thousand characters. */
const MAX_BYTES = 256 * 1024;

export interface ControlRequest {
  /** Relative to the server's origin. Never contains a secret: servers and proxies log paths. */
  readonly path: string;
  readonly bearer?: Secret | undefined;
  readonly contentType: "application/json" | "application/proto";
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal | undefined;
}

export interface ControlAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** For messages and JSON. */
  text(): string;
}

/** The server for accounts, keys and logins. Rejects with `upstream-unreachable` and `timed-out`. */
export interface ControlServer {
  readonly origin: string;
  post(request: ControlRequest): Promise<ControlAnswer>;
}

interface ControlServerOptions {
  readonly controlUrl: URL;
  readonly fetch: typeof fetch;
}

export function createControlServer({ controlUrl, fetch }: ControlServerOptions): ControlServer {
  const { origin } = allowedUrl(controlUrl.href, "The address of the control server");
  return {
    origin,
    async post(request) {
      const url = new URL(request.path, origin);
      try {
        return await readAnswer(await fetch(url, toInit(request)));
      } catch (reason) {
        if (request.signal?.aborted === true) throw CaretError.from(request.signal.reason);
        if (CaretError.is(reason)) throw reason;
        // `fetch` itself only says "fetch failed"; the real reason is its cause.
        throw unreachable(url, (reason as Error).cause ?? reason);
      }
    },
  };
}

function toInit({ bearer, contentType, body, signal }: ControlRequest): RequestInit {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  return {
    method: "POST",
    headers: {
      accept: contentType,
      "content-type": contentType,
      ...(contentType === "application/proto" ? { "connect-protocol-version": "1" } : {}),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer.reveal()}` }),
    },
    body,
    // A redirect would carry the credential to an unchecked host.
    redirect: "error",
    signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
  };
}

async function readAnswer(response: Response): Promise<ControlAnswer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES)
      throw new CaretError("too-large", `The server's answer is larger than ${MAX_BYTES} bytes`, {
        fix: "Check which server answers: Cursor's answers to a login are short.",
      });
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return { status: response.status, headers: response.headers, bytes, text: () => bytes.toString("utf8") };
}

/** A `fetch` that trusts these certificates; without any, Node's own. */
export function createControlFetch(ca: readonly string[] | undefined): typeof fetch {
  if (ca === undefined) return fetch;
  // A megabyte of code that only custom certificates need.
  const load = async () => {
    const { Agent, fetch: fetchWith } = await import("undici");
    return { dispatcher: new Agent({ connect: { ca: [...ca] } }), fetchWith };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return async (url, init) => {
    loaded ??= load();
    const { dispatcher, fetchWith } = await loaded;
    // The two types describe the same function, in Node's and in the package's own typing.
    return (await fetchWith(url as URL, { ...init, dispatcher } as never)) as unknown as Response;
  };
}
