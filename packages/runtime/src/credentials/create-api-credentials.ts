import { Secret } from "@caret/protocol";
import { untilAborted } from "../async/until-aborted.ts";
import type { ApiCredentials } from "../lanes/api/credentials.ts";
import { createControlServer } from "./control-server.ts";
import type { CredentialSource } from "./credential-source.ts";
import type { CredentialStore, StoredToken } from "./credential-store.ts";
import { isFresh, renewToken } from "./token-renewal.ts";

export interface ApiCredentialsOptions {
  readonly controlUrl: URL;
  /** Called for each renewal, so that a changed key is used. Rejects with `not-logged-in` when there is none. */
  readonly find: () => Promise<CredentialSource>;
  readonly store: CredentialStore;
  readonly fetch: typeof fetch;
  readonly noteSecrets: (secrets: readonly Secret[]) => void;
  readonly wallClock: () => number;
}

interface HeldToken {
  readonly token: StoredToken;
  /** Of the store when the token was taken: `caret logout` in another process takes effect at once. */
  readonly stamp: string;
}

/** Access tokens for the API lane: one exchange for all callers, in all processes that share the store. */
export function createApiCredentials(options: ApiCredentialsOptions): ApiCredentials {
  const { controlUrl, find, store, noteSecrets, wallClock } = options;
  const server = createControlServer({ controlUrl, fetch: options.fetch });
  let held: HeldToken | undefined;
  let rejected: string | undefined;
  let renewing: Promise<StoredToken> | undefined;

  const renew = async (): Promise<StoredToken> => {
    const source = await find();
    const token = await renewToken({ server, store, source, wallClock, rejected });
    noteSecrets([source.secret, new Secret(token.accessToken)]);
    held = { token, stamp: store.stamp() };
    return token;
  };
  const joinRenewal = (): Promise<StoredToken> => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  const accessToken = async (signal: AbortSignal): Promise<Secret> => {
    signal.throwIfAborted();
    if (held?.stamp === store.stamp() && isFresh(held.token, { rejected, wallClock }))
      return new Secret(held.token.accessToken);
    const token = await untilAborted(joinRenewal(), signal);
    if (token.accessToken !== rejected) return new Secret(token.accessToken);
    // The renewal that was joined began before this token was rejected.
    return new Secret((await untilAborted(joinRenewal(), signal)).accessToken);
  };

  return {
    accessToken,
    async replaceRejected(token, signal) {
      rejected = token.reveal();
      return await accessToken(signal);
    },
  };
}
