import type { Secret } from "@caret/protocol";
import type { ApiCredentials } from "../../credentials/credentials.ts";
import type { ClockSettings } from "../turn-clocks.ts";
import type { ApiEndpoints } from "./api-endpoints.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { MachineFacts } from "./request-context.ts";
import type { HttpVersion } from "./transport/http-version.ts";
import type { UpstreamLinks } from "./transport/upstream-link.ts";

/** How often a stream that broke off is tried again, and how patient each step is, in milliseconds. */
export interface RetrySettings {
  /** Without a byte of an answer. */
  readonly connects: number;
  /** After the upstream refused for a reason that may pass. */
  readonly refusals: number;
  /** In all, while each goes on from a newer checkpoint. */
  readonly resumes: number;
  /** Before the first; doubled for each that follows. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** Without any message, a heartbeat included, a stream is given up. */
  readonly stallMs: number;
  /** A message that the connection does not take for so long fails the stream. */
  readonly writeMs: number;
  readonly heartbeatMs: number;
  readonly execHeartbeatMs: number;
}

export const defaultRetries: RetrySettings = {
  connects: 2,
  refusals: 3,
  resumes: 10,
  firstDelayMs: 1_000,
  longestDelayMs: 60_000,
  stallMs: 30_000,
  writeMs: 30_000,
  heartbeatMs: 5_000,
  execHeartbeatMs: 3_000,
};

/** What the API lane needs of the world. */
export interface ApiHost {
  /** Throws `invalid-config` where a setting names a host that is not allowed. */
  readonly endpoints: () => ApiEndpoints;
  /** What a setting demands; undefined: what the server demands, or speaks. */
  readonly httpVersion: HttpVersion | undefined;
  readonly links: UpstreamLinks;
  /** Throws `invalid-config` where there is no such profile. */
  readonly credentials: (profile: string) => ApiCredentials;
  readonly conversations: ConversationStore;
  /** Where Cursor's CLI keeps its configuration; only read. */
  readonly cliConfigDir: string;
  /** Which profiles a model is tried with, and which models after it; empty: the default profile alone. */
  readonly programs: (model: string) => {
    readonly profiles: readonly string[];
    readonly fallbackModels: readonly string[];
  };
  readonly machine: MachineFacts;
  readonly clocks: ClockSettings & { readonly graceMs: number };
  readonly retries: RetrySettings;
  readonly maxMessageBytes: number;
  readonly noteSecrets: (secrets: readonly Secret[]) => void;
  readonly newId: () => string;
  readonly monotonic: () => number;
  readonly wallClock: () => number;
}
