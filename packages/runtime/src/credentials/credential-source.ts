import type { Secret } from "@caret/protocol";

/** What access tokens come from. */
export interface CredentialSource {
  /** `key`: an API key or a refresh token, exchanged for an access token. `token`: an access token, used as it is. */
  readonly kind: "key" | "token";
  readonly secret: Secret;
  /** Whether what it is exchanged for may be kept on disk. Nothing of another program's login is. */
  readonly keep: boolean;
  /** For messages: `CURSOR_API_KEY`, `the profile work`. */
  readonly name: string;
  /** What a person does when upstream no longer accepts it. */
  readonly fix: string;
}
