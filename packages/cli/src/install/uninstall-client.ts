import { rmdirSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import { removeClientToken } from "../tokens/client-token.ts";
import { type Draft, FileDrafts } from "./file-drafts.ts";
import { type Receipt, readReceipt, readReceipts, removeReceipt, withReceiptsLocked } from "./receipt.ts";
import { undoInstall } from "./undo-install.ts";

export interface ClientUninstall {
  readonly receipt: Receipt;
  readonly changes: readonly Draft[];
  /** Copies of Caret's own files that the user has edited. */
  readonly kept: readonly string[];
}

/** The way back from an installation. Throws where a file cannot be read or written. */
export function previewUninstall(dataDir: string, client: string): ClientUninstall {
  const { receipt, drafts } = plan(dataDir, client);
  return { receipt, changes: drafts.changes(), kept: drafts.kept };
}

/** Goes that way, and forgets the client's token and receipt. */
export async function uninstallClient(dataDir: string, client: string): Promise<ClientUninstall> {
  plan(dataDir, client); // a client that is not installed, or that cannot be uninstalled, needs no lock
  return await withReceiptsLocked(dataDir, async () => {
    const { receipt, drafts } = plan(dataDir, client);
    const changes = drafts.changes();
    drafts.commit();
    for (const directory of receipt.directories.toReversed()) removeEmpty(directory);
    if (receipt.token !== null) await removeClientToken(dataDir, receipt.token);
    removeReceipt(dataDir, receipt);
    return { receipt, changes, kept: drafts.kept };
  });
}

function plan(dataDir: string, client: string): { readonly receipt: Receipt; readonly drafts: FileDrafts } {
  const receipt = readReceipt(dataDir, client);
  if (receipt === undefined) throw notInstalled(client, readReceipts(dataDir));
  const drafts = new FileDrafts();
  undoInstall(drafts, receipt);
  return { receipt, drafts };
}

function notInstalled(client: string, all: readonly Receipt[]): CaretError {
  const names = all.map((receipt) => receipt.client);
  return new CaretError("invalid-request", `${JSON.stringify(client)} is not installed`, {
    fix:
      names.length === 0
        ? "No client is: `caret install <client>` installs one."
        : `Installed are: ${names.join(", ")}.`,
  });
}

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (reason) {
    // The client or its user has put something else there, or has removed it.
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes((reason as NodeJS.ErrnoException).code ?? "")) throw reason;
  }
}
