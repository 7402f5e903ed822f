import type { Secret } from "@caret/protocol";

/** A way to log in. The key itself is not here, only where it is found. */
export interface Profile {
  readonly apiKeyFile?: string | undefined;
  /** A program and its arguments, started without a shell, that print the key. */
  readonly apiKeyCommand?: readonly string[] | undefined;
  /** A configuration directory in which the agent is logged in. */
  readonly configDir?: string | undefined;
}

export interface ResolvedProfile {
  /** What the agent's environment gets besides. */
  readonly env: Readonly<Record<string, Secret>>;
  readonly configDir: string | undefined;
}
