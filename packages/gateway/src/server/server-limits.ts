export interface ServerLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  /** Time for a request's headers (`headersMs`) and for the whole request (`requestMs`) to arrive. */
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleConnectionMs: number;
  readonly maxConnections: number;
  /** How long a client may read nothing from a stream before it is disconnected. */
  readonly stuckReaderMs: number;
  /** How long running answers may continue once the server closes. */
  readonly drainMs: number;
}

export const defaultLimits: ServerLimits = {
  bodyBytes: 10 * 1024 * 1024,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 60_000,
  idleConnectionMs: 60_000,
  maxConnections: 4096,
  stuckReaderMs: 30_000,
  drainMs: 10_000,
};
