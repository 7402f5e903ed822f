import { CaretError } from "@caret/protocol";
import type { TokenEntry } from "@caret/runtime/tokens/token-shelf.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import type { PostgresTokens } from "./postgres-tokens.ts";

/** A gateway's in-memory copy of the fleet's tokens, which every request reads. */
export interface KnownTokens {
  /** The valid tokens. A new array after each change. */
  current(): readonly TokenEntry[];
  /** Reads what this gateway itself has changed: its client may use a token before the hint arrives. */
  lookNow(): Promise<void>;
  close(): void;
}

export interface KnownTokensOptions {
  readonly tokens: Pick<PostgresTokens, "list" | "version">;
  readonly listener: HintListener;
  readonly onError: (error: CaretError) => void;
}

/**
 * Reads the tokens again on a hint, or when a poll finds a change: a revocation reaches every gateway within milliseconds, or within
 * seconds if its hint is lost. While the database is away the last ones stay valid: nobody can revoke one then.
 */
export async function openKnownTokens({ tokens, listener, onError }: KnownTokensOptions): Promise<KnownTokens> {
  let version = -1;
  let known: readonly TokenEntry[] = [];
  let looking: Promise<void> | undefined;
  let isWanted = false;

  const look = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      // Read before the tokens, so a change in between is read once more.
      const current = await tokens.version();
      if (current === version) continue;
      known = (await tokens.list()).filter(({ revokedAt }) => revokedAt === undefined);
      version = current;
    }
  };
  const refresh = (): Promise<void> => {
    isWanted = true;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  const lookNow = (): Promise<void> =>
    refresh().catch((reason: unknown) => {
      // The database may be away: the next poll tries again.
      listener.again("token", undefined);
      onError(CaretError.from(reason));
    });
  const stop = listener.on("token", undefined, () => void lookNow());
  await refresh().catch((reason: unknown) => {
    stop();
    throw reason;
  });
  return { current: () => known, lookNow, close: stop };
}
