import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { CaretError } from "@caret/protocol";
import { makePrivateDirectory, withFileLock, writePrivateFile } from "@caret/runtime";
import { z } from "zod";

const stepSchema = z.union([z.string(), z.object({ item: z.union([z.string(), z.record(z.string(), z.string())]) })]);

const settingSchema = z.object({
  path: z.array(stepSchema),
  /** What was written; absent for a setting that is only given back if it has become Caret's. */
  value: z.json().optional(),
  /** Values that begin with this are Caret's; absent: whatever is there is. */
  prefix: z.string().optional(),
  /** Added by a sync of models: the user may remove it. */
  isSynced: z.boolean().optional(),
  undo: z.object({ former: z.string().nullable(), depth: z.number().int(), blank: z.string().nullable() }),
});

const fileSchema = z.object({
  path: z.string(),
  format: z.enum(["jsonc", "yaml", "toml", "variables"]),
  /** Of a file that is Caret's own as a whole there are no settings. */
  isOwn: z.boolean(),
  /** In hexadecimal, of what was written. */
  sha256: z.string().length(64),
  /** The file with what was there before; null: there was no file. */
  backup: z.string().nullable(),
  /** The permissions that it had; null: there was no file. */
  mode: z.number().int().nullable(),
  settings: z.array(settingSchema),
});

const receiptSchema = z.object({
  version: z.literal(1),
  client: z.string(),
  name: z.string(),
  installedAt: z.number(),
  /** The version of Caret that installed it. */
  caret: z.string(),
  /** Where the client was pointed to; null for one that starts Caret itself. */
  url: z.string().nullable(),
  door: z.enum(["openai", "responses", "anthropic"]).nullable(),
  /** The name of the client's own token; null for one that needs none. */
  token: z.string().nullable(),
  isDefault: z.boolean(),
  files: z.array(fileSchema),
  /** Directories that were made for the files; removed again if nothing else is in them. */
  directories: z.array(z.string()),
});

/** What `caret install` has written for a client: enough to take all of it back. */
export type Receipt = Readonly<z.infer<typeof receiptSchema>>;
export type ReceiptFile = Receipt["files"][number];
export type ReceiptSetting = ReceiptFile["settings"][number];

/** A client that can read its token nowhere else has it in its settings. */
export function holdsToken({ value }: ReceiptSetting): boolean {
  return JSON.stringify(value ?? null).includes("caret_");
}

const SUFFIX = ".json";

export function receiptDirectory(dataDir: string): string {
  return join(dataDir, "receipts");
}

/** One installation at a time: clients share files, and each change of one has to begin with what the last one wrote. */
export async function withReceiptsLocked<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  makePrivateDirectory(receiptDirectory(dataDir));
  return await withFileLock(join(receiptDirectory(dataDir), "receipts"), work);
}

function receiptPath(dataDir: string, client: string): string {
  return join(receiptDirectory(dataDir), `${client}${SUFFIX}`);
}

/** Undefined where the client is not installed. A receipt that cannot be read is an error: without it nothing can be taken back. */
export function readReceipt(dataDir: string, client: string): Receipt | undefined {
  const file = receiptPath(dataDir, client);
  try {
    const receipt = receiptSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    return {
      ...receipt,
      files: receipt.files.map((written) => ({ ...written, backup: backupHere(dataDir, written) })),
    };
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CaretError("storage-failed", `The receipt ${file} cannot be read`, {
      cause: reason,
      fix: "Use the version of Caret that wrote it, or take the client's settings back by hand and remove the file.",
    });
  }
}

/** Backups lie beside their receipt, also where the data directory has been copied or moved since. */
function backupHere(dataDir: string, { backup }: ReceiptFile): string | null {
  return backup === null ? null : join(receiptDirectory(dataDir), basename(backup));
}

/** Of every client that is installed. */
export function readReceipts(dataDir: string): readonly Receipt[] {
  return namesIn(receiptDirectory(dataDir)).flatMap((name) => {
    const receipt = name.endsWith(SUFFIX) ? readReceipt(dataDir, name.slice(0, -SUFFIX.length)) : undefined;
    return receipt === undefined ? [] : [receipt];
  });
}

export function writeReceipt(dataDir: string, receipt: Receipt): void {
  writePrivateFile(receiptPath(dataDir, receipt.client), `${JSON.stringify(receipt, undefined, 2)}\n`);
}

/** With its backups. */
export function removeReceipt(dataDir: string, receipt: Receipt): void {
  rmSync(receiptPath(dataDir, receipt.client), { force: true });
  removeBackups(receipt);
}

export function removeBackups({ files }: Receipt): void {
  for (const { backup } of files) if (backup !== null) rmSync(backup, { force: true });
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw reason;
  }
}
