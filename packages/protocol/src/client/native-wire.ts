import { CaretError } from "../errors/caret-error.ts";
import { type ErrorCode, errorCatalogue } from "../errors/error-catalogue.ts";
import { parseJson } from "../json/json.ts";
import { trimEndOf } from "../text/trim-end-of.ts";

export interface NativeClientOptions {
  /** The gateway's address: `http://127.0.0.1:4040`, or with a proxy's path appended. */
  readonly baseUrl: string;
  /** Sent with every request: `{ authorization: "Bearer …" }`. A function is called each time. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  readonly fetch?: typeof fetch;
  /** A random number in [0, 1) that jitters the waits between attempts. */
  readonly random?: () => number;
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /**
   * For pages: follow events over WebSockets instead, offering these subprotocols. A browser allows six plain connections per host across
   * all its tabs, but hundreds of WebSockets. They cannot tell when a gateway falls silent: also follow the updates, and after each
   * `opened` follow the events again.
   */
  readonly socketProtocols?: () => readonly string[];
  /** A stream silent for this long, without even a heartbeat, counts as dead. */
  readonly silenceMs?: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** For commands: a key is carried out once, however often it is sent. Default: a new key per call. */
  readonly idempotencyKey?: string;
}

export interface WireRequest extends RequestOptions {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: object;
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
}

const RETRY_WAITS_MS = [250, 1000, 3000];
/** A proxy's status when nothing listens behind it: the request may or may not have arrived. */
const GATEWAY_GONE = new Set([502, 504]);
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "invalid-request",
  401: "unauthenticated",
  403: "forbidden",
  404: "not-found",
  413: "too-large",
  422: "invalid-request",
  429: "rate-limited",
  500: "internal",
  503: "overloaded",
};

/** Requests to the gateway, with errors as `CaretError`s. */
export interface NativeWire {
  /** One attempt. Rejects unless the response is a success. */
  open(request: WireRequest): Promise<Response>;
  /** Retries while the gateway is unreachable, always with the same idempotency key. */
  send<Answer>(request: WireRequest, read: (response: Response) => Promise<Answer>): Promise<Answer>;
}

export function createNativeWire(options: NativeClientOptions): NativeWire {
  const { random = Math.random, wait = waitFor } = options;
  const open = (request: WireRequest): Promise<Response> => openOnce(options, request);
  return {
    open,
    async send(request, read) {
      const keyed = withKey(request);
      for (let attempt = 0; ; attempt++) {
        try {
          return await read(await open(keyed));
        } catch (error) {
          const reason = toReachError(error);
          const waitMs = RETRY_WAITS_MS[attempt];
          if (reason.code !== "upstream-unreachable" || waitMs === undefined) throw reason;
          await wait(waitMs * (0.5 + random()), request.signal);
        }
      }
    },
  };
}

function withKey(request: WireRequest): WireRequest {
  if (request.method === undefined || request.idempotencyKey !== undefined) return request;
  return { ...request, idempotencyKey: newKey() };
}

/** `randomUUID` is missing on pages served over plain http from another machine. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function openOnce(options: NativeClientOptions, request: WireRequest): Promise<Response> {
  const { headers = {} } = options;
  // A browser's fetch throws when called as a method of another object.
  const send = options.fetch ?? ((input, init) => fetch(input, init));
  const response = await send(addressOf(options.baseUrl, request), {
    method: request.method ?? "GET",
    headers: {
      ...(typeof headers === "function" ? headers() : headers),
      ...(request.json !== undefined && { "content-type": "application/json" }),
      ...(request.idempotencyKey !== undefined && { "idempotency-key": request.idempotencyKey }),
      ...request.headers,
    },
    ...(request.json !== undefined && { body: JSON.stringify(request.json) }),
    ...(request.body !== undefined && { body: request.body }),
    ...(request.signal !== undefined && { signal: request.signal }),
  });
  if (response.ok) return response;
  throw await errorOf(response);
}

export function addressOf(baseUrl: string, { path, query = {} }: Pick<WireRequest, "path" | "query">): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return `${trimEndOf(baseUrl, "/")}/api/${path}${text === "" ? "" : `?${text}`}`;
}

async function errorOf(response: Response): Promise<CaretError> {
  // A proxy in between may send its own error text, or be cut off while sending it.
  const info = readInfo(await response.text().catch(() => ""));
  if (info === undefined) return errorOfStatus(response.status);
  const { code, message, ...details } = info;
  return new CaretError(code, message, details);
}

function errorOfStatus(status: number): CaretError {
  if (GATEWAY_GONE.has(status)) return unreachable();
  const code = CODE_OF_STATUS[status] ?? (status >= 500 ? "internal" : "invalid-request");
  return new CaretError(code, `The gateway answered with status ${status}`);
}

function readInfo(text: string): ({ readonly code: ErrorCode; readonly message: string } & object) | undefined {
  const info = (parseJson(text) as { readonly error?: Readonly<Record<string, unknown>> } | undefined)?.error;
  const code = info?.["code"];
  const message = info?.["message"];
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  const { fix, retryable, upstream, retryAfterSeconds, hasActed } = info ?? {};
  return {
    // A newer gateway may send codes this client does not know.
    code: Object.hasOwn(errorCatalogue, code) ? (code as ErrorCode) : "internal",
    message,
    ...(typeof fix === "string" && { fix }),
    ...(typeof retryable === "boolean" && { retryable }),
    ...(typeof upstream === "string" && { upstream }),
    ...(typeof retryAfterSeconds === "number" && { retryAfterSeconds }),
    ...(typeof hasActed === "boolean" && { hasActed }),
  };
}

/** Except for aborts, whatever `fetch` throws means that nobody answered, or that the response broke off. */
export function toReachError(error: unknown): CaretError {
  if (CaretError.is(error)) return error;
  const isStop = error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
  return isStop ? CaretError.from(error) : unreachable(error);
}

function unreachable(cause?: unknown): CaretError {
  return new CaretError("upstream-unreachable", "The gateway does not answer", {
    cause,
    fix: "See whether it runs: `caret serve` starts it.",
  });
}

/** Resolves after `ms`, or when the signal fires. */
export function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, signal?.aborted === true ? 0 : ms);
    signal?.addEventListener("abort", done);
  });
}
