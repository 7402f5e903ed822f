import { Secret } from "@caret/protocol";
import { untilAborted } from "../async/until-aborted.ts";
import { createControlServer } from "./control-server.ts";
import type { CredentialSource } from "./credential-source.ts";
import { type CredentialStore, type StoredToken, tokenDigest } from "./credential-store.ts";
import type { AccessToken, ApiCredentials } from "./credentials.ts";
import { isFresh, renewToken } from "./token-renewal.ts";

export interface ApiCredentialsOptions {
  readonly controlUrl: URL;
  /** Called for each token request, so a changed key is used at once. Rejects with `not-logged-in` if there is none. */
  readonly find: () => Promise<CredentialSource>;
  readonly store: CredentialStore;
  readonly fetch: typeof fetch;
  readonly noteSecrets: (secrets: readonly Secret[]) => void;
  readonly wallClock: () => number;
}

/** The tokens of one key or login. */
interface SourceTokens {
  held?: {
    readonly token: StoredToken;
    /** The store's stamp when the token was taken: `caret logout` in another process takes effect at once. */
    readonly stamp: string;
  };
  /** The token upstream rejected last. */
  rejected?: string;
  renewing?: Promise<StoredToken> | undefined;
}

/** A profile has one key at a time; tokens of earlier keys still serve the turns that started with them. */
const MAX_SOURCES = 8;

/** Access tokens for the API lane: one exchange for all callers, in all processes that share the store. */
export function createApiCredentials(options: ApiCredentialsOptions): ApiCredentials {
  const { controlUrl, find, store, noteSecrets, wallClock } = options;
  const server = createControlServer({ controlUrl, fetch: options.fetch });
  const sources = new Map<string, SourceTokens>();

  const digestOf = ({ kind, secret }: CredentialSource): string => `${kind} ${tokenDigest(server.origin, secret)}`;
  const tokensOf = (madeFrom: string): SourceTokens => {
    const tokens = sources.get(madeFrom) ?? {};
    sources.delete(madeFrom);
    sources.set(madeFrom, tokens);
    const [oldest = madeFrom] = sources.keys();
    if (sources.size > MAX_SOURCES) sources.delete(oldest);
    return tokens;
  };
  const renew = async (source: CredentialSource, tokens: SourceTokens): Promise<StoredToken> => {
    const token = await renewToken({ server, store, source, wallClock, rejected: tokens.rejected });
    noteSecrets([source.secret, new Secret(token.accessToken)]);
    tokens.held = { token, stamp: store.stamp() };
    return token;
  };
  const joinRenewal = (source: CredentialSource, tokens: SourceTokens): Promise<StoredToken> => {
    tokens.renewing ??= renew(source, tokens).finally(() => {
      tokens.renewing = undefined;
    });
    return tokens.renewing;
  };
  const validToken = async (source: CredentialSource, tokens: SourceTokens, signal: AbortSignal): Promise<Secret> => {
    const { held, rejected } = tokens;
    if (held?.stamp === store.stamp() && isFresh(held.token, { rejected, wallClock }))
      return new Secret(held.token.accessToken);
    const token = await untilAborted(joinRenewal(source, tokens), signal);
    if (token.accessToken !== tokens.rejected) return new Secret(token.accessToken);
    // The joined renewal began before this token was rejected.
    return new Secret((await untilAborted(joinRenewal(source, tokens), signal)).accessToken);
  };

  const accessToken = async (signal: AbortSignal): Promise<AccessToken> => {
    signal.throwIfAborted();
    const source = await untilAborted(find(), signal);
    const madeFrom = digestOf(source);
    return { secret: await validToken(source, tokensOf(madeFrom), signal), madeFrom };
  };

  return {
    madeFrom: async () => digestOf(await find()),
    accessToken,
    async replaceRejected({ secret, madeFrom }, signal) {
      tokensOf(madeFrom).rejected = secret.reveal();
      return await accessToken(signal);
    },
  };
}
