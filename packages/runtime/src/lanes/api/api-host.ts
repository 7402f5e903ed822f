import type { Secret } from "@caret/protocol";
import type { ApiCredentials } from "../../credentials/credentials.ts";
import type { ClockSettings } from "../turn-clocks.ts";
import type { ApiEndpoints } from "./api-endpoints.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { MachineFacts } from "./request-context.ts";
import type { HttpVersion } from "./transport/http-version.ts";
import type { UpstreamLinks } from "./transport/upstream-link.ts";

/** How often a broken stream is retried, and the limits of each step in milliseconds. */
export interface RetrySettings {
  /** Attempts without a byte of an answer. */
  readonly connects: number;
  /** After upstream refused for a transient reason. */
  readonly refusals: number;
  /** In total, as long as each continues from a newer checkpoint. */
  readonly resumes: number;
  /** Before the first retry; doubled for each further one. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** Give up a stream after this time without any message, heartbeats included. */
  readonly stallMs: number;
  /** A message that the connection does not accept within this time fails the stream. */
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

/** What the API lane needs from its environment. */
export interface ApiHost {
  /** Throws `invalid-config` if a setting names a host that is not allowed. */
  readonly endpoints: () => ApiEndpoints;
  /** The version required by a setting; undefined: what the server requires or speaks. */
  readonly httpVersion: HttpVersion | undefined;
  readonly links: UpstreamLinks;
  /** Throws `invalid-config` if the profile does not exist. */
  readonly credentials: (profile: string) => ApiCredentials;
  readonly conversations: ConversationStore;
  /** The configuration directory of Cursor's CLI; read-only. */
  readonly cliConfigDir: string;
  /** Profiles to try for a model, and fallback models; if empty, only the default profile. */
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
