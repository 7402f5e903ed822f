import { rmdirSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import { removeClientToken } from "../tokens/client-token.ts";
import { type Draft, FileDrafts } from "./file-drafts.ts";
import { type Receipt, readReceipt, readReceipts, removeReceipt } from "./receipt.ts";
import { undoInstall } from "./undo-install.ts";

export interface ClientUninstall {
  readonly receipt: Receipt;
  readonly changes: readonly Draft[];
  /** Writes the changes, and forgets the client's token and receipt. */
  commit(): Promise<void>;
}

/** The way back from an installation. Throws where a file cannot be read. */
export function planUninstall(dataDir: string, client: string): ClientUninstall {
  const receipt = readReceipt(dataDir, client);
  if (receipt === undefined) throw notInstalled(client, readReceipts(dataDir));
  const drafts = new FileDrafts();
  undoInstall(drafts, receipt);
  return {
    receipt,
    changes: drafts.changes(),
    async commit() {
      drafts.commit();
      for (const directory of receipt.directories.toReversed()) removeEmpty(directory);
      if (receipt.token !== null) await removeClientToken(dataDir, receipt.token);
      removeReceipt(dataDir, receipt);
    },
  };
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
