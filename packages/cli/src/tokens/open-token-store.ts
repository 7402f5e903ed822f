import { hash, timingSafeEqual } from "node:crypto";
import type { TokenGrant } from "@caret/gateway";
import { CaretError } from "@caret/protocol";
import { fileStamp, type TokenEntry } from "@caret/runtime";
import { readTokenFile, tokenFilePath } from "./token-file.ts";
import { readTokenUses, writeTokenUses } from "./token-uses.ts";

const USES_WRITTEN_MS = 60_000;

export interface TokenStoreOptions {
  readonly dataDir: string;
  /** The tokens of a fleet, besides those of the data directory. */
  readonly fleet?: FleetTokens | undefined;
  readonly now?: () => number;
  readonly onError?: (error: CaretError) => void;
}

export interface FleetTokens {
  /** Those that are valid. Another array when any of them has changed. */
  current(): readonly TokenEntry[];
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
}

/** The gateway's `TokenStore` over the token file, and over the tokens of the fleet where there is one. */
export interface FileTokenStore {
  /** Checks the file each time, so that a revoked token is rejected at once. */
  find(secret: string): TokenGrant | undefined;
  /** Whether a valid token of a browser has this as its cookie. */
  knowsCookie(half: string): boolean;
  /** Writes the times of last use. */
  close(): void;
}

export function openTokenStore(options: TokenStoreOptions): FileTokenStore {
  const { dataDir, fleet, now = Date.now, onError = () => undefined } = options;
  const uses = new Map(Object.entries(readTokenUses(dataDir)));
  const fleetUses = new Map<string, number>();
  let usesWrittenAt = now();
  const own = ownTokens(dataDir, onError);
  const shared = sharedTokens(fleet);

  const writeUses = (): void => {
    usesWrittenAt = now();
    try {
      writeTokenUses(dataDir, Object.fromEntries(uses));
    } catch (reason) {
      onError(new CaretError("storage-failed", "The last uses of tokens could not be written", { cause: reason }));
    }
    fleet?.noteUses(new Map(fleetUses)).catch((reason: unknown) => onError(CaretError.from(reason)));
    fleetUses.clear();
  };

  return {
    find(secret) {
      const digest = hash("sha256", secret, "buffer");
      // Compare with all of them: the time must not reveal which one matched.
      const [mine] = own().filter((entry) => timingSafeEqual(entry.digest, digest));
      const [theirs] = shared().filter((entry) => timingSafeEqual(entry.digest, digest));
      const found = mine ?? theirs;
      if (found === undefined) return undefined;
      (found === mine ? uses : fleetUses).set(found.name, now());
      if (now() - usesWrittenAt > USES_WRITTEN_MS) writeUses();
      return toGrant(found);
    },
    knowsCookie(half) {
      const digest = hash("sha256", half, "buffer");
      const valid = [...own(), ...shared()];
      return valid.filter(({ cookie }) => cookie !== undefined && timingSafeEqual(cookie, digest)).length > 0;
    },
    close: writeUses,
  };
}

interface ValidToken extends TokenEntry {
  readonly digest: Buffer;
  /** The digest of its cookie, where a browser has it. */
  readonly cookie: Buffer | undefined;
}

/** Those of the file, which is read again when it has changed. */
function ownTokens(dataDir: string, onError: (error: CaretError) => void): () => readonly ValidToken[] {
  let seen: string | undefined;
  let valid: readonly ValidToken[] = [];
  return () => {
    const stamp = fileStamp(tokenFilePath(dataDir));
    if (stamp === seen) return valid;
    seen = stamp;
    try {
      valid = readTokenFile(dataDir)
        .filter(({ revokedAt }) => revokedAt === undefined)
        .map(toValid);
    } catch (reason) {
      // Reject all tokens until the file can be read again: it may hold a revocation.
      valid = [];
      onError(CaretError.from(reason));
    }
    return valid;
  };
}

/** Their digests are made ready once for each change. */
function sharedTokens(fleet: FleetTokens | undefined): () => readonly ValidToken[] {
  let seen: readonly TokenEntry[] = [];
  let valid: readonly ValidToken[] = [];
  return () => {
    const current = fleet?.current() ?? seen;
    if (current !== seen) valid = current.map(toValid);
    seen = current;
    return valid;
  };
}

function toValid(entry: TokenEntry): ValidToken {
  const { sha256, cookieSha256 } = entry;
  const cookie = cookieSha256 === undefined ? undefined : Buffer.from(cookieSha256, "hex");
  return { ...entry, digest: Buffer.from(sha256, "hex"), cookie };
}

function toGrant({ name, scopes, user, team, seesAll, workspace }: TokenEntry): TokenGrant {
  return {
    name,
    scopes,
    ...(user === undefined ? {} : { user }),
    ...(team === undefined ? {} : { team }),
    ...(seesAll === undefined ? {} : { seesAll }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}
