import { join } from "node:path";
import type { ToolContext } from "../tool.ts";
import type { ConfinedPath } from "./confined-path.ts";
import { assertReplaceable, replaceFile } from "./replace-file.ts";

type EditorContext = Pick<ToolContext, "workspace" | "editor" | "signal">;

/** The text of a file as it stands in the editor, saved or not; undefined where the disk counts. */
export async function editorText(
  { path }: ConfinedPath,
  { workspace, editor, signal }: EditorContext,
): Promise<string | undefined> {
  return await editor?.readText(join(workspace, path), signal);
}

/** Writes a file through the editor, so that an open buffer does not keep the old text; on the disk where there is none. */
export async function saveText(
  target: ConfinedPath,
  content: string,
  { workspace, editor, signal }: EditorContext,
): Promise<void> {
  await assertReplaceable(target);
  if ((await editor?.writeText(join(workspace, target.path), content, signal)) === true) return;
  await replaceFile(target, content);
}
