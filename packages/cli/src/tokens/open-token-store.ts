import { createHash, timingSafeEqual } from "node:crypto";
import { CaretError } from "@caret/protocol";
import { fileStamp } from "@caret/runtime";
import { readTokenFile, type TokenEntry, tokenFilePath } from "./token-file.ts";
import { readTokenUses, writeTokenUses } from "./token-uses.ts";

const USES_WRITTEN_MS = 60_000;

export interface TokenStoreOptions {
  readonly dataDir: string;
  readonly now?: () => number;
  readonly onError?: (error: CaretError) => void;
}

/** The gateway's `TokenStore` over the token file. */
export interface FileTokenStore {
  /** Checks the file each time, so that a revoked token is rejected at once. */
  find(
    secret: string,
  ): { readonly name: string; readonly scopes: readonly string[]; readonly workspace?: string } | undefined;
  /** Whether a valid token of a browser has this as its cookie. */
  knowsCookie(half: string): boolean;
  /** Writes the times of last use. */
  close(): void;
}

export function openTokenStore(options: TokenStoreOptions): FileTokenStore {
  const { dataDir, now = Date.now, onError = () => undefined } = options;
  const uses = new Map(Object.entries(readTokenUses(dataDir)));
  let usesWrittenAt = now();
  let seen: string | undefined;
  let valid: readonly ValidToken[] = [];

  const reload = (): void => {
    const stamp = fileStamp(tokenFilePath(dataDir));
    if (stamp === seen) return;
    seen = stamp;
    try {
      const good = readTokenFile(dataDir).filter(({ revokedAt }) => revokedAt === undefined);
      valid = good.map((entry) => ({
        ...entry,
        digest: Buffer.from(entry.sha256, "hex"),
        cookie: cookieDigest(entry),
      }));
    } catch (reason) {
      // Reject all tokens until the file can be read again: it may hold a revocation.
      valid = [];
      onError(CaretError.from(reason));
    }
  };

  const writeUses = (): void => {
    usesWrittenAt = now();
    try {
      writeTokenUses(dataDir, Object.fromEntries(uses));
    } catch (reason) {
      onError(new CaretError("storage-failed", "The last uses of tokens could not be written", { cause: reason }));
    }
  };

  return {
    find(secret) {
      reload();
      const digest = createHash("sha256").update(secret).digest();
      // Compare with all of them: the time must not reveal which one matched.
      const [found] = valid.filter((entry) => timingSafeEqual(entry.digest, digest));
      if (found === undefined) return undefined;
      uses.set(found.name, now());
      if (now() - usesWrittenAt > USES_WRITTEN_MS) writeUses();
      const { name, scopes, workspace } = found;
      return workspace === undefined ? { name, scopes } : { name, scopes, workspace };
    },
    knowsCookie(half) {
      reload();
      const digest = createHash("sha256").update(half).digest();
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

function cookieDigest({ cookieSha256 }: TokenEntry): Buffer | undefined {
  return cookieSha256 === undefined ? undefined : Buffer.from(cookieSha256, "hex");
}
