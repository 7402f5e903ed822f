import { mkdirSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import { type TokenEntry, type TokenShelf, tokenNameTaken, unknownToken, withFileLock } from "@caret/runtime";
import { readTokenFile, tokenFilePath, writeTokenFile } from "./token-file.ts";

/** The tokens of one gateway, in a file of its data directory. */
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
        return [...tokens.filter(({ name }) => name !== token.name), token];
      });
    },
    async revoke(name, at) {
      const tokens = await change((all) => {
        if (!all.some((entry) => entry.name === name)) throw unknownToken(name);
        return all.map((entry) => (entry.name === name ? { ...entry, revokedAt: entry.revokedAt ?? at } : entry));
      });
      const revoked = tokens.find((entry) => entry.name === name);
      if (revoked === undefined) throw new CaretError("internal", "A revoked token was lost");
      return revoked;
    },
  };
}
