/** How much of everything one gateway takes. */
export interface ServerLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  /** For all headers of a request, and for the whole of it, to arrive. */
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleConnectionMs: number;
  readonly maxConnections: number;
  /** How long a reader of a stream may take nothing at all. */
  readonly stuckReaderMs: number;
  /** How long running answers may go on once the server closes. */
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
