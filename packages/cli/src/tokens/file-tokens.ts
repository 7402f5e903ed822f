import { mkdirSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import {
  madeBy,
  makerRevoked,
  type TokenEntry,
  type TokenShelf,
  tokenNameTaken,
  unknownToken,
  withFileLock,
} from "@caret/runtime";
import { readTokenFile, tokenFilePath, writeTokenFile } from "./token-file.ts";

/** One gateway's tokens, in a file of its data directory. */
export function fileTokens(dataDir: string): TokenShelf {
  const change = async (
    work: (tokens: readonly TokenEntry[]) => readonly TokenEntry[],
  ): Promise<readonly TokenEntry[]> => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return await withFileLock(tokenFilePath(dataDir), () => {
      const changed = work(readTokenFile(dataDir));
      writeTokenFile(dataDir, changed);
      return changed;
    });
  };
  return {
    list: async () => readTokenFile(dataDir),
    async add(token) {
      await change((tokens) => {
        if (tokens.some(({ name, revokedAt }) => name === token.name && revokedAt === undefined))
          throw tokenNameTaken(token.name);
        const maker = tokens.find(({ sha256 }) => sha256 === token.madeBy?.sha256);
        if (token.madeBy !== undefined && maker?.revokedAt !== undefined) throw makerRevoked(token.madeBy);
        return [...tokens.filter(({ name }) => name !== token.name), token];
      });
    },
    async revoke(name, at) {
      const tokens = await change((all) => {
        const token = all.find((entry) => entry.name === name);
        if (token === undefined) throw unknownToken(name);
        return revokedAt(all, new Set([token, ...madeBy(all, [token.sha256])]), at);
      });
      const [revoked] = tokens.filter((entry) => entry.name === name);
      if (revoked === undefined) throw new CaretError("internal", "A revoked token was lost");
      return [revoked, ...madeBy(tokens, [revoked.sha256])];
    },
    async revokeMadeBy(makers, at) {
      const tokens = await change((all) => revokedAt(all, new Set(madeBy(all, makers)), at));
      return madeBy(tokens, makers);
    },
  };
}

function revokedAt(all: readonly TokenEntry[], gone: ReadonlySet<TokenEntry>, at: number): readonly TokenEntry[] {
  return all.map((entry) => (gone.has(entry) ? { ...entry, revokedAt: entry.revokedAt ?? at } : entry));
}
