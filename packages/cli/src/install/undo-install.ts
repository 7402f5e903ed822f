import { readFileSync } from "node:fs";
import { digestText, type FileDrafts } from "./file-drafts.ts";
import { readable } from "./plan-install.ts";
import type { Receipt, ReceiptFile, ReceiptSetting } from "./receipt.ts";
import { isSame, valueAt } from "./setting-value.ts";
import { editorFor, emptyText } from "./settings-editors.ts";

/** Drafts the way back: each file byte for byte as it was, or without our settings where it has changed since. */
export function undoInstall(drafts: FileDrafts, { files }: Receipt): void {
  for (const file of files) {
    const text = drafts.read(file.path);
    if (text === undefined) continue; // the user has removed it
    const isUnchanged = digestText(text) === file.sha256;
    if (isUnchanged || file.isOwn) putBack(drafts, file);
    else withoutSettings(drafts, file, text);
  }
}

function putBack(drafts: FileDrafts, { path, backup, mode }: ReceiptFile): void {
  if (backup === null) drafts.write(path, undefined);
  else drafts.write(path, readFileSync(backup, "utf8"), mode ?? undefined);
}

function withoutSettings(drafts: FileDrafts, file: ReceiptFile, text: string): void {
  const { path, format, settings, backup, mode } = file;
  const editor = editorFor(format);
  const rest = readable(path, () =>
    settings
      .toReversed()
      .reduce(
        (left, setting) => (isOurs(editor.parse(left), setting) ? editor.undo(left, setting.path, setting.undo) : left),
        text,
      ),
  );
  const isEmpty = [emptyText(format, false), emptyText(format, true), ""].some((empty) => empty.trim() === rest.trim());
  if (backup === null && isEmpty) drafts.write(path, undefined);
  else drafts.write(path, rest, mode ?? undefined);
}

/** A setting that the user has changed to something of their own stays. */
function isOurs(settings: unknown, { path, value, prefix }: ReceiptSetting): boolean {
  const present = valueAt(settings, path);
  if (present === undefined) return false;
  if (typeof present === "string" && prefix !== undefined) return present.startsWith(prefix);
  if (typeof present === "object" && present !== null) return true;
  return value !== undefined && isSame(present, value);
}
