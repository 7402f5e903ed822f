import { existsSync, readFileSync } from "node:fs";
import { isSame, valueAt } from "../config/setting-value.ts";
import { digestText, type FileDrafts, PRIVATE } from "./file-drafts.ts";
import { readable } from "./plan-install.ts";
import { holdsToken, type Receipt, type ReceiptFile, type ReceiptSetting } from "./receipt.ts";
import { editorFor, emptyText } from "./settings-editors.ts";

/**
 * Drafts the way back: each file byte for byte as it was, or without our settings where it has changed since. A file of ours that the
 * user has edited is kept beside its place.
 */
export function undoInstall(drafts: FileDrafts, { files }: Receipt): void {
  for (const file of files) {
    const text = drafts.read(file.path) ?? "";
    // The user may have removed or emptied a file of theirs.
    if (file.isOwn || text.trim() !== "") undoFile(drafts, file, text);
  }
}

function undoFile(drafts: FileDrafts, file: ReceiptFile, text: string): void {
  const { path, backup, isOwn } = file;
  if (!isOwn && digestText(text) !== file.sha256) return withoutSettings(drafts, file, text);
  const former = readBackup(backup);
  if (isOwn && text.trim() !== "" && text !== former && digestText(text) !== file.sha256) drafts.keepBeside(path);
  if (former !== undefined) drafts.write(path, former, formerMode(drafts, file));
  // Without its backup a file of ours goes, and from one that is shared our settings do.
  else if (isOwn || backup === null) drafts.write(path, undefined);
  else withoutSettings(drafts, file, text);
}

/** Undefined where there was no file before, or its backup is gone. */
function readBackup(backup: string | null): string | undefined {
  return backup === null || !existsSync(backup) ? undefined : readFileSync(backup, "utf8");
}

function withoutSettings(drafts: FileDrafts, file: ReceiptFile, text: string): void {
  const { path, format, settings, backup } = file;
  const editor = editorFor(format);
  const rest = readable(path, () => {
    const left = settings
      .toReversed()
      .reduce(
        (all, setting) =>
          isOurs(editor.parse(all), setting) ? editor.undo(all, setting.path, setting.undo, setting.value) : all,
        text,
      );
    editor.parse(left);
    return left;
  });
  const isEmpty = [emptyText(format, false), emptyText(format, true), ""].some((empty) => empty.trim() === rest.trim());
  if (backup === null && isEmpty) drafts.write(path, undefined);
  else drafts.write(path, rest, digestText(text) === file.sha256 ? formerMode(drafts, file) : undefined);
}

/**
 * The permissions that a file had, where Caret has taken some away and nobody has set others since. Undefined: they stay. What the user has
 * added to a file or made private must not become readable to others.
 */
function formerMode(drafts: FileDrafts, { path, mode, isOwn, settings }: ReceiptFile): number | undefined {
  const isPrivate = isOwn || settings.some(holdsToken);
  const present = drafts.mode(path);
  return mode !== null && (present === undefined || (isPrivate && present === PRIVATE)) ? mode : undefined;
}

/** A setting that the user has changed to something of their own stays. */
function isOurs(settings: unknown, { path, value, prefix }: ReceiptSetting): boolean {
  const present = valueAt(settings, path);
  if (present === undefined) return false;
  if (typeof present === "string" && prefix !== undefined) return present.startsWith(prefix);
  if (typeof present === "object" && present !== null) return true;
  return value !== undefined && isSame(present, value);
}
