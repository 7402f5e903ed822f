import { z } from "zod";

const count = z.int().min(0);
const yes = z.literal(true);
/** How many attempts of one run a step spoils; the client's next attempt passes it. */
const times = z.int().min(1).default(1);

/** The codes of HTTP/2 that RST_STREAM and GOAWAY carry, by their names. */
export const http2Codes = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const;
export type Http2Code = keyof typeof http2Codes;
const http2Code = z.enum(Object.keys(http2Codes) as [Http2Code, ...Http2Code[]]);

/** The codes of a Connect error. */
export const connectCodes = [
  "canceled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
  "unauthenticated",
] as const;
export type ConnectCode = (typeof connectCodes)[number];

/** The detail that an error carries: what went wrong, in Cursor's numbers, and the words for a person. */
const detail = z.strictObject({
  error: z.string().regex(/^ERROR_[A-Z0-9_]+$/),
  title: z.string().optional(),
  detail: z.string().optional(),
  isRetryable: z.boolean().optional(),
  additionalInfo: z.record(z.string(), z.string()).optional(),
});

const error = z.strictObject({
  code: z.enum(connectCodes),
  message: z.string().default(""),
  detail: detail.optional(),
});

const headers = z.record(z.string(), z.string());

/** What happens between an HTTP request and its answer, instead of a good answer. */
const callFault = z.strictObject({
  status: z.int().min(200).max(599).optional(),
  headers: headers.optional(),
  body: z.string().optional(),
  delayMs: z.number().min(0).optional(),
  times: z.int().min(1).optional(),
});

const settings = z.strictObject({
  maxConcurrentStreams: count.optional(),
  initialWindowSize: count.optional(),
});

/** Everything that only the upstream can do: Connect's frames, HTTP/2's, and what a run may ask of its client. */
export const wireShapes = {
  // Ways to end an attempt.
  status: z.strictObject({
    status: z.int().min(200).max(599),
    headers: headers.optional(),
    body: z.string().optional(),
    times,
  }),
  error: z.strictObject({ error, times }),
  reset: z.strictObject({ reset: http2Code, times }),
  destroy: z.strictObject({ destroy: yes, times }),
  end: z.strictObject({ end: yes, times }),
  truncate: z.strictObject({ truncate: count, times }),
  trailers: z.strictObject({ trailers: headers, times }),
  // Frames.
  header: z.strictObject({ header: z.strictObject({ flags: z.int().min(0).max(255), length: count.max(0xffffffff) }) }),
  message: z.strictObject({ message: z.base64() }),
  compress: z.strictObject({ compress: z.enum(["gzip", "br", "none"]) }),
  unnegotiated: z.strictObject({ unnegotiated: yes }),
  bomb: z.strictObject({ bomb: count }),
  chunkBytes: z.strictObject({ chunkBytes: z.int().min(1) }),
  duplicate: z.strictObject({ duplicate: z.int().min(1) }),
  // The connection.
  goaway: z.strictObject({ goaway: http2Code, lastStreamId: count.optional(), times }),
  settings: z.strictObject({ settings }),
  freeze: z.strictObject({ freeze: yes }),
  continuation: z.strictObject({ continuation: z.int().min(1) }),
  // The run.
  silence: z.strictObject({ silence: yes }),
  heartbeats: z.strictObject({ heartbeats: count }),
  checkpoint: z.strictObject({ checkpoint: yes }),
  unknown: z.strictObject({ unknown: z.enum(["exec", "query", "update", "message"]) }),
  exec: z.strictObject({ exec: z.record(z.string(), z.unknown()) }),
  query: z.strictObject({ query: z.record(z.string(), z.unknown()) }),
} as const;

export type WireName = keyof typeof wireShapes;
export type WireOf<Name extends WireName> = z.infer<(typeof wireShapes)[Name]>;
export type WireStep = { [Name in WireName]: WireOf<Name> }[WireName];

/** How the upstream as a whole behaves; the turns say what its runs do. */
export const upstreamSchema = z.strictObject({
  /** What GetServerConfig says about HTTP/2; without it, nothing. */
  http2: z.enum(["FORCE_ALL_DISABLED", "FORCE_ALL_ENABLED", "FORCE_BIDI_DISABLED", "FORCE_BIDI_ENABLED"]).optional(),
  /** Where GetServerConfig sends runs; without it, nowhere else. */
  agentUrl: z.string().optional(),
  /** How long an access token is good for. */
  tokenSeconds: z.number().min(1).default(3_600),
  heartbeatMs: z.number().min(1).default(5_000),
  /** What TLS offers as application protocols. */
  alpn: z
    .array(z.enum(["h2", "http/1.1"]))
    .min(1)
    .optional(),
  settings: settings.optional(),
  /** `reset` ends every connection at once; `blackhole` takes it and never answers. */
  connections: z.enum(["reset", "blackhole"]).optional(),
  /** Faults of single calls, by the last part of their path: `GetServerConfig`, `exchange_user_api_key`, `poll`. */
  calls: z.record(z.string(), callFault).default({}),
});
export type UpstreamBehaviour = z.infer<typeof upstreamSchema>;
