import { CaretError } from "@caret/protocol";
import type { TokenShelf } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { fileTokens } from "./file-tokens.ts";
import { readTokenUses } from "./token-uses.ts";

/** The tokens a command works on, and when each was last used. */
export interface OpenTokens {
  readonly shelf: TokenShelf;
  readonly uses: () => Promise<Readonly<Record<string, number>>>;
}

/** Works on the tokens of the data directory or of the fleet's database, which is closed afterwards. */
export async function withTokens<Outcome>(
  { dataDir, store: address }: Pick<Config, "dataDir" | "store">,
  isOfFleet: boolean,
  work: (tokens: OpenTokens) => Promise<Outcome>,
): Promise<Outcome> {
  if (!isOfFleet) return await work({ shelf: fileTokens(dataDir), uses: async () => readTokenUses(dataDir) });
  if (address === undefined)
    throw new CaretError("invalid-config", "There is no `store` in the settings", {
      fix: "Set `store` in the configuration file or CARET_STORE, or leave --store out.",
    });
  const fleet = await import("@caret/fleet");
  const database = fleet.openDatabase(fleet.readDatabaseAddress(address), { name: "caret token" });
  try {
    await fleet.migrateDatabase(database);
    const tokens = fleet.createPostgresTokens(database);
    return await work({ shelf: tokens, uses: tokens.readUses });
  } finally {
    await database.close();
  }
}
