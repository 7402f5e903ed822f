import type { Secret } from "@caret/protocol";

/** The origin of access tokens. */
export interface CredentialSource {
  /** `key`: an API key or a refresh token, to be exchanged for an access token. `token`: an access token, used directly. */
  readonly kind: "key" | "token";
  readonly secret: Secret;
  /** Whether the resulting token may be kept on disk; never for another program's login. */
  readonly keep: boolean;
  /** For messages: `CURSOR_API_KEY`, `the profile work`. */
  readonly name: string;
  /** What a person should do if upstream no longer accepts it. */
  readonly fix: string;
}
