import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { ToolContext } from "../tool.ts";
import type { ConfinedPath } from "./confined-path.ts";
import { hasCode } from "./file-error.ts";
import { assertReplaceable, replaceFile } from "./replace-file.ts";
import { isBinary, utf8Text } from "./text-encodings.ts";

/** Larger files are assumed to be text without a full check. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

type EditorContext = Pick<ToolContext, "workspace" | "editor" | "signal">;

/**
 * A file's text from the editor, saved or not; undefined if the disk should be used: no editor reads, it has no such file, or the file is
 * not text, of which no editor holds unsaved changes. Any other failure of the editor fails the call: it may hold unsaved changes, which
 * using the disk's text would lose.
 */
export async function editorText(target: ConfinedPath, context: EditorContext): Promise<string | undefined> {
  const { workspace, editor, signal } = context;
  const path = join(workspace, target.path);
  const read = await editor?.readText(path, signal);
  if (read === undefined) return undefined;
  // An editor that decoded a non-UTF-8 file puts this character where bytes were lost.
  if ("text" in read) return read.text.includes("\ufffd") && !(await isTextOnDisk(target)) ? undefined : read.text;
  if (!(await isTextOnDisk(target))) return undefined;
  const again = await editor?.readText(path, signal);
  if (again === undefined) return undefined;
  if ("text" in again) return again.text;
  throw new CaretError("upstream-error", `The editor did not read ${target.path}, and may have unsaved changes in it`, {
    upstream: again.failed,
    fix: "Try again, or close the session in the editor: the gateway then uses the disk.",
  });
}

async function isTextOnDisk({ directory, name }: ConfinedPath): Promise<boolean> {
  const file = await directory.openFile(name).catch((reason: unknown) => {
    if (hasCode(reason, "ENOENT")) return undefined;
    throw reason;
  });
  if (file === undefined) return false;
  try {
    if ((await file.stat()).size > MAX_TEXT_BYTES) return true;
    const bytes = await file.readFile();
    return !isBinary(bytes) && utf8Text(bytes) !== undefined;
  } finally {
    await file.close();
  }
}

/**
 * Writes a file through the editor, so an open buffer does not keep the old text; to disk if there is no editor or the content is not text.
 */
export async function saveText(
  target: ConfinedPath,
  content: string | Uint8Array,
  { workspace, editor, signal }: EditorContext,
): Promise<void> {
  await assertReplaceable(target);
  const inEditor =
    typeof content === "string" ? editor?.writeText(join(workspace, target.path), content, signal) : undefined;
  if ((await inEditor) === true) return;
  await replaceFile(target, content);
}
