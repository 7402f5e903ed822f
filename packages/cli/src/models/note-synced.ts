import { type ReceiptSetting, readReceipt, writeReceipt } from "../install/receipt.ts";
import type { Synced } from "./sync-client.ts";

/**
 * Adds a sync's entries to the receipt of the client's installation, so that `caret uninstall` removes them: in a list for all providers
 * they would otherwise stay, and the token with them. In our own provider they go with it.
 */
export function noteSynced(
  dataDir: string,
  { client, file }: Pick<Synced, "client" | "file">,
  settings: Synced["settings"],
): void {
  const receipt = settings.length === 0 ? undefined : readReceipt(dataDir, client);
  if (receipt === undefined) return;
  const added = settings.map((setting) => ({ ...setting, isSynced: true }) as ReceiptSetting);
  const files = receipt.files.map((one) =>
    one.path === file ? { ...one, settings: [...one.settings, ...added] } : one,
  );
  writeReceipt(dataDir, { ...receipt, files });
}
