import { hash, timingSafeEqual } from "node:crypto";
import type { TokenGrant } from "@caret/gateway";
import { CaretError } from "@caret/protocol";
import { fileStamp, madeBy, type TokenEntry } from "@caret/runtime";
import { readTokenFile, tokenFilePath } from "./token-file.ts";
import { readTokenUses, writeTokenUses } from "./token-uses.ts";

const USES_WRITTEN_MS = 60_000;

export interface TokenStoreOptions {
  readonly dataDir: string;
  /** The fleet's tokens, in addition to the data directory's. */
  readonly fleet?: FleetTokens | undefined;
  readonly now?: () => number;
  readonly onError?: (error: CaretError) => void;
}

export interface FleetTokens {
  /** The valid tokens. A new array whenever any of them has changed. */
  current(): readonly TokenEntry[];
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
  /** Revokes the tokens created by these makers, given by digest. */
  revokeMadeBy(makers: readonly string[], at: number): Promise<unknown>;
}

/** The gateway's `TokenStore`: the token file, plus the fleet's tokens if it is in one. */
export interface FileTokenStore {
  /** Checks the file each time, so a revoked token is rejected at once. */
  find(secret: string): TokenGrant | undefined;
  /** Whether a valid browser token has this cookie. */
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
  const orphans = orphanedTokens(own, shared);
  let isTelling = false;
  const tellFleet = async (makers: readonly string[]): Promise<void> => {
    if (isTelling) return;
    isTelling = true;
    try {
      await fleet?.revokeMadeBy(makers, now());
    } catch (reason) {
      onError(CaretError.from(reason));
    } finally {
      isTelling = false;
    }
  };
  /**
   * A fleet token created by a token of this machine is revoked with it, although the command that revoked the latter may not know the
   * fleet: at once here, and at the other gateways once the database is updated.
   */
  const isOrphan = (entry: ValidToken | undefined): boolean => {
    const { made, makers } = orphans();
    if (made.size > 0) void tellFleet(makers);
    return entry !== undefined && made.has(entry.sha256);
  };

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
      const [mine] = own().valid.filter((entry) => timingSafeEqual(entry.digest, digest));
      const [theirs] = shared().filter((entry) => timingSafeEqual(entry.digest, digest));
      const found = mine ?? theirs;
      if (isOrphan(theirs) || found === undefined) return undefined;
      (found === mine ? uses : fleetUses).set(found.name, now());
      if (now() - usesWrittenAt > USES_WRITTEN_MS) writeUses();
      return toGrant(found);
    },
    knowsCookie(half) {
      const digest = hash("sha256", half, "buffer");
      const valid = [...own().valid, ...shared()];
      const found = valid.filter(({ cookie }) => cookie !== undefined && timingSafeEqual(cookie, digest));
      return found.some((entry) => !isOrphan(entry));
    },
    close: writeUses,
  };
}

interface ValidToken extends TokenEntry {
  readonly digest: Buffer;
  /** Digest of its cookie, for a browser's token. */
  readonly cookie: Buffer | undefined;
}

/** Fleet tokens created by revoked tokens of this machine. Recomputed once per change. */
function orphanedTokens(own: () => OwnTokens, shared: () => readonly ValidToken[]) {
  let seen: readonly unknown[] = [];
  let found = { made: new Set<string>(), makers: [] as readonly string[] };
  return () => {
    const [mine, theirs] = [own(), shared()];
    if (seen[0] !== mine || seen[1] !== theirs)
      found = { made: new Set(madeBy(theirs, mine.revoked).map(({ sha256 }) => sha256)), makers: mine.revoked };
    seen = [mine, theirs];
    return found;
  };
}

interface OwnTokens {
  readonly valid: readonly ValidToken[];
  /** Digests of revoked tokens. A revoked entry leaves the file when its name is reused. */
  readonly revoked: readonly string[];
}

/** The file's tokens, reread when it has changed. */
function ownTokens(dataDir: string, onError: (error: CaretError) => void): () => OwnTokens {
  let seen: string | undefined;
  let tokens: OwnTokens = { valid: [], revoked: [] };
  /** Digests of all tokens that were ever in it. */
  const known = new Set<string>();
  return () => {
    const stamp = fileStamp(tokenFilePath(dataDir));
    if (stamp === seen) return tokens;
    seen = stamp;
    try {
      const all = readTokenFile(dataDir);
      for (const { sha256 } of all) known.add(sha256);
      const valid = all.filter(({ revokedAt }) => revokedAt === undefined).map(toValid);
      const revoked = known.difference(new Set(valid.map(({ sha256 }) => sha256)));
      tokens = { valid, revoked: [...revoked] };
    } catch (reason) {
      // Reject all tokens until the file is readable again: it may hold a revocation.
      tokens = { valid: [], revoked: [] };
      onError(CaretError.from(reason));
    }
    return tokens;
  };
}

/** Their digests are prepared once per change. */
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

function toGrant({ name, sha256, scopes, user, team, seesAll, workspace }: TokenEntry): TokenGrant {
  return {
    name,
    id: sha256,
    scopes,
    ...(user === undefined ? {} : { user }),
    ...(team === undefined ? {} : { team }),
    ...(seesAll === undefined ? {} : { seesAll }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}
